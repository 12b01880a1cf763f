/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "base/slot_table.h"
#include "table/dimension.h"
#include "table/row_sums.h"

/*
 * GroupIndex numbers the groups of one key, from 0. The member of a cell that determines its group
 * is the index of the lookup; labels are made once per group.
 */
typedef struct GroupIndex GroupIndex;

/* Everything is borrowed. */
GroupIndex *group_index_new(const Dimension *key, const GroupNaming *naming);
void group_index_free(GroupIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GroupIndex, group_index_free)

/* Returns the number of groups so far. */
guint group_index_count(const GroupIndex *index);

/* Returns KMT_CONTEXT_TASK, or the interrupt context of a group that is kept apart. */
unsigned group_index_context(const GroupIndex *index, uint32_t group);

/* Returns the newest member of a group, which labels it. */
uint32_t group_index_member(const GroupIndex *index, uint32_t group);

/* Appends the escaped label of a group. Only labels of keys with compare() may have many lines. */
void group_index_append_label(GroupIndex *index, uint32_t group, GString *out);

/* Orders groups by label, as people expect. */
int group_index_compare(GroupIndex *index, uint32_t a, uint32_t b);

/*
 * A GroupTable adds up cells by their groups in one or more dimensions, with a row for each tuple
 * of groups that occurs. It neither filters nor ranks.
 */
typedef struct {
	RowSums sums;
	uint32_t groups[DIMENSIONS_MAX]; /* in each index; 0 after the last */
	uint32_t number;                 /* in the order of first cells, from 0 */
} GroupRow;

typedef struct {
	/* (element-type GroupRow), owned, in the order of their first cells; may be stolen. */
	GArray *rows;
	/* Private. */
	const ViewSource *source;
	GroupIndex *indexes[DIMENSIONS_MAX + 1]; /* ended by NULL */
	SlotTable slots;
} GroupTable;

/* Initialises an empty table with these dimensions, ended by NULL. They are borrowed, and tables
   may share them. Clear it with group_table_clear(). */
void group_table_init(GroupTable *table, const ViewSource *source, GroupIndex *const *indexes);
void group_table_clear(GroupTable *table);

/* Adds a cell of the source. Returns the number of its row. */
uint32_t group_table_add(GroupTable *table, const ProfileCell *cell);

static inline const GroupRow *group_table_row(const GroupTable *table, uint32_t number)
{
	hot_assert(number < table->rows->len);
	return &g_array_index(table->rows, GroupRow, number);
}
