libaggregator_a_SOURCES += \
	aggregator/names/cache_names.c aggregator/names/cache_names.h \
	aggregator/names/cgroup_names.c aggregator/names/cgroup_names.h
