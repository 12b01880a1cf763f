/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows by tuple of groups, in a hash table; adding a cell finds its row and adds its sums. An index
 * for each key numbers the groups: an array from member (task, origin, row) to group, and a hash
 * table by identity; labels are made when first shown. Used by all tables of groups.
 */
#include "table/group_table.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"
#include "table/task_name.h"
#include "table/view_source.h"

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

enum { GROUPS_FIRST_SLOTS = 256, CHUNK_BYTES = 4096 };

typedef struct {
	const char *identity;
	size_t identity_bytes;
	const char *label; /* NULL: not made yet */
	uint32_t newest;   /* newest member */
} Group;

struct GroupIndex {
	const Dimension *key;
	const GroupNaming *naming;
	uint32_t *group_of; /* owned, by member; SLOT_ID_NONE: not looked up yet */
	uint32_t interrupts[KMT_CONTEXTS];
	SlotTable slots;
	GArray *groups; /* (element-type Group), owned */
	GStringChunk *texts;
	GString *text; /* identity being built */
};

static uint32_t member_count(const Dimension *key, const GroupNaming *naming)
{
	switch (key->member) {
	case MEMBER_TASK:
		return profile_task_count(naming->source->profile);
	case MEMBER_ORIGIN:
		return profile_origin_count(naming->source->profile);
	case MEMBER_STACK:
		return stack_rows_count(naming->stacks);
	case MEMBER_FREER:
		return profile_origin_count(naming->source->profile) + 1;
	case MEMBER_AGE:
		return AGE_CLASSES;
	default:
		return KMT_CONTEXTS;
	}
}

static uint32_t member_of(const GroupIndex *index, const ProfileCell *cell)
{
	const GroupNaming *naming = index->naming;

	switch (index->key->member) {
	case MEMBER_TASK:
		return cell->task;
	case MEMBER_ORIGIN:
		return cell->origin;
	case MEMBER_STACK:
		return stack_rows_row(naming->stacks,
				      profile_origin(naming->source->profile, cell->origin)->stack);
	case MEMBER_FREER:
		/* ORIGIN_ID_NONE becomes 0. */
		return cell_freer(cell) + 1;
	case MEMBER_AGE:
		return cell_age_class(cell);
	default:
		return cell->context;
	}
}

static uint32_t group_add(GroupIndex *index, const Group *group)
{
	g_array_append_vals(index->groups, group, 1);
	return index->groups->len - 1;
}

/* Returns the group with the identity in text, adding it with that member if new. */
static uint32_t group_intern(GroupIndex *index, uint32_t member)
{
	const GString *identity = index->text;
	uint32_t hash = (uint32_t)keyed_hash(identity->str, identity->len);
	Group group = { .identity_bytes = identity->len, .newest = member };
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&index->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const Group *known = &g_array_index(index->groups, Group, id);

		hot_assert(id < index->groups->len);
		if (known->identity_bytes == identity->len &&
		    !memcmp(known->identity, identity->str, identity->len))
			return id;
	}
	group.identity =
		g_string_chunk_insert_len(index->texts, identity->str, (gssize)identity->len);
	id = group_add(index, &group);
	slot_table_put(&index->slots, hash, at, id);
	return id;
}

/* Returns the newer of two members of a group, which labels it. */
static uint32_t newer_of(const GroupIndex *index, uint32_t a, uint32_t b)
{
	const Profile *profile = index->naming->source->profile;
	uint64_t a_ns, b_ns;

	if (index->key->member != MEMBER_TASK)
		return MAX(a, b);
	a_ns = profile_task_seen_ns(profile, a);
	b_ns = profile_task_seen_ns(profile, b);
	return a_ns == b_ns ? MAX(a, b) : a_ns > b_ns ? a : b;
}

static uint32_t group_of_member(GroupIndex *index, uint32_t member)
{
	uint32_t id = index->group_of[member];
	Group *group;

	if (G_LIKELY(id != SLOT_ID_NONE))
		return id;
	g_string_truncate(index->text, 0);
	index->key->identify(index->naming, member, index->text);
	id = group_intern(index, member);
	hot_assert(id < index->groups->len);
	group = &g_array_index(index->groups, Group, id);
	group->newest = newer_of(index, group->newest, member);
	index->group_of[member] = id;
	return id;
}

