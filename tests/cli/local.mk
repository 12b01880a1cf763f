tests_cli_checks = \
	tests/cli/check_golden \
	tests/cli/check_many
# They compare what the program prints with other programs, or read sources and documents. A build with sanitizers
# runs the same code of the program in the tests above.
tests_cli_comparisons = \
	tests/cli/check_completion \
	tests/cli/check_debuginfod \
	tests/cli/check_diff \
	tests/cli/check_docs \
	tests/cli/check_formats \
	tests/cli/check_json \
	tests/cli/check_lines \
	tests/cli/check_lines_command \
	tests/cli/check_packages \
	tests/cli/check_pages \
	tests/cli/check_pprof \
	tests/cli/check_prometheus \
	tests/cli/check_style \
	tests/cli/check_svg
TESTS += $(tests_cli_checks)
if !SANITIZERS
TESTS += $(tests_cli_comparisons)
endif

# Makes streams of other machines for the golden tests.
check_PROGRAMS += tests/cli/make_fixture
tests_cli_make_fixture_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests -I$(srcdir)/tests/fixtures
tests_cli_make_fixture_CFLAGS = $(aggregator_cflags)
tests_cli_make_fixture_LDADD = $(aggregator_libs)
tests_cli_make_fixture_SOURCES = tests/cli/make_fixture.c \
	tests/bench/stream_builder.c tests/bench/stream_builder.h \
	tests/fixtures/held_run.c tests/fixtures/held_run.h \
	tests/cli/cgroup_stream.c tests/cli/cgroup_stream.h \
	tests/cli/change_stream.c tests/cli/change_stream.h \
	tests/cli/hit_stream.c tests/cli/hit_stream.h \
	tests/cli/limit_stream.c tests/cli/limit_stream.h \
	tests/cli/line_stream.c tests/cli/line_stream.h \
	tests/cli/rate_stream.c tests/cli/rate_stream.h \
	tests/cli/sample_stream.c tests/cli/sample_stream.h \
	tests/cli/leak_stream.c tests/cli/leak_stream.h \
	tests/cli/slab_stream.c tests/cli/slab_stream.h \
	tests/cli/swap_stream.c tests/cli/swap_stream.h

# Finds source lines in one file, to compare them with other tools.
check_PROGRAMS += tests/cli/lines_of
tests_cli_lines_of_CPPFLAGS = $(aggregator_cppflags)
tests_cli_lines_of_CFLAGS = $(aggregator_cflags)
tests_cli_lines_of_LDADD = $(aggregator_libs)
tests_cli_lines_of_SOURCES = tests/cli/lines_of.c

EXTRA_DIST += $(tests_cli_checks) $(tests_cli_comparisons) \
	tests/cli/browser.py tests/cli/code_of.awk tests/cli/shown_columns.awk tests/cli/sleeping.awk \
	tests/cli/uncalled.awk tests/cli/undocumented.awk \
	tests/cli/check_old_reader tests/cli/check_static tests/cli/flamegraph.py \
	tests/cli/golden tests/cli/lines tests/cli/lines_lib.sh tests/data
