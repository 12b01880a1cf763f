# Allocations and system calls of the readers fail, one in each run: `make check-torture`, by hand.
# TORTURE has arguments of check_torture; with --every, it takes many hours.
TORTURE =
EXTRA_DIST += tests/torture/check_torture tests/torture/shim.c

tests/torture/shim.so: tests/torture/shim.c
	$(MKDIR_P) tests/torture
	$(CC) -D_GNU_SOURCE $(CFLAGS) -shared -fPIC -o $@ $(srcdir)/tests/torture/shim.c -ldl

check-torture: kmalloc-top slabratetop slabstack stack-top tests/torture/shim.so
	srcdir=$(srcdir) $(srcdir)/tests/torture/check_torture $(TORTURE)

clean-local: clean-torture
clean-torture:
	rm -f tests/torture/shim.so
.PHONY: check-torture clean-torture
