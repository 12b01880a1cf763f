/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all finders of events use: new events, errors, nearest names. Then the finders that need no
 * file but those of tracefs: of software events, by a const table; of tracepoints, names and globs
 * below its folder events, in sorted order, with their format files. point_events.c calls them.
 */
#include "collect/points/point_find.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "base/sorted.h"
#include "base/unconst.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gio/gio.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

PointEvent *point_events_add(GPtrArray *events, const ProbeSpec *spec, uint32_t type)
{
	PointEvent *event = g_new0(PointEvent, 1);

	event->probe = spec->type;
	event->type = type;
	event->name = g_strdup(spec->text);
	g_ptr_array_add(events, event);
	return event;
}

bool point_fail(const ProbeSpec *spec, int code, GError **error, const char *format, ...)
{
	g_autoptr(GString) shown = g_string_new(NULL);
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	escape_append(shown, spec->text);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", shown->str, text);
	return false;
}

char *point_first_names(const char *owner, const GPtrArray *names)
{
	enum { SHOWN = 8 };
	GString *text = g_string_new(NULL);

	escape_append(text, owner);
	for (guint i = 0; i < MIN(names->len, SHOWN); i++) {
		g_string_append(text, i ? ", " : " has ");
		escape_append(text, names->pdata[i]);
	}
	if (names->len > SHOWN)
		g_string_append_printf(text, ", and %u more", names->len - SHOWN);
	return g_string_free(text, FALSE);
}

bool point_fail_nearest(const ProbeSpec *spec, const char *problem, const GPtrArray *names,
			const char *wanted, const char *advice, GError **error)
{
	g_autoptr(GString) hint = g_string_new("nearest: ");
	g_autoptr(Nearest) nearest = nearest_new(wanted);

	for (guint i = 0; i < names->len; i++)
		nearest_offer(nearest, names->pdata[i], names->pdata[i]);
	if (!nearest_append(nearest, hint))
		g_string_assign(hint, advice);
	return point_fail(spec, G_IO_ERROR_NOT_FOUND, error, "%s; %s", problem, hint->str);
}

/* Software events of perf. Those that are clocks instead of events (cpu-clock, task-clock) are left
   out: they cannot be counted one by one. */
static const struct SoftwareEvent {
	const char *name; /* as in perf list */
	uint64_t config;
	bool has_address; /* of the memory that was accessed */
} software_events[] = {
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS, true },
	{ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, true },
	{ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, true },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, false },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, false },
	{ "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS, true },
	{ "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS, true },
};

bool point_find_software(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			 GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GString) known = g_string_new("known: ");

	(void)host;
	for (guint i = 0; i < G_N_ELEMENTS(software_events); i++) {
		const struct SoftwareEvent *software = &software_events[i];
		PointEvent *event;

		g_ptr_array_add(names, unconst(software->name));
		g_string_append_printf(known, "%s%s", i ? ", " : "", software->name);
		if (!g_str_equal(software->name, spec->name))
			continue;
		event = point_events_add(events, spec, PERF_TYPE_SOFTWARE);
		event->config = software->config;
		event->runs_in_user = true;
		event->has_kernel_stack = true;
		event->has_address = software->has_address;
		return true;
	}
	return point_fail_nearest(spec, "no software event has this name", names, spec->name,
				  known->str, error);
}

/* Tracepoints. */

/* Groups whose tracepoints fire in interrupts: the interrupted process did not cause them. */
static const char *const interrupt_groups[] = {
	"ipi", "irq", "irq_matrix", "irq_vectors", "napi", "nmi", "timer", NULL,
};

/* Their events are of ftrace itself: perf cannot open them. */
#define FTRACE_GROUP "ftrace"

#define SEE_ALL "/sys/kernel/tracing/available_events has all"

/* A search in the folder events. */
typedef struct {
	int events_fd; /* owned */
	const ProbeSpec *spec;
	GPtrArray *events;
} Search;

/* Returns the sorted names of the folders in a folder (element-type char *, owned). path is below
   the descriptor. */
static GPtrArray *folders_in(int folder_fd, const char *path)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	int fd = openat(folder_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!folder && fd >= 0)
		close(fd);
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' &&
		    (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
			g_ptr_array_add(names, g_strdup(entry->d_name));
	if (folder)
		closedir(folder);
	g_ptr_array_sort(names, sorted_compare_texts);
	return names;
}

