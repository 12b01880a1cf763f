# Compiled without the aggregator's include path: a filter knows a StackSummary and nothing else.
noinst_LIBRARIES += libfilters.a
libfilters_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/filters
libfilters_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libfilters_a_SOURCES = \
	filters/callsite_skip.c filters/callsite_skip.h \
	filters/callsite_skip_names.c \
	filters/exclude.c \
	filters/exclude_regex.c \
	filters/filter.h \
	filters/filter_kinds.h \
	filters/filter_types.c \
	filters/include.c \
	filters/include_regex.c \
	filters/item_list.c filters/item_list.h \
	filters/line_regex.c filters/line_regex.h \
	filters/min_bytes.c \
	filters/min_count.c \
	filters/number.c filters/number.h
