libaggregator_a_SOURCES += \
	aggregator/collect/stap/kernel_headers.c aggregator/collect/stap/kernel_headers.h \
	aggregator/collect/stap/module_cache.c aggregator/collect/stap/module_cache.h \
	aggregator/collect/stap/module_check.c aggregator/collect/stap/module_check.h \
	aggregator/collect/stap/module_file.c aggregator/collect/stap/module_file.h \
	aggregator/collect/stap/stap_build.c aggregator/collect/stap/stap_build.h \
	aggregator/collect/stap/stap_check.c \
	aggregator/collect/stap/stap_child.c aggregator/collect/stap/stap_child.h \
	aggregator/collect/stap/stap_collector.c \
	aggregator/collect/stap/stap_compile.c \
	aggregator/collect/stap/stap_messages.c aggregator/collect/stap/stap_messages.h \
	aggregator/collect/stap/stap_options.c aggregator/collect/stap/stap_options.h \
	aggregator/collect/stap/stap_phases.c \
	aggregator/collect/stap/stap_points.c aggregator/collect/stap/stap_points.h \
	aggregator/collect/stap/stap_run.c aggregator/collect/stap/stap_run.h \
	aggregator/collect/stap/stap_start.c aggregator/collect/stap/stap_start.h \
	aggregator/collect/stap/stap_state.h \
	aggregator/collect/stap/stap_walk_check.c aggregator/collect/stap/stap_walk_check.h \
	aggregator/collect/stap/stap_workarounds.c
