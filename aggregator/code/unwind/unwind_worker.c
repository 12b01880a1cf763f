/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main loop of the process that unwinds: records from the ring, files and requests from the
 * socket, answers in batches. A record that takes too long ends the process; the program starts
 * another one.
 */
#include "config.h"

#include "code/unwind/unwind_child.h"

#include "code/unwind/unwind_object.h"
#include "process/child_port.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * The ring in shared memory that takes stacks to the worker: one writer, one reader, records that
 * never wrap. Positions are atomic; the writer does not believe the reader's.
 */

static UnwindRecord *unwind_ring_put(UnwindShared *shared, uint64_t *head, UnwindRecordType type,
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
	/* Records are so aligned that a header always fits in front of the ring's end. */
	const size_t unit = sizeof(UnwindRecord);
	size_t bytes = unit + (body_bytes + unit - 1) / unit * unit;
	size_t to_end = UNWIND_RING_BYTES - *head % UNWIND_RING_BYTES;
	size_t padding = to_end < bytes ? to_end : 0;

	if (used > UNWIND_RING_BYTES || bytes + padding > UNWIND_RING_BYTES - used)
		return NULL;
	if (padding)
		unwind_ring_put(shared, head, UNWIND_RECORD_PADDING, 0, padding);
	return unwind_ring_put(shared, head, type, process, bytes) + 1;
}

void unwind_ring_publish(UnwindShared *shared, uint64_t head)
{
	__atomic_store_n(&shared->head, head, __ATOMIC_SEQ_CST);
}

static void unwind_ring_release(UnwindShared *shared, const UnwindRecord *record)
{
	__atomic_store_n(&shared->tail, shared->tail + record->bytes, __ATOMIC_RELEASE);
}

/* Returns the next record, NULL: none. It is valid until unwind_ring_release(). */
static const UnwindRecord *unwind_ring_next(UnwindShared *shared)
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

enum { PATIENCE_S = 5 };

/* In addition to what is read: for libdw, the mappings, and the allocator. */
#define WORKING_BYTES ((uint64_t)64 << 20)
#define ADDRESSES_BYTES ((uint64_t)1 << 30)

/* So mappings fill their record. */
G_STATIC_ASSERT(sizeof(UserSpan) % sizeof(UnwindRecord) == 0);

typedef struct {
	UnwindShared *shared;
	int socket;
	Unwinder *unwinder;
	/* The message that is being filled. */
	uint64_t answers[UNWIND_ANSWER_BYTES_MAX / sizeof(uint64_t)];
	size_t answer_bytes;
} Worker;

/* Ends this process if it takes longer: a file may be on a file system that never answers. 0: not
   any more. */
