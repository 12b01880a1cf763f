libaggregator_a_SOURCES += \
	aggregator/collect/slabs/cache_layout.c aggregator/collect/slabs/cache_layout.h \
	aggregator/collect/slabs/cache_probes.c aggregator/collect/slabs/cache_probes.h \
	aggregator/collect/slabs/cache_sites.c aggregator/collect/slabs/cache_sites.h \
	aggregator/collect/slabs/kernel_memory.c \
	aggregator/collect/slabs/object_probes.c aggregator/collect/slabs/object_probes.h \
	aggregator/collect/slabs/slab_pages.c aggregator/collect/slabs/slab_pages.h \
	aggregator/collect/slabs/slab_probe.c aggregator/collect/slabs/slab_probe.h
