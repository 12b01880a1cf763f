/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an event for a moment, to learn whether the kernel accepts it. A const table explains a
 * refusal by errno and kind.
 */
#include "collect/points/point_events.h"

#include "base/escape.h"

#include <errno.h>
#include <gio/gio.h>
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

/* Returns the meaning for this kind of probe, or the kernel's text. */
static const char *refusal_of(const PointEvent *event, int problem)
{
	for (guint i = 0; i < G_N_ELEMENTS(refusals); i++) {
		const struct Refusal *refusal = &refusals[i];

		if (refusal->problem == problem && refusal->probes & PROBES(event->probe))
			return refusal->text;
	}
	return g_strerror(problem);
}

static bool fail(const PointEvent *event, int problem, GError **error)
{
	g_autoptr(GString) name = g_string_new(NULL);

	escape_append(name, event->name);
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem), "%s: %s", name->str,
		    refusal_of(event, problem));
	return false;
}

bool point_event_try(const PointEvent *event, GError **error)
{
	struct perf_event_attr attr = {
		.disabled = 1,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	int fd;

	point_event_attr(event, &attr);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fail(event, errno, error);
	close(fd);
	return true;
}
