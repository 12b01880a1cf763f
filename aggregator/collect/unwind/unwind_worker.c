/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/unwind/unwind_worker.h"

#include "collect/unwind/unwind_ring.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_S = 5 };

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

static void send_message(const Worker *worker, uint64_t type, uint64_t value, const void *body,
			 size_t body_bytes)
{
	UnwindMessage message = { type, value };
	struct iovec parts[] = { { &message, sizeof(message) }, { (void *)body, body_bytes } };
	struct msghdr header = { .msg_iov = parts, .msg_iovlen = 2 };

	while (sendmsg(worker->socket, &header, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			_exit(0);
}

/* Waits while the program does not read answers. */
static void send_answers(Worker *worker)
{
	if (!worker->answer_bytes)
		return;
	set_patience(0);
	send_message(worker, UNWIND_MESSAGE_ANSWERS, 0, worker->answers, worker->answer_bytes);
	worker->answer_bytes = 0;
	set_patience(PATIENCE_S);
}

/* Messages. */

/* Returns the descriptor that came with a message; -1: none. */
static int descriptor_of(struct msghdr *header)
{
	struct cmsghdr *part = CMSG_FIRSTHDR(header);
	int fd = -1;

	if (part && part->cmsg_type == SCM_RIGHTS && part->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

/* Returns whether there was a message. The caller closes the descriptor, unless it is -1. */
static bool receive(const Worker *worker, UnwindMessage *message, int *fd)
{
	char room[CMSG_SPACE(sizeof(int))];
	struct iovec part = { message, sizeof(*message) };
	struct msghdr header = { .msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof(room) };
	ssize_t bytes = recvmsg(worker->socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	/* The program has ended. */
	if (!bytes || (bytes < 0 && errno != EAGAIN && errno != EINTR))
		_exit(0);
	*fd = bytes > 0 ? descriptor_of(&header) : -1;
	return bytes == sizeof(*message);
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
	UnwindMessage message;
	int fd;

	while (receive(worker, &message, &fd)) {
		set_patience(PATIENCE_S);
		if (message.type == UNWIND_MESSAGE_OBJECT && fd >= 0 &&
		    !is_suspect(worker, message.value))
			unwinder_add_object(worker->unwinder, (uint32_t)message.value, fd);
		if (fd >= 0)
			close(fd);
	}
}

/* What is on its way was for the process before this one. */
static void wait_for_start(const Worker *worker, uint64_t number)
{
	UnwindMessage message = { 0 };
	int fd;

	send_message(worker, UNWIND_MESSAGE_HELLO, number, NULL, 0);
	while (message.type != UNWIND_MESSAGE_START) {
		wait_for_message(worker);
		if (receive(worker, &message, &fd) && fd >= 0)
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

static void forget(Worker *worker, const UnwindRecord *record, const void *body)
{
	(void)body;
	unwinder_set_maps(worker->unwinder, record->process, NULL);
}

static void answer(Worker *worker, uint64_t number, const UnwindStack *stack)
{
	UnwindAnswer answered = { number, stack->end, stack->depth };
	size_t frame_bytes = stack->depth * sizeof(*stack->frames);
	uint8_t *to;

	if (worker->answer_bytes + sizeof(answered) + frame_bytes > sizeof(worker->answers))
		send_answers(worker);
	to = (uint8_t *)worker->answers + worker->answer_bytes;
	memcpy(to, &answered, sizeof(answered));
	memcpy(to + sizeof(answered), stack->frames, frame_bytes);
	worker->answer_bytes += sizeof(answered) + frame_bytes;
}

static void do_job(Worker *worker, const UnwindRecord *record, const void *body)
{
	const UnwindJobRecord *job = body;
	const UnwindCopy copy = { job->stack_address, (const uint8_t *)(job + 1),
				  job->stack_bytes };
	UnwindStack stack;

	unwinder_walk(worker->unwinder, record->process, &job->registers, &copy, &stack);
	answer(worker, job->number, &stack);
}

static void (*const handlers[])(Worker *worker, const UnwindRecord *record, const void *body) = {
	[UNWIND_RECORD_MAPS] = set_maps,
	[UNWIND_RECORD_FORGET] = forget,
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

/* The program sends a message if it finds the flag after it has written to the ring. */
static void sleep_until_woken(const Worker *worker)
{
	__atomic_store_n(&worker->shared->is_asleep, 1, __ATOMIC_SEQ_CST);
	if (!unwind_ring_next(worker->shared))
		wait_for_message(worker);
	__atomic_store_n(&worker->shared->is_asleep, 0, __ATOMIC_SEQ_CST);
}

void unwind_worker_run(UnwindShared *shared, int socket, uint64_t number)
{
	Worker worker = { .shared = shared, .socket = socket, .unwinder = unwinder_new() };

	unwinder_watch(worker.unwinder, &shared->busy_object);
	wait_for_start(&worker, number);
	for (;;) {
		set_patience(PATIENCE_S);
		take_messages(&worker);
		empty_ring(&worker);
		sleep_until_woken(&worker);
	}
}
