/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names rows of two runs so that those which mean the same have one number: ids of texts, tuples in
 * a hash table. Suffixes of compilers and lines that only one side knows are left out.
 */
#include "report/diff_rows.h"

#include "base/keyed_hash.h"
#include "base/sorted.h"
#include "base/slot_table.h"
#include "base/unconst.h"
#include "symbols/frame_line.h"

#include <string.h>

enum { FIRST_SLOTS = 1024, NAME_UNSEEN = 0, NAME_LEFT_OUT = UINT32_MAX };

/* How frames of one side are called. */
typedef struct {
	const StackRows *stacks;
	GHashTable *modules; /* (element-type utf8 -> gboolean): whether some lines are known */
	uint32_t *names;     /* owned, by FrameId: NAME_UNSEEN, or id in Join.texts */
	uint32_t names_end;
} Side;

struct Join {
	Side sides[JOIN_SIDES];
	GHashTable *texts;     /* (element-type utf8 -> guint): ids from 1, owned */
	GPtrArray *half_known; /* (element-type utf8), borrowed from the frames */
	GArray *tuples;        /* (element-type uint32_t), owned: the ids of all rows */
	GArray *tuples_end;    /* (element-type uint32_t), owned: end of a row's ids */
	SlotTable slots;       /* rows by the hash of their ids */
	GArray *tuple;         /* (element-type uint32_t), owned: of the current row */
	GString *text;         /* owned: the current name */
};

/* What gcc, clang and the kernel's build append to the names of functions, with a number or
   without. "_noprof" is the kernel's own since 6.10 (memory allocation profiling). */
static const char *const appended[] = {
	".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv", "_noprof", NULL,
};

/* Returns the length without a number at the end, ".123". */
static size_t without_number(const char *name, size_t length)
{
	size_t end = length;

	while (end && g_ascii_isdigit(name[end - 1]))
		end--;
	return end && end < length && name[end - 1] == '.' ? end - 1 : length;
}

static size_t without_word(const char *name, size_t length)
{
	for (const char *const *word = appended; *word; word++) {
		size_t bytes = strlen(*word);

		if (length > bytes && !memcmp(name + length - bytes, *word, bytes))
			return length - bytes;
	}
	return length;
}

size_t join_name_length(const char *function)
{
	size_t length = strlen(function), before;

	do {
		size_t unnumbered = without_number(function, length);
		size_t cut = without_word(function, unnumbered);

		before = length;
		/* Other numbers belong to the name. */
		if (cut < unnumbered)
			length = cut;
	} while (length < before);
	return length;
}

static uint32_t text_id(Join *join)
{
	guint id = GPOINTER_TO_UINT(g_hash_table_lookup(join->texts, join->text->str));

	if (id)
		return id;
	id = g_hash_table_size(join->texts) + 1;
	g_hash_table_insert(join->texts, g_strdup(join->text->str), GUINT_TO_POINTER(id));
	return id;
}

static void append_function(GString *text, const char *function)
{
	g_string_append_len(text, function, (gssize)join_name_length(function));
}

/* Frames of the kernel have addresses. */
static void append_frame(GString *text, const Frame *frame)
{
	if (frame->function)
		append_function(text, frame->function);
	else if (!frame->module && frame->address_digits)
		g_string_append(text, "[unknown]");
	else
		frame_line_append_function(text, frame);
	if (frame->function && frame_is_of_program(frame))
		g_string_append_printf(text, " [%s]", frame->module);
}

/* Returns whether lines of a module are not known, though its code was seen. */
static bool lacks_lines(const Side *side, const char *module)
{
	return g_hash_table_contains(side->modules, module) &&
	       !g_hash_table_lookup(side->modules, module);
}

static uint32_t frame_name(Join *join, Side *side, FrameId id)
{
	uint32_t *name = &side->names[id];
	Frame frame;

	if (*name != NAME_UNSEEN)
		return *name;
	frame = stack_rows_frame(side->stacks, id);
	g_string_truncate(join->text, 0);
	append_frame(join->text, &frame);
	if (frame.inlined && frame.module &&
	    (lacks_lines(&join->sides[JOIN_OLD], frame.module) ||
	     lacks_lines(&join->sides[JOIN_NEW], frame.module)))
		*name = NAME_LEFT_OUT;
	else
		*name = text_id(join);
	return *name;
}

static void add_id(Join *join, uint32_t id)
{
	g_array_append_val(join->tuple, id);
}

/* Frames have ids above 0, which ends them. */
static void add_stack(Join *join, Side *side, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(side->stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t name = frame_name(join, side, ids[i]);

		if (name != NAME_LEFT_OUT)
			add_id(join, name);
	}
	add_id(join, 0);
}

