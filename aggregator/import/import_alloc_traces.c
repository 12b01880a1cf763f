/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of a kernel's record of held objects: alloc_traces of a slab cache. State: the line
 * above the current stack and its frames so far. Each stack becomes one HeldObjects.
 * kernel_record.c finds the files.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_stack_line.h"
#include "import/import_types.h"
#include "base/saturate.h"
#include "names/kmalloc_class.h"

#include <string.h>

/*
 * /sys/kernel/debug/slab/CACHE/alloc_traces of a kernel with slab_debug=U: the live objects of a
 * slab cache by the stack that allocated them (mm/slub.c, slab_debugfs_show()):
 *
 *	     63 tty_register_device_attr+0xa5/0x200 waste=16128/256 age=5263/5265/5270 pid=1
 *	        tty_register_device_attr+0xa5/0x200
 *	        tty_register_driver+0x122/0x200
 *
 * and an empty line. waste: of all objects, and of each. age: the lowest, the mean and the
 * highest, or one for all, in jiffies. pid: of the threads that allocated, as a range. cpus and
 * nodes may follow. "No data": no objects. Kernels before 5.14 have
 * /sys/kernel/slab/CACHE/alloc_calls with the first of these lines only.
 *
 * The text names neither the cache nor its object size: they are in session->held_record.
 */

/* The line above a stack. */
typedef struct {
	uint64_t objects;
	const char *symbol; /* with its module */
	size_t symbol_bytes;
	uint64_t waste_each;
	uint64_t age_min; /* in jiffies */
	uint64_t age_max;
	bool has_age;
	uint32_t pid; /* 0: several, or unknown */
} Head;

typedef struct {
	Import in;
	bool in_stack;
	Head head;
	GString *symbol; /* of the head */
} AllocTracesState;
G_STATIC_ASSERT(offsetof(AllocTracesState, in) == 0);

/* An age may be negative for a moment, as CPUs read the time one after the other. */
static bool take_age(Cursor *cursor, uint64_t *age)
{
	bool is_negative = cursor_take(cursor, "-");

	if (!cursor_take_decimal(cursor, age))
		return false;
	if (is_negative)
		*age = 0;
	return true;
}

/* "0/406/733", or "845" */
static bool read_age(Cursor at, Head *head)
{
	uint64_t mean;

	if (!take_age(&at, &head->age_min))
		return false;
	head->has_age = true;
	head->age_max = head->age_min;
	if (!cursor_take(&at, "/"))
		return cursor_at_end(&at);
	return take_age(&at, &mean) && cursor_take(&at, "/") && take_age(&at, &head->age_max) &&
	       cursor_at_end(&at);
}

/* "16128/256" */
static bool read_waste(Cursor at, Head *head)
{
	uint64_t all;

	return cursor_take_decimal(&at, &all) && cursor_take(&at, "/") &&
	       cursor_take_decimal(&at, &head->waste_each) && cursor_at_end(&at);
}

/* "171-174", or "171" */
static bool read_pid(Cursor at, Head *head)
{
	uint64_t first;

	if (!cursor_take_decimal(&at, &first))
		return false;
	if (cursor_at_end(&at))
		head->pid = first <= INT32_MAX ? (uint32_t)first : 0;
	return cursor_at_end(&at) || cursor_take(&at, "-");
}

static bool read_any(Cursor at, Head *head)
{
	(void)at; /* cpus and nodes are not used */
	(void)head;
	return true;
}

static const struct {
	const char *name;
	bool (*read)(Cursor value, Head *head);
} parts[] = {
	{ "waste=", read_waste }, { "age=", read_age },   { "pid=", read_pid },
	{ "cpus=", read_any },    { "nodes=", read_any },
};

static bool read_part(const char *word, size_t length, Head *head)
{
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		Cursor at = cursor_over(word, length);

		if (cursor_take(&at, parts[i].name))
			return parts[i].read(at, head);
	}
	return false;
}

/* "foo+0x10/0x20", "foo+0x10/0x20 [ext4]" or "<not-available>" */
static bool take_symbol(Cursor *cursor, Head *head)
{
	const char *word;
	size_t length;
	Cursor at = *cursor;

	if (!cursor_take_word(&at, &head->symbol, &head->symbol_bytes))
		return false;
	*cursor = at;
	cursor_skip_blanks(&at);
	if (cursor_take_word(&at, &word, &length) && *word == '[') {
		head->symbol_bytes = (size_t)(word + length - head->symbol);
		*cursor = at;
	}
	return true;
}

