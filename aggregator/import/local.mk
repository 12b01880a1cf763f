libaggregator_a_SOURCES += \
	aggregator/import/import.c aggregator/import/import.h \
	aggregator/import/import_alloc_traces.c \
	aggregator/import/import_allocinfo.c \
	aggregator/import/import_count_text.c \
	aggregator/import/import_hashkey.c \
	aggregator/import/import_page_owner.c \
	aggregator/import/import_perf_line.c aggregator/import/import_perf_line.h \
	aggregator/import/import_perf_script.c \
	aggregator/import/import_report.c \
	aggregator/import/import_slab_text.c \
	aggregator/import/import_stack_line.c aggregator/import/import_stack_line.h \
	aggregator/import/import_text.c aggregator/import/import_text.h \
	aggregator/import/import_types.c aggregator/import/import_types.h \
	aggregator/import/input.c aggregator/import/input.h \
	aggregator/import/kernel_record.c aggregator/import/kernel_record.h
