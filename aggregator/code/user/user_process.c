/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of one process id: eras, sorted by begin, and the spans that were mapped. A lookup
 * that finds nothing in an era goes on in the parent as of the fork. Only user_maps.c uses it.
 */
#include "code/user/user_maps.h"

#include "base/hot_assert.h"
#include "base/sorted.h"
#include "base/unconst.h"

/* Forks without exec, one in the other. The limit ends loops of hostile input. */
enum { FORKS_MAX = 64 };

/* Allocated for an array with one element or more. */
enum { ARRAY_BYTES = 64 };

UserProcess *user_process_new(uint32_t tgid)
{
	UserProcess *process = g_new0(UserProcess, 1);

	process->tgid = tgid;
	process->eras = g_array_new(FALSE, FALSE, sizeof(UserEra));
	process->spans = user_spans_new();
	return process;
}

void user_process_free(UserProcess *process)
{
	g_array_unref(process->eras);
	g_array_unref(process->spans);
	g_free(process);
}

/* An array has room for up to twice its elements. */
static size_t array_memory(const GArray *array)
{
	return ARRAY_BYTES + (size_t)array->len * g_array_get_element_size(unconst(array)) * 2;
}

size_t user_process_memory(const UserProcess *process)
{
	return sizeof(*process) + array_memory(process->eras) + array_memory(process->spans);
}

static UserEra *era_at(const UserProcess *process, guint at)
{
	hot_assert(at < process->eras->len);
	return &g_array_index(process->eras, UserEra, at);
}

guint user_process_era(const UserProcess *process, uint64_t time_ns)
{
	return SORTED_UNTIL(process->eras, UserEra, begin_ns, time_ns);
}

void user_process_begin(UserProcess *process, uint64_t begin_ns, UserProcess *parent)
{
	UserEra era = { begin_ns, parent };
	guint behind = user_process_era(process, begin_ns);

	if (behind && era_at(process, behind - 1)->begin_ns == begin_ns)
		*era_at(process, behind - 1) = era;
	else
		g_array_insert_val(process->eras, behind, era);
}

const UserSpan *user_process_find(const UserProcess *process, uint64_t address, uint64_t time_ns)
{
	for (int forks = 0; process && forks < FORKS_MAX; forks++) {
		guint number = user_process_era(process, time_ns);
		UserEra era = number ? *era_at(process, number - 1) : (UserEra){ 0 };
		const UserSpan *span = user_spans_find(process->spans, address, time_ns);

		if (span && span->last_ns >= era.begin_ns)
			return span;
		process = era.parent;
		time_ns = era.begin_ns;
	}
	return NULL;
}

bool user_process_is_over(const UserProcess *process, uint64_t time_ns)
{
	return process->ended_ns && process->ended_ns <= time_ns &&
	       process->latest_ns <= process->ended_ns;
}

void user_process_forget(UserProcess *process, uint64_t time_ns)
{
	guint number = user_process_era(process, time_ns);

	user_spans_forget(process->spans, time_ns,
			  number ? era_at(process, number - 1)->begin_ns : 0);
	if (number > 1)
		g_array_remove_range(process->eras, 0, number - 1);
}
