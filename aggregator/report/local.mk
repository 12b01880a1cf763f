libaggregator_a_SOURCES += \
	aggregator/report/code_rows.c \
	aggregator/report/diff_bursts.c \
	aggregator/report/diff_notes.c aggregator/report/diff_notes.h \
	aggregator/report/diff_rows.c aggregator/report/diff_rows.h \
	aggregator/report/facts.c aggregator/report/facts.h \
	aggregator/report/facts_hits.c \
	aggregator/report/frame_tree.c aggregator/report/frame_tree.h \
	aggregator/report/held_check.c aggregator/report/held_check.h \
	aggregator/report/hit_rows.c \
	aggregator/report/join.c \
	aggregator/report/many_runs.c aggregator/report/many_runs.h \
	aggregator/report/merged.c aggregator/report/merged.h \
	aggregator/report/model.c aggregator/report/model.h \
	aggregator/report/report_table.c aggregator/report/report_table.h \
	aggregator/report/slab_growth.c \
	aggregator/report/slab_readings.c aggregator/report/slab_readings.h \
	aggregator/report/slab_table.c \
	aggregator/report/source.h \
	aggregator/report/stack_paths.c aggregator/report/stack_paths.h \
	aggregator/report/weights.c aggregator/report/weights.h
