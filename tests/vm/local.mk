# SPDX-License-Identifier: GPL-2.0-or-later
# Real kernels: needs root, QEMU and debootstrap; no part of make check.
EXTRA_PROGRAMS += tests/vm/seed_cache
check_PROGRAMS += tests/vm/cache_counts tests/vm/held_counts tests/vm/bpf_damage tests/vm/bpf_return \
	tests/vm/kmem_counter tests/vm/hostile \
	tests/vm/memory_leak tests/vm/memory_use
tests_vm_memory_leak_SOURCES = tests/vm/memory_leak.c
tests_vm_memory_use_SOURCES = tests/vm/memory_use.c
tests_vm_hostile_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests/fixtures
tests_vm_hostile_CFLAGS = -fno-omit-frame-pointer -fno-optimize-sibling-calls
# Its copies are other programs.
tests_vm_hostile_LDFLAGS = -Wl,--build-id=none
tests_vm_hostile_SOURCES = tests/vm/hostile.c tests/fixtures/fuse_server.c tests/fixtures/fuse_server.h
tests_vm_bpf_damage_CPPFLAGS = $(aggregator_cppflags)
tests_vm_bpf_damage_SOURCES = tests/vm/bpf_damage.c
tests_vm_bpf_return_SOURCES = tests/vm/bpf_return.c
tests_vm_seed_cache_CPPFLAGS = $(aggregator_cppflags)
tests_vm_seed_cache_CFLAGS = $(aggregator_cflags)
tests_vm_seed_cache_LDADD = $(aggregator_libs)
tests_vm_seed_cache_SOURCES = tests/vm/seed_cache.c
tests_vm_cache_counts_CPPFLAGS = $(aggregator_cppflags)
tests_vm_cache_counts_CFLAGS = $(aggregator_cflags)
tests_vm_cache_counts_LDADD = $(aggregator_libs)
tests_vm_cache_counts_SOURCES = tests/vm/cache_counts.c
tests_vm_held_counts_CPPFLAGS = $(aggregator_cppflags)
tests_vm_held_counts_CFLAGS = $(aggregator_cflags)
tests_vm_held_counts_LDADD = $(aggregator_libs)
tests_vm_held_counts_SOURCES = tests/vm/held_counts.c
tests_vm_kmem_counter_CPPFLAGS = $(aggregator_cppflags)
tests_vm_kmem_counter_CFLAGS = $(aggregator_cflags)
tests_vm_kmem_counter_LDADD = $(aggregator_libs)
tests_vm_kmem_counter_SOURCES = tests/vm/kmem_counter.c

# The unit tests with all that they look at, whose paths they know, for a guest.
tests/vm/unit.tar: tests/unit/unit$(EXEEXT) $(unit_subjects)
	tar -C / -c -f $(abs_builddir)/$@ $$(for path in $(unit_subjects) tests/unit/unit$(EXEEXT) \
		tests/vm/workload-workload.$(OBJEXT); do echo $(abs_builddir)/$$path; done | cut -c 2-) \
		$$(for path in tests/data examples stap presets; do echo $(abs_srcdir)/$$path; done | cut -c 2-)
CLEANFILES += tests/vm/unit.tar

.PHONY: check-vm check-vm-once check-vm-document bench-vm
check-vm: kmalloc-top$(EXEEXT)
	KMALLOC_TOP=$(abs_builddir)/kmalloc-top$(EXEEXT) $(srcdir)/tests/vm/run $(VM_KERNELS)

# Each case on one kernel: what CI runs.
check-vm-once: kmalloc-top$(EXEEXT)
	KMALLOC_TOP=$(abs_builddir)/kmalloc-top$(EXEEXT) $(srcdir)/tests/vm/run --once

# The same, and doc/COMPATIBILITY.md is written from it, whatever it shows.
check-vm-document: kmalloc-top$(EXEEXT)
	KMALLOC_TOP=$(abs_builddir)/kmalloc-top$(EXEEXT) $(srcdir)/tests/vm/run \
		--keep $(abs_builddir)/check-vm || test -e $(abs_builddir)/check-vm
	$(srcdir)/tests/vm/document $(abs_builddir)/check-vm

bench-vm:
	$(srcdir)/tests/vm/bench $(VM_BENCH)

