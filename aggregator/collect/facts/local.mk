libaggregator_a_SOURCES += \
	aggregator/collect/facts/btf_file.c aggregator/collect/facts/btf_file.h \
	aggregator/collect/facts/capabilities.c aggregator/collect/facts/capabilities.h \
	aggregator/collect/facts/distribution.c aggregator/collect/facts/distribution.h \
	aggregator/collect/facts/host_memory.c aggregator/collect/facts/host_memory.h \
	aggregator/collect/facts/host_snapshot.c aggregator/collect/facts/host_snapshot.h \
	aggregator/collect/facts/line_value.c aggregator/collect/facts/line_value.h \
	aggregator/collect/facts/memory_facts.c aggregator/collect/facts/memory_facts.h \
	aggregator/collect/facts/pid_namespace.c aggregator/collect/facts/pid_namespace.h \
	aggregator/collect/facts/slab_facts.c aggregator/collect/facts/slab_facts.h \
	aggregator/collect/facts/stap_tool.c aggregator/collect/facts/stap_tool.h
