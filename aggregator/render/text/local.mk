libaggregator_a_SOURCES += \
	aggregator/render/text/render_text.c aggregator/render/text/render_text.h \
	aggregator/render/text/text_diff.c \
	aggregator/render/text/text_facts.c \
	aggregator/render/text/text_fit.c \
	aggregator/render/text/text_held.c \
	aggregator/render/text/text_info.c \
	aggregator/render/text/text_lost.c \
	aggregator/render/text/text_slabs.c \
	aggregator/render/text/text_slabstack.c \
	aggregator/render/text/text_stacks.c \
	aggregator/render/text/text_table.c \
	aggregator/render/text/text_verdict.c \
	aggregator/render/text/text_words.c
