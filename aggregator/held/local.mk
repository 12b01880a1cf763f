libaggregator_a_SOURCES += \
	aggregator/held/live_table.c aggregator/held/live_table.h \
	aggregator/held/pairing.c aggregator/held/pairing.h
