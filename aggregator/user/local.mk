libaggregator_a_SOURCES += \
	aggregator/user/user_map_line.c aggregator/user/user_map_line.h \
	aggregator/user/user_maps.c aggregator/user/user_maps.h \
	aggregator/user/user_names.c aggregator/user/user_names.h \
	aggregator/user/user_objects.c aggregator/user/user_objects.h \
	aggregator/user/user_process.c aggregator/user/user_process.h \
	aggregator/user/user_spans.c aggregator/user/user_spans.h
