/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/line_table.h"

#include "count/slot_table.h"
#include "keyed_hash.h"

#include <string.h>

enum {
	FIRST_SLOTS = 1024,
	CHUNK_BYTES = 64 << 10,
};

struct LineTable {
	SlotTable slots;
	GPtrArray *lines; /* (element-type utf8), in the chunk */
	GStringChunk *chunk;
	size_t text_bytes;
};

LineTable *line_table_new(void)
{
	LineTable *table = g_new0(LineTable, 1);

	slot_table_init(&table->slots, FIRST_SLOTS);
	table->lines = g_ptr_array_new();
	table->chunk = g_string_chunk_new(CHUNK_BYTES);
	return table;
}

void line_table_free(LineTable *table)
{
	if (!table)
		return;
	slot_table_clear(&table->slots);
	g_ptr_array_unref(table->lines);
	g_string_chunk_free(table->chunk);
	g_free(table);
}

size_t line_table_memory(const LineTable *table)
{
	return slot_table_memory(&table->slots) + table->lines->len * sizeof(void *) +
	       table->text_bytes;
}

const char *line_table_text(const LineTable *table, LineId id)
{
	return g_ptr_array_index(table->lines, id);
}

LineId line_table_intern(LineTable *table, const char *line, size_t length)
{
	uint32_t hash = (uint32_t)keyed_hash(line, length);
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const char *text = line_table_text(table, id);

		if (!strncmp(text, line, length) && !text[length])
			return id;
	}
	id = table->lines->len;
	table->text_bytes += length + 1;
	g_ptr_array_add(table->lines, g_string_chunk_insert_len(table->chunk, line, length));
	slot_table_put(&table->slots, hash, at, id);
	return id;
}
