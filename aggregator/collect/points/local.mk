libaggregator_a_SOURCES += \
	aggregator/collect/points/elf_image.c aggregator/collect/points/elf_image.h \
	aggregator/collect/points/function_symbols.c aggregator/collect/points/function_symbols.h \
	aggregator/collect/points/point_columns.c \
	aggregator/collect/points/point_cost.c aggregator/collect/points/point_cost.h \
	aggregator/collect/points/point_events.c aggregator/collect/points/point_events.h \
	aggregator/collect/points/point_find.h \
	aggregator/collect/points/point_formula.c \
	aggregator/collect/points/point_functions.c \
	aggregator/collect/points/point_pmu.c aggregator/collect/points/point_pmu.h \
	aggregator/collect/points/point_registers.c aggregator/collect/points/point_registers.h \
	aggregator/collect/points/point_set.c aggregator/collect/points/point_set.h \
	aggregator/collect/points/point_software.c \
	aggregator/collect/points/point_symbols.c \
	aggregator/collect/points/point_tracepoints.c \
	aggregator/collect/points/point_try.c \
	aggregator/collect/points/program_file.c aggregator/collect/points/program_file.h \
	aggregator/collect/points/program_symbols.c aggregator/collect/points/program_symbols.h \
	aggregator/collect/points/usdt_notes.c aggregator/collect/points/usdt_notes.h