static void add_label(Join *join, const GroupRows *groups, const GroupRow *row, guint key)
{
	GString *text = join->text;

	g_assert(groups->keys[key]);
	g_string_truncate(text, 0);
	group_rows_append_label(groups, row, key, text);
	if (groups->keys[key]->is_function) {
		/* "foo [ext4]" for "foo.isra.0 [ext4]" */
		g_auto(GStrv) words = g_strsplit(text->str, " ", 2);

		g_string_truncate(text, 0);
		if (words[0])
			append_function(text, words[0]);
		if (words[0] && words[1])
			g_string_append_printf(text, " %s", words[1]);
	}
	/* One run may have recorded the name of a cache that the other derived. */
	if (g_str_has_suffix(text->str, CACHE_BY_SIZE_MARK))
		g_string_truncate(text, text->len - strlen(CACHE_BY_SIZE_MARK));
	add_id(join, text_id(join));
}

static uint32_t tuple_number(Join *join)
{
	GArray *tuple = join->tuple;
	uint32_t hash = (uint32_t)keyed_hash(tuple->data, tuple->len * sizeof(uint32_t));
	uint32_t at, number;

	for (at = hash; (number = slot_table_candidate(&join->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		uint32_t start = number ? g_array_index(join->tuples_end, uint32_t, number - 1) : 0;
		uint32_t count = g_array_index(join->tuples_end, uint32_t, number) - start;

		g_assert(number < join->tuples_end->len);
		if (count == tuple->len && !memcmp(&g_array_index(join->tuples, uint32_t, start),
						   tuple->data, count * sizeof(uint32_t)))
			return number;
	}
	number = join->tuples_end->len;
	g_array_append_vals(join->tuples, tuple->data, tuple->len);
	g_array_append_val(join->tuples_end, join->tuples->len);
	slot_table_put(&join->slots, hash, at, number);
	return number;
}

uint32_t join_number(Join *join, JoinSide side, const GroupRows *groups, const GroupRow *row)
{
	g_assert(side < G_N_ELEMENTS(join->sides));
	g_array_set_size(join->tuple, 0);
	for (guint key = 0; groups->keys[key]; key++)
		if (dimension_is_stack(groups->keys[key]))
			add_stack(join, &join->sides[side], group_rows_member(groups, row, key));
		else
			add_label(join, groups, row, key);
	return tuple_number(join);
}

/* Notes the modules of all frames, each frame once. */
static void note_modules(Side *side)
{
	g_autofree bool *noted = g_new0(bool, side->names_end);

	for (uint32_t row = 0; row < stack_rows_count(side->stacks); row++) {
		uint32_t count;
		const FrameId *ids = stack_rows_frames(side->stacks, row, &count);

		for (uint32_t i = 0; i < count; i++) {
			Frame frame;

			if (noted[ids[i]])
				continue;
			noted[ids[i]] = true;
			frame = stack_rows_frame(side->stacks, ids[i]);
			if (!frame.module)
				continue;
			if (frame.file || !g_hash_table_contains(side->modules, frame.module))
				g_hash_table_replace(side->modules, unconst(frame.module),
						     GINT_TO_POINTER(frame.file != NULL));
		}
	}
}

/* Adds the modules whose lines are known of this side, but not of the other. */
static void add_half_known(Join *join, const Side *known, const Side *other)
{
	GHashTableIter iter;
	gpointer module, has_lines;

	g_hash_table_iter_init(&iter, known->modules);
	while (g_hash_table_iter_next(&iter, &module, &has_lines))
		if (has_lines && lacks_lines(other, module))
			g_ptr_array_add(join->half_known, module);
}

Join *join_new(const StackRows *const stacks[JOIN_SIDES])
{
	Join *join = g_new0(Join, 1);

	for (JoinSide i = 0; i < JOIN_SIDES; i++) {
		Side *side = &join->sides[i];

		side->stacks = stacks[i];
		side->modules = g_hash_table_new(keyed_hash_text, g_str_equal);
		side->names_end = stack_rows_frame_ids_end(stacks[i]);
		side->names = g_new0(uint32_t, side->names_end);
		note_modules(side);
	}
	join->texts = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	join->half_known = g_ptr_array_new();
	join->tuples = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	join->tuples_end = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	join->tuple = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	join->text = g_string_new(NULL);
	slot_table_init(&join->slots, FIRST_SLOTS);
	add_half_known(join, &join->sides[JOIN_OLD], &join->sides[JOIN_NEW]);
	add_half_known(join, &join->sides[JOIN_NEW], &join->sides[JOIN_OLD]);
	g_ptr_array_sort(join->half_known, sorted_compare_texts);
	return join;
}

void join_free(Join *join)
{
	if (!join)
		return;
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		g_hash_table_unref(join->sides[side].modules);
		g_free(join->sides[side].names);
	}
	g_hash_table_unref(join->texts);
	g_ptr_array_unref(join->half_known);
	g_array_unref(join->tuples);
	g_array_unref(join->tuples_end);
	g_array_unref(join->tuple);
	g_string_free(join->text, TRUE);
	slot_table_clear(&join->slots);
	g_free(join);
}

const GPtrArray *join_half_known(const Join *join)
{
	return join->half_known;
}
