libaggregator_a_SOURCES += \
	aggregator/collect/lines/debug_files.c aggregator/collect/lines/debug_files.h \
	aggregator/collect/lines/debug_functions.c aggregator/collect/lines/debug_functions.h \
	aggregator/collect/lines/debug_lines.c aggregator/collect/lines/debug_lines.h \
	aggregator/collect/lines/debug_object.c aggregator/collect/lines/debug_object.h \
	aggregator/collect/lines/debug_units.c aggregator/collect/lines/debug_units.h \
	aggregator/collect/lines/debuginfod_client.c aggregator/collect/lines/debuginfod_client.h \
	aggregator/collect/lines/line_places.c aggregator/collect/lines/line_places.h \
	aggregator/collect/lines/line_resolver.c aggregator/collect/lines/line_resolver.h \
	aggregator/collect/lines/lines_answer.c aggregator/collect/lines/lines_answer.h \
	aggregator/collect/lines/lines_child.c aggregator/collect/lines/lines_child.h
