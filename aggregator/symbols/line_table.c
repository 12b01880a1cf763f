/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines by place: objects by key, places in a hash table, the functions of a place behind
 * each other, texts once. Its lines come from a process that read hostile files (code/lines), so
 * it checks and bounds all of them.
 */
#include "symbols/line_table.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"

#include <string.h>

/* A text takes this much besides its bytes, about. */
enum { SLOTS_MIN = 64, TEXT_BYTES = 48, KEY_BYTES_MAX = 256 };

typedef struct {
	guint object; /* number of its key */
	uint32_t frames_from;
	uint32_t frames_count;
	uint64_t offset;
} Place;

struct LineTable {
	GHashTable *objects; /* (element-type utf8 guint), owned, by key: number plus one */
	GArray *places;      /* (element-type Place), owned */
	SlotTable slots;     /* of the places */
	GArray *frames;      /* (element-type LineFrame), owned, by place */
	GHashTable *texts;   /* owns the texts, each once */
	GString *escaped;
	/* Lines with this place continue it. */
	bool is_open;
	size_t bytes_max, text_bytes;
	uint64_t invalid, dropped;
};

/* A line of the text; everything is borrowed. */
typedef struct {
	TextPart key;
	uint64_t offset;
	uint64_t line;
	TextPart function, root, file;
} ParsedLine;

LineTable *line_table_new(size_t bytes_max)
{
	LineTable *table = g_new0(LineTable, 1);

	table->objects = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	table->places = g_array_new(FALSE, FALSE, sizeof(Place));
	slot_table_init(&table->slots, SLOTS_MIN);
	table->frames = g_array_new(FALSE, FALSE, sizeof(LineFrame));
	table->texts = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	table->escaped = g_string_new(NULL);
	table->bytes_max = bytes_max;
	return table;
}

void line_table_free(LineTable *table)
{
	if (!table)
		return;
	g_hash_table_unref(table->objects);
	g_array_unref(table->places);
	slot_table_clear(&table->slots);
	g_array_unref(table->frames);
	g_hash_table_unref(table->texts);
	g_string_free(table->escaped, TRUE);
	g_free(table);
}

/* Reading. */

/* Removes the text up to the next tab from the front of rest. */
static TextPart next_field(TextPart *rest)
{
	const char *tab = rest->length ? memchr(rest->text, '\t', rest->length) : NULL;
	TextPart field = { rest->text, tab ? (size_t)(tab - rest->text) : rest->length };
	size_t taken = field.length + (tab != NULL);

	*rest = (TextPart){ rest->text + taken, rest->length - taken };
	return field;
}

static bool parse(TextPart rest, ParsedLine *line)
{
	if (!text_part_is(text_part_next_word(&rest), "l"))
		return false;
	line->key = text_part_next_word(&rest);
	if (!line->key.length || line->key.length > KEY_BYTES_MAX ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &line->offset) ||
	    !text_part_decimal(text_part_next_word(&rest), &line->line) || !rest.length ||
	    *rest.text != ' ')
		return false;
	rest = (TextPart){ rest.text + 1, rest.length - 1 };
	line->function = next_field(&rest);
	line->root = next_field(&rest);
	line->file = rest;
	return line->function.length <= LINE_TEXT_BYTES_MAX &&
	       line->root.length <= LINE_TEXT_BYTES_MAX &&
	       line->file.length <= LINE_TEXT_BYTES_MAX &&
	       !memchr(line->file.text, '\t', line->file.length);
}

static size_t memory_of(const LineTable *table)
{
	return slot_table_memory(&table->slots) + 2 * sizeof(Place) * table->places->len +
	       2 * sizeof(LineFrame) * table->frames->len + table->text_bytes;
}

static bool has_room(const LineTable *table, const ParsedLine *line)
{
	size_t texts = line->key.length + line->function.length + line->root.length +
		       line->file.length + 4 * TEXT_BYTES;

	return memory_of(table) + 2 * (sizeof(Place) + sizeof(LineFrame)) + texts <=
	       table->bytes_max;
}

/* Returns the table's own copy of a text, escaped. */
static const char *intern_text(LineTable *table, TextPart text)
{
	char *known;

	g_string_truncate(table->escaped, 0);
	escape_append_len(table->escaped, text.text, text.length);
	known = g_hash_table_lookup(table->texts, table->escaped->str);
	if (known)
		return known;
	known = g_strdup(table->escaped->str);
	g_hash_table_add(table->texts, known);
	table->text_bytes += TEXT_BYTES + table->escaped->len;
	return known;
}

/* Returns the number of an object; 0: it is not known. */
static guint object_find(const LineTable *table, const char *key)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table->objects, key));
}

static guint object_intern(LineTable *table, TextPart part)
{
	g_autofree char *key = g_strndup(part.text, part.length);
	guint number = object_find(table, key);

	if (number)
		return number;
	number = g_hash_table_size(table->objects) + 1;
	table->text_bytes += TEXT_BYTES + part.length;
	g_hash_table_insert(table->objects, g_steal_pointer(&key), GUINT_TO_POINTER(number));
	return number;
}

