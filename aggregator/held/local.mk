libaggregator_a_SOURCES += \
	aggregator/held/cell_lives.c aggregator/held/cell_lives.h \
	aggregator/held/durations.c aggregator/held/durations.h \
	aggregator/held/event_merge.c aggregator/held/event_merge.h \
	aggregator/held/free_checks.c \
	aggregator/held/held_cells.c aggregator/held/held_cells.h \
	aggregator/held/held_sums.h \
	aggregator/held/live_table.c aggregator/held/live_table.h \
	aggregator/held/pairing.c aggregator/held/pairing.h
