libaggregator_a_SOURCES += \
	aggregator/collect/host/btf_file.c aggregator/collect/host/btf_file.h \
	aggregator/collect/host/cache_layout.c aggregator/collect/host/cache_layout.h \
	aggregator/collect/host/cache_layout_btf.c \
	aggregator/collect/host/cache_layout_dwarf.c \
	aggregator/collect/host/cache_layout_fill.h \
	aggregator/collect/host/cache_probes.c aggregator/collect/host/cache_probes.h \
	aggregator/collect/host/cache_sites.c aggregator/collect/host/cache_sites.h \
	aggregator/collect/host/capabilities.c aggregator/collect/host/capabilities.h \
	aggregator/collect/host/distribution.c aggregator/collect/host/distribution.h \
	aggregator/collect/host/host_memory.c aggregator/collect/host/host_memory.h \
	aggregator/collect/host/host_snapshot.c aggregator/collect/host/host_snapshot.h \
	aggregator/collect/host/kmem_points.c aggregator/collect/host/kmem_points.h \
	aggregator/collect/host/kprobe_group.c aggregator/collect/host/kprobe_group.h \
	aggregator/collect/host/line_value.c aggregator/collect/host/line_value.h \
	aggregator/collect/host/module_rights.c aggregator/collect/host/module_rights.h \
	aggregator/collect/host/object_probes.c aggregator/collect/host/object_probes.h \
	aggregator/collect/host/pid_namespace.c aggregator/collect/host/pid_namespace.h \
	aggregator/collect/host/slab_facts.c aggregator/collect/host/slab_facts.h \
	aggregator/collect/host/stap_tool.c aggregator/collect/host/stap_tool.h \
	aggregator/collect/host/tracefs.c aggregator/collect/host/tracefs.h \
	aggregator/collect/host/tracepoint_format.c aggregator/collect/host/tracepoint_format.h \
	aggregator/collect/host/watchdog.c aggregator/collect/host/watchdog.h
