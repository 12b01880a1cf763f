/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the bodies of perf's records, in the kernel's order of fields, without a copy: samples,
 * hits, tasks, mappings, losses. Never reads beyond a record. No state. perf_read.c calls it for
 * each record.
 */
#include "config.h"

#include "collect/perf/perf_sample.h"

#include "record/format.h"
#include "base/bytes.h"

#include <glib.h>
#include <string.h>
#include <sys/mman.h>

/* Call chain values from here on are markers: they name the side of the next ones. */
#define CONTEXT_FIRST ((uint64_t)PERF_CONTEXT_MAX)

/* The rest of a record's body. */
typedef struct {
	const uint8_t *at;
	size_t bytes;
} Rest;

/* Returns the next bytes of that number and advances; NULL if fewer are left. Inline, like the next
   two: all of them are called for each event. */
static inline const uint8_t *perf_sample_take(Rest *rest, uint64_t bytes)
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
	const uint8_t *from = perf_sample_take(rest, sizeof(*value));

	*value = from ? load_u32(from, false) : 0;
	return from;
}

static inline bool take_u64(Rest *rest, uint64_t *value)
{
	const uint8_t *from = perf_sample_take(rest, sizeof(*value));

	*value = from ? load_u64(from, false) : 0;
	return from;
}

/* Markers separate the parts of a chain. Returns the frames of the part with this marker; *depth:
   their number. */
static inline const uint64_t *choose_frames(const uint64_t *chain, uint64_t length, uint64_t marker,
					    uint32_t *depth)
{
	uint64_t first = 0, end;

	while (first < length && chain[first] != marker)
		first++;
	if (first < length)
		first++;
	for (end = first; end < length && chain[end] < CONTEXT_FIRST;)
		end++;
	*depth = (uint32_t)(end - first);
	return chain + first;
}

/* Returns a call chain, or NULL. */
static inline const uint64_t *take_chain(Rest *rest, uint64_t *length)
{
	if (!take_u64(rest, length) || *length > rest->bytes / sizeof(uint64_t))
		return NULL;
	return (const uint64_t *)(const void *)perf_sample_take(rest, *length * sizeof(uint64_t));
}

static bool take_kernel_frames(Rest *rest, PerfSample *sample)
{
	uint64_t length;
	const uint64_t *chain = take_chain(rest, &length);

	if (chain)
		sample->frames =
			choose_frames(chain, length, (uint64_t)PERF_CONTEXT_KERNEL, &sample->depth);
	return chain;
}

static bool take_both_frames(Rest *rest, PerfHit *hit)
{
	uint64_t length;
	const uint64_t *chain = take_chain(rest, &length);

	if (!chain)
		return false;
	hit->sample.frames =
		choose_frames(chain, length, (uint64_t)PERF_CONTEXT_KERNEL, &hit->sample.depth);
	hit->user_frames =
		choose_frames(chain, length, (uint64_t)PERF_CONTEXT_USER, &hit->user_depth);
	return true;
}

/* Size and data are padded together. */
static bool take_raw(Rest *rest, PerfSample *sample)
{
	if (!take_u32(rest, &sample->raw_bytes))
		return false;
	sample->raw = perf_sample_take(rest, sample->raw_bytes);
	return sample->raw && perf_sample_take(rest, -(sizeof(uint32_t) + sample->raw_bytes) % 8);
}

static bool take_count(Rest *rest, uint64_t sample_type, PerfSample *sample)
{
	uint64_t lost;

	return take_u64(rest, &sample->count) &&
	       (!(sample_type & PERF_SAMPLE_READ_ID_BIT) || take_u64(rest, &sample->event_id)) &&
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
	if (sample_type & PERF_SAMPLE_CALLCHAIN && !take_kernel_frames(&rest, sample))
		return false;
	if (!take_raw(&rest, sample))
		return false;
	if (sample_type & PERF_SAMPLE_CGROUP_BIT && !take_u64(&rest, &sample->cgroup_id))
		return false;
	return !rest.bytes;
}

/* The registers of a task without that context are absent. */
static bool take_registers(Rest *rest, unsigned count, uint64_t *abi, const uint64_t **registers)
{
	if (!take_u64(rest, abi))
		return false;
	if (*abi)
		*registers = (const uint64_t *)(const void *)perf_sample_take(
			rest, count * sizeof(uint64_t));
	return !*abi || *registers;
}

/* The kernel reserves room for the requested size, and says how much of it has contents. */
static bool take_user_stack(Rest *rest, PerfHit *hit)
{
	uint64_t room;

	if (!take_u64(rest, &room))
		return false;
	if (!room)
		return true;
	/* What follows is read where it is, in words. */
	if (room % sizeof(uint64_t))
		return false;
	hit->user_stack = perf_sample_take(rest, room);
	return hit->user_stack && take_u64(rest, &hit->user_stack_bytes) &&
	       hit->user_stack_bytes <= room;
}

