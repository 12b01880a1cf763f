/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinct frames by id. There are two kinds, told apart by the lowest bit: frames of an address
 * (numbers and borrowed names) and frames from text (a line, parsed when first needed). Names are
 * escaped here once. View and renderers read it.
 */
#include "symbols/frame_table.h"

#include "base/slot_table.h"
#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/unconst.h"
#include "symbols/frame_line.h"

#include <string.h>

enum {
	FIRST_SLOTS = 1024,
	CHUNK_BYTES = 64 << 10,
};

/* A frame's id without the lowest bit is its index in the array of its kind. */
enum { IS_TEXT = 1, NUMBER_SHIFT = 1 };

/* The frame of an address. */
typedef struct {
	uint64_t address;
	FramePlace place;
	uint32_t function_bytes;
	uint32_t module_bytes;
} AddressFrame;

struct FrameTable {
	unsigned address_digits;
	SlotTable slots;
	GArray *addresses;     /* (element-type AddressFrame), owned */
	GPtrArray *lines;      /* (element-type utf8) of frames from text, in the chunk */
	GHashTable *sources;   /* (element-type FrameId utf8) of frames from text; texts borrowed */
	GHashTable *kernel;    /* (element-type FrameId): see frame_table_set_kernel() */
	GArray *parsed;        /* (element-type Frame), owned: parsed lines */
	GArray *parsed_number; /* (element-type uint32_t) by line: index in parsed + 1; 0: none */
	GStringChunk *texts;   /* lines and their parts; escaped names */
	size_t text_bytes;
	GString *name; /* name being escaped */
};

FrameTable *frame_table_new(unsigned address_digits)
{
	FrameTable *table = g_new0(FrameTable, 1);

	table->address_digits = address_digits;
	slot_table_init(&table->slots, FIRST_SLOTS);
	table->addresses = g_array_new(FALSE, FALSE, sizeof(AddressFrame));
	table->lines = g_ptr_array_new();
	table->sources = g_hash_table_new(NULL, NULL);
	table->kernel = g_hash_table_new(NULL, NULL);
	table->parsed = g_array_new(FALSE, FALSE, sizeof(Frame));
	table->parsed_number = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	table->texts = g_string_chunk_new(CHUNK_BYTES);
	table->name = g_string_new(NULL);
	return table;
}

void frame_table_free(FrameTable *table)
{
	if (!table)
		return;
	slot_table_clear(&table->slots);
	g_array_unref(table->addresses);
	g_ptr_array_unref(table->lines);
	g_hash_table_unref(table->sources);
	g_hash_table_unref(table->kernel);
	g_array_unref(table->parsed);
	g_array_unref(table->parsed_number);
	g_string_chunk_free(table->texts);
	g_string_free(table->name, TRUE);
	g_free(table);
}

size_t frame_table_memory(const FrameTable *table)
{
	return slot_table_memory(&table->slots) + table->addresses->len * sizeof(AddressFrame) +
	       table->lines->len * sizeof(void *) + table->parsed->len * sizeof(Frame) +
	       table->parsed_number->len * sizeof(uint32_t) + table->text_bytes;
}

uint32_t frame_table_ids_end(const FrameTable *table)
{
	return MAX(table->addresses->len, table->lines->len) << NUMBER_SHIFT;
}

static inline const AddressFrame *address_frame(const FrameTable *table, FrameId id)
{
	return &g_array_index(table->addresses, AddressFrame, id >> NUMBER_SHIFT);
}

static inline const char *line_of(const FrameTable *table, FrameId id)
{
	return g_ptr_array_index(table->lines, id >> NUMBER_SHIFT);
}

/* Addresses. */

const char *frame_table_printable(FrameTable *table, const char *name)
{
	if (escape_is_printable(name))
		return name;
	g_string_truncate(table->name, 0);
	escape_append(table->name, name);
	table->text_bytes += table->name->len + 1;
	return g_string_chunk_insert(table->texts, table->name->str);
}

static uint64_t text_hash(const char *text)
{
	return text ? keyed_hash(text, strlen(text)) : 0;
}

static bool address_equals(const AddressFrame *a, const AddressFrame *b)
{
	return a->address == b->address && a->place.start == b->place.start &&
	       a->place.bytes == b->place.bytes && a->place.line == b->place.line &&
	       !g_strcmp0(a->place.function, b->place.function) &&
	       !g_strcmp0(a->place.module, b->place.module);
}

/* Symbol epochs contain copies of the same names. */
FrameId frame_table_intern(FrameTable *table, uint64_t address, const FramePlace *place)
{
	AddressFrame frame = { .address = address, .place = *place };
	/* Frames that differ only in their lines are few: those inlined at one address. */
	const uint64_t key[] = { address, place->start, place->bytes, text_hash(place->function),
				 text_hash(place->module) };
	uint32_t hash = (uint32_t)keyed_hash(key, sizeof(key));
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!(id & IS_TEXT) && address_equals(address_frame(table, id), &frame))
			return id;
	frame.function_bytes = place->function ? (uint32_t)strlen(place->function) : 0;
	frame.module_bytes = place->module ? (uint32_t)strlen(place->module) : 0;
	id = table->addresses->len << NUMBER_SHIFT;
	g_array_append_val(table->addresses, frame);
	slot_table_put(&table->slots, hash, at, id);
	return id;
}

