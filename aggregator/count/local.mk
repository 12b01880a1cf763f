libaggregator_a_SOURCES += \
	aggregator/count/event_list.c aggregator/count/event_list.h \
	aggregator/count/held_readings.c aggregator/count/held_readings.h \
	aggregator/count/intervals.c aggregator/count/intervals.h \
	aggregator/count/loss.c aggregator/count/loss.h \
	aggregator/count/margin.c aggregator/count/margin.h \
	aggregator/count/noise.c aggregator/count/noise.h \
	aggregator/count/profile.c aggregator/count/profile.h \
	aggregator/count/stack_table.c aggregator/count/stack_table.h \
	aggregator/count/time_blocks.c aggregator/count/time_blocks.h
