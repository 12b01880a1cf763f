/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_scope.h"

#include <string.h>

static void add_threads(GArray *threads, guint32 process)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/task", process);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		pid_t thread = (pid_t)g_ascii_strtoull(name, NULL, 10);

		if (thread)
			g_array_append_val(threads, thread);
	}
}

static gint compare_threads(gconstpointer left, gconstpointer right)
{
	const pid_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static GArray *list_threads(const GArray *processes)
{
	GArray *threads = g_array_new(FALSE, FALSE, sizeof(pid_t));

	for (guint i = 0; i < processes->len; i++)
		add_threads(threads, g_array_index(processes, guint32, i));
	g_array_sort(threads, compare_threads);
	return threads;
}

void perf_scope_clear(PerfScope *scope)
{
	g_clear_pointer(&scope->threads, g_array_unref);
}

void perf_scope_widen(PerfScope *scope, const char *why)
{
	perf_scope_clear(scope);
	scope->by_task = true;
	scope->why_wide = why;
}

static void take_threads(PerfScope *scope, const CollectRequest *request, pid_t command)
{
	scope->inherit = true;
	if (request->scope == COLLECT_SCOPE_COMMAND) {
		scope->threads = g_array_new(FALSE, FALSE, sizeof(pid_t));
		g_array_append_val(scope->threads, command);
		return;
	}
	scope->threads = list_threads(request->pids);
	scope->inherit_threads = scope->by_task = true;
}

void perf_scope_init(PerfScope *scope, const CollectRequest *request, pid_t command,
		     uint64_t each_thread)
{
	*scope = (PerfScope){ .threads = NULL };
	if (request->scope == COLLECT_SCOPE_HOST)
		return;
	take_threads(scope, request, command);
	if (!scope->threads->len)
		perf_scope_widen(scope, "none of them is there");
	else if (scope->threads->len * each_thread > PERF_DESCRIPTORS_MAX)
		perf_scope_widen(scope, "they have too many threads for events of their own");
	else if (request->sampling_period > 1)
		/* Each new task would begin its groups anew, and short ones never end one. */
		perf_scope_widen(scope, "--sample counts by CPU");
}

bool perf_scope_is_current(const PerfScope *scope, const CollectRequest *request)
{
	g_autoptr(GArray) now = NULL;

	if (!scope->threads || request->scope != COLLECT_SCOPE_PIDS)
		return true;
	now = list_threads(request->pids);
	return now->len == scope->threads->len &&
	       !memcmp(now->data, scope->threads->data, now->len * sizeof(pid_t));
}
