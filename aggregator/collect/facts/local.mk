libaggregator_a_SOURCES += \
	aggregator/collect/facts/host_facts.c aggregator/collect/facts/host_facts.h \
	aggregator/collect/facts/host_snapshot.c aggregator/collect/facts/host_snapshot.h \
	aggregator/collect/facts/memory_facts.c aggregator/collect/facts/memory_facts.h \
	aggregator/collect/facts/stap_tool.c aggregator/collect/facts/stap_tool.h