/* Returns the place; or NULL, and the slot for a new one. */
static Place *find_place(const LineTable *table, guint object, uint64_t offset, uint32_t *at)
{
	uint32_t hash = keyed_hash_mix_pair(offset, object), number;

	for (*at = hash; (number = slot_table_candidate(&table->slots, hash, at)) != SLOT_ID_NONE;
	     ++*at) {
		Place *place = &g_array_index(table->places, Place, number);

		if (place->object == object && place->offset == offset)
			return place;
	}
	return NULL;
}

/* Returns the place that a line continues or begins; NULL if it is known already. */
static Place *place_of(LineTable *table, guint object, uint64_t offset)
{
	Place added = { .object = object, .frames_from = table->frames->len, .offset = offset };
	uint32_t at;
	Place *place = find_place(table, object, offset, &at);
	bool is_last =
		place && place == &g_array_index(table->places, Place, table->places->len - 1);

	if (place)
		return is_last && table->is_open && place->frames_count < LINE_DEPTH_MAX ? place
											 : NULL;
	slot_table_put(&table->slots, keyed_hash_mix_pair(offset, object), at, table->places->len);
	g_array_append_val(table->places, added);
	table->is_open = true;
	return &g_array_index(table->places, Place, table->places->len - 1);
}

static void line_table_add(LineTable *table, const ParsedLine *line)
{
	LineFrame frame = { .line = (uint32_t)line->line };
	Place *place = place_of(table, object_intern(table, line->key), line->offset);

	if (!place) {
		table->is_open = false;
		return;
	}
	frame.function = line->function.length ? intern_text(table, line->function) : NULL;
	frame.root = intern_text(table, line->root);
	frame.file = line->file.length ? intern_text(table, line->file) : NULL;
	g_array_append_val(table->frames, frame);
	place->frames_count++;
}

/* Without its last function, a place would seem to be in one that was inlined there. */
static void line_table_drop(LineTable *table, const ParsedLine *line)
{
	g_autofree char *key = g_strndup(line->key.text, line->key.length);
	Place *last = table->places->len
			      ? &g_array_index(table->places, Place, table->places->len - 1)
			      : NULL;

	if (table->is_open && last && last->object == object_find(table, key) &&
	    last->offset == line->offset)
		last->frames_count = 0;
	table->is_open = false;
	table->dropped++;
}

void line_table_parse(LineTable *table, TextPart lines)
{
	TextPart text;
	ParsedLine line;

	while (text_part_next_line(&lines, &text)) {
		if (!text.length)
			continue;
		if (!parse(text, &line))
			table->invalid++;
		else if (has_room(table, &line))
			line_table_add(table, &line);
		else
			line_table_drop(table, &line);
	}
}

void line_table_read_sources(LineTable *table, LineReader read, void *user_data)
{
	for (guint i = 0; i < table->frames->len; i++) {
		LineFrame *frame = &g_array_index(table->frames, LineFrame, i);
		g_autofree char *text = frame->file && frame->line && !frame->source
						? read(frame, user_data)
						: NULL;
		TextPart part = { text, text ? MIN(strlen(text), (size_t)LINE_TEXT_BYTES_MAX) : 0 };

		if (part.length && memory_of(table) + part.length + TEXT_BYTES <= table->bytes_max)
			frame->source = intern_text(table, part);
	}
}

const LineFrame *line_table_find(const LineTable *table, const char *object_key, uint64_t offset,
				 size_t *count)
{
	guint object = object_find(table, object_key);
	uint32_t at;
	const Place *place = object ? find_place(table, object, offset, &at) : NULL;

	if (!place || !place->frames_count)
		return NULL;
	*count = place->frames_count;
	return &g_array_index(table->frames, LineFrame, place->frames_from);
}

uint64_t line_table_invalid(const LineTable *table)
{
	return table->invalid;
}

uint64_t line_table_dropped(const LineTable *table)
{
	return table->dropped;
}

/* Writing. */

static void append_text(GString *out, const char *text)
{
	for (size_t i = 0; text && text[i] && i < LINE_TEXT_BYTES_MAX; i++)
		g_string_append_c(out, text[i] == '\n' || text[i] == '\t' ? '?' : text[i]);
}

void line_table_append_line(GString *out, const char *object_key, uint64_t offset,
			    const LineFrame *frame)
{
	g_string_append_printf(out, "l %s %" G_GINT64_MODIFIER "x %" G_GUINT32_FORMAT " ",
			       object_key, offset, frame->line);
	append_text(out, frame->function);
	g_string_append_c(out, '\t');
	append_text(out, frame->root);
	g_string_append_c(out, '\t');
	append_text(out, frame->file);
	g_string_append_c(out, '\n');
}
