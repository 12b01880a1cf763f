libaggregator_a_SOURCES += \
	aggregator/collect/points/function_symbols.c aggregator/collect/points/function_symbols.h \
	aggregator/collect/points/point_columns.c \
	aggregator/collect/points/point_cost.c aggregator/collect/points/point_cost.h \
	aggregator/collect/points/point_events.c aggregator/collect/points/point_events.h \
	aggregator/collect/points/point_find.c aggregator/collect/points/point_find.h \
	aggregator/collect/points/point_registers.c aggregator/collect/points/point_registers.h \
	aggregator/collect/points/point_set.c aggregator/collect/points/point_set.h \
	aggregator/collect/points/point_try.c \
	aggregator/collect/points/program_symbols.c aggregator/collect/points/program_symbols.h \
	aggregator/collect/points/usdt_notes.c aggregator/collect/points/usdt_notes.h
