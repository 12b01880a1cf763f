/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring in shared memory that takes stacks to the worker: one writer, one reader, records that
 * never wrap. Positions are atomic; the writer does not believe the reader's.
 */
#include "code/unwind/unwind_ring.h"

/* Records are so aligned that a header always fits in front of the ring's end. */
static size_t record_bytes(size_t body_bytes)
{
	const size_t unit = sizeof(UnwindRecord);

	return unit + (body_bytes + unit - 1) / unit * unit;
}

static UnwindRecord *put(UnwindShared *shared, uint64_t *head, UnwindRecordType type,
			 uint64_t process, size_t bytes)
{
	UnwindRecord *record = (UnwindRecord *)(shared->bytes + *head % UNWIND_RING_BYTES);

	*record = (UnwindRecord){ .type = type, .bytes = (uint32_t)bytes, .process = process };
	*head += bytes;
	return record;
}

void *unwind_ring_reserve(UnwindShared *shared, uint64_t *head, UnwindRecordType type,
			  uint64_t process, size_t body_bytes)
{
	uint64_t used = *head - __atomic_load_n(&shared->tail, __ATOMIC_ACQUIRE);
	size_t bytes = record_bytes(body_bytes);
	size_t to_end = UNWIND_RING_BYTES - *head % UNWIND_RING_BYTES;
	size_t padding = to_end < bytes ? to_end : 0;

	if (used > UNWIND_RING_BYTES || bytes + padding > UNWIND_RING_BYTES - used)
		return NULL;
	if (padding)
		put(shared, head, UNWIND_RECORD_PADDING, 0, padding);
	return put(shared, head, type, process, bytes) + 1;
}

void unwind_ring_publish(UnwindShared *shared, uint64_t head)
{
	__atomic_store_n(&shared->head, head, __ATOMIC_SEQ_CST);
}

const UnwindRecord *unwind_ring_next(UnwindShared *shared)
{
	uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_SEQ_CST);
	const UnwindRecord *record;

	while (shared->tail != head) {
		record = (const UnwindRecord *)(shared->bytes + shared->tail % UNWIND_RING_BYTES);
		if (record->type != UNWIND_RECORD_PADDING)
			return record;
		unwind_ring_release(shared, record);
	}
	return NULL;
}

void unwind_ring_release(UnwindShared *shared, const UnwindRecord *record)
{
	__atomic_store_n(&shared->tail, shared->tail + record->bytes, __ATOMIC_RELEASE);
}
