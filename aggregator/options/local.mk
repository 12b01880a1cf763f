libaggregator_a_SOURCES += \
	aggregator/options/option_completion.c aggregator/options/option_completion.h \
	aggregator/options/option_help.c \
	aggregator/options/option_rates.c \
	aggregator/options/option_rules.c aggregator/options/option_rules.h \
	aggregator/options/option_table.c aggregator/options/option_table.h \
	aggregator/options/option_values.c aggregator/options/option_values.h \
	aggregator/options/options.c aggregator/options/options.h \
	aggregator/options/tool_description.h
