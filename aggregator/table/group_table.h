/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/slot_table.h"
#include "table/group_index.h"
#include "table/row_sums.h"

/*
 * A GroupTable adds up counters by their groups in one or more dimensions: a row for each tuple of
 * groups that has any. It neither filters nor ranks.
 */
typedef struct {
	RowSums sums;
	uint32_t groups[GROUP_KEYS_MAX]; /* of each index; 0 behind the last one */
} GroupRow;

typedef struct {
	/* (element-type GroupRow), owned, in the order of their first counters; may be stolen. */
	GArray *rows;
	/* Private. */
	const ViewSource *source;
	GroupIndex *indexes[GROUP_KEYS_MAX + 1]; /* ended by NULL */
	SlotTable slots;
} GroupTable;

/* Begins an empty table with these dimensions, ended by NULL: all are borrowed, and tables may
   share them. Clear it with group_table_clear(). */
void group_table_init(GroupTable *table, const ViewSource *source, GroupIndex *const *indexes);
void group_table_clear(GroupTable *table);

/* Adds a counter of the source. Returns the number of its row. */
uint32_t group_table_add(GroupTable *table, const ProfileCell *cell);

static inline const GroupRow *group_table_row(const GroupTable *table, uint32_t number)
{
	return &g_array_index(table->rows, GroupRow, number);
}
