/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens events for a moment, to learn whether the kernel accepts them. A const table explains a
 * refusal by errno and kind. Events in programs are opened by a process of its own first, which
 * holds them until the program has them.
 */
#include "collect/points/point_events.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/unconst.h"
#include "process/child_port.h"
#include "code/elf/file_opener.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Not in errno.h: the kernel passes it on (include/linux/errno.h). */
enum { KERNEL_ENOTSUPP = 524 };

#define PROBES(type) (1U << (type))
#define ALL_PROBES UINT32_MAX
#define KERNEL_FUNCTIONS (PROBES(PROBE_KPROBE) | PROBES(PROBE_KRETPROBE))
#define KERNEL_EVENTS (PROBES(PROBE_TRACEPOINT) | PROBES(PROBE_SOFTWARE))
#define USER_FUNCTIONS (PROBES(PROBE_UPROBE) | PROBES(PROBE_URETPROBE) | PROBES(PROBE_USDT))

/* What a refusal means, the first that applies. */
static const struct Refusal {
	int problem;
	unsigned probes; /* bits by ProbeType */
	const char *text;
} refusals[] = {
	{ EACCES, ALL_PROBES,
	  "the kernel refuses this event: run it as root, outside of containers, on a kernel that "
	  "is not locked down" },
	{ EPERM, ALL_PROBES,
	  "the kernel refuses this event: run it as root, outside of containers, on a kernel that "
	  "is not locked down" },
	{ ENOENT, KERNEL_FUNCTIONS, "this kernel has no such function, or inlined it" },
	{ EADDRNOTAVAIL, KERNEL_FUNCTIONS,
	  "several functions of the kernel have this name, and their addresses are hidden: set "
	  "kernel.kptr_restrict=1" },
	{ EINVAL, KERNEL_FUNCTIONS,
	  "the kernel forbids probes at this place (it traces with this function, or the function "
	  "handles exceptions): probe one that calls it" },
	{ EILSEQ, KERNEL_FUNCTIONS | USER_FUNCTIONS,
	  "no instruction begins at this offset: name another one" },
	{ ENOENT, USER_FUNCTIONS, "the file does not exist" },
	{ EIO, USER_FUNCTIONS, "the file system of this file does not support probes" },
	{ EINVAL, USER_FUNCTIONS,
	  "the kernel cannot probe this file: it must be a regular file that contains this place" },
	{ KERNEL_ENOTSUPP, USER_FUNCTIONS,
	  "the kernel cannot probe the instruction at this place: name another offset" },
	{ ENOENT, KERNEL_EVENTS, "this kernel's perf does not have this event" },
	{ EINVAL, KERNEL_EVENTS, "this kernel's perf does not have this event" },
	{ EMFILE, ALL_PROBES, "too many open files: raise the limit (ulimit -n)" },
};

static bool fail_with(const PointEvent *event, int code, const char *text, GError **error)
{
	g_autoptr(GString) name = g_string_new(NULL);

	escape_append(name, event->name);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", name->str, text);
	return false;
}

/* Fails with the meaning of the problem for this kind of probe, or with the kernel's text. */
static bool point_try_fail(const PointEvent *event, int problem, GError **error)
{
	const char *text = g_strerror(problem);

	for (guint i = 0; i < G_N_ELEMENTS(refusals); i++)
		if (refusals[i].problem == problem && refusals[i].probes & PROBES(event->probe)) {
			text = refusals[i].text;
			break;
		}
	return fail_with(event, (int)g_io_error_from_errno(problem), text, error);
}

static bool is_in_program(const PointEvent *event)
{
	return PROBES(event->probe) & USER_FUNCTIONS;
}

/* Opens an event of a thread, or of a CPU and all processes. */
static int open_event(const PointEvent *event, pid_t thread, int cpu)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};

	point_event_attr(event, &attr);
	return (int)syscall(SYS_perf_event_open, &attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* In the process that holds events. */

enum {
	HOLD_HELD = CHILD_MESSAGE_OWN, /* by it: the next event is open; the value: 0, or why not */
	CODE_BYTES = 16,               /* of the longest instruction (x86-64: 15) */
	EVENT_MS = 100,                /* that an event may take of the time of all */
};

/* Everything is borrowed. */
typedef struct {
	const GPtrArray *events; /* (element-type PointEvent) */
	int cpu;
} Holding;

/* Lets the file system read the page of the code, which may end in the next one. */
static void touch_code(int file, uint64_t from, uint64_t file_bytes)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = from & ~(page_bytes - 1), end = MIN(from + CODE_BYTES, file_bytes);
	const volatile char *code;
	void *mapped;

	if (from >= file_bytes)
		return;
	mapped = mmap(NULL, end - start, PROT_READ, MAP_PRIVATE, file, (off_t)start);
	if (mapped == MAP_FAILED)
		return;
	code = mapped;
	(void)code[from - start];
	(void)code[end - 1 - start];
	munmap(mapped, end - start);
}

