/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations by process and by interrupt context: a hash table by pid, start and name, then groups
 * of the same name, ranked. The lines "processes:" of reports come from it.
 */
#include "table/process_sums.h"

#include "base/hot_assert.h"
#include "base/slot_table.h"
#include "base/keyed_hash.h"
#include "table/task_name.h"
#include "base/saturate.h"

#include <string.h>

enum { FIRST_SLOTS = 64 };

/* The key of a process. For an interrupt all members except the context are zero. */
typedef struct {
	uint64_t start_time_ns;
	uint32_t tgid;
	uint32_t context;
	uint32_t run;
	char comm[KMT_COMM_BYTES];
} ProcessKey;

typedef struct {
	ProcessKey key;
	const char *comm; /* borrowed; empty: an interrupt context */
	uint64_t allocations;
	bool named_only; /* all processes of the name */
} ProcessSum;

struct ProcessSums {
	const Profile *profile;
	SlotTable slots;
	GArray *sums; /* (element-type ProcessSum), owned */
};

ProcessSums *process_sums_new(const Profile *profile)
{
	ProcessSums *sums = g_new0(ProcessSums, 1);

	sums->profile = profile;
	slot_table_init(&sums->slots, FIRST_SLOTS);
	sums->sums = g_array_new(FALSE, FALSE, sizeof(ProcessSum));
	return sums;
}

void process_sums_free(ProcessSums *sums)
{
	if (!sums)
		return;
	slot_table_clear(&sums->slots);
	g_array_unref(sums->sums);
	g_free(sums);
}

static ProcessSum process_of(const Profile *profile, const ProfileCell *cell)
{
	const ProfileTask *task = profile_task(profile, cell->task);
	ProcessSum sum;

	memset(&sum, 0, sizeof(sum));
	sum.key.context = cell->context;
	sum.comm = "";
	if (cell->context != KMT_CONTEXT_TASK)
		return sum;
	sum.comm = profile_process_name(profile, cell->task);
	sum.named_only = profile_stack_kind(profile) == STACK_NAMED && !task->tgid && *sum.comm;
	sum.key.start_time_ns = task->start_time_ns;
	sum.key.tgid = task->tgid;
	sum.key.run = task->run;
	memcpy(sum.key.comm, sum.comm, strnlen(sum.comm, sizeof(sum.key.comm)));
	return sum;
}

void process_sums_add(ProcessSums *sums, const ProfileCell *cell)
{
	ProcessSum process;
	uint32_t hash, at, id;

	if (!cell->events)
		return;
	process = process_of(sums->profile, cell);
	hash = (uint32_t)keyed_hash(&process.key, sizeof(process.key));
	for (at = hash; (id = slot_table_candidate(&sums->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!memcmp(&g_array_index(sums->sums, ProcessSum, id).key, &process.key,
			    sizeof(process.key)))
			break;
	if (id == SLOT_ID_NONE) {
		id = sums->sums->len;
		g_array_append_val(sums->sums, process);
		slot_table_put(&sums->slots, hash, at, id);
	}
	hot_assert(id < sums->sums->len);
	saturate_add(&g_array_index(sums->sums, ProcessSum, id).allocations, cell->events);
}

static int process_sums_ascending(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const char *a, const char *b)
{
	size_t a_length = comm_folded_length(a), b_length = comm_folded_length(b);
	int order = memcmp(a, b, MIN(a_length, b_length));

	return order ? order : process_sums_ascending(a_length, b_length);
}

/* Sorts the members of a group together: interrupts, then processes by name, pid and age. */
static gint compare_members(gconstpointer left, gconstpointer right)
{
	const ProcessSum *a = left, *b = right;
	int order = process_sums_ascending(b->key.context, a->key.context);

	order = order ? order : compare_names(a->comm, b->comm);
	order = order ? order : process_sums_ascending(a->key.tgid, b->key.tgid);
	order = order ? order : process_sums_ascending(a->key.start_time_ns, b->key.start_time_ns);
	return order ? order : memcmp(a->key.comm, b->key.comm, sizeof(a->key.comm));
}

int view_process_compare(const void *left, const void *right)
{
	const ViewProcess *a = left, *b = right;
	int order = process_sums_ascending(b->allocations, a->allocations);

	order = order ? order : process_sums_ascending(b->context, a->context);
	return order ? order : compare_names(a->comm, b->comm);
}

static void group_add(GArray *groups, const ProcessSum *sum)
{
	ViewProcess *last =
		groups->len ? &g_array_index(groups, ViewProcess, groups->len - 1) : NULL;
	const ViewProcess group = {
		.tgid = sum->key.tgid,
		.context = (uint8_t)sum->key.context,
		.comm = sum->comm,
		.allocations = sum->allocations,
		.processes = sum->named_only ? 0 : 1,
	};

	if (!last || last->context != group.context || compare_names(last->comm, sum->comm)) {
		g_array_append_val(groups, group);
		return;
	}
	last->tgid = 0;
	last->allocations += sum->allocations;
	last->processes += !sum->named_only;
}

GArray *process_sums_ranked(const ProcessSums *sums)
{
	guint count = sums->sums->len;
	GArray *groups = g_array_new(FALSE, FALSE, sizeof(ViewProcess));
	g_autoptr(GArray) sorted = g_array_sized_new(FALSE, FALSE, sizeof(ProcessSum), count);

	g_array_append_vals(sorted, sums->sums->data, count);
	g_array_sort(sorted, compare_members);
	for (guint i = 0; i < count; i++)
		group_add(groups, &g_array_index(sorted, ProcessSum, i));
	g_array_sort(groups, view_process_compare);
	return groups;
}
