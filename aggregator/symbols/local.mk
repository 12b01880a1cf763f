libaggregator_a_SOURCES += \
	aggregator/symbols/frame_line.c aggregator/symbols/frame_line.h \
	aggregator/symbols/frame_symbol.c aggregator/symbols/frame_symbol.h \
	aggregator/symbols/frame_text.c aggregator/symbols/frame_text.h \
	aggregator/symbols/function_names.c aggregator/symbols/function_names.h \
	aggregator/symbols/inner_kmallocs_find.c aggregator/symbols/inner_kmallocs_find.h \
	aggregator/symbols/kallsyms_line.c aggregator/symbols/kallsyms_line.h \
	aggregator/symbols/line_table.c aggregator/symbols/line_table.h \
	aggregator/symbols/module_index.c aggregator/symbols/module_index.h \
	aggregator/symbols/symbol_list.c aggregator/symbols/symbol_list.h \
	aggregator/symbols/symbol_store.c aggregator/symbols/symbol_store.h \
	aggregator/symbols/text_part.c aggregator/symbols/text_part.h \
	aggregator/symbols/tracer_frames.c aggregator/symbols/tracer_frames.h
