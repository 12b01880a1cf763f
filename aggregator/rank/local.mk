libaggregator_a_SOURCES += \
	aggregator/rank/cell_filter.h aggregator/rank/view_source.h \
	aggregator/rank/call_site.c \
	aggregator/rank/cell_filter_cache.c aggregator/rank/cell_filter_cache.h \
	aggregator/rank/cell_filter_cgroup.c aggregator/rank/cell_filter_cgroup.h \
	aggregator/rank/cell_filter_process.c aggregator/rank/cell_filter_process.h \
	aggregator/rank/comm_fold.c aggregator/rank/comm_fold.h \
	aggregator/rank/context_name.c aggregator/rank/context_name.h \
	aggregator/rank/filter_chain.c aggregator/rank/filter_chain.h \
	aggregator/rank/group_index.c aggregator/rank/group_index.h \
	aggregator/rank/group_key.c aggregator/rank/group_key.h \
	aggregator/rank/group_key_kinds.h \
	aggregator/rank/group_key_stack.c \
	aggregator/rank/group_key_task.c \
	aggregator/rank/group_rows.c aggregator/rank/group_rows.h \
	aggregator/rank/net_check.c aggregator/rank/net_check.h \
	aggregator/rank/rate_columns.c aggregator/rank/rate_columns.h \
	aggregator/rank/rate_net.c aggregator/rank/rate_net.h \
	aggregator/rank/rate_table.c aggregator/rank/rate_table.h \
	aggregator/rank/process_sums.c aggregator/rank/process_sums.h \
	aggregator/rank/rate_detail.c aggregator/rank/rate_detail.h \
	aggregator/rank/sort_key.c \
	aggregator/rank/stack_chain.c aggregator/rank/stack_chain.h \
	aggregator/rank/stack_rows.c aggregator/rank/stack_rows.h \
	aggregator/rank/view.c aggregator/rank/view.h
