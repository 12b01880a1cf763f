libaggregator_a_SOURCES += \
	aggregator/base/address_ranges.c aggregator/base/address_ranges.h \
	aggregator/base/build_id.c aggregator/base/build_id.h \
	aggregator/base/bytes.h \
	aggregator/base/clock.h \
	aggregator/base/cpu_list.c aggregator/base/cpu_list.h \
	aggregator/base/escape.c aggregator/base/escape.h \
	aggregator/base/exit_status.h \
	aggregator/base/hot_assert.h \
	aggregator/base/keyed_hash.c aggregator/base/keyed_hash.h \
	aggregator/base/lowest.h \
	aggregator/base/memory_budget.c aggregator/base/memory_budget.h \
	aggregator/base/nearest.c aggregator/base/nearest.h \
	aggregator/base/number_text.c aggregator/base/number_text.h \
	aggregator/base/out_of_memory.c \
	aggregator/base/private_file.c aggregator/base/private_file.h \
	aggregator/base/saturate.h \
	aggregator/base/slot_table.h \
	aggregator/base/sorted.h \
	aggregator/base/text_part.c aggregator/base/text_part.h \
	aggregator/base/text_pool.h \
	aggregator/base/text_stream.h \
	aggregator/base/trusted_file.c aggregator/base/trusted_file.h \
	aggregator/base/unconst.h \
	aggregator/base/value.h \
	aggregator/base/words.h
