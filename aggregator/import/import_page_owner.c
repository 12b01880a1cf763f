/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of a kernel's record of held objects: page_owner, in three forms. State: the block so
 * far with its stack, and the names of memory cgroups, which become ids by their hash. Each block
 * becomes one HeldObjects.
 */
#include "config.h"

#include "record/format.h"
#include "import/import.h"
#include "import/import_stack_line.h"
#include "import/import_types.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"

#include <string.h>

/*
 * /sys/kernel/debug/page_owner of a kernel booted with page_owner=on: a block per page allocation
 * that is held (mm/page_owner.c, print_page_owner()):
 *
 *	Page allocated via order 0, mask 0x140cca(GFP_...), pid 55, tgid 55 (dd), ts 11489684880 ns
 *	PFN 0x1f00 type Movable Block 7 type Movable Flags 0x2003c(referenced|uptodate|zone=0)
 *	 post_alloc_hook+0x12c/0x140
 *	 get_page_from_freelist+0x22d/0xdc0
 *
 * and an empty line. Kernels before 5.18 lack the tgid and the name, those before 5.11 the pid and
 * the time, too; some write ", free_ts N ns" at the end, and before 6.x the PFN in decimal. Before
 * 4.11 or so a frame is "[<ffffffff811b5b02>] post_alloc_hook+0x12c/0x140". Of the other lines of a
 * block only "Charged to memcg NAME" is used.
 *
 * Also the output of page_owner_sort, which adds up equal blocks:
 *
 *	12 times, 24 pages, allocated by SLAB :
 *	Page allocated via order 1, mask 0x0(), pid 1, tgid 1 (init), ts  ns
 *	 post_alloc_hook+0x12c/0x140
 *
 * With --cull, it prints only what its line names, and perhaps a stack. Older ones write "12
 *times:".
 *
 * Also /sys/kernel/debug/page_owner_stacks/show_stacks, from Linux 6.9 on (stack_print()), which
 * adds up the pages of each stack:
 *
 *	 post_alloc_hook+0x177/0x1a0
 *	 get_page_from_freelist+0xd01/0xd80
 *	nr_base_pages: 20824
 *
 * Its first releases write "stack_count:".
 */

enum { ORDER_MAX = 32, CGROUPS_MAX = 65536 };

/* The block so far. */
typedef struct {
	bool is_open;
	bool is_summed; /* under a line of page_owner_sort */
	uint64_t objects;
	uint64_t pages; /* of all objects */
	uint64_t time_ns;
	bool has_task;
	EventTask task;
} Block;

typedef struct {
	Import in;
	Block block;
	uint64_t loose;      /* frame lines without a block: of show_stacks */
	GHashTable *cgroups; /* (element-type utf8), owned: names of memory cgroups so far */
} PageOwnerState;
G_STATIC_ASSERT(offsetof(PageOwnerState, in) == 0);

static const char head_start[] = "Page allocated via order ";

/* ", NAME 12" */
static bool take_number(Cursor *cursor, const char *name, uint64_t *number)
{
	Cursor at = *cursor;

	if (!cursor_take(&at, ", ") || !cursor_take(&at, name) || !cursor_take(&at, " ") ||
	    !cursor_take_decimal(&at, number))
		return false;
	*cursor = at;
	return true;
}

/* ", pid 55, tgid 55 (dd)" before ", ts": the name may contain brackets itself. */
static void take_task(Cursor *cursor, Block *block)
{
	uint64_t pid, tgid;
	const char *close;
	Cursor comm;

	if (!take_number(cursor, "pid", &pid) || pid > INT32_MAX)
		return;
	block->has_task = true;
	block->task.tgid = (uint32_t)pid;
	if (take_number(cursor, "tgid", &tgid) && tgid <= INT32_MAX)
		block->task.tgid = (uint32_t)tgid;
	comm = *cursor;
	if (!cursor_take(&comm, " ("))
		return;
	close = import_find_last(comm.at, (size_t)(comm.end - comm.at), "), ts ");
	if (!close)
		return;
	import_copy_comm(block->task.comm, comm.at, (size_t)(close - comm.at));
	cursor->at = close + 1;
}

