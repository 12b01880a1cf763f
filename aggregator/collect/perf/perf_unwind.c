/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that wait for their user stacks: they are kept in arrays, in order, until the unwinding
 * process has answered, then written. Also tells that process what is mapped, by process and exec.
 * perf_hits.c adds hits and flushes them.
 */
#include "collect/perf/perf_hits.h"

#include "base/clock.h"
#include "base/keyed_hash.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* How long to wait for the stacks of a part of a ring, and for room in the queue. */
#define WAIT_NS 300000000ULL
#define ROOM_NS 20000000ULL

/* A process id, and the program that the process runs: exec begins a new one, so that samples from
   before still find the old mappings. */
typedef struct {
	uint32_t tgid;
	uint32_t program;
	uint64_t exec_ns;  /* when it began; 0: unknown */
	uint64_t ended_ns; /* of the process; 0: it lives, or its id is used again */
} Process;

/* A hit that waits for its user stack. Frames and columns are in the arrays of PerfUnwind. */
typedef struct {
	EventTask task;
	PointHit hit;
	guint frames_at, columns_at, user_frames_at;
	bool has_copy; /* of its stack: it should have frames */
} Waiting;

struct PerfUnwind {
	UnwindChild *child;
	UserObjects *objects;  /* borrowed */
	GArray *files;         /* (element-type int): by object; descriptor + 1, 0: none; owned */
	GHashTable *processes; /* (tgid → Process), owned */
	GArray *ended;         /* (element-type guint32): tgids of those that have ended */
	GArray *waiting;       /* (element-type Waiting) */
	GArray *frames;        /* (element-type uint64_t) */
	GByteArray *columns;
	uint64_t missing; /* hits without the frames that they should have */
};

PerfUnwind *perf_unwind_new(uint64_t memory_bytes_max, GError **error)
{
	UnwindChild *child = unwind_child_new(memory_bytes_max, error);
	PerfUnwind *unwind;

	if (!child)
		return NULL;
	unwind = g_new0(PerfUnwind, 1);
	unwind->child = child;
	unwind->files = g_array_new(FALSE, TRUE, sizeof(int));
	unwind->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	unwind->ended = g_array_new(FALSE, FALSE, sizeof(guint32));
	unwind->waiting = g_array_new(FALSE, FALSE, sizeof(Waiting));
	unwind->frames = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	unwind->columns = g_byte_array_new();
	return unwind;
}

void perf_unwind_free(PerfUnwind *unwind)
{
	if (!unwind)
		return;
	unwind_child_free(unwind->child);
	for (guint i = 0; i < unwind->files->len; i++)
		if (g_array_index(unwind->files, int, i))
			close(g_array_index(unwind->files, int, i) - 1);
	g_array_unref(unwind->files);
	g_hash_table_unref(unwind->processes);
	g_array_unref(unwind->ended);
	g_array_unref(unwind->waiting);
	g_array_unref(unwind->frames);
	g_byte_array_unref(unwind->columns);
	g_free(unwind);
}

void perf_unwind_set_objects(PerfUnwind *unwind, UserObjects *objects)
{
	unwind->objects = objects;
}

void perf_unwind_set_opener(PerfUnwind *unwind, FileOpener *opener)
{
	unwind_child_set_opener(unwind->child, opener);
}

/* Mappings. */

static uint64_t key_of(uint32_t tgid, uint32_t program)
{
	return (uint64_t)program << 32 | tgid;
}

static Process *process_of(PerfUnwind *unwind, uint32_t tgid)
{
	Process *process = g_hash_table_lookup(unwind->processes, GUINT_TO_POINTER(tgid));

	if (process)
		return process;
	process = g_new0(Process, 1);
	process->tgid = tgid;
	g_hash_table_insert(unwind->processes, GUINT_TO_POINTER(tgid), process);
	return process;
}

