libaggregator_a_SOURCES += \
	aggregator/render/data/chart_json.c aggregator/render/data/chart_json.h \
	aggregator/render/data/json_writer.c aggregator/render/data/json_writer.h \
	aggregator/render/data/rate_json.c \
	aggregator/render/data/render_csv.c \
	aggregator/render/data/render_data.h \
	aggregator/render/data/render_folded.c \
	aggregator/render/data/render_json.c aggregator/render/data/render_json.h \
	aggregator/render/data/render_ndjson.c \
	aggregator/render/data/render_speedscope.c
