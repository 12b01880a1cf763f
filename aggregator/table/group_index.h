/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_key.h"

/*
 * GroupIndex numbers the groups that counters fall into by one key, from 0. A counter's group is
 * found by the number of the part that decides it; names are made once per group.
 */
typedef struct GroupIndex GroupIndex;

/* Everything is borrowed. */
GroupIndex *group_index_new(const GroupKey *key, const GroupNaming *naming);
void group_index_free(GroupIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GroupIndex, group_index_free)

uint32_t group_index_of(GroupIndex *index, const ProfileCell *cell);

/* Returns how many groups there are so far. */
guint group_index_count(const GroupIndex *index);

/* Returns KMT_CONTEXT_TASK, or of which interrupts a group is that stands apart. */
unsigned group_index_context(const GroupIndex *index, uint32_t group);

/* Returns the member that names a group, the newest one. */
uint32_t group_index_member(const GroupIndex *index, uint32_t group);

/* Appends the label of a group, escaped. Only labels of keys with compare() have many lines. */
void group_index_append_label(GroupIndex *index, uint32_t group, GString *out);

/* Orders groups as people look for them: by label. */
int group_index_compare(GroupIndex *index, uint32_t a, uint32_t b);