/* Of a line that shows that the process lives. */
static Process *perf_unwind_living(PerfUnwind *unwind, uint32_t tgid)
{
	Process *process = process_of(unwind, tgid);

	process->ended_ns = 0;
	return process;
}

static void see_mapping(PerfUnwind *unwind, const UserMapLine *line)
{
	const Process *process = perf_unwind_living(unwind, line->tgid);
	const UnwindMapping mapping = {
		.start = line->start,
		.length = line->length,
		.file_offset = line->file_offset,
		.object = user_objects_intern(unwind->objects, line),
	};

	unwind_child_add_mapping(unwind->child, key_of(process->tgid, process->program), &mapping);
}

static void see_exec(PerfUnwind *unwind, const UserMapLine *line)
{
	Process *process = perf_unwind_living(unwind, line->tgid);

	/* The program before the last one has no samples any more. */
	if (process->program)
		unwind_child_forget(unwind->child, key_of(process->tgid, process->program - 1));
	process->program++;
	process->exec_ns = line->time_ns;
}

static void see_fork(PerfUnwind *unwind, const UserMapLine *line)
{
	const Process *parent = process_of(unwind, line->parent_tgid);
	const Process *child = perf_unwind_living(unwind, line->tgid);

	unwind_child_copy_maps(unwind->child, key_of(child->tgid, child->program),
			       key_of(parent->tgid, parent->program));
}

/* The last samples of a process may come after its end: its mappings stay for now. */
static void see_end(PerfUnwind *unwind, const UserMapLine *line)
{
	Process *process = process_of(unwind, line->tgid);

	process->ended_ns = line->time_ns;
	g_array_append_val(unwind->ended, process->tgid);
}

void perf_unwind_settle(PerfUnwind *unwind, uint64_t until_ns)
{
	guint kept = 0;

	for (guint i = 0; i < unwind->ended->len; i++) {
		guint32 tgid = g_array_index(unwind->ended, guint32, i);
		const Process *process =
			g_hash_table_lookup(unwind->processes, GUINT_TO_POINTER(tgid));

		if (!process || !process->ended_ns)
			continue;
		if (process->ended_ns > until_ns) {
			g_array_index(unwind->ended, guint32, kept++) = tgid;
			continue;
		}
		if (process->program)
			unwind_child_forget(unwind->child, key_of(tgid, process->program - 1));
		unwind_child_forget(unwind->child, key_of(tgid, process->program));
		g_hash_table_remove(unwind->processes, GUINT_TO_POINTER(tgid));
	}
	g_array_set_size(unwind->ended, kept);
}

void perf_unwind_see(PerfUnwind *unwind, const UserMapLine *line)
{
	static void (*const sees[])(PerfUnwind * unwind, const UserMapLine *line) = {
		[USER_MAP_MAPPED] = see_mapping,
		[USER_MAP_FORKED] = see_fork,
		[USER_MAP_EXECUTED] = see_exec,
		[USER_MAP_ENDED] = see_end,
	};

	sees[line->type](unwind, line);
}

void perf_unwind_add_file(PerfUnwind *unwind, uint32_t object, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0)
		return;
	if (object >= unwind->files->len)
		g_array_set_size(unwind->files, object + 1);
	g_array_index(unwind->files, int, object) = own + 1;
	unwind_child_add_object(unwind->child, object, own);
}

/* Hits. */

/* An UnwindTaker. */
static void take_stack(uint64_t number, const UnwindStack *stack, void *user_data)
{
	PerfUnwind *unwind = user_data;
	Waiting *waiting;

	if (number >= unwind->waiting->len)
		return;
	waiting = &g_array_index(unwind->waiting, Waiting, number);
	waiting->user_frames_at = unwind->frames->len;
	waiting->hit.user_depth = stack->depth;
	waiting->hit.user_truncated =
		stack->end == UNWIND_END_COPY || stack->end == UNWIND_END_DEPTH;
	g_array_append_vals(unwind->frames, stack->frames, stack->depth);
}

