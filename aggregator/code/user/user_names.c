/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of places in programs, in a hash table by place; each text is kept once. Filled from the
 * lines of user_symbols batches, asked by frame_namer.c when stacks get their names.
 */
#include "code/user/user_names.h"

#include "base/keyed_hash.h"
#include "base/slot_table.h"

#include <string.h>

/* A text takes this much besides its bytes, about. */
enum { SLOTS_MIN = 64, TEXT_BYTES = 48 };

typedef struct {
	UserPlace place;
	UserName name;
} Entry;

typedef struct {
	uint32_t object;
	UserSegment segment;
} ObjectSegment;

struct UserNames {
	const UserObjects *objects; /* borrowed */
	GArray *entries;            /* (element-type Entry) */
	SlotTable slots;            /* of the entries, by place */
	GHashTable *texts;          /* owns the names, each once */
	GArray *segments;           /* (element-type ObjectSegment), owned */
	size_t bytes_max;
	size_t text_bytes;
	uint64_t invalid, dropped;
};

UserNames *user_names_new(const UserObjects *objects, size_t bytes_max)
{
	UserNames *names = g_new0(UserNames, 1);

	names->objects = objects;
	names->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
	slot_table_init(&names->slots, SLOTS_MIN);
	names->texts = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	names->segments = g_array_new(FALSE, FALSE, sizeof(ObjectSegment));
	names->bytes_max = bytes_max;
	return names;
}

void user_names_free(UserNames *names)
{
	if (!names)
		return;
	g_array_unref(names->entries);
	slot_table_clear(&names->slots);
	g_hash_table_unref(names->texts);
	g_array_unref(names->segments);
	g_free(names);
}

static uint32_t hash_of(UserPlace place)
{
	return keyed_hash_mix_pair(place.offset, place.object);
}

/* Returns the entry of a place; or NULL, and the slot for a new one. */
static const Entry *find_entry(const UserNames *names, UserPlace place, uint32_t *at)
{
	uint32_t hash = hash_of(place), number;

	for (*at = hash; (number = slot_table_candidate(&names->slots, hash, at)) != SLOT_ID_NONE;
	     ++*at) {
		const Entry *entry = &g_array_index(names->entries, Entry, number);

		if (entry->place.object == place.object && entry->place.offset == place.offset)
			return entry;
	}
	return NULL;
}

static const char *intern_text(UserNames *names, TextPart text)
{
	char *name = g_strndup(text.text, text.length);
	char *known = g_hash_table_lookup(names->texts, name);

	if (known) {
		g_free(name);
		return known;
	}
	g_hash_table_add(names->texts, name);
	names->text_bytes += TEXT_BYTES + text.length;
	return name;
}

static void add_entry(UserNames *names, Entry entry, TextPart name)
{
	uint32_t at;

	if (find_entry(names, entry.place, &at))
		return;
	if (user_names_memory(names) + 2 * sizeof(Entry) + TEXT_BYTES + name.length >
	    names->bytes_max) {
		names->dropped++;
		return;
	}
	entry.name.name = intern_text(names, name);
	slot_table_put(&names->slots, hash_of(entry.place), at, names->entries->len);
	g_array_append_val(names->entries, entry);
}

static bool parse_segment(UserNames *names, TextPart rest)
{
	ObjectSegment added;

	added.object = user_objects_find(names->objects, text_part_next_word(&rest));
	if (added.object == USER_OBJECT_UNKNOWN ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &added.segment.offset) ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &added.segment.bytes) ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &added.segment.address))
		return false;
	if (names->segments->len < USER_SEGMENTS_MAX)
		g_array_append_val(names->segments, added);
	else
		names->dropped++;
	return true;
}

static bool parse_name(const UserNames *names, TextPart rest, Entry *entry, TextPart *name)
{
	entry->place.object = user_objects_find(names->objects, text_part_next_word(&rest));
	if (entry->place.object == USER_OBJECT_UNKNOWN ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &entry->place.offset) ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &entry->name.offset) ||
	    !text_part_hexadecimal(text_part_next_word(&rest), &entry->name.bytes))
		return false;
	if (rest.length < 2 || rest.length - 1 > USER_NAME_BYTES_MAX)
		return false;
	*name = (TextPart){ rest.text + 1, rest.length - 1 };
	return rest.text[1] != '\0';
}

void user_names_parse_line(UserNames *names, TextPart line)
{
	TextPart kind = text_part_next_word(&line), name;
	Entry entry = { 0 };

	if (text_part_is(kind, "s") && parse_name(names, line, &entry, &name))
		add_entry(names, entry, name);
	else if (!text_part_is(kind, "v") || !parse_segment(names, line))
		names->invalid++;
}

void user_names_parse(UserNames *names, TextPart lines)
{
	TextPart line;

	while (text_part_next_line(&lines, &line))
		if (line.length)
			user_names_parse_line(names, line);
}

bool user_names_find(const UserNames *names, UserPlace place, UserName *name)
{
	uint32_t at;
	const Entry *entry = find_entry(names, place, &at);

	if (entry)
		*name = entry->name;
	return entry != NULL;
}

bool user_names_address(const UserNames *names, UserPlace place, uint64_t *address)
{
	for (guint i = 0; i < names->segments->len; i++) {
		const ObjectSegment *known = &g_array_index(names->segments, ObjectSegment, i);
		uint64_t in_segment = place.offset - known->segment.offset;

		if (known->object != place.object || in_segment >= known->segment.bytes)
			continue;
		*address = known->segment.address + in_segment;
		return true;
	}
	return false;
}

uint64_t user_names_invalid(const UserNames *names)
{
	return names->invalid;
}

uint64_t user_names_dropped(const UserNames *names)
{
	return names->dropped;
}

/* An array has room for up to twice its elements. */
size_t user_names_memory(const UserNames *names)
{
	return slot_table_memory(&names->slots) + 2 * sizeof(Entry) * names->entries->len +
	       names->text_bytes;
}

void user_segment_line_append(GString *out, const char *object_key, const UserSegment *segment)
{
	g_string_append_printf(out,
			       "v %s %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
			       "x %" G_GINT64_MODIFIER "x\n",
			       object_key, segment->offset, segment->bytes, segment->address);
}

void user_name_line_append(GString *out, const char *object_key, uint64_t place_offset,
			   const UserName *name)
{
	g_string_append_printf(out,
			       "s %s %" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER
			       "x %" G_GINT64_MODIFIER "x ",
			       object_key, place_offset, name->offset, name->bytes);
	for (size_t i = 0; i < USER_NAME_BYTES_MAX && name->name[i]; i++)
		g_string_append_c(out, name->name[i] == '\n' ? '?' : name->name[i]);
	g_string_append_c(out, '\n');
}
