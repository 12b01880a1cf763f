libaggregator_a_SOURCES += \
	aggregator/tools/drill.c aggregator/tools/drill.h \
	aggregator/tools/recorder.c aggregator/tools/recorder.h \
	aggregator/tools/suite_child.c aggregator/tools/suite_child.h \
	aggregator/tools/cache_choice.c aggregator/tools/cache_choice.h \
	aggregator/tools/slab_overview.c aggregator/tools/slab_overview.h \
	aggregator/tools/tool.c aggregator/tools/tool.h

bin_PROGRAMS += kmalloc-top slabstack

kmalloc_top_CPPFLAGS = $(aggregator_cppflags)
kmalloc_top_CFLAGS = $(aggregator_cflags)
kmalloc_top_LDADD = $(aggregator_libs)
kmalloc_top_SOURCES = aggregator/tools/kmalloc_top.c

slabstack_CPPFLAGS = $(aggregator_cppflags)
slabstack_CFLAGS = $(aggregator_cflags)
slabstack_LDADD = $(aggregator_libs)
slabstack_SOURCES = aggregator/tools/slabstack.c
