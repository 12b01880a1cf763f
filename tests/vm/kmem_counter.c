/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kmem_counter [-c] FILE EVENTS COMMAND ARG...: a second opinion on what perf events report. Opens
 * counters of the tracepoints that --events=EVENTS means, with the collector's own filter, enables
 * them, runs the command, disables them, and writes into FILE what the kernel counted meanwhile:
 *
 *	host N		on all CPUs, but not of the collector
 *	command N	by the command and its descendants, and what interrupts did upon them
 *
 * The collector is the process that started this one, or with -c the command. Counters have no
 * buffer, so they lose nothing. The command finds the collector's pid in $COLLECTOR. Ends with the
 * command's status; 77: refused.
 */
#include "base/cpu_list.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/perf/perf_filter.h"
#include "collect/tracefs/tracefs.h"
#include "record/probe_kinds.h"
#include "symbols/known_functions.h"

#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REFUSED = 77, CANNOT_EXECUTE = 127 };

typedef struct {
	GArray *host;    /* (element-type int), descriptors */
	GArray *command; /* likewise */
} Counters;

typedef struct {
	pid_t command;
	pid_t collector;
} Who;

static InnerKmallocs find_inner(void)
{
	g_autoptr(SymbolStore) symbols = symbol_store_new();
	g_autofree char *text = NULL;
	InnerKmallocs inner = { 0 };
	gsize length;

	if (!g_file_get_contents("/proc/kallsyms", &text, &length, NULL))
		return inner;
	symbol_store_add_kallsyms(symbols, 0, text, length);
	inner_kmallocs_find(&inner, symbols, (uint64_t)sysconf(_SC_PAGESIZE));
	return inner;
}

static void add_counter(GArray *counters, const KmemPoint *point, const char *filter, pid_t pid,
			int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = point->format->id,
		.disabled = 1,
		.inherit = pid >= 0,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)))
		error(REFUSED, errno, "%s", point->type->name);
	g_array_append_val(counters, fd);
}

static void add_point(Counters *counters, const KmemPoint *point, const InnerKmallocs *inner,
		      const Who *who)
{
	g_autofree char *filter = perf_filter_without_inner(NULL, point, inner);
	g_autofree char *others =
		g_strdup_printf("%s%s%scommon_pid != %d", filter ? "(" : "", filter ? filter : "",
				filter ? ") && " : "", (int)who->collector);
	g_autoptr(GArray) cpus = cpu_list_read("", "online");

	for (guint i = 0; cpus && i < cpus->len; i++)
		add_counter(counters->host, point, others, -1,
			    (int)g_array_index(cpus, guint32, i));
	add_counter(counters->command, point, filter, who->command, -1);
}

static Counters open_counters(const char *events, const Who *who)
{
	Counters counters = { g_array_new(FALSE, FALSE, sizeof(int)),
			      g_array_new(FALSE, FALSE, sizeof(int)) };
	const InnerKmallocs inner = find_inner();
	int folder = tracefs_open_kmem("", NULL);
	g_autoptr(GPtrArray) points = NULL;
	unsigned bits;

	if (!probe_kinds_parse(events, 0, &bits, NULL))
		error(2, 0, "no such events: %s", events);
	points = folder < 0 ? NULL : kmem_points_open(folder, bits, false, NULL);
	if (!points)
		error(REFUSED, 0, "there are no tracepoints");
	for (guint i = 0; i < points->len; i++)
		add_point(&counters, points->pdata[i], &inner, who);
	close(folder);
	return counters;
}

static void ioctl_all(const Counters *counters, unsigned long request)
{
	for (guint i = 0; i < counters->command->len; i++)
		ioctl(g_array_index(counters->command, int, i), request, 0);
	for (guint i = 0; i < counters->host->len; i++)
		ioctl(g_array_index(counters->host, int, i), request, 0);
}

static uint64_t sum(const GArray *descriptors)
{
	uint64_t total = 0, count;

	for (guint i = 0; i < descriptors->len; i++) {
		if (read(g_array_index(descriptors, int, i), &count, sizeof(count)) !=
		    (ssize_t)sizeof(count))
			error(REFUSED, errno, "reading a counter");
		total += count;
	}
	return total;
}

static void name_collector(pid_t collector)
{
	g_autofree char *decimal = g_strdup_printf("%d", (int)collector);

	g_setenv("COLLECTOR", decimal, TRUE);
}

/* Starts the command, which waits until the gate is closed. */
static pid_t start_command(char **command, int *gate)
{
	int pair[2];
	char byte;
	pid_t child = pipe2(pair, O_CLOEXEC) ? -1 : fork();

	if (child < 0)
		error(1, errno, "fork");
	if (!child) {
		close(pair[1]);
		if (read(pair[0], &byte, 1) == 0)
			execvp(command[0], command);
		_exit(CANNOT_EXECUTE);
	}
	close(pair[0]);
	*gate = pair[1];
	return child;
}

static int end_command(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		error(1, errno, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int count(FILE *out, const char *events, char **command, bool command_collects)
{
	int gate, status;
	pid_t child;
	Who who;
	Counters counters;

	name_collector(getppid());
	child = start_command(command, &gate);
	who = (Who){ child, command_collects ? child : getppid() };
	counters = open_counters(events, &who);
	ioctl_all(&counters, PERF_EVENT_IOC_ENABLE);
	close(gate);
	status = end_command(child);
	ioctl_all(&counters, PERF_EVENT_IOC_DISABLE);
	fprintf(out, "host %" PRIu64 "\ncommand %" PRIu64 "\n", sum(counters.host),
		sum(counters.command));
	g_array_unref(counters.host);
	g_array_unref(counters.command);
	return status;
}

int main(int argc, char **argv)
{
	bool command_collects = argc > 1 && g_str_equal(argv[1], "-c");
	char **arguments = argv + 1 + command_collects;
	FILE *out;
	int status;

	if (argc - command_collects < 4)
		error(2, 0, "usage: kmem_counter [-c] FILE EVENTS COMMAND ARG...");
	out = fopen(arguments[0], "we");
	if (!out)
		error(1, errno, "%s", arguments[0]);
	status = count(out, arguments[1], arguments + 2, command_collects);
	if (fclose(out))
		error(1, errno, "%s", arguments[0]);
	return status;
}
