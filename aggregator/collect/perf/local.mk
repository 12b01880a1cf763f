libaggregator_a_SOURCES += \
	aggregator/collect/perf/bpf_beside.c aggregator/collect/perf/bpf_beside.h \
	aggregator/collect/perf/perf_check.c \
	aggregator/collect/perf/perf_collector.c \
	aggregator/collect/perf/perf_cost.c aggregator/collect/perf/perf_cost.h \
	aggregator/collect/perf/perf_cpus.c aggregator/collect/perf/perf_cpus.h \
	aggregator/collect/perf/perf_events.c aggregator/collect/perf/perf_events.h \
	aggregator/collect/perf/perf_filter.c aggregator/collect/perf/perf_filter.h \
	aggregator/collect/perf/perf_hits.c aggregator/collect/perf/perf_hits.h \
	aggregator/collect/perf/perf_names.c aggregator/collect/perf/perf_names.h \
	aggregator/collect/perf/perf_period.c aggregator/collect/perf/perf_period.h \
	aggregator/collect/perf/perf_read.c aggregator/collect/perf/perf_read.h \
	aggregator/collect/perf/perf_maps.c aggregator/collect/perf/perf_maps.h \
	aggregator/collect/perf/perf_ring.c aggregator/collect/perf/perf_ring.h \
	aggregator/collect/perf/perf_round.c \
	aggregator/collect/perf/perf_run.c aggregator/collect/perf/perf_run.h \
	aggregator/collect/perf/perf_sample.c aggregator/collect/perf/perf_sample.h \
	aggregator/collect/perf/perf_scatter.c aggregator/collect/perf/perf_scatter.h \
	aggregator/collect/perf/perf_state.h \
	aggregator/collect/perf/perf_turn.c aggregator/collect/perf/perf_turn.h \
	aggregator/collect/perf/perf_unwind.c \
	aggregator/collect/perf/perf_weight.c aggregator/collect/perf/perf_weight.h \
	aggregator/collect/perf/user_watch.c aggregator/collect/perf/user_watch.h
