libaggregator_a_SOURCES += \
	aggregator/report/code_rows.c aggregator/report/code_rows.h \
	aggregator/report/facts.c aggregator/report/facts.h \
	aggregator/report/facts_hits.c aggregator/report/facts_hits.h \
	aggregator/report/facts_memory.c aggregator/report/facts_memory.h \
	aggregator/report/text_hits.c \
	aggregator/report/hit_rows.c aggregator/report/hit_rows.h \
	aggregator/report/json_writer.c aggregator/report/json_writer.h \
	aggregator/report/model.c aggregator/report/model.h \
	aggregator/report/rate_json.c \
	aggregator/report/rate_text.c \
	aggregator/report/render_json.c aggregator/report/render_json.h \
	aggregator/report/render_text.c aggregator/report/render_text.h \
	aggregator/report/renderers.c aggregator/report/renderers.h \
	aggregator/report/slab_growth.c \
	aggregator/report/slab_readings.c aggregator/report/slab_readings.h \
	aggregator/report/slab_table.c \
	aggregator/report/source.h \
	aggregator/report/text_drops.c \
	aggregator/report/text_facts.c \
	aggregator/report/text_growth.c \
	aggregator/report/text_held.c \
	aggregator/report/text_info.c \
	aggregator/report/text_lost.c \
	aggregator/report/text_memory.c \
	aggregator/report/text_processes.c \
	aggregator/report/text_slab_table.c \
	aggregator/report/text_slabstack.c \
	aggregator/report/text_stacks.c \
	aggregator/report/text_table.c \
	aggregator/report/text_words.c
