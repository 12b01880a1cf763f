libaggregator_a_SOURCES += \
	aggregator/collect/process/child_files.c aggregator/collect/process/child_files.h \
	aggregator/collect/process/child_sandbox.c aggregator/collect/process/child_sandbox.h \
	aggregator/collect/process/child_signals.c aggregator/collect/process/child_signals.h \
	aggregator/collect/process/process_group.c aggregator/collect/process/process_group.h \
	aggregator/collect/process/terminal_relay.c aggregator/collect/process/terminal_relay.h \
	aggregator/collect/process/terminal_session.c aggregator/collect/process/terminal_session.h
