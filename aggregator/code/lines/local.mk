libaggregator_a_SOURCES += \
	aggregator/code/lines/debug_files.c aggregator/code/lines/debug_files.h \
	aggregator/code/lines/debug_lines.c \
	aggregator/code/lines/debug_object.c aggregator/code/lines/debug_object.h \
	aggregator/code/lines/debuginfod_client.c \
	aggregator/code/lines/line_places.c \
	aggregator/code/lines/line_resolver.c aggregator/code/lines/line_resolver.h \
	aggregator/code/lines/lines_child.c aggregator/code/lines/lines_child.h
