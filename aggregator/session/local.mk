libaggregator_a_SOURCES += \
	aggregator/session/losses.c aggregator/session/losses.h \
	aggregator/session/session.c aggregator/session/session.h \
	aggregator/session/symbols_choose.c aggregator/session/symbols_choose.h
