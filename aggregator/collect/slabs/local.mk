libaggregator_a_SOURCES += \
	aggregator/collect/slabs/cache_layout.c aggregator/collect/slabs/cache_layout.h \
	aggregator/collect/slabs/cache_probes.c aggregator/collect/slabs/cache_probes.h \
	aggregator/collect/slabs/kernel_memory.c \
	aggregator/collect/slabs/slab_pages.c aggregator/collect/slabs/slab_pages.h \
	aggregator/collect/slabs/slab_probes.c aggregator/collect/slabs/slab_probes.h
