libaggregator_a_SOURCES += \
	aggregator/collect/slabs/kernel_memory.c aggregator/collect/slabs/kernel_memory.h \
	aggregator/collect/slabs/slab_hits.c aggregator/collect/slabs/slab_hits.h \
	aggregator/collect/slabs/slab_pages.c aggregator/collect/slabs/slab_pages.h \
	aggregator/collect/slabs/slab_probe.c aggregator/collect/slabs/slab_probe.h
