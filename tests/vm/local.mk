# SPDX-License-Identifier: GPL-2.0-or-later
# Real kernels: needs root, QEMU and debootstrap; no part of make check.
EXTRA_PROGRAMS += tests/vm/seed_cache
tests_vm_seed_cache_CPPFLAGS = $(aggregator_cppflags)
tests_vm_seed_cache_CFLAGS = $(aggregator_cflags)
tests_vm_seed_cache_LDADD = $(aggregator_libs)
tests_vm_seed_cache_SOURCES = tests/vm/seed_cache.c

.PHONY: check-vm bench-vm
check-vm: kmalloc-top$(EXEEXT)
	KMALLOC_TOP=$(abs_builddir)/kmalloc-top$(EXEEXT) $(srcdir)/tests/vm/run $(VM_KERNELS)

bench-vm:
	$(srcdir)/tests/vm/bench $(VM_KERNELS)

EXTRA_DIST += \
	tests/vm/bench \
	tests/vm/build-in-tree \
	tests/vm/cases/10-exact.sh \
	tests/vm/cases/15-bpftrace.sh \
	tests/vm/cases/20-main-command.sh \
	tests/vm/cases/25-command.sh \
	tests/vm/cases/30-pids.sh \
	tests/vm/cases/35-end.sh \
	tests/vm/cases/40-record.sh \
	tests/vm/cases/45-module.sh \
	tests/vm/cases/50-events.sh \
	tests/vm/cases/lib.sh \
	tests/vm/guest \
	tests/vm/host.sh \
	tests/vm/in-guest \
	tests/vm/in-guest-bench \
	tests/vm/in-tree \
	tests/vm/init \
	tests/vm/make-initrd \
	tests/vm/make-tree \
	tests/vm/run \
	tests/vm/trees.conf \
	tests/vm/trees/forky.packages \
	tests/vm/workload.c