/* While the kernel sets a probe, no process of the host can fork (register_for_each_vma() in
   kernel/events/uprobes.c). So the code is read before. */
static void read_code(const PointEvent *event)
{
	int file = open(event->config1, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (file < 0)
		return;
	if (!fstat(file, &status) && status.st_size > 0)
		touch_code(file, event->config2, (uint64_t)status.st_size);
	close(file);
}

/* The run() of the child. It ends when the program has closed the socket. */
static void hold_all(int socket, const int *fds, void *data)
{
	const Holding *holding = data;
	struct pollfd end = { .fd = socket, .events = POLLIN };

	(void)fds;
	for (guint i = 0; i < holding->events->len; i++) {
		const PointEvent *event = holding->events->pdata[i];
		ChildMessage message = { HOLD_HELD, 0 };

		if (is_in_program(event)) {
			read_code(event);
			if (open_event(event, -1, holding->cpu) < 0)
				message.value = (uint64_t)errno;
		}
		if (!child_port_send(socket, &message, NULL, 0, -1, true) || message.value)
			return;
	}
	while (poll(&end, 1, -1) < 0)
		continue;
}

static const ChildType holding_child = {
	.name = "kmt-probe",
	.rights = CHILD_PROBES,
	.limits = { .address_space_bytes = (uint64_t)256 << 20, .data_bytes = (uint64_t)64 << 20 },
	.run = hold_all,
};

/* In the program. */

static bool fail_waiting(const PointEvent *event, ChildEnd end, GError **error)
{
	if (end == CHILD_STOPPED)
		return fail_with(event, G_IO_ERROR_CANCELLED, "a signal ended the start", error);
	return fail_with(event, G_IO_ERROR_TIMED_OUT,
			 "the file's code could not be read in time: its file system does not "
			 "answer; probe a copy of the file",
			 error);
}

/* Waits until the child has opened the next event. */
static bool await_event(const Child *holder, const PointEvent *event, uint64_t until_ns,
			GError **error)
{
	uint64_t event_until_ns =
		clock_monotonic_ns() + (uint64_t)FILE_OPENER_PATIENCE_MS * NS_PER_MS;
	ChildMessage message = { 0 };
	char why[CHILD_BODY_BYTES_MAX + 1];
	ssize_t bytes;

	while ((bytes = child_port_receive(holder->socket, &message, why, sizeof(why) - 1, NULL)) <
		       0 &&
	       errno == EAGAIN) {
		ChildEnd end = child_wait(holder, MIN(until_ns, event_until_ns));

		if (end != CHILD_ANSWERED)
			return fail_waiting(event, end, error);
	}
	if (bytes >= 0 && message.type == HOLD_HELD)
		return !message.value || point_try_fail(event, (int)message.value, error);
	why[MAX(bytes, 0)] = '\0';
	return fail_with(event, G_IO_ERROR_FAILED,
			 bytes >= 0 && message.type == CHILD_MESSAGE_FAILED
				 ? why
				 : "the process that opens it was lost",
			 error);
}

static bool has_program(const GPtrArray *events)
{
	for (guint i = 0; i < events->len; i++)
		if (is_in_program(events->pdata[i]))
			return true;
	return false;
}

bool point_events_hold(Child *holder, const GPtrArray *events, GError **error)
{
	Holding holding = { events, sched_getcpu() };
	uint64_t patience_ms = FILE_OPENER_ALL_MS + (uint64_t)events->len * EVENT_MS;
	uint64_t until_ns = clock_monotonic_ns() + patience_ms * NS_PER_MS;
	bool is_held = true;

	*holder = (Child){ .socket = -1 };
	if (!has_program(events))
		return true;
	if (!child_start(holder, &holding_child, NULL, 0, &holding))
		return point_try_fail(events->pdata[0], errno, error);
	for (guint i = 0; i < events->len && is_held; i++)
		is_held = await_event(holder, events->pdata[i], until_ns, error);
	if (!is_held)
		child_end(holder);
	return is_held;
}

bool point_event_try(const PointEvent *event, GError **error)
{
	g_autoptr(GPtrArray) events = g_ptr_array_new();
	Child holder;
	int fd;

	if (is_in_program(event)) {
		g_ptr_array_add(events, unconst(event));
		if (!point_events_hold(&holder, events, error))
			return false;
		child_end(&holder);
		return true;
	}
	fd = open_event(event, 0, -1);
	if (fd < 0)
		return point_try_fail(event, errno, error);
	close(fd);
	return true;
}
