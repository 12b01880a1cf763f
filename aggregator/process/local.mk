libaggregator_a_SOURCES += \
	aggregator/process/call_filter.c \
	aggregator/process/child.c aggregator/process/child.h \
	aggregator/process/child_port.c aggregator/process/child_port.h \
	aggregator/process/child_sandbox.c aggregator/process/child_sandbox.h \
	aggregator/process/fork.c aggregator/process/fork.h \
	aggregator/process/stop_signal.c aggregator/process/stop_signal.h \
	aggregator/process/terminal_relay.c aggregator/process/terminal_relay.h \
	aggregator/process/terminal_session.c \
	aggregator/process/watchdog.c aggregator/process/watchdog.h
