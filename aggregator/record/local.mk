libaggregator_a_SOURCES += \
	aggregator/record/address_sample.h aggregator/record/cache_name.h \
	aggregator/record/batch_build.h \
	aggregator/record/batch_reader.c aggregator/record/batch_reader.h \
	aggregator/record/batch.h \
	aggregator/record/batch_writer.c aggregator/record/batch_writer.h \
	aggregator/record/event.h \
	aggregator/record/event_reader.c aggregator/record/event_reader.h \
	aggregator/record/event_writer.c aggregator/record/event_writer.h \
	aggregator/record/event_kinds.h \
	aggregator/record/format.h \
	aggregator/record/frames.c aggregator/record/frames.h \
	aggregator/record/history.c aggregator/record/history.h \
	aggregator/record/history_file.c aggregator/record/history_file.h \
	aggregator/record/inner_kmallocs.h \
	aggregator/record/point_build.h \
	aggregator/record/point_list.c aggregator/record/point_list.h \
	aggregator/record/probe_kinds.c aggregator/record/probe_kinds.h \
	aggregator/record/recording.c aggregator/record/recording.h \
	aggregator/record/run_info.c aggregator/record/run_info.h \
	aggregator/record/run_text.c aggregator/record/run_text.h \
	aggregator/record/scatter_row.h
