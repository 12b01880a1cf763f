libaggregator_a_SOURCES += \
	aggregator/probes/probe_spec.c aggregator/probes/probe_spec.h
