libaggregator_a_SOURCES += \
	aggregator/code/unwind/unwind_child.c aggregator/code/unwind/unwind_child.h \
	aggregator/code/unwind/unwind_expression.c aggregator/code/unwind/unwind_expression.h \
	aggregator/code/unwind/unwind_object.c aggregator/code/unwind/unwind_object.h \
	aggregator/code/unwind/unwind_processes.c aggregator/code/unwind/unwind_processes.h \
	aggregator/code/unwind/unwind_registers.c aggregator/code/unwind/unwind_registers.h \
	aggregator/code/unwind/unwind_ring.c aggregator/code/unwind/unwind_ring.h \
	aggregator/code/unwind/unwind_row.c aggregator/code/unwind/unwind_row.h \
	aggregator/code/unwind/unwind_rule.c aggregator/code/unwind/unwind_rule.h \
	aggregator/code/unwind/unwind_stack.c aggregator/code/unwind/unwind_stack.h \
	aggregator/code/unwind/unwind_wire.h \
	aggregator/code/unwind/unwind_worker.c aggregator/code/unwind/unwind_worker.h
