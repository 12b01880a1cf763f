/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's side of unwinding: what was told to the process, the jobs without an answer, and
 * the replacement of a process that was lost. Mappings come from collect/perf/perf_unwind.c.
 */
#include "config.h"

#include "code/unwind/unwind_child.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "process/child.h"
#include "process/child_port.h"

#include <errno.h>
#include <gio/gio.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HANGS_NS 300000000ULL

enum {
	JOBS_MAX = 1 << 16,   /* without an answer; a power of two */
	SPANS_MAX = 1 << 20,  /* of all processes */
	STACK_MAX = 64 << 10, /* of a job: perf copies no more */
	START_PATIENCE_MS = 5000,
};

typedef struct {
	uint32_t number;
	int fd; /* borrowed */
} Object;

struct UnwindChild {
	ChildType type;
	Child process; /* without a socket: there is none any more */
	UnwindShared *shared;
	uint64_t head;      /* of the ring */
	bool is_started;    /* the process has been told where to begin */
	FileOpener *opener; /* borrowed; NULL: none */
	GArray *objects;    /* (element-type Object) */
	guint objects_sent; /* the first ones */
	UnwindProcesses *processes;
	/* The jobs without an answer: from first_job to next_job. */
	uint64_t first_job, next_job;
	uint64_t first_lost; /* jobs before this one are lost, those from first_job on */
	uint64_t *user_data; /* of each job */
	uint64_t body[UNWIND_ANSWER_BYTES_MAX / sizeof(uint64_t)]; /* of a message */
	uint32_t restarts; /* processes that were lost and replaced */
	uint64_t vain_ns;  /* what it was waited for since it answered */
};

/* Messages to the process. */

/* Returns whether it was sent; the socket may be full. */
static bool send_message(const UnwindChild *child, UnwindMessageType type, uint64_t value)
{
	const ChildMessage message = { type, value };

	return child_port_send(child->process.socket, &message, NULL, 0, -1, false);
}

/* Returns whether the process knows all files. */
static bool send_all(UnwindChild *child)
{
	if (child->process.socket < 0)
		return false;
	if (!child->is_started && !send_message(child, UNWIND_MESSAGE_START, child->head))
		return false;
	child->is_started = true;
	for (; child->objects_sent < child->objects->len; child->objects_sent++) {
		const Object *object = &g_array_index(child->objects, Object, child->objects_sent);
		const ChildMessage message = { UNWIND_MESSAGE_OBJECT, object->number };

		/* The socket may be full. A file that cannot be opened is left out. */
		if (!file_opener_pass(child->opener, object->fd, child->process.socket, &message) &&
		    errno == ENOBUFS)
			return false;
	}
	return true;
}

/* Beginning and end. */

static bool unwind_child_fail(GError **error, const char *problem)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno),
		    "the process that unwinds user stacks could not be started: %s", problem);
	return false;
}

/* Waits until the process is in its sandbox. */
static bool unwind_child_greet(UnwindChild *child, GError **error)
{
	uint64_t until_ns = clock_monotonic_ns() + (uint64_t)START_PATIENCE_MS * NS_PER_MS;
	ChildMessage message = { 0 };
	ssize_t bytes = -1;

	errno = ETIMEDOUT;
	if (child_wait(&child->process, until_ns) == CHILD_ANSWERED)
		bytes = child_port_receive(child->process.socket, &message, child->body,
					   sizeof(child->body), NULL);
	if (bytes >= 0 && message.type == UNWIND_MESSAGE_HELLO)
		return true;
	if (bytes >= 0 && message.type == CHILD_MESSAGE_FAILED) {
		g_autofree char *why = g_strndup((const char *)child->body, (size_t)bytes);

		errno = EPERM;
		return unwind_child_fail(error, why);
	}
	return unwind_child_fail(error, g_strerror(errno));
}

/* Starts the first process or the next one, which knows nothing. */
static bool unwind_child_start(UnwindChild *child)
{
	child->is_started = false;
	child->objects_sent = 0;
	child->shared->busy_object = 0;
	child->vain_ns = 0;
	unwind_processes_tell_again(child->processes);
	return child_start(&child->process, &child->type, NULL, 0, child->shared);
}

