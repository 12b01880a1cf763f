/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's copy of what is mapped, by process, with whether the worker knows it. Only what is
 * mapped now counts, so the time of a span is a counter of changes. unwind_child.c uses it.
 */
#include "code/unwind/unwind_child.h"

enum { SPANS_OF_PROCESS_MAX = 8192 }; /* as records of the ring have room for them */

struct UnwindProcesses {
	GHashTable *table; /* of UnwindProcess, by key */
	guint spans, spans_max;
	uint64_t changes; /* the time of UserSpans: each mapping is later than the one before */
};

static void free_process(void *data)
{
	UnwindProcess *process = data;

	g_array_unref(process->spans);
	g_free(process);
}

UnwindProcesses *unwind_processes_new(guint spans_max)
{
	UnwindProcesses *processes = g_new0(UnwindProcesses, 1);

	processes->table = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, free_process);
	processes->spans_max = spans_max;
	return processes;
}

void unwind_processes_free(UnwindProcesses *processes)
{
	g_hash_table_unref(processes->table);
	g_free(processes);
}

UnwindProcess *unwind_processes_find(const UnwindProcesses *processes, uint64_t key)
{
	gint64 wanted = (gint64)key;

	return g_hash_table_lookup(processes->table, &wanted);
}

static UnwindProcess *find_or_add(UnwindProcesses *processes, uint64_t key)
{
	UnwindProcess *process = unwind_processes_find(processes, key);

	if (process)
		return process;
	process = g_new(UnwindProcess, 1);
	*process = (UnwindProcess){ .key = (gint64)key, .spans = user_spans_new() };
	g_hash_table_insert(processes->table, &process->key, process);
	return process;
}

void unwind_processes_map(UnwindProcesses *processes, uint64_t key, const UserSpan *span)
{
	UnwindProcess *process = find_or_add(processes, key);
	guint room = processes->spans_max - processes->spans;
	guint before = process->spans->len;
	UserSpan now = *span;
	bool is_added;

	now.from_ns = now.last_ns = ++processes->changes;
	is_added = user_spans_add(process->spans, &now, MIN(before + room, SPANS_OF_PROCESS_MAX));
	user_spans_forget(process->spans, now.from_ns, 0);
	processes->spans += process->spans->len - before;
	process->is_told &= !is_added;
	process->is_incomplete |= !is_added;
}

void unwind_processes_copy(UnwindProcesses *processes, uint64_t key, uint64_t from)
{
	UnwindProcess *source, *process;

	if (key == from)
		return;
	unwind_processes_empty(processes, key);
	source = unwind_processes_find(processes, from);
	if (!source)
		return;
	process = find_or_add(processes, key);
	process->is_incomplete = source->is_incomplete ||
				 source->spans->len > processes->spans_max - processes->spans;
	if (process->is_incomplete)
		return;
	g_array_append_vals(process->spans, source->spans->data, source->spans->len);
	processes->spans += process->spans->len;
}

void unwind_processes_empty(UnwindProcesses *processes, uint64_t key)
{
	UnwindProcess *process = unwind_processes_find(processes, key);

	if (!process)
		return;
	processes->spans -= process->spans->len;
	g_array_set_size(process->spans, 0);
	process->is_told = false;
	process->is_incomplete = false;
}

void unwind_processes_forget(UnwindProcesses *processes, uint64_t key)
{
	UnwindProcess *process = unwind_processes_find(processes, key);

	if (!process)
		return;
	processes->spans -= process->spans->len;
	g_hash_table_remove(processes->table, &process->key);
}

void unwind_processes_tell_again(UnwindProcesses *processes)
{
	GHashTableIter iterator;
	void *process;

	g_hash_table_iter_init(&iterator, processes->table);
	while (g_hash_table_iter_next(&iterator, NULL, &process)) {
		((UnwindProcess *)process)->is_told = false;
		((UnwindProcess *)process)->is_known = false;
	}
}
