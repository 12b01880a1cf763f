/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of slab.stp's output. State: a sum for each process and cache. Its two parts overlap,
 * so at the end only the difference is counted.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_stack_line.h"
#include "import/import_types.h"
#include "base/keyed_hash.h"

#include <string.h>

/*
 * The final output of the script slab.stp in SystemTap's wiki:
 *
 *	Number of size-32 slab allocations by process
 *	crond:	2
 *
 *	Backtrace of processes when allocating
 *	Exec: crond Name: size-32  Count: 2
 *	 0xffffffff800dc9d8 : kmem_cache_alloc+0x0/0x9f [kernel]
 *
 *	-------------------------------------------------------
 *
 * The numbers by process are sums that include the stacks. So only the difference is counted,
 * without a stack. The text may contain several such outputs, and other text before the first one.
 */

enum { SUMS_MAX = 65536 };

typedef enum { PART_BEFORE, PART_PROCESSES, PART_STACKS } Part;

/* A process and the cache of its allocations. */
typedef struct {
	EventTask task;
	EventCache cache;
} Origin;

/* The numbers of both parts, for one process and cache. */
typedef struct {
	Origin origin;
	uint64_t listed;  /* allocations in the process's line */
	uint64_t stacked; /* allocations in its stacks */
} Sum;

typedef struct {
	Import in;
	GHashTable *finder; /* (element-type utf8 Sum), keys owned */
	GPtrArray *sums;    /* (element-type Sum), owned: in the order of the text */
	EventCache cache;   /* in the numbers by process */
	Part part;
	bool in_stack;
	Origin origin;  /* of the current stack ... */
	uint64_t count; /* ... its allocations ... */
} SlabTextState;
G_STATIC_ASSERT(offsetof(SlabTextState, in) == 0);

static void set_cache_name(EventCache *cache, const char *text, size_t length)
{
	length = strnlen(text, MIN(length, KMT_CACHE_NAME_BYTES_MAX));
	memcpy(cache->name, text, length);
	cache->name_bytes = (uint16_t)length;
}

static Origin origin_of(const char *comm, size_t comm_bytes)
{
	Origin origin = { 0 };

	import_copy_comm(origin.task.comm, comm, comm_bytes);
	return origin;
}

/* "Number of size-32 slab allocations by process" */
static bool read_title(const char *line, size_t length, EventCache *cache)
{
	static const char end[] = " slab allocations by process";
	Cursor at = cursor_over(line, length);
	const char *name_end;

	if (!cursor_take(&at, "Number of "))
		return false;
	name_end = import_find_last(at.at, (size_t)(at.end - at.at), end);
	if (!name_end || name_end + strlen(end) != at.end)
		return false;
	memset(cache, 0, sizeof(*cache));
	set_cache_name(cache, at.at, (size_t)(name_end - at.at));
	return true;
}

static bool is_stacks_title(const char *line, size_t length)
{
	Cursor at = cursor_over(line, length);

	return cursor_take(&at, "Backtrace of processes when allocating") && cursor_at_end(&at);
}

/* "crond:", blanks, a number; the name may contain colons and blanks. */
static bool read_process(const char *line, size_t length, Origin *origin, uint64_t *count)
{
	const char *colon = memrchr(line, ':', length);
	Cursor at;

	if (!colon || colon == line)
		return false;
	at = cursor_over(colon + 1, (size_t)(line + length - colon - 1));
	if (!cursor_skip_blanks(&at) || !cursor_take_decimal(&at, count) || !cursor_at_end(&at))
		return false;
	*origin = origin_of(line, (size_t)(colon - line));
	return true;
}

/* "Exec: crond Name: size-32  Count: 2"; only the name of a process may contain similar text. */
static bool read_stack_head(const char *line, size_t length, Origin *origin, uint64_t *count)
{
	static const char exec[] = "Exec: ", name[] = " Name: ", number[] = " Count: ";
	const char *number_at = import_find_last(line, length, number);
	const char *name_at =
		number_at ? import_find_last(line, (size_t)(number_at - line), name) : NULL;
	const char *comm = line + strlen(exec), *cache;
	Cursor at = cursor_over(line, length);

	if (!cursor_take(&at, exec) || !name_at || name_at < comm)
		return false;
	at.at = number_at + strlen(number);
	if (!cursor_take_decimal(&at, count))
		return false;
	cursor_skip_margin(&at);
	if (!cursor_at_end(&at))
		return false;
	*origin = origin_of(comm, (size_t)(name_at - comm));
	cache = name_at + strlen(name);
	set_cache_name(&origin->cache, cache,
		       cache < number_at ? import_trimmed(cache, (size_t)(number_at - cache)) : 0);
	return true;
}

