libaggregator_a_SOURCES += \
	aggregator/table/cell_filter.c aggregator/table/cell_filter.h \
	aggregator/table/cell_filter_cache.c \
	aggregator/table/cell_filter_task.c \
	aggregator/table/dimension.c aggregator/table/dimension.h \
	aggregator/table/dimension_kinds.h \
	aggregator/table/dimension_stack.c \
	aggregator/table/dimension_task.c \
	aggregator/table/filter_chain.c aggregator/table/filter_chain.h \
	aggregator/table/group_rows.c aggregator/table/group_rows.h \
	aggregator/table/group_table.c aggregator/table/group_table.h \
	aggregator/table/merged_cells.c aggregator/table/merged_cells.h \
	aggregator/table/metric.c aggregator/table/metric.h \
	aggregator/table/process_sums.c aggregator/table/process_sums.h \
	aggregator/table/row_sums.c aggregator/table/row_sums.h \
	aggregator/table/stack_rows.c aggregator/table/stack_rows.h \
	aggregator/table/task_name.c aggregator/table/task_name.h \
	aggregator/table/table.c aggregator/table/table.h \
	aggregator/table/view.c aggregator/table/view.h \
	aggregator/table/view_source.h
