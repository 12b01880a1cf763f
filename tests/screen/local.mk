# SPDX-License-Identifier: GPL-2.0-or-later
# The interactive mode in a real terminal: tmux has its other end.
if HAVE_NCURSES
check_PROGRAMS += tests/screen/demo
TESTS += tests/screen/check_screen
endif
# A command as another user in a real terminal.
check_PROGRAMS += tests/screen/run_as tests/screen/inject
TESTS += tests/screen/check_command
EXTRA_DIST += tests/screen/check_screen tests/screen/check_command

tests_screen_run_as_CPPFLAGS = $(aggregator_cppflags)
tests_screen_run_as_CFLAGS = $(aggregator_cflags)
tests_screen_run_as_LDADD = $(aggregator_libs)
tests_screen_demo_CPPFLAGS = $(aggregator_cppflags) -I$(srcdir)/tests
tests_screen_demo_CFLAGS = $(aggregator_cflags)
tests_screen_demo_LDADD = $(aggregator_libs)
tests_screen_demo_SOURCES = tests/screen/demo.c \
	tests/screen/made_tables.c tests/screen/made_tables.h
