libaggregator_a_SOURCES += \
	aggregator/table/cell_held.c aggregator/table/cell_held.h \
	aggregator/table/cell_filter.c aggregator/table/cell_filter.h \
	aggregator/table/cell_filter_cache.c \
	aggregator/table/cell_filter_cgroup.c \
	aggregator/table/cell_filter_process.c \
	aggregator/table/cell_filter_slab_pages.c \
	aggregator/table/cell_filter_unpaired.c \
	aggregator/table/comm_fold.c aggregator/table/comm_fold.h \
	aggregator/table/context_name.c aggregator/table/context_name.h \
	aggregator/table/dimension.c aggregator/table/dimension.h \
	aggregator/table/dimension_age.c \
	aggregator/table/dimension_call_site.c \
	aggregator/table/dimension_hits.c \
	aggregator/table/dimension_kinds.h \
	aggregator/table/dimension_stack.c \
	aggregator/table/dimension_task.c \
	aggregator/table/filter_chain.c aggregator/table/filter_chain.h \
	aggregator/table/group_index.c \
	aggregator/table/group_rows.c aggregator/table/group_rows.h \
	aggregator/table/group_table.c aggregator/table/group_table.h \
	aggregator/table/merged_cells.c aggregator/table/merged_cells.h \
	aggregator/table/metric.c aggregator/table/metric.h \
	aggregator/table/process_sums.c aggregator/table/process_sums.h \
	aggregator/table/row_sums.c aggregator/table/row_sums.h \
	aggregator/table/stack_chain.c \
	aggregator/table/stack_rows.c aggregator/table/stack_rows.h \
	aggregator/table/table.c aggregator/table/table.h \
	aggregator/table/view.c aggregator/table/view.h \
	aggregator/table/view_source.h
