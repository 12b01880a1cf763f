# Every allocation and system call of the readers fails once: `make check-torture`, by hand, takes
# long; TORTURE_STRIDE=100 takes a hundredth of them.
TORTURE_STRIDE = 1
EXTRA_DIST += tests/torture/check_torture tests/torture/shim.c

tests/torture/shim.so: tests/torture/shim.c
	$(MKDIR_P) tests/torture
	$(CC) -D_GNU_SOURCE $(CFLAGS) -shared -fPIC -o $@ $(srcdir)/tests/torture/shim.c -ldl

check-torture: kmalloc-top slabratetop slabstack stack-top tests/torture/shim.so
	srcdir=$(srcdir) $(srcdir)/tests/torture/check_torture --stride $(TORTURE_STRIDE)

clean-local: clean-torture
clean-torture:
	rm -f tests/torture/shim.so
.PHONY: check-torture clean-torture
