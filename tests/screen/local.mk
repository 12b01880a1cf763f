# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive mode in a real terminal: tmux has its other end.
if HAVE_NCURSES
check_PROGRAMS += tests/screen/demo
TESTS += tests/screen/check_screen
# Its workload is load for tests that count what happens on the host. By another name, as in tests/live.
tests_screen_log = tests/screen/check_screen.log
if HAVE_CRITERION
$(tests_screen_log): tests/unit/unit.log
endif
endif
EXTRA_DIST += tests/screen/check_screen

tests_screen_demo_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests
tests_screen_demo_CFLAGS = $(aggregator_cflags)
tests_screen_demo_LDADD = $(aggregator_libs)
tests_screen_demo_SOURCES = tests/screen/demo.c \
	tests/screen/made_tables.c tests/screen/made_tables.h
