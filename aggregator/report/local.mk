libaggregator_a_SOURCES += \
	aggregator/report/columns.c aggregator/report/columns.h \
	aggregator/report/drops.c aggregator/report/drops.h \
	aggregator/report/facts.c aggregator/report/facts.h \
	aggregator/report/group_table.c aggregator/report/group_table.h \
	aggregator/report/sampling.c aggregator/report/sampling.h \
	aggregator/report/large_line.c aggregator/report/large_line.h \
	aggregator/report/limits.c aggregator/report/limits.h \
	aggregator/report/lost.c aggregator/report/lost.h \
	aggregator/report/memory_line.c aggregator/report/memory_line.h \
	aggregator/report/names_line.c aggregator/report/names_line.h \
	aggregator/report/slab_growth.c aggregator/report/slab_growth.h \
	aggregator/report/slab_table.c aggregator/report/slab_table.h \
	aggregator/report/processes.c \
	aggregator/report/recorded_caches.c aggregator/report/recorded_caches.h \
	aggregator/report/rate_json.c aggregator/report/rate_json.h \
	aggregator/report/rate_text.c aggregator/report/rate_text.h \
	aggregator/report/report.h \
	aggregator/report/slab_readings.c aggregator/report/slab_readings.h \
	aggregator/report/slabstack_text.c aggregator/report/slabstack_text.h \
	aggregator/report/text.c \
	aggregator/report/info.c aggregator/report/info.h