/* Returns the names that match the glob, or the text itself. */
static GPtrArray *names_matching(int folder_fd, const char *path, const char *text)
{
	g_autoptr(GPtrArray) all = NULL;
	GPtrArray *found = g_ptr_array_new_with_free_func(g_free);

	if (!strpbrk(text, "*?[")) {
		g_ptr_array_add(found, g_strdup(text));
		return found;
	}
	all = folders_in(folder_fd, path);
	for (guint i = 0; i < all->len; i++)
		if (!fnmatch(text, all->pdata[i], 0) && strcmp(all->pdata[i], FTRACE_GROUP) != 0)
			g_ptr_array_add(found, g_strdup(all->pdata[i]));
	return found;
}

static void add_tracepoint(const Search *search, const char *group, const char *name,
			   TracepointFormat *format)
{
	PointEvent *event = point_events_add(search->events, search->spec, PERF_TYPE_TRACEPOINT);

	g_free(event->name);
	event->name = g_strdup_printf("%s:%s", group, name);
	event->config = format->id;
	event->format = format;
	event->runs_in_user = !g_strv_contains(interrupt_groups, group);
	event->has_kernel_stack = !g_str_equal(group, "syscalls");
}

/* Adds a tracepoint. One that does not exist is left out. */
static bool add_named(const Search *search, const char *group, const char *name, GError **error)
{
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	g_autofree char *point = g_build_filename(group, name, NULL);
	ssize_t length =
		tracepoint_format_read(search->events_fd, point, text, TRACEPOINT_FORMAT_BYTES_MAX);
	TracepointFormat *format;

	if (length == -ENOENT || length == -ENOTDIR)
		return true;
	if (length < 0)
		return point_fail(search->spec, g_io_error_from_errno((int)-length), error,
				  "the tracepoint's description cannot be read (%s): run it as "
				  "root",
				  g_strerror((int)-length));
	format = tracepoint_format_parse(text, (size_t)length, error);
	if (!format) {
		g_prefix_error(error, "%s:%s: ", group, name);
		return false;
	}
	add_tracepoint(search, group, name, format);
	return true;
}

static bool add_group(const Search *search, const char *group, GError **error)
{
	g_autoptr(GPtrArray) names = names_matching(search->events_fd, group, search->spec->name);

	for (guint i = 0; i < names->len; i++) {
		if (search->events->len >= POINT_EVENTS_MAX)
			return point_fail(search->spec, G_IO_ERROR_INVALID_ARGUMENT, error,
					  "more than %u tracepoints match: name fewer",
					  POINT_EVENTS_MAX);
		if (!add_named(search, group, names->pdata[i], error))
			return false;
	}
	return true;
}

static bool has_any(const GPtrArray *names, const GPtrArray *wanted)
{
	for (guint i = 0; i < names->len; i++)
		for (guint j = 0; j < wanted->len; j++)
			if (g_str_equal(names->pdata[i], wanted->pdata[j]))
				return true;
	return false;
}

static bool fail_unknown_tracepoint(const Search *search, const GPtrArray *groups, GError **error)
{
	const ProbeSpec *spec = search->spec;
	g_autoptr(GPtrArray) all_groups = folders_in(search->events_fd, ".");
	g_autoptr(GPtrArray) offered = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *wanted = g_strdup_printf("%s:%s", spec->group, spec->name);
	g_autoptr(GPtrArray) own = folders_in(search->events_fd, spec->group);
	g_autofree char *advice =
		own->len ? point_first_names(spec->group, own) : g_strdup(SEE_ALL);

	if (!has_any(all_groups, groups))
		return point_fail_nearest(spec, "this kernel has no such group of tracepoints",
					  all_groups, spec->group, SEE_ALL, error);
	for (guint i = 0; i < all_groups->len; i++) {
		const char *group = all_groups->pdata[i];
		g_autoptr(GPtrArray) names = folders_in(search->events_fd, group);

		for (guint j = 0; j < names->len; j++)
			g_ptr_array_add(offered, g_strdup_printf("%s:%s", group,
								 (const char *)names->pdata[j]));
	}
	return point_fail_nearest(spec, "this kernel has no such tracepoint", offered, wanted,
				  advice, error);
}

bool point_find_tracepoints(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			    GError **error)
{
	Search search = { .spec = spec, .events = events };
	g_autoptr(GPtrArray) groups = NULL;
	bool found = true;

	search.events_fd = openat(host->kmem_folder_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (search.events_fd < 0)
		return point_fail(spec, G_IO_ERROR_PERMISSION_DENIED, error,
				  "the kernel's tracepoints cannot be read: run it as root");
	groups = names_matching(search.events_fd, ".", spec->group);
	for (guint i = 0; found && i < groups->len; i++)
		found = add_group(&search, groups->pdata[i], error);
	if (found && !events->len)
		found = fail_unknown_tracepoint(&search, groups, error);
	close(search.events_fd);
	return found;
}
