libaggregator_a_SOURCES += \
	aggregator/rank/cell_filter.h aggregator/rank/view_source.h \
	aggregator/rank/cell_filter_cache.c aggregator/rank/cell_filter_cache.h \
	aggregator/rank/process_sums.c aggregator/rank/process_sums.h \
	aggregator/rank/sort_key.c \
	aggregator/rank/stack_rows.c aggregator/rank/stack_rows.h \
	aggregator/rank/view.c aggregator/rank/view.h
