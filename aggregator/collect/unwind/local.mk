libaggregator_a_SOURCES += \
	aggregator/collect/unwind/unwind_expression.c aggregator/collect/unwind/unwind_expression.h \
	aggregator/collect/unwind/unwind_object.c aggregator/collect/unwind/unwind_object.h \
	aggregator/collect/unwind/unwind_registers.c aggregator/collect/unwind/unwind_registers.h \
	aggregator/collect/unwind/unwind_row.c aggregator/collect/unwind/unwind_row.h \
	aggregator/collect/unwind/unwind_rule.c aggregator/collect/unwind/unwind_rule.h \
	aggregator/collect/unwind/unwind_stack.c aggregator/collect/unwind/unwind_stack.h
