libaggregator_a_SOURCES += \
	aggregator/probes/expression.c aggregator/probes/expression.h \
	aggregator/probes/expression_kernel.c \
	aggregator/probes/expression_node.h \
	aggregator/probes/expression_parse.c \
	aggregator/probes/expression_stap.c \
	aggregator/probes/preset.c aggregator/probes/preset.h \
	aggregator/probes/preset_list.c aggregator/probes/preset_list.h \
	aggregator/probes/preset_parse.c aggregator/probes/preset_parts.h \
	aggregator/probes/probe_spec.c aggregator/probes/probe_spec.h