static void set_patience(time_t seconds)
{
	struct itimerval timer = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void send_message(const Worker *worker, uint64_t type, const void *body, size_t body_bytes)
{
	const ChildMessage message = { type, 0 };

	if (!child_port_send(worker->socket, &message, body, body_bytes, -1, true))
		_exit(0);
}

/* Waits while the program does not read answers. */
static void send_answers(Worker *worker)
{
	if (!worker->answer_bytes)
		return;
	set_patience(0);
	send_message(worker, UNWIND_MESSAGE_ANSWERS, worker->answers, worker->answer_bytes);
	worker->answer_bytes = 0;
	set_patience(PATIENCE_S);
}

/* Messages. */

/* Returns whether there was a message. The caller closes the descriptor, unless it is -1. */
static bool unwind_worker_receive(const Worker *worker, ChildMessage *message, int *fd)
{
	ssize_t bytes = child_port_receive(worker->socket, message, NULL, 0, fd);

	/* The program has ended. */
	if (bytes < 0 && errno != EAGAIN)
		_exit(0);
	return bytes >= 0;
}

static void wait_for_message(const Worker *worker)
{
	poll(&(struct pollfd){ .fd = worker->socket, .events = POLLIN }, 1, -1);
}

/* Processes were lost before while they read this object. */
static bool is_suspect(const Worker *worker, uint64_t object)
{
	for (int i = 0; i < UNWIND_WORKERS_MAX; i++)
		if (worker->shared->suspects[i] == object)
			return true;
	return false;
}

static void take_messages(Worker *worker)
{
	ChildMessage message;
	int fd;

	while (unwind_worker_receive(worker, &message, &fd)) {
		set_patience(PATIENCE_S);
		if (message.type == UNWIND_MESSAGE_OBJECT && fd >= 0 &&
		    !is_suspect(worker, message.value))
			unwinder_add_object(worker->unwinder, (uint32_t)message.value, fd);
		if (fd >= 0)
			close(fd);
	}
}

static void wait_for_start(const Worker *worker)
{
	ChildMessage message = { 0 };
	int fd;

	send_message(worker, UNWIND_MESSAGE_HELLO, NULL, 0);
	while (message.type != UNWIND_MESSAGE_START) {
		wait_for_message(worker);
		if (unwind_worker_receive(worker, &message, &fd) && fd >= 0)
			close(fd);
	}
	__atomic_store_n(&worker->shared->tail, message.value, __ATOMIC_RELEASE);
}

/* Records. */

static void set_maps(Worker *worker, const UnwindRecord *record, const void *body)
{
	g_autoptr(GArray) spans = user_spans_new();

	/* Files that are mapped were sent before. */
	take_messages(worker);
	g_array_append_vals(spans, body,
			    (guint)((record->bytes - sizeof(*record)) / sizeof(UserSpan)));
	unwinder_set_maps(worker->unwinder, record->process, spans);
}

static void unwind_worker_forget(Worker *worker, const UnwindRecord *record, const void *body)
{
	(void)body;
	unwinder_set_maps(worker->unwinder, record->process, NULL);
}

static void do_job(Worker *worker, const UnwindRecord *record, const void *body)
{
	const UnwindJobRecord *job = body;
	const UnwindCopy copy = { job->stack_address, (const uint8_t *)(job + 1),
				  job->stack_bytes };
	UnwindAnswer answered = { .number = job->number };
	UnwindStack stack;
	size_t frame_bytes;
	uint8_t *to;

	unwinder_walk(worker->unwinder, record->process, &job->registers, &copy, &stack);
	answered.end = stack.end;
	answered.depth = stack.depth;
	frame_bytes = stack.depth * sizeof(*stack.frames);
	if (worker->answer_bytes + sizeof(answered) + frame_bytes > sizeof(worker->answers))
		send_answers(worker);
	to = (uint8_t *)worker->answers + worker->answer_bytes;
	memcpy(to, &answered, sizeof(answered));
	memcpy(to + sizeof(answered), stack.frames, frame_bytes);
	worker->answer_bytes += sizeof(answered) + frame_bytes;
}

static void (*const handlers[])(Worker *worker, const UnwindRecord *record, const void *body) = {
	[UNWIND_RECORD_MAPS] = set_maps,
	[UNWIND_RECORD_FORGET] = unwind_worker_forget,
	[UNWIND_RECORD_JOB] = do_job,
};

static void empty_ring(Worker *worker)
{
	const UnwindRecord *record;

	set_patience(PATIENCE_S);
	while ((record = unwind_ring_next(worker->shared))) {
		handlers[record->type](worker, record, record + 1);
		unwind_ring_release(worker->shared, record);
	}
	/* First this: whoever has received all answers may rely on it. */
	worker->shared->busy_object = 0;
	send_answers(worker);
	set_patience(0);
}

/* The run of the ChildType. */
static void unwind_worker_run(int socket, const int *fds, void *data)
{
	UnwindShared *shared = data;
	Worker worker = { .shared = shared, .socket = socket };

	(void)fds;
	wait_for_start(&worker);
	worker.unwinder = unwinder_new(shared->memory_bytes_max);
	unwinder_watch(worker.unwinder, &shared->busy_object);
	for (;;) {
		set_patience(PATIENCE_S);
		take_messages(&worker);
		empty_ring(&worker);
		/* The program sends a message if it finds the flag after it has written to the
		   ring. */
		__atomic_store_n(&shared->is_asleep, 1, __ATOMIC_SEQ_CST);
		if (!unwind_ring_next(shared))
			wait_for_message(&worker);
		__atomic_store_n(&shared->is_asleep, 0, __ATOMIC_SEQ_CST);
	}
}

ChildType unwind_worker_type(uint64_t memory_bytes_max)
{
	return (ChildType){
		.name = "kmt-unwind",
		.rights = CHILD_READS,
		.limits = { .address_space_bytes = memory_bytes_max + ADDRESSES_BYTES,
			    .data_bytes = memory_bytes_max + WORKING_BYTES },
		.prepare = unwind_object_prepare,
		.run = unwind_worker_run,
	};
}