static uint64_t process_at(PerfUnwind *unwind, uint32_t tgid, uint64_t time_ns)
{
	const Process *process = process_of(unwind, tgid);
	bool is_before = process->program && time_ns < process->exec_ns;

	return key_of(tgid, process->program - is_before);
}

/* If the queue is full, waits a moment: a stack that is refused is lost. Returns whether there is a
   copy of the stack. */
static bool perf_unwind_submit(PerfUnwind *unwind, uint64_t number, const EventTask *task,
			       uint64_t time_ns, const PerfUserStack *stack)
{
	UnwindJob job = {
		.process = process_at(unwind, task->tgid, time_ns),
		.user_data = number,
	};

	if (!stack->registers || !stack->stack_bytes ||
	    !unwind_registers_read(stack->abi, stack->registers, &job.registers))
		return false;
	job.copy = (UnwindCopy){ .address = job.registers.values[UNWIND_SP],
				 .bytes = stack->stack,
				 .size = stack->stack_bytes };
	if (unwind_child_submit(unwind->child, &job))
		return true;
	if (unwind_child_has_all(unwind->child, job.process))
		unwind_child_drain(unwind->child, clock_monotonic_ns() + ROOM_NS, take_stack,
				   unwind);
	unwind_child_submit(unwind->child, &job);
	return true;
}

void perf_unwind_add(PerfUnwind *unwind, const EventTask *task, const PointHit *hit,
		     const PerfUserStack *stack)
{
	Waiting waiting = {
		.task = *task,
		.hit = *hit,
		.frames_at = unwind->frames->len,
		.columns_at = unwind->columns->len,
	};
	bool has_copy;

	waiting.hit.user_depth = 0;
	g_array_append_vals(unwind->frames, hit->frames, hit->depth);
	if (hit->columns)
		g_byte_array_append(unwind->columns, (const guint8 *)hit->columns,
				    hit->columns_bytes);
	g_array_append_val(unwind->waiting, waiting);
	has_copy = perf_unwind_submit(unwind, unwind->waiting->len - 1, task, hit->time_ns, stack);
	g_array_index(unwind->waiting, Waiting, unwind->waiting->len - 1).has_copy = has_copy;
}

static const uint64_t *frames_at(const PerfUnwind *unwind, guint index)
{
	return (const uint64_t *)(const void *)unwind->frames->data + index;
}

static void write_waiting(PerfUnwind *unwind, const Waiting *waiting, EventWriter *writer,
			  uint32_t depth_max)
{
	PointHit hit = waiting->hit;

	unwind->missing += waiting->has_copy && !hit.user_depth ? hit.weight : 0;

	hit.frames = frames_at(unwind, waiting->frames_at);
	hit.user_frames = frames_at(unwind, waiting->user_frames_at);
	hit.user_truncated |= hit.user_depth > depth_max;
	hit.user_depth = MIN(hit.user_depth, depth_max);
	if (hit.columns)
		hit.columns = (const char *)unwind->columns->data + waiting->columns_at;
	event_writer_add_hit(writer, &waiting->task, &hit);
}

void perf_unwind_flush(PerfUnwind *unwind, EventWriter *writer, uint32_t depth_max)
{
	if (!unwind->waiting->len)
		return;
	unwind_child_drain(unwind->child, clock_monotonic_ns() + WAIT_NS, take_stack, unwind);
	for (guint i = 0; i < unwind->waiting->len; i++)
		write_waiting(unwind, &g_array_index(unwind->waiting, Waiting, i), writer,
			      depth_max);
	g_array_set_size(unwind->waiting, 0);
	g_array_set_size(unwind->frames, 0);
	g_byte_array_set_size(unwind->columns, 0);
}

uint64_t perf_unwind_missing(const PerfUnwind *unwind)
{
	return unwind->missing;
}
