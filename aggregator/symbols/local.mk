libaggregator_a_SOURCES += \
	aggregator/symbols/code_objects.c aggregator/symbols/code_objects.h \
	aggregator/symbols/epoch_list.c aggregator/symbols/epoch_list.h \
	aggregator/symbols/frame.h \
	aggregator/symbols/frame_line.c aggregator/symbols/frame_line.h \
	aggregator/symbols/frame_list.c aggregator/symbols/frame_list.h \
	aggregator/symbols/frame_namer.c aggregator/symbols/frame_namer.h \
	aggregator/symbols/frame_table.c aggregator/symbols/frame_table.h \
	aggregator/symbols/known_functions.c aggregator/symbols/known_functions.h \
	aggregator/symbols/line_table.c aggregator/symbols/line_table.h \
	aggregator/symbols/symbol_list.c aggregator/symbols/symbol_list.h \
	aggregator/symbols/user_frame.c aggregator/symbols/user_frame.h \
	aggregator/symbols/symbol_store.c aggregator/symbols/symbol_store.h
