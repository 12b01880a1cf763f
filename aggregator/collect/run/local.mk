libaggregator_a_SOURCES += \
	aggregator/collect/run/check.c aggregator/collect/run/check.h \
	aggregator/collect/run/collect_live.c aggregator/collect/run/collect_live.h \
	aggregator/collect/run/collector.h \
	aggregator/collect/run/collector_types.c aggregator/collect/run/collector_types.h \
	aggregator/collect/run/command.c aggregator/collect/run/command.h \
	aggregator/collect/run/command_split.c \
	aggregator/collect/run/cpu_watch.c aggregator/collect/run/cpu_watch.h \
	aggregator/collect/run/gfp_flags.c aggregator/collect/run/gfp_flags.h \
	aggregator/collect/run/live_run.c aggregator/collect/run/live_run.h \
	aggregator/collect/run/progress.c aggregator/collect/run/progress.h \
	aggregator/collect/run/run_facts.c aggregator/collect/run/run_facts.h \
	aggregator/collect/run/run_memory.c aggregator/collect/run/run_memory.h
