# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of others that read our output, by hand: doc/REACH.md has the results. REACH names cases.
REACH =
EXTRA_DIST += tests/reach/cases tests/reach/clean_install tests/reach/counters.py tests/reach/fleet_answers.py \
	tests/reach/lib.sh tests/reach/run tests/reach/speedscope.py

check-reach: kmalloc-top slabratetop slabstack stack-top tests/cli/make_fixture tests/bench/make_fleet \
	tests/bench/make_stream
	$(srcdir)/tests/reach/run $(REACH)
.PHONY: check-reach
