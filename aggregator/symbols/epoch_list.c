/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items sorted by the epoch from which on they hold. A lookup is a binary search. symbol_store.c
 * and code_objects.c keep their epochs in it.
 */
#include "symbols/epoch_list.h"

#include "base/hot_assert.h"
#include "base/sorted.h"

enum { EPOCHS_MAX = 4096 };

struct EpochList {
	GArray *epochs;   /* (element-type uint64_t), owned, ascending */
	GPtrArray *items; /* owned, in the same order */
};

EpochList *epoch_list_new(GDestroyNotify free_item)
{
	EpochList *list = g_new0(EpochList, 1);

	list->epochs = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	list->items = g_ptr_array_new_with_free_func(free_item);
	return list;
}

void epoch_list_free(EpochList *list)
{
	if (!list)
		return;
	g_array_unref(list->epochs);
	g_ptr_array_unref(list->items);
	g_free(list);
}

/* Returns how many epochs there are up to this one. */
static guint epochs_until(const EpochList *list, uint32_t epoch)
{
	return sorted_until(list->epochs, sizeof(uint64_t), 0, epoch);
}

gpointer epoch_list_find(const EpochList *list, uint32_t epoch)
{
	guint until = epochs_until(list, epoch);

	return until ? epoch_list_item(list, until - 1) : NULL;
}

gpointer epoch_list_get(const EpochList *list, uint32_t epoch)
{
	guint until = epochs_until(list, epoch);

	return until && g_array_index(list->epochs, uint64_t, until - 1) == epoch
		       ? epoch_list_item(list, until - 1)
		       : NULL;
}

bool epoch_list_is_full(const EpochList *list)
{
	return list->epochs->len == EPOCHS_MAX;
}

void epoch_list_add(EpochList *list, uint32_t epoch, gpointer item)
{
	guint until = epochs_until(list, epoch);
	uint64_t added = epoch;

	g_array_insert_val(list->epochs, until, added);
	g_ptr_array_insert(list->items, (gint)until, item);
}

guint epoch_list_count(const EpochList *list)
{
	return list->items->len;
}

gpointer epoch_list_item(const EpochList *list, guint index)
{
	hot_assert(index < list->items->len);
	return g_ptr_array_index(list->items, index);
}
