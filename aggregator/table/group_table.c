/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows by tuple of groups, in a hash table; adding a cell finds its row and adds its sums. Used by
 * all tables of groups.
 */
#include "table/group_table.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "table/cell_held.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

void group_table_init(GroupTable *table, const ViewSource *source, GroupIndex *const *indexes)
{
	*table = (GroupTable){ .source = source };
	for (guint i = 0; indexes[i]; i++)
		table->indexes[i] = indexes[i];
	table->rows = g_array_new(FALSE, FALSE, sizeof(GroupRow));
	slot_table_init(&table->slots, FIRST_SLOTS);
}

void group_table_clear(GroupTable *table)
{
	g_clear_pointer(&table->rows, g_array_unref);
	slot_table_clear(&table->slots);
}

/* Returns the row of a cell's groups, adding it if new. */
static uint32_t row_intern(GroupTable *table, const ProfileCell *cell)
{
	GroupRow row = { .groups = { 0 } };
	uint32_t hash, at, id;

	for (guint i = 0; table->indexes[i]; i++)
		row.groups[i] = group_index_of(table->indexes[i], cell);
	hash = (uint32_t)keyed_hash(row.groups, sizeof(row.groups));
	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!memcmp(group_table_row(table, id)->groups, row.groups, sizeof(row.groups)))
			return id;
	row.number = id = table->rows->len;
	g_array_append_val(table->rows, row);
	slot_table_put(&table->slots, hash, at, id);
	return id;
}

uint32_t group_table_add(GroupTable *table, const ProfileCell *cell)
{
	uint32_t id = row_intern(table, cell);

	hot_assert(id < table->rows->len);
	cell_add_sums(table->source, cell, &g_array_index(table->rows, GroupRow, id).sums);
	return id;
}