UnwindChild *unwind_child_new(uint64_t memory_bytes_max, GError **error)
{
	g_autoptr(UnwindChild) child = g_new0(UnwindChild, 1);

	child->objects = g_array_new(FALSE, FALSE, sizeof(Object));
	child->processes = unwind_processes_new(SPANS_MAX);
	child->user_data = g_new(uint64_t, JOBS_MAX);
	child->type = unwind_worker_type(memory_bytes_max);
	child->process.socket = -1;
	child->shared = mmap(NULL, sizeof(*child->shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (child->shared == MAP_FAILED) {
		unwind_child_fail(error, g_strerror(errno));
		return NULL;
	}
	child->shared->memory_bytes_max = memory_bytes_max;
	if (!unwind_child_start(child)) {
		unwind_child_fail(error, g_strerror(errno));
		return NULL;
	}
	if (!unwind_child_greet(child, error))
		return NULL;
	send_all(child);
	return g_steal_pointer(&child);
}

static void end_process(UnwindChild *child)
{
	child_end(&child->process);
	child->first_lost = child->next_job;
}

/* The object that a lost process was reading is left out from then on. */
static void replace_process(UnwindChild *child)
{
	child->shared->suspects[child->restarts++] = child->shared->busy_object;
	child->first_lost = child->next_job;
	child_end(&child->process);
	if (child->restarts >= UNWIND_WORKERS_MAX || !unwind_child_start(child)) {
		end_process(child);
		return;
	}
	send_all(child);
}

void unwind_child_free(UnwindChild *child)
{
	if (!child)
		return;
	end_process(child);
	if (child->shared && child->shared != MAP_FAILED)
		munmap(child->shared, sizeof(*child->shared));
	g_array_free(child->objects, TRUE);
	unwind_processes_free(child->processes);
	g_free(child->user_data);
	g_free(child);
}

void unwind_child_set_opener(UnwindChild *child, FileOpener *opener)
{
	child->opener = opener;
}

void unwind_child_add_object(UnwindChild *child, uint32_t number, int fd)
{
	Object object = { number, fd };

	if (fd >= 0)
		g_array_append_val(child->objects, object);
	send_all(child);
}

static void unwind_child_publish(UnwindChild *child)
{
	unwind_ring_publish(child->shared, child->head);
	if (__atomic_exchange_n(&child->shared->is_asleep, 0, __ATOMIC_SEQ_CST))
		send_message(child, UNWIND_MESSAGE_WAKE, 0);
}

/* Mappings. */

void unwind_child_add_mapping(UnwindChild *child, uint64_t process, const UnwindMapping *mapping)
{
	const UserSpan span = {
		.start = mapping->start,
		.end = mapping->start + mapping->length,
		.to_offset = mapping->file_offset - mapping->start,
		.object = mapping->object,
	};

	if (span.end > span.start)
		unwind_processes_map(child->processes, process, &span);
}

void unwind_child_copy_maps(UnwindChild *child, uint64_t process, uint64_t from)
{
	unwind_processes_copy(child->processes, process, from);
}

void unwind_child_forget(UnwindChild *child, uint64_t process)
{
	const UnwindProcess *known = unwind_processes_find(child->processes, process);

	/* If the ring is full, it is told with the next job. */
	if (known && known->is_known && child->process.socket >= 0 &&
	    !unwind_ring_reserve(child->shared, &child->head, UNWIND_RECORD_FORGET, process, 0)) {
		unwind_processes_empty(child->processes, process);
		return;
	}
	unwind_processes_forget(child->processes, process);
	if (child->process.socket >= 0)
		unwind_child_publish(child);
}

/* Returns whether the process knows what is mapped. */
static bool tell_maps(UnwindChild *child, uint64_t key)
{
	UnwindProcess *process = unwind_processes_find(child->processes, key);
	size_t bytes;
	void *body;

	if (!process || process->is_told)
		return true;
	bytes = process->spans->len * sizeof(UserSpan);
	body = unwind_ring_reserve(child->shared, &child->head, UNWIND_RECORD_MAPS, key, bytes);
	if (!body)
		return false;
	if (bytes)
		memcpy(body, process->spans->data, bytes);
	process->is_told = true;
	process->is_known = true;
	return true;
}

/* Jobs. */

static bool put_job(UnwindChild *child, const UnwindJob *job)
{
	size_t stack_bytes = MIN(job->copy.size, (size_t)STACK_MAX);
	UnwindJobRecord *record;

	if (child->next_job - child->first_job == JOBS_MAX)
		return false;
	record = unwind_ring_reserve(child->shared, &child->head, UNWIND_RECORD_JOB, job->process,
				     sizeof(*record) + stack_bytes);
	if (!record)
		return false;
	*record = (UnwindJobRecord){ child->next_job, job->copy.address, stack_bytes,
				     job->registers };
	if (stack_bytes)
		memcpy(record + 1, job->copy.bytes, stack_bytes);
	child->user_data[child->next_job++ % JOBS_MAX] = job->user_data;
	return true;
}

bool unwind_child_has_all(const UnwindChild *child, uint64_t process)
{
	const UnwindProcess *known = unwind_processes_find(child->processes, process);

	return !known || !known->is_incomplete;
}

bool unwind_child_submit(UnwindChild *child, const UnwindJob *job)
{
	bool is_taken = child->process.socket >= 0 && unwind_child_has_all(child, job->process) &&
			send_all(child) && tell_maps(child, job->process) && put_job(child, job);

	if (child->process.socket >= 0)
		unwind_child_publish(child);
	return is_taken;
}

/* Answers. */

static void unwind_child_give(UnwindChild *child, const UnwindStack *stack, UnwindTaker taker,
			      void *user_data)
{
	uint64_t job_user_data = child->user_data[child->first_job++ % JOBS_MAX];

	taker(job_user_data, stack, user_data);
}

static void give_lost(UnwindChild *child, UnwindTaker taker, void *user_data)
{
	const UnwindStack none = { .end = UNWIND_END_NOT_UNWOUND };

	while (child->first_job < child->first_lost)
		unwind_child_give(child, &none, taker, user_data);
}

/* Reads an answer, and returns its length; 0: it makes no sense. */
static size_t read_answer(UnwindChild *child, const uint8_t *at, size_t bytes, UnwindTaker taker,
			  void *user_data)
{
	UnwindAnswer answer;
	UnwindStack stack;
	size_t frame_bytes;

	if (bytes < sizeof(answer))
		return 0;
	memcpy(&answer, at, sizeof(answer));
	frame_bytes = answer.depth * sizeof(*stack.frames);
	/* It may be late: its job was given up. */
	if (answer.number > child->first_job || answer.number >= child->next_job ||
	    answer.end >= UNWIND_ENDS || answer.depth > UNWIND_FRAMES_MAX ||
	    bytes - sizeof(answer) < frame_bytes)
		return 0;
	stack.end = (UnwindEnd)answer.end;
	stack.depth = answer.depth;
	memcpy(stack.frames, at + sizeof(answer), frame_bytes);
	if (answer.number == child->first_job)
		unwind_child_give(child, &stack, taker, user_data);
	return sizeof(answer) + frame_bytes;
}

/* If they make no sense, it is not our code that writes them any more. */
static void read_answers(UnwindChild *child, size_t bytes, UnwindTaker taker, void *user_data)
{
	const uint8_t *at = (const uint8_t *)child->body;

	child->vain_ns = 0;
	while (bytes) {
		size_t length = read_answer(child, at, bytes, taker, user_data);

		if (!length) {
			end_process(child);
			return;
		}
		at += length;
		bytes -= length;
	}
}

/* Returns whether there was a message. */
static bool read_message(UnwindChild *child, UnwindTaker taker, void *user_data)
{
	ChildMessage message = { 0 };
	ssize_t bytes = child_port_receive(child->process.socket, &message, child->body,
					   sizeof(child->body), NULL);

	if (bytes < 0 && errno == EAGAIN)
		return false;
	if (bytes < 0)
		replace_process(child);
	else if (message.type == UNWIND_MESSAGE_ANSWERS)
		read_answers(child, (size_t)bytes, taker, user_data);
	give_lost(child, taker, user_data);
	return child->process.socket >= 0;
}

void unwind_child_take(UnwindChild *child, UnwindTaker taker, void *user_data)
{
	if (child->process.socket >= 0) {
		while (read_message(child, taker, user_data))
			continue;
	}
	if (child->process.socket >= 0)
		send_all(child);
	give_lost(child, taker, user_data);
}

static bool has_jobs(const UnwindChild *child)
{
	return child->process.socket >= 0 && child->first_job < child->next_job;
}

void unwind_child_drain(UnwindChild *child, uint64_t until_ns, UnwindTaker taker, void *user_data)
{
	uint64_t begin_ns = clock_monotonic_ns(), now_ns = begin_ns;

	unwind_child_take(child, taker, user_data);
	/* A process that hangs, because a file system does not answer, is not waited for again
	   and again. */
	while (has_jobs(child) && child->vain_ns < HANGS_NS && now_ns < until_ns) {
		poll(&(struct pollfd){ .fd = child->process.socket, .events = POLLIN }, 1,
		     (int)MIN((until_ns - now_ns) / NS_PER_MS + 1, (uint64_t)INT_MAX));
		unwind_child_take(child, taker, user_data);
		now_ns = clock_monotonic_ns();
	}
	if (has_jobs(child))
		child->vain_ns += now_ns - begin_ns;
	child->first_lost = child->next_job;
	give_lost(child, taker, user_data);
}
