libaggregator_a_SOURCES += \
	aggregator/code/unwind/unwind_child.c aggregator/code/unwind/unwind_child.h \
	aggregator/code/unwind/unwind_object.c aggregator/code/unwind/unwind_object.h \
	aggregator/code/unwind/unwind_processes.c \
	aggregator/code/unwind/unwind_rule.c aggregator/code/unwind/unwind_rule.h \
	aggregator/code/unwind/unwind_stack.c aggregator/code/unwind/unwind_stack.h \
	aggregator/code/unwind/unwind_worker.c