/* The parts before the call chain, in the kernel's order. */
static bool take_hit_head(Rest *rest, uint64_t sample_type, PerfHit *hit)
{
	PerfSample *sample = &hit->sample;

	if (sample_type & PERF_SAMPLE_IDENTIFIER && !take_u64(rest, &hit->id))
		return false;
	if (!take_u32(rest, &sample->tgid) || !take_u32(rest, &sample->tid) ||
	    !take_u64(rest, &sample->time_ns))
		return false;
	if (sample_type & PERF_SAMPLE_ADDR && !take_u64(rest, &hit->address))
		return false;
	return !(sample_type & PERF_SAMPLE_READ) || take_count(rest, sample_type, sample);
}

bool perf_hit_parse(const void *body, size_t body_bytes, const PerfHitForm *form, PerfHit *hit)
{
	Rest rest = { body, body_bytes };
	uint64_t type = form->sample_type;

	*hit = (PerfHit){ 0 };
	if ((type & PERF_SAMPLE_NEEDED) != PERF_SAMPLE_NEEDED || type & ~PERF_HIT_KNOWN ||
	    (uintptr_t)body % sizeof(uint64_t) || !take_hit_head(&rest, type, hit))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN && !take_both_frames(&rest, hit))
		return false;
	if (!take_raw(&rest, &hit->sample))
		return false;
	if (type & PERF_SAMPLE_REGS_USER &&
	    !take_registers(&rest, form->user_registers, &hit->user_registers_abi,
			    &hit->user_registers))
		return false;
	if (type & PERF_SAMPLE_STACK_USER && !take_user_stack(&rest, hit))
		return false;
	if (type & PERF_SAMPLE_REGS_INTR &&
	    !take_registers(&rest, form->registers, &hit->registers_abi, &hit->registers))
		return false;
	if (type & PERF_SAMPLE_CGROUP_BIT && !take_u64(&rest, &hit->sample.cgroup_id))
		return false;
	return !rest.bytes;
}

uint64_t perf_hit_missing_caller(const PerfHit *hit)
{
	uint64_t caller;

	if (hit->user_registers_abi != PERF_SAMPLE_REGS_ABI_64 ||
	    hit->user_stack_bytes < sizeof(caller) || !hit->user_depth)
		return 0;
	caller = load_u64(hit->user_stack, false);
	return hit->user_depth > 1 && hit->user_frames[1] == caller ? 0 : caller;
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
	       perf_sample_take(rest, sizeof(uint64_t));
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

/* Reads the trailer that sample_id_all adds: pid and tid of the running task, and the time. Events
   of probe points add their id, so their records have no right time here; they have losses. */
static bool cut_trailer(Rest *rest, uint64_t *time_ns)
{
	enum { TRAILER_BYTES = 16, TIME_AT = 8 };

	if (rest->bytes < TRAILER_BYTES)
		return false;
	rest->bytes -= TRAILER_BYTES;
	*time_ns = load_u64(rest->at + rest->bytes + TIME_AT, false);
	return true;
}

bool perf_task_record_parse(const struct perf_event_header *header, const void *body,
			    size_t body_bytes, struct PerfTaskRecord *record)
{
	Rest rest = { body, body_bytes };

	*record = (struct PerfTaskRecord){ .kind = PERF_TASK_NONE };
	if (!cut_trailer(&rest, &record->time_ns))
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

/* The file of a mapping, in one of two forms of the same length. */
static bool take_file(Rest *rest, bool has_build_id, PerfMapRecord *record)
{
	enum { FILE_BYTES = 24, BUILD_ID_AT = 4 };
	const uint8_t *file = perf_sample_take(rest, FILE_BYTES);

	if (!file)
		return false;
	if (has_build_id) {
		record->build_id_bytes = MIN(file[0], PERF_BUILD_ID_BYTES_MAX);
		memcpy(record->build_id, file + BUILD_ID_AT, record->build_id_bytes);
		return true;
	}
	record->major = load_u32(file, false);
	record->minor = load_u32(file + 4, false);
	record->inode = load_u64(file + 8, false);
	record->generation = load_u64(file + 16, false);
	return true;
}

bool perf_map_record_parse(const struct perf_event_header *header, const void *body,
			   size_t body_bytes, PerfMapRecord *record)
{
	Rest rest = { body, body_bytes };
	uint32_t protection, flags;

	*record = (PerfMapRecord){ 0 };
	if (header->type != PERF_RECORD_MMAP2 || !cut_trailer(&rest, &record->time_ns) ||
	    !take_u32(&rest, &record->tgid) || !take_u32(&rest, &record->tid) ||
	    !take_u64(&rest, &record->start) || !take_u64(&rest, &record->bytes) ||
	    !take_u64(&rest, &record->file_offset) ||
	    !take_file(&rest, header->misc & PERF_RECORD_MISC_BUILD_ID, record) ||
	    !take_u32(&rest, &protection) || !take_u32(&rest, &flags) || !rest.bytes)
		return false;
	record->path = (const char *)rest.at;
	record->is_executable = protection & PROT_EXEC;
	/* The kernel's own mappings have no process. */
	return record->tgid != UINT32_MAX && memchr(rest.at, '\0', rest.bytes);
}
