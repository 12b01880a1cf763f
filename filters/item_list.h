/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * A comma-separated list of literal texts. Empty items are ignored, so a list of only commas is
 * empty and matches nothing.
 */
char **item_list_parse(const char *list);

/* Whether the text contains any of the items. */
bool item_list_occurs(char *const *items, const char *text);
