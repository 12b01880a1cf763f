if HAVE_NCURSES
libaggregator_a_SOURCES += \
	aggregator/screen/detail_view.c aggregator/screen/detail_view.h \
	aggregator/screen/history.c aggregator/screen/history.h \
	aggregator/screen/keys.c aggregator/screen/keys.h \
	aggregator/screen/page.c aggregator/screen/page.h \
	aggregator/screen/replay.c aggregator/screen/replay.h \
	aggregator/screen/screen.c aggregator/screen/screen.h \
	aggregator/screen/state.c aggregator/screen/state.h \
	aggregator/screen/table_view.c aggregator/screen/table_view.h \
	aggregator/screen/terminal.c aggregator/screen/terminal.h \
	aggregator/screen/views.c
else
libaggregator_a_SOURCES += aggregator/screen/no_screen.c aggregator/screen/screen.h
endif
