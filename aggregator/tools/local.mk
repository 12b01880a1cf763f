libaggregator_a_SOURCES += \
	aggregator/tools/chart_feed.c \
	aggregator/tools/drill.c aggregator/tools/drill.h \
	aggregator/tools/standard_files.c \
	aggregator/tools/suite_child.c aggregator/tools/suite_child.h \
	aggregator/tools/tool_input.c aggregator/tools/tool_input.h \
	aggregator/tools/unmatched.c \
	aggregator/tools/warnings.c aggregator/tools/warnings.h \
	aggregator/tools/many_inputs.c aggregator/tools/many_inputs.h \
	aggregator/tools/older_run.c \
	aggregator/tools/rate_feed.c aggregator/tools/rate_feed.h \
	aggregator/tools/record_line.c aggregator/tools/record_line.h \
	aggregator/tools/rate_run.c aggregator/tools/rate_run.h \
	aggregator/tools/rate_screen.c \
	aggregator/tools/report_input.c aggregator/tools/report_input.h \
	aggregator/tools/source_lines.c aggregator/tools/source_lines.h \
	aggregator/tools/source_text.c \
	aggregator/tools/text_writer.c aggregator/tools/text_writer.h \
	aggregator/tools/tool.c aggregator/tools/tool.h \
	aggregator/tools/watch.c aggregator/tools/watch.h \
	aggregator/tools/watch_alarm.c

bin_PROGRAMS += kmalloc-top slabstack slabratetop stack-top

kmalloc_top_CPPFLAGS = $(aggregator_cppflags)
kmalloc_top_CFLAGS = $(aggregator_cflags)
kmalloc_top_LDADD = $(aggregator_libs)
kmalloc_top_SOURCES = aggregator/tools/kmalloc_top.c

slabstack_CPPFLAGS = $(aggregator_cppflags)
slabstack_CFLAGS = $(aggregator_cflags)
slabstack_LDADD = $(aggregator_libs)
slabstack_SOURCES = aggregator/tools/slabstack.c

slabratetop_CPPFLAGS = $(aggregator_cppflags)
slabratetop_CFLAGS = $(aggregator_cflags)
slabratetop_LDADD = $(aggregator_libs)
slabratetop_SOURCES = aggregator/tools/slabratetop.c

stack_top_CPPFLAGS = $(aggregator_cppflags)
stack_top_CFLAGS = $(aggregator_cflags)
stack_top_LDADD = $(aggregator_libs)
stack_top_SOURCES = aggregator/tools/stack_top.c