static uint32_t group_of_interrupt(GroupIndex *index, unsigned context)
{
	uint32_t *id = &index->interrupts[context];
	Group group = { .newest = context };

	hot_assert(context < G_N_ELEMENTS(index->interrupts));
	if (*id != SLOT_ID_NONE)
		return *id;
	g_string_printf(index->text, "[%s]", context_name(context));
	group.label = g_string_chunk_insert(index->texts, index->text->str);
	*id = group_add(index, &group);
	return *id;
}

GroupIndex *group_index_new(const Dimension *key, const GroupNaming *naming)
{
	GroupIndex *index = g_new0(GroupIndex, 1);
	uint32_t members = member_count(key, naming);

	index->key = key;
	index->naming = naming;
	index->group_of = g_new(uint32_t, members);
	memset(index->group_of, 0xff, members * sizeof(*index->group_of));
	memset(index->interrupts, 0xff, sizeof(index->interrupts));
	slot_table_init(&index->slots, GROUPS_FIRST_SLOTS);
	index->groups = g_array_new(FALSE, FALSE, sizeof(Group));
	index->texts = g_string_chunk_new(CHUNK_BYTES);
	index->text = g_string_new(NULL);
	/* Includes tasks without counts: the latest name of a process may come from an event of a
	   dropped stack. */
	for (uint32_t task = 0; key->member == MEMBER_TASK && task < members; task++)
		group_of_member(index, task);
	return index;
}

void group_index_free(GroupIndex *index)
{
	if (!index)
		return;
	g_free(index->group_of);
	slot_table_clear(&index->slots);
	g_array_unref(index->groups);
	g_string_chunk_free(index->texts);
	g_string_free(index->text, TRUE);
	g_free(index);
}

/* Returns the group of a cell, adding it if new. */
static uint32_t group_index_of(GroupIndex *index, const ProfileCell *cell)
{
	if (index->key->interrupts_apart && cell->context != KMT_CONTEXT_TASK)
		return group_of_interrupt(index, cell->context);
	return group_of_member(index, member_of(index, cell));
}

static const char *label_of(GroupIndex *index, Group *group)
{
	if (group->label)
		return group->label;
	g_string_truncate(index->text, 0);
	index->key->label(index->naming, group->newest, index->text);
	group->label = g_string_chunk_insert(index->texts, index->text->str);
	return group->label;
}

guint group_index_count(const GroupIndex *index)
{
	return index->groups->len;
}

unsigned group_index_context(const GroupIndex *index, uint32_t id)
{
	const Group *group = &g_array_index(index->groups, Group, id);

	hot_assert(id < index->groups->len);
	return group->identity ? KMT_CONTEXT_TASK : group->newest;
}

uint32_t group_index_member(const GroupIndex *index, uint32_t id)
{
	hot_assert(id < index->groups->len);
	return g_array_index(index->groups, Group, id).newest;
}

void group_index_append_label(GroupIndex *index, uint32_t id, GString *out)
{
	Group *group = &g_array_index(index->groups, Group, id);

	hot_assert(id < index->groups->len);
	if (index->key->compare)
		index->key->label(index->naming, group->newest, out);
	else
		g_string_append(out, label_of(index, group));
}

int group_index_compare(GroupIndex *index, uint32_t a, uint32_t b)
{
	Group *group_a = &g_array_index(index->groups, Group, a);
	Group *group_b = &g_array_index(index->groups, Group, b);
	int order;

	hot_assert(a < index->groups->len && b < index->groups->len);
	if (index->key->compare)
		return index->key->compare(index->naming, group_a->newest, group_b->newest);
	order = strcmp(label_of(index, group_a), label_of(index, group_b));
	/* For processes with equal pid and name: older first. */
	return order ? order : (a > b) - (a < b);
}

uint32_t group_table_add(GroupTable *table, const ProfileCell *cell)
{
	GroupRow row = { .groups = { 0 } };
	uint32_t hash, at, id;

	for (guint i = 0; table->indexes[i]; i++)
		row.groups[i] = group_index_of(table->indexes[i], cell);
	hash = (uint32_t)keyed_hash(row.groups, sizeof(row.groups));
	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!memcmp(group_table_row(table, id)->groups, row.groups, sizeof(row.groups)))
			break;
	if (id == SLOT_ID_NONE) {
		row.number = id = table->rows->len;
		g_array_append_val(table->rows, row);
		slot_table_put(&table->slots, hash, at, id);
	}
	hot_assert(id < table->rows->len);
	cell_add_sums(table->source, cell, &g_array_index(table->rows, GroupRow, id).sums);
	return id;
}