/* "0, mask 0x140cca(GFP_...), pid 55, tgid 55 (dd), ts 11489684880 ns" */
static bool read_head(Cursor at, Block *block)
{
	uint64_t order, mask;
	unsigned digits;
	const char *flags_end;

	if (!cursor_take_decimal(&at, &order) || order > ORDER_MAX ||
	    !cursor_take(&at, ", mask 0x") || !cursor_take_hex(&at, &mask, &digits) ||
	    !cursor_take(&at, "("))
		return false;
	flags_end = memchr(at.at, ')', (size_t)(at.end - at.at));
	if (!flags_end)
		return false;
	at.at = flags_end + 1;
	take_task(&at, block);
	/* page_owner_sort removes the time. */
	if (!take_number(&at, "ts", &block->time_ns))
		block->time_ns = 0;
	if (!block->is_summed)
		block->objects = 1;
	if (!block->pages)
		block->pages = saturate_product(block->objects, 1ULL << order);
	return true;
}

static void end_block(PageOwnerState *state)
{
	const Block *block = &state->block;
	uint64_t bytes = saturate_product(block->pages, import_page_bytes(state->in.session));

	if (block->is_open && block->objects)
		import_take_held(state->in.session,
				 &(HeldObjects){
					 .text = state->in.stack->str,
					 .length = (uint32_t)state->in.stack->len,
					 .objects = block->objects,
					 .task = block->has_task ? &block->task : NULL,
					 .bytes_requested = bytes,
					 .bytes_allocated = bytes,
					 .first_ns = block->time_ns,
					 .last_ns = block->time_ns,
					 .source = KMT_SOURCE_PAGE,
				 });
	state->in.unreadable += state->loose;
	state->loose = 0;
	state->block = (Block){ 0 };
	g_string_truncate(state->in.stack, 0);
}

/* ", PID 1, TGID 1, task_comm_name: init": what page_owner_sort was asked to cull by. The name ends
   at the next part, or at the colon above a stack. */
static void take_culled(Cursor *cursor, Block *block)
{
	static const char *const ids[] = { "PID", "TGID" };
	Cursor comm;
	const char *end;
	uint64_t number;

	for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
		if (!take_number(cursor, ids[i], &number) || number > INT32_MAX)
			continue;
		block->has_task = true;
		block->task.tgid = (uint32_t)number;
	}
	comm = *cursor;
	if (!cursor_take(&comm, ", task_comm_name: "))
		return;
	end = import_find_last(comm.at, (size_t)(comm.end - comm.at), ", allocated by ");
	if (!end)
		end = comm.end > comm.at && comm.end[-1] == ':' ? comm.end - 1 : comm.end;
	block->has_task = true;
	import_copy_comm(block->task.comm, comm.at, (size_t)(end - comm.at));
	cursor->at = end;
}

/* "12 times, 24 pages, allocated by SLAB :", "12 times:" */
static bool read_sum(const char *line, size_t length, Block *block)
{
	Cursor at = cursor_over(line, length);

	*block = (Block){ .is_open = true, .is_summed = true };
	if (!cursor_take_decimal(&at, &block->objects) || !cursor_take(&at, " times"))
		return false;
	if (cursor_take(&at, ":"))
		return cursor_at_end(&at);
	if (!cursor_take(&at, ", ") || !cursor_take_decimal(&at, &block->pages) ||
	    !cursor_take(&at, " pages"))
		return false;
	take_culled(&at, block);
	return cursor_at_end(&at) || *at.at == ',' || *at.at == ':';
}

/* The head of a block, which a line of page_owner_sort may have opened. */
static void begin_block(PageOwnerState *state, const char *line, size_t length)
{
	Cursor at = cursor_over(line, length);

	if (!state->block.is_summed || state->in.stack->len)
		end_block(state);
	cursor_take(&at, head_start);
	state->block.is_open = read_head(at, &state->block);
	if (!state->block.is_open)
		state->in.unreadable++;
}

