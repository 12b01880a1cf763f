/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts with their positions in a page, in a hash table. page_data.c and page_diff.c write these
 * positions instead of texts.
 */
#include "render/picture/page_names.h"

#include "base/keyed_hash.h"

PageNames *page_names_new(void)
{
	PageNames *names = g_new0(PageNames, 1);

	names->numbers = g_hash_table_new(keyed_hash_text, g_str_equal);
	names->texts = g_ptr_array_new_with_free_func(g_free);
	return names;
}

void page_names_free(PageNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->numbers);
	g_ptr_array_unref(names->texts);
	g_free(names);
}

guint page_names_add(PageNames *names, const char *text)
{
	gpointer number;
	char *copy;

	text = text ? text : "";
	if (g_hash_table_lookup_extended(names->numbers, text, NULL, &number))
		return GPOINTER_TO_UINT(number);
	copy = g_strdup(text);
	g_hash_table_insert(names->numbers, copy, GUINT_TO_POINTER(names->texts->len));
	g_ptr_array_add(names->texts, copy);
	return names->texts->len - 1;
}