EXTRA_DIST += \
	tests/vm/architectures.conf \
	tests/vm/bench \
	tests/vm/bench.d/compile \
	tests/vm/bench.d/floor.stp \
	tests/vm/bench.d/loads \
	tests/vm/bench.d/perl.stp \
	tests/vm/bench.d/tables \
	tests/vm/bench.d/tapset/kmt_bench.stp \
	tests/vm/bench.d/walk.stp \
	tests/vm/build-in-tree \
	tests/vm/cases/01-examples.sh \
	tests/vm/cases/02-unit.sh \
	tests/vm/cases/03-boot.sh \
	tests/vm/cases/10-exact.sh \
	tests/vm/cases/15-second.sh \
	tests/vm/cases/17-large.sh \
	tests/vm/cases/20-main-command.sh \
	tests/vm/cases/22-check.sh \
	tests/vm/cases/25-command.sh \
	tests/vm/cases/30-pids.sh \
	tests/vm/cases/31-to-the-end.sh \
	tests/vm/cases/35-end.sh \
	tests/vm/cases/36-killed.sh \
	tests/vm/cases/37-two-runs.sh \
	tests/vm/cases/38-hostile.sh \
	tests/vm/cases/40-record.sh \
	tests/vm/cases/45-module.sh \
	tests/vm/cases/46-signed-module.sh \
	tests/vm/cases/50-events.sh \
	tests/vm/cases/51-caches.sh \
	tests/vm/cases/52-slabstack.sh \
	tests/vm/cases/53-slabratetop.sh \
	tests/vm/cases/54-cache-offsets.sh \
	tests/vm/cases/54-repeated.sh \
	tests/vm/cases/54-reused-cache.sh \
	tests/vm/cases/55-loss.sh \
	tests/vm/cases/56-loss-killed.sh \
	tests/vm/cases/57-loss-cpus.sh \
	tests/vm/cases/58-held.sh \
	tests/vm/cases/59-cgroup-v1.sh \
	tests/vm/cases/59-hardened.sh \
	tests/vm/cases/59-held-exact.sh \
	tests/vm/cases/59-held-second.sh \
	tests/vm/cases/59-kernel-records.sh \
	tests/vm/cases/60-modules.sh tests/vm/cases/61-stack-walk.sh \
	tests/vm/cases/62-lines.sh \
	tests/vm/cases/65-interrupts.sh \
	tests/vm/cases/67-held-sampling.sh \
	tests/vm/cases/68-sampling.sh \
	tests/vm/cases/70-hidden.sh \
	tests/vm/cases/80-memory.sh \
	tests/vm/cases/90-balance.sh \
	tests/vm/cases/90-perf-exact.sh \
	tests/vm/cases/91-perf-caches.sh \
	tests/vm/cases/92-perf-faults.sh \
	tests/vm/cases/93-perf-bpf.sh \
	tests/vm/cases/93-perf-loss.sh \
	tests/vm/cases/93-perf-sampling.sh \
	tests/vm/cases/94-bpf-exact.sh \
	tests/vm/cases/94-bpf-walks.sh \
	tests/vm/cases/94-perf-choice.sh \
	tests/vm/cases/95-perf-held-busy.sh \
	tests/vm/cases/95-perf-held.sh \
	tests/vm/cases/95-perf-reports.sh \
	tests/vm/cases/96-perf-kmem.sh \
	tests/vm/cases/96-perf-main.sh \
	tests/vm/cases/96-verdict.sh \
	tests/vm/cases/96-watch.sh \
	tests/vm/cases/97-balloon.sh \
	tests/vm/cases/97-units.sh \
	tests/vm/cases/97-names.sh \
	tests/vm/cases/97-stack-top-stap.sh \
	tests/vm/cases/97-verdict-commands.sh \
	tests/vm/cases/97-verdict-guest.sh \
	tests/vm/cases/98-perf-net.sh \
	tests/vm/cases/98-stack-top-hostile.sh tests/vm/cases/98-stack-top.sh \
	tests/vm/cases/98-stack-top-reports.sh \
	tests/vm/cases/99-stack-top-kprobes.sh \
	tests/vm/cases/99-stack-top-memory.sh \
	tests/vm/cases/caches.sh \
	tests/vm/cases/held.sh \
	tests/vm/cases/lib.sh \
	tests/vm/cases/points.sh \
	tests/vm/cases/second-bpftrace.sh \
	tests/vm/cases/second-ftrace.sh \
	tests/vm/cases/tracers.sh \
	tests/vm/cases/verdict.sh \
	tests/vm/document \
	tests/vm/facts \
	tests/vm/guest \
	tests/vm/host.sh \
	tests/vm/in-guest \
	tests/vm/in-guest-bench \
	tests/vm/in-tree \
	tests/vm/killed-compile \
	tests/vm/init \
	tests/vm/make-initrd \
	tests/vm/make-tree \
	tests/vm/run \
	tests/vm/small_criterion/criterion/criterion.h \
	tests/vm/small_criterion/criterion/new/assert.h \
	tests/vm/small_criterion/criterion/parameterized.h \
	tests/vm/small_criterion/criterion/redirect.h \
	tests/vm/small_criterion/runner.c \
	tests/vm/trees.conf \
	tests/vm/trees/bookworm.packages \
	tests/vm/trees/bullseye.packages \
	tests/vm/trees/every.packages \
	tests/vm/trees/foreign.packages \
	tests/vm/trees/forky.packages \
	tests/vm/trees/trixie.packages \
	tests/vm/vmtest.c
