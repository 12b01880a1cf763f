/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"

/*
 * A comma-separated list of literal texts. Empty items are ignored, so a list of only commas is
 * empty and matches nothing.
 */
char **item_list_parse(const char *list);

/* Whether the text contains any of the items. */
bool item_list_occurs(char *const *items, const char *text);

/* Shared by the filters with a list. The state is the list; every text is a valid one. */
bool item_list_prepare(Filter *filter, GError **error);
void item_list_dispose(void *state);
