libaggregator_a_SOURCES += \
	aggregator/collect/tracefs/kmem_points.c aggregator/collect/tracefs/kmem_points.h \
	aggregator/collect/tracefs/kprobe_group.c aggregator/collect/tracefs/kprobe_group.h \
	aggregator/collect/tracefs/tracefs.c aggregator/collect/tracefs/tracefs.h \
	aggregator/collect/tracefs/tracepoint_format.c aggregator/collect/tracefs/tracepoint_format.h
