# SPDX-License-Identifier: GPL-2.0-or-later
# On the running kernel, with tests/vm/workload.
TESTS += tests/live/check_live
EXTRA_DIST += tests/live/check_live

# Tests on the running kernel take turns by a lock (tests/fixtures/host_lock.h). Sanitizers slow programs down so much
# that events would be lost beside the others. By another name, as automake would take this for the whole rule.
tests_live_log = tests/live/check_live.log
if SANITIZERS
if HAVE_CRITERION
$(tests_live_log): tests/unit/unit.log
endif
if HAVE_NCURSES
$(tests_live_log): tests/screen/check_screen.log
endif
endif
