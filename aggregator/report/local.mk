libaggregator_a_SOURCES += \
	aggregator/report/balance.c \
	aggregator/report/cgroup_rows.c \
	aggregator/report/call_rows.c \
	aggregator/report/diff_bursts.c \
	aggregator/report/diff_rows.c aggregator/report/diff_rows.h \
	aggregator/report/facts.c aggregator/report/facts.h \
	aggregator/report/held_check.c aggregator/report/held_check.h \
	aggregator/report/join.c \
	aggregator/report/many_runs.c aggregator/report/many_runs.h \
	aggregator/report/merged.c aggregator/report/merged.h \
	aggregator/report/model.c aggregator/report/model.h \
	aggregator/report/report_table.c aggregator/report/report_table.h \
	aggregator/report/run_rows.c \
	aggregator/report/slab_readings.c aggregator/report/slab_readings.h \
	aggregator/report/source.h \
	aggregator/report/stack_paths.c aggregator/report/stack_paths.h \
	aggregator/report/verdict.c aggregator/report/verdict.h \
	aggregator/report/verdict_held.c aggregator/report/verdict_slabs.c \
	aggregator/report/watch_charts.c aggregator/report/watch_charts.h \
	aggregator/report/weights.c aggregator/report/weights.h
