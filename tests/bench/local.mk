# Figures, not tests: `make bench` prints a table for doc/PERFORMANCE.md.
bench_programs = tests/bench/bench_aggregator tests/bench/cost_load tests/bench/make_fleet tests/bench/make_held \
	tests/bench/make_hostile tests/bench/make_stream tests/bench/measure \
	tests/bench/sampling_load
EXTRA_PROGRAMS += $(bench_programs)

tests_bench_bench_aggregator_SOURCES = tests/bench/bench_aggregator.c
tests_bench_bench_aggregator_CPPFLAGS = $(aggregator_cppflags)
tests_bench_bench_aggregator_CFLAGS = $(aggregator_cflags)
tests_bench_bench_aggregator_LDADD = $(aggregator_libs)

tests_bench_cost_load_SOURCES = tests/bench/cost_load.c

tests_bench_make_fleet_SOURCES = tests/bench/make_fleet.c
tests_bench_make_fleet_CPPFLAGS = $(aggregator_cppflags)
tests_bench_make_fleet_CFLAGS = $(aggregator_cflags)
tests_bench_make_fleet_LDADD = $(aggregator_libs)

tests_bench_make_held_SOURCES = tests/bench/make_held.c \
	tests/bench/stream_builder.c tests/bench/stream_builder.h
tests_bench_make_held_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests
tests_bench_make_held_CFLAGS = $(aggregator_cflags)
tests_bench_make_held_LDADD = $(aggregator_libs)

tests_bench_make_hostile_SOURCES = tests/bench/make_hostile.c \
	tests/bench/hostile_shapes.c tests/bench/hostile_shapes.h \
	tests/bench/stream_builder.c tests/bench/stream_builder.h
tests_bench_make_hostile_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests
tests_bench_make_hostile_CFLAGS = $(aggregator_cflags)
tests_bench_make_hostile_LDADD = $(aggregator_libs)

tests_bench_make_stream_SOURCES = tests/bench/make_stream.c \
	tests/bench/stream_builder.c tests/bench/stream_builder.h
tests_bench_make_stream_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests
tests_bench_make_stream_CFLAGS = $(aggregator_cflags)
tests_bench_make_stream_LDADD = $(aggregator_libs)

tests_bench_measure_SOURCES = tests/bench/measure.c

tests_bench_sampling_load_SOURCES = tests/bench/sampling_load.c
tests_bench_sampling_load_LDADD = -lm

bench_scripts = \
	tests/bench/collapse.pl \
	tests/bench/has_addresses \
	tests/bench/make_perl_stream.pl \
	tests/bench/run_bench \
	tests/bench/run_cost \
	tests/bench/run_diff \
	tests/bench/run_formats \
	tests/bench/run_held \
	tests/bench/run_hits \
	tests/bench/run_hostile \
	tests/bench/run_lines \
	tests/bench/run_live \
	tests/bench/run_pages \
	tests/bench/run_sampling
EXTRA_DIST += $(bench_scripts)

bench: kmalloc-top slabratetop tests/cli/lines_of $(bench_programs)
	$(srcdir)/tests/bench/run_bench $(srcdir)
	$(srcdir)/tests/bench/run_formats $(srcdir)
	$(srcdir)/tests/bench/run_held
	$(srcdir)/tests/bench/run_hostile
	$(srcdir)/tests/bench/run_lines
	$(srcdir)/tests/bench/run_pages $(srcdir)

# Whether runs tell what they cost on the running kernel.
bench-cost: kmalloc-top slabstack stack-top tests/bench/cost_load
	$(srcdir)/tests/bench/run_cost

# Whether sampled figures are right on the running kernel.
bench-sampling: kmalloc-top tests/bench/sampling_load
	$(srcdir)/tests/bench/run_sampling

# How often --diff is wrong about an unchanged load on the running kernel.
bench-diff: kmalloc-top tests/bench/sampling_load
	$(srcdir)/tests/bench/run_diff

# What tracing costs on the running kernel.
bench-live: kmalloc-top stack-top tests/vm/workload
	$(srcdir)/tests/bench/run_live
	$(srcdir)/tests/bench/run_hits

CLEANFILES += $(EXTRA_PROGRAMS)
mostlyclean-local: clean-bench
clean-bench:
	rm -rf bench-data
.PHONY: bench bench-cost bench-diff bench-live bench-sampling clean-bench
