libaggregator_a_SOURCES += \
	aggregator/code/user/user_map_line.c aggregator/code/user/user_map_line.h \
	aggregator/code/user/user_maps.c aggregator/code/user/user_maps.h \
	aggregator/code/user/user_names.c aggregator/code/user/user_names.h \
	aggregator/code/user/user_objects.c aggregator/code/user/user_objects.h \
	aggregator/code/user/user_spans.c aggregator/code/user/user_spans.h