static Frame frame_of_address(const FrameTable *table, FrameId id)
{
	const AddressFrame *kept = address_frame(table, id);
	const FramePlace *place = &kept->place;
	bool inlined = frame_place_is_inlined(place);

	return (Frame){
		.address = kept->address,
		.address_digits = (uint8_t)table->address_digits,
		.has_offset = place->function && !inlined,
		.offset = place->module && !inlined ? kept->address - place->start : 0,
		.bytes = place->bytes,
		.function = place->function,
		.module = place->module,
		.file = place->line ? place->line->file : NULL,
		.line = place->line ? place->line->line : 0,
		.source = place->line ? place->line->source : NULL,
		.inlined = inlined,
	};
}

/* Texts. */

FrameId frame_table_intern_line(FrameTable *table, const char *line, size_t length)
{
	uint32_t hash = (uint32_t)keyed_hash(line, length);
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const char *text = id & IS_TEXT ? line_of(table, id) : NULL;

		if (text && !strncmp(text, line, length) && !text[length])
			return id;
	}
	id = table->lines->len << NUMBER_SHIFT | IS_TEXT;
	table->text_bytes += length + 1;
	g_ptr_array_add(table->lines,
			g_string_chunk_insert_len(table->texts, line, (gssize)length));
	slot_table_put(&table->slots, hash, at, id);
	return id;
}

void frame_table_set_source(FrameTable *table, FrameId id, const char *source)
{
	g_hash_table_insert(table->sources, GUINT_TO_POINTER(id), unconst(source));
}

void frame_table_set_kernel(FrameTable *table, FrameId id)
{
	g_hash_table_add(table->kernel, GUINT_TO_POINTER(id));
}

static const char *source_of_text(const FrameTable *table, FrameId id)
{
	return g_hash_table_lookup(table->sources, GUINT_TO_POINTER(id));
}

/* Returns a copy of a part; NULL if it is empty. */
static const char *frame_table_keep(FrameTable *table, TextPart part)
{
	if (!part.length)
		return NULL;
	if (text_part_is(part, "kernel"))
		return "kernel";
	table->text_bytes += part.length + 1;
	return g_string_chunk_insert_len(table->texts, part.text, (gssize)part.length);
}

static Frame frame_of_line(FrameTable *table, const char *line)
{
	FrameLine parts = frame_line_parse((TextPart){ line, strlen(line) });

	return (Frame){
		.text = line,
		.address = parts.address,
		.offset = parts.offset,
		.bytes = parts.bytes,
		.function = frame_table_keep(table, parts.function),
		.module = frame_table_keep(table, parts.module),
		.file = frame_table_keep(table, parts.file),
		.line = parts.line,
		.address_digits = parts.address_digits,
		.has_offset = parts.has_offset,
		.inlined = parts.inlined,
	};
}

static Frame frame_of_text(FrameTable *table, FrameId id)
{
	uint32_t *number;
	Frame frame;

	if (table->parsed_number->len < table->lines->len)
		g_array_set_size(table->parsed_number, table->lines->len);
	number = &g_array_index(table->parsed_number, uint32_t, id >> NUMBER_SHIFT);
	if (!*number) {
		frame = frame_of_line(table, line_of(table, id));
		g_array_append_val(table->parsed, frame);
		*number = table->parsed->len;
	}
	frame = g_array_index(table->parsed, Frame, *number - 1);
	frame.source = source_of_text(table, id);
	frame.of_kernel = g_hash_table_contains(table->kernel, GUINT_TO_POINTER(id));
	return frame;
}

/* Without the rare case it is small enough to be inlined: sorting stacks calls it most. */
Frame frame_table_get(FrameTable *table, FrameId id)
{
	return id & IS_TEXT ? frame_of_text(table, id) : frame_of_address(table, id);
}

void frame_table_append_line(const FrameTable *table, FrameId id, GString *out)
{
	Frame frame;

	if (id & IS_TEXT) {
		g_string_append(out, line_of(table, id));
		return;
	}
	frame = frame_of_address(table, id);
	frame_line_append_sized(out, &frame, address_frame(table, id)->function_bytes,
				address_frame(table, id)->module_bytes);
}

static void append_source(const FrameTable *table, FrameId id, GString *out)
{
	const LineFrame *line = id & IS_TEXT ? NULL : address_frame(table, id)->place.line;
	const char *source = line ? line->source : NULL;

	if (id & IS_TEXT)
		source = source_of_text(table, id);
	if (source)
		g_string_append_printf(out, FRAME_SOURCE_MARK "%s\n", source);
}

void frame_table_append_lines(const FrameTable *table, const FrameId *ids, uint32_t count,
			      GString *out)
{
	/* The frames are spread over memory, and printing them one by one would wait for each. */
	for (uint32_t i = 0; i < count; i++)
		if (!(ids[i] & IS_TEXT))
			__builtin_prefetch(address_frame(table, ids[i]));
	for (uint32_t i = 0; i < count; i++)
		if (!(ids[i] & IS_TEXT))
			__builtin_prefetch(address_frame(table, ids[i])->place.function);
	for (uint32_t i = 0; i < count; i++) {
		frame_table_append_line(table, ids[i], out);
		g_string_append_c(out, '\n');
		append_source(table, ids[i], out);
	}
}

int frame_table_compare(FrameTable *table, FrameId a, FrameId b)
{
	Frame left, right;

	if (a & b & IS_TEXT)
		return strcmp(line_of(table, a), line_of(table, b));
	left = frame_table_get(table, a);
	right = frame_table_get(table, b);
	return frame_line_compare(&left, &right);
}
