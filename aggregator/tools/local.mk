libaggregator_a_SOURCES += aggregator/tools/tool.c aggregator/tools/tool.h

bin_PROGRAMS += kmalloc-top
kmalloc_top_CPPFLAGS = $(aggregator_cppflags)
kmalloc_top_CFLAGS = $(aggregator_cflags)
kmalloc_top_LDADD = $(aggregator_libs)
kmalloc_top_SOURCES = aggregator/tools/kmalloc_top.c
