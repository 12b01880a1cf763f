libaggregator_a_SOURCES += \
	aggregator/render/formats/renderers.c aggregator/render/formats/renderers.h
