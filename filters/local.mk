# Compiled without the aggregator's include path: a filter knows a StackSummary and nothing else.
noinst_LIBRARIES += libfilters.a
libfilters_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/filters
libfilters_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libfilters_a_SOURCES = \
	filters/callsite_skip.c filters/callsite_skip.h \
	filters/filter.c filters/filter.h \
	filters/number.c filters/number.h