static bool read_head(const char *line, size_t length, Head *head)
{
	Cursor at = cursor_over(line, length);
	const char *word;
	size_t word_bytes;

	*head = (Head){ 0 };
	cursor_skip_blanks(&at);
	if (!cursor_take_decimal(&at, &head->objects) || !cursor_skip_blanks(&at) ||
	    !take_symbol(&at, head))
		return false;
	while (cursor_skip_blanks(&at) && cursor_take_word(&at, &word, &word_bytes))
		if (!read_part(word, word_bytes, head))
			return false;
	return head->has_age && cursor_at_end(&at);
}

/* Whether the cache is a kmalloc class. */
static bool has_class(const EventCache *cache, KmallocClass *class)
{
	char name[KMT_CACHE_NAME_BYTES_MAX + 1] = "";

	memcpy(name, cache->name, cache->name_bytes);
	return kmalloc_class_parse(name, class);
}

/* Counts the objects of a stack. Between two readings, a stack with one thread may become one with
   several: then its task is not used, or the stack would be two places. */
static void count_stack(const AllocTracesState *state)
{
	const Head *head = &state->head;
	const HeldRecord *record = &state->in.session->held_record;
	const GString *stack = state->in.stack->len ? state->in.stack : state->symbol;
	const EventTask task = { .tgid = head->pid };
	KmallocClass class;
	bool is_kmalloc = has_class(&record->cache, &class);
	/* 0: unknown. */
	uint64_t each = record->cache.object_bytes ? record->cache.object_bytes
			: is_kmalloc               ? class.bytes
						   : 0;
	uint64_t asked = each - MIN(head->waste_each, each);

	if (!each)
		saturate_add(&state->in.session->held_unsized, head->objects);
	import_take_held(
		state->in.session,
		&(HeldObjects){
			.text = stack->str,
			.length = (uint32_t)stack->len,
			.objects = head->objects,
			.task = head->pid && !record->is_compared ? &task : NULL,
			.cache = record->cache.name_bytes ? &record->cache : NULL,
			.bytes_requested = saturate_product(head->objects, asked),
			.bytes_allocated = saturate_product(head->objects, each),
			.age_min_ns = saturate_product(head->age_min, record->tick_ns),
			.age_max_ns = saturate_product(MAX(head->age_max, 1), record->tick_ns),
			.source = is_kmalloc ? KMT_SOURCE_KMALLOC : KMT_SOURCE_CACHE,
		});
}

static void end_stack(AllocTracesState *state)
{
	if (state->in_stack && state->head.objects)
		count_stack(state);
	state->in_stack = false;
	g_string_truncate(state->in.stack, 0);
}

static bool is_no_data(const char *line, size_t length)
{
	return length == strlen("No data") && !memcmp(line, "No data", length);
}

static void read_line(void *data, const char *line, size_t length)
{
	AllocTracesState *state = data;
	Head head;

	if (!length) {
		end_stack(state);
	} else if (read_head(line, length, &head)) {
		end_stack(state);
		state->head = head;
		state->in_stack = true;
		g_string_truncate(state->symbol, 0);
		held_frame_append(state->symbol, head.symbol, head.symbol_bytes);
	} else if (!is_no_data(line, length) &&
		   (!state->in_stack || !held_frame_append(state->in.stack, line, length))) {
		state->in.unreadable++;
	}
}

static void alloc_traces_begin(void *data)
{
	AllocTracesState *state = data;

	state->symbol = g_string_new(NULL);
}

static void alloc_traces_end(void *data)
{
	AllocTracesState *state = data;

	end_stack(state);
	g_string_free(state->symbol, TRUE);
}

static bool is_alloc_traces(const char *line, size_t length)
{
	Head head;

	return read_head(line, length, &head) || is_no_data(line, length);
}

static bool alloc_traces_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_FIRST_LINES, is_alloc_traces);
}

const ImportType import_alloc_traces = {
	.name = "alloc_traces",
	.recognises = alloc_traces_recognises,
	.is_held = true,
	.state_bytes = sizeof(AllocTracesState),
	.begin = alloc_traces_begin,
	.line = read_line,
	.end = alloc_traces_end,
};
