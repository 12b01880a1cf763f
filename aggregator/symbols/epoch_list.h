/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * EpochList has an item for each symbol epoch that was announced: what holds from that epoch on,
 * until the next one. The number of epochs is bounded, for streams with endless new symbols.
 */
typedef struct EpochList EpochList;

/* Returns an empty list that frees its items so. */
EpochList *epoch_list_new(GDestroyNotify free_item);
void epoch_list_free(EpochList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EpochList, epoch_list_free)

/* Returns the item of exactly this epoch; NULL: it was not announced. */
gpointer epoch_list_get(const EpochList *list, uint32_t epoch);

/* Returns the item of this epoch, or of the last one announced before it; NULL: there is none. */
gpointer epoch_list_find(const EpochList *list, uint32_t epoch);

/* Whether there is no room for another epoch. */
bool epoch_list_is_full(const EpochList *list);

/* Adds an item, which the list owns from then on, for an epoch that has none. The list must not be
   full. */
void epoch_list_add(EpochList *list, uint32_t epoch, gpointer item);

/* Return how many epochs there are, and their items in the order of the epochs. */
guint epoch_list_count(const EpochList *list);
gpointer epoch_list_item(const EpochList *list, guint index);