/* Returns NULL if there are too many. */
static Sum *sum_of(SlabTextState *state, const Origin *origin)
{
	g_autofree char *key =
		g_strdup_printf("%.*s\n%.*s", (int)origin->cache.name_bytes, origin->cache.name,
				(int)KMT_COMM_BYTES, origin->task.comm);
	Sum *sum = g_hash_table_lookup(state->finder, key);

	if (sum || state->sums->len == SUMS_MAX)
		return sum;
	sum = g_new0(Sum, 1);
	sum->origin = *origin;
	g_ptr_array_add(state->sums, sum);
	g_hash_table_insert(state->finder, g_steal_pointer(&key), sum);
	return sum;
}

static void count(SlabTextState *state, const Origin *origin, const GString *stack, uint64_t weight)
{
	import_count(state->in.session,
		     &(EventText){
			     .text = stack ? stack->str : "",
			     .length = stack ? (uint32_t)stack->len : 0,
			     .weight = weight,
			     .task = &origin->task,
			     .cache = origin->cache.name_bytes ? &origin->cache : NULL,
		     });
}

static void end_stack(SlabTextState *state)
{
	Sum *sum = state->in_stack ? sum_of(state, &state->origin) : NULL;

	if (state->in_stack)
		count(state, &state->origin, state->in.stack, state->count);
	if (sum)
		sum->stacked += state->count;
	state->in_stack = false;
	g_string_truncate(state->in.stack, 0);
}

static bool read_numbers_line(SlabTextState *state, const char *line, size_t length)
{
	Origin origin;
	uint64_t listed;
	Sum *sum;

	if (!read_process(line, length, &origin, &listed))
		return false;
	origin.cache = state->cache;
	sum = sum_of(state, &origin);
	if (sum)
		sum->listed += listed;
	return sum != NULL;
}

static bool read_stack_line(SlabTextState *state, const char *line, size_t length)
{
	uint64_t number;
	StackLineKind kind = stack_line_kind(line, length, &number);

	if (!state->in_stack)
		return false;
	return kind == LINE_NO_STACK || (stack_line_is_frame(kind) &&
					 stack_line_append(state->in.stack, kind, line, length));
}

/* Whether the line begins a new part. */
static bool read_head(SlabTextState *state, const char *line, size_t length)
{
	Origin origin;
	EventCache cache;
	uint64_t number;

	if (read_title(line, length, &cache)) {
		end_stack(state);
		state->cache = cache;
		state->part = PART_PROCESSES;
	} else if (is_stacks_title(line, length)) {
		end_stack(state);
		state->part = PART_STACKS;
	} else if (read_stack_head(line, length, &origin, &number)) {
		end_stack(state);
		state->origin = origin;
		state->count = number;
		state->in_stack = true;
		state->part = PART_STACKS;
	} else {
		return false;
	}
	return true;
}

static void read_line(void *data, const char *line, size_t length)
{
	SlabTextState *state = data;
	bool is_read = !length || read_head(state, line, length);

	/* A line of dashes ends the output. */
	if (!is_read && strspn(line, "-") >= length) {
		end_stack(state);
		return;
	}
	if (!is_read && state->part == PART_PROCESSES)
		is_read = read_numbers_line(state, line, length);
	else if (!is_read)
		is_read = read_stack_line(state, line, length);
	if (!is_read && state->part != PART_BEFORE)
		state->in.unreadable++;
}

static void slab_text_begin(void *data)
{
	SlabTextState *state = data;

	state->finder = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	state->sums = g_ptr_array_new_with_free_func(g_free);
}

static void slab_text_end(void *data)
{
	SlabTextState *state = data;

	end_stack(state);
	for (guint i = 0; i < state->sums->len; i++) {
		const Sum *sum = g_ptr_array_index(state->sums, i);

		if (sum->listed > sum->stacked)
			count(state, &sum->origin, NULL, sum->listed - sum->stacked);
	}
	g_hash_table_unref(state->finder);
	g_ptr_array_unref(state->sums);
}

/* The title of the numbers, or the line above a stack: no other format has them. */
static bool is_of_slab_text(const char *line, size_t length)
{
	EventCache cache;
	Origin origin;
	uint64_t number;

	return read_title(line, length, &cache) || read_stack_head(line, length, &origin, &number);
}

static bool slab_text_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_ALL_LINES, is_of_slab_text);
}

const ImportType import_slab_text = {
	.name = "the output of slab.stp",
	.recognises = slab_text_recognises,
	.state_bytes = sizeof(SlabTextState),
	.begin = slab_text_begin,
	.line = read_line,
	.end = slab_text_end,
};
