/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/perf/perf_sample.h"

#include "base/bytes.h"

#include <glib.h>
#include <string.h>

/* Call chain values from here on are markers: they name the side of the next ones. */
#define CONTEXT_FIRST ((uint64_t)PERF_CONTEXT_MAX)

/* The rest of a record's body. */
typedef struct {
	const uint8_t *at;
	size_t bytes;
} Rest;

/* Returns the next bytes of that number and advances; NULL if fewer are left. Inline, like the next
   two: all of them are called for each event. */
static inline const uint8_t *take(Rest *rest, uint64_t bytes)
{
	const uint8_t *taken = rest->at;

	if (bytes > rest->bytes)
		return NULL;
	rest->at += bytes;
	rest->bytes -= bytes;
	return taken;
}

static inline bool take_u32(Rest *rest, uint32_t *value)
{
	const uint8_t *from = take(rest, sizeof(*value));

	*value = from ? load_u32(from, false) : 0;
	return from;
}

static inline bool take_u64(Rest *rest, uint64_t *value)
{
	const uint8_t *from = take(rest, sizeof(*value));

	*value = from ? load_u64(from, false) : 0;
	return from;
}

/* Markers separate the parts of a chain. Chooses the part with the kernel's frames. */
static void choose_kernel_frames(const uint64_t *chain, uint64_t length, PerfSample *sample)
{
	uint64_t first = 0, end;

	while (first < length && chain[first] != (uint64_t)PERF_CONTEXT_KERNEL)
		first++;
	if (first < length)
		first++;
	for (end = first; end < length && chain[end] < CONTEXT_FIRST;)
		end++;
	sample->frames = chain + first;
	sample->depth = (uint32_t)(end - first);
}

static bool take_chain(Rest *rest, PerfSample *sample)
{
	const uint8_t *chain;
	uint64_t length;

	if (!take_u64(rest, &length) || length > rest->bytes / sizeof(uint64_t))
		return false;
	chain = take(rest, length * sizeof(uint64_t));
	choose_kernel_frames((const uint64_t *)(const void *)chain, length, sample);
	return true;
}

/* Size and data are padded together. */
static bool take_raw(Rest *rest, PerfSample *sample)
{
	if (!take_u32(rest, &sample->raw_bytes))
		return false;
	sample->raw = take(rest, sample->raw_bytes);
	return sample->raw && take(rest, -(sizeof(uint32_t) + sample->raw_bytes) % 8);
}

static bool take_count(Rest *rest, uint64_t sample_type, PerfSample *sample)
{
	uint64_t lost;

	return take_u64(rest, &sample->count) &&
	       (!(sample_type & PERF_SAMPLE_READ_LOST_BIT) || take_u64(rest, &lost));
}

bool perf_sample_parse(const void *body, size_t body_bytes, uint64_t sample_type,
		       PerfSample *sample)
{
	Rest rest = { body, body_bytes };

	*sample = (PerfSample){ 0 };
	if ((sample_type & PERF_SAMPLE_NEEDED) != PERF_SAMPLE_NEEDED ||
	    sample_type & ~(PERF_SAMPLE_KNOWN | PERF_SAMPLE_COUNTED) ||
	    (uintptr_t)body % sizeof(uint64_t))
		return false;
	/* In the kernel's order. */
	if (!take_u32(&rest, &sample->tgid) || !take_u32(&rest, &sample->tid) ||
	    !take_u64(&rest, &sample->time_ns))
		return false;
	if (sample_type & PERF_SAMPLE_READ && !take_count(&rest, sample_type, sample))
		return false;
	if (sample_type & PERF_SAMPLE_CALLCHAIN && !take_chain(&rest, sample))
		return false;
	if (!take_raw(&rest, sample))
		return false;
	if (sample_type & PERF_SAMPLE_CGROUP_BIT && !take_u64(&rest, &sample->cgroup_id))
		return false;
	return !rest.bytes;
}

static bool take_comm(Rest *rest, struct PerfTaskRecord *record)
{
	size_t bytes;

	record->kind = PERF_TASK_COMM;
	if (!take_u32(rest, &record->tgid) || !take_u32(rest, &record->tid) || !rest->bytes)
		return false;
	bytes = MIN(rest->bytes, sizeof(record->comm) - 1);
	memcpy(record->comm, rest->at, bytes);
	return memchr(rest->at, '\0', rest->bytes);
}

/* The next time field is some microseconds older than the trailer's. */
static bool take_task(Rest *rest, PerfTaskKind kind, struct PerfTaskRecord *record)
{
	record->kind = kind;
	return take_u32(rest, &record->tgid) && take_u32(rest, &record->parent_tgid) &&
	       take_u32(rest, &record->tid) && take_u32(rest, &record->parent_tid) &&
	       take(rest, sizeof(uint64_t));
}

static bool take_lost(Rest *rest, struct PerfTaskRecord *record)
{
	record->kind = PERF_TASK_LOST;
	return take_u64(rest, &record->event_id) && take_u64(rest, &record->lost);
}

static bool take_lost_samples(Rest *rest, struct PerfTaskRecord *record)
{
	record->kind = PERF_TASK_LOST_SAMPLES;
	return take_u64(rest, &record->lost);
}

/* Reads the trailer that sample_id_all adds: pid and tid of the running task, and the time. */
static bool cut_trailer(Rest *rest, struct PerfTaskRecord *record)
{
	enum { TRAILER_BYTES = 16, TIME_AT = 8 };

	if (rest->bytes < TRAILER_BYTES)
		return false;
	rest->bytes -= TRAILER_BYTES;
	record->time_ns = load_u64(rest->at + rest->bytes + TIME_AT, false);
	return true;
}

bool perf_task_record_parse(const struct perf_event_header *header, const void *body,
			    size_t body_bytes, struct PerfTaskRecord *record)
{
	Rest rest = { body, body_bytes };

	*record = (struct PerfTaskRecord){ .kind = PERF_TASK_NONE };
	if (!cut_trailer(&rest, record))
		return false;
	switch (header->type) {
	case PERF_RECORD_COMM:
		record->is_exec = header->misc & PERF_RECORD_MISC_COMM_EXEC;
		return take_comm(&rest, record);
	case PERF_RECORD_FORK:
		return take_task(&rest, PERF_TASK_FORK, record);
	case PERF_RECORD_EXIT:
		return take_task(&rest, PERF_TASK_EXIT, record);
	case PERF_RECORD_LOST:
		return take_lost(&rest, record);
	case PERF_RECORD_LOST_SAMPLES_TYPE:
		return take_lost_samples(&rest, record);
	default:
		return true;
	}
}
