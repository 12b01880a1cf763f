libaggregator_a_SOURCES += \
	aggregator/collect/process/call_filter.c aggregator/collect/process/call_filter.h \
	aggregator/collect/process/child.c aggregator/collect/process/child.h \
	aggregator/collect/process/child_files.c aggregator/collect/process/child_files.h \
	aggregator/collect/process/child_port.c aggregator/collect/process/child_port.h \
	aggregator/collect/process/child_sandbox.c aggregator/collect/process/child_sandbox.h \
	aggregator/collect/process/child_signals.c aggregator/collect/process/child_signals.h \
	aggregator/collect/process/process_group.c aggregator/collect/process/process_group.h \
	aggregator/collect/process/stop_signal.c aggregator/collect/process/stop_signal.h \
	aggregator/collect/process/terminal_relay.c aggregator/collect/process/terminal_relay.h \
	aggregator/collect/process/terminal_session.c aggregator/collect/process/terminal_session.h
