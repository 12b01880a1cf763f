libaggregator_a_SOURCES += \
	aggregator/session/counter.c \
	aggregator/session/losses.c aggregator/session/losses.h \
	aggregator/session/piece_names.c aggregator/session/piece_names.h \
	aggregator/session/recorder.c aggregator/session/recorder.h \
	aggregator/session/session.c aggregator/session/session.h \
	aggregator/session/stream_state.c \
	aggregator/session/symbols_choose.c aggregator/session/symbols_choose.h \
	aggregator/session/watch_log.c aggregator/session/watch_log.h