/* Lines of a block that say nothing about who holds it. */
static bool is_other(const char *line, size_t length)
{
	static const char *const starts[] = { "PFN ", "Page has been migrated", "Slab cache page",
					      "Charged " };

	for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
		if (import_begins(line, length, starts[i]))
			return true;
	return false;
}

/* "nr_base_pages: 20824": the stack above has so many pages. */
static bool read_base_pages(const char *line, size_t length, uint64_t *pages)
{
	Cursor at = cursor_over(line, length);

	return (cursor_take(&at, "nr_base_pages: ") || cursor_take(&at, "stack_count: ")) &&
	       cursor_take_decimal(&at, pages) && cursor_at_end(&at);
}

/* An id for the name of a cgroup, the same in all texts. */
static uint64_t cgroup_id_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash | 1;
}

/* "Charged to memcg NAME", "Charged (via objcg) to offline memcg NAME". The kernel prints the last
   part of the cgroup's path. */
static void take_memcg(PageOwnerState *state, const char *line, size_t length)
{
	static const char before[] = "memcg ";
	const char *word = memmem(line, length, before, strlen(before));
	g_autofree char *name = NULL;
	g_autofree char *path = NULL;

	if (!word || !state->block.is_open)
		return;
	word += strlen(before);
	name = g_strndup(word, (size_t)(line + length - word));
	state->block.has_task = true;
	state->block.task.cgroup_id = cgroup_id_of(name);
	if (g_hash_table_contains(state->cgroups, name) ||
	    g_hash_table_size(state->cgroups) == CGROUPS_MAX)
		return;
	path = g_strdup_printf("%" G_GUINT64_FORMAT " %s%s\n", state->block.task.cgroup_id,
			       *name == '/' ? "" : "/", name);
	run_text_add_line(state->in.session->text, KMT_BATCH_CGROUPS, path);
	g_hash_table_add(state->cgroups, g_steal_pointer(&name));
}

/* Old kernels print "[<ffffffff811b5b02>] " before the name. */
static bool append_frame(PageOwnerState *state, const char *line, size_t length)
{
	Cursor at = cursor_over(line, length), name;
	uint64_t address;
	unsigned digits;

	cursor_skip_blanks(&at);
	name = at;
	if (cursor_take(&name, "[<") && cursor_take_hex(&name, &address, &digits) &&
	    cursor_take(&name, ">] "))
		at = name;
	if (!held_frame_append(state->in.stack, at.at, (size_t)(at.end - at.at)))
		return false;
	state->loose += !state->block.is_open;
	return true;
}

static void read_line(void *data, const char *line, size_t length)
{
	PageOwnerState *state = data;
	uint64_t pages;
	Block sum;

	if (!length) {
		end_block(state);
	} else if (import_begins(line, length, head_start)) {
		begin_block(state, line, length);
	} else if (read_sum(line, length, &sum)) {
		end_block(state);
		state->block = sum;
	} else if (read_base_pages(line, length, &pages)) {
		state->loose = 0;
		state->block = (Block){ .is_open = true, .objects = pages, .pages = pages };
		end_block(state);
	} else if (is_other(line, length)) {
		take_memcg(state, line, length);
	} else if (!append_frame(state, line, length)) {
		state->in.unreadable++;
	}
}

static void page_owner_begin(void *data)
{
	PageOwnerState *state = data;

	state->cgroups = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
}

static void page_owner_end(void *data)
{
	PageOwnerState *state = data;

	end_block(state);
	g_hash_table_unref(state->cgroups);
}

static bool is_page_owner(const char *line, size_t length)
{
	Block block;
	uint64_t pages;

	return import_begins(line, length, head_start) || read_sum(line, length, &block) ||
	       read_base_pages(line, length, &pages);
}

static bool page_owner_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_FIRST_LINES, is_page_owner);
}

const ImportType import_page_owner = {
	.name = "page_owner",
	.recognises = page_owner_recognises,
	.is_held = true,
	.state_bytes = sizeof(PageOwnerState),
	.begin = page_owner_begin,
	.line = read_line,
	.end = page_owner_end,
};
