libaggregator_a_SOURCES += \
	aggregator/names/cache_list.c aggregator/names/cache_list.h \
	aggregator/names/cache_names.c aggregator/names/cache_names.h \
	aggregator/names/cache_query.c aggregator/names/cache_query.h \
	aggregator/names/cgroup_memory.c aggregator/names/cgroup_memory.h \
	aggregator/names/cgroup_names.c aggregator/names/cgroup_names.h \
	aggregator/names/host_state.c aggregator/names/host_state.h \
	aggregator/names/kmalloc_class.c aggregator/names/kmalloc_class.h \
	aggregator/names/run_names.c aggregator/names/run_names.h \
	aggregator/names/slabinfo.c aggregator/names/slabinfo.h
