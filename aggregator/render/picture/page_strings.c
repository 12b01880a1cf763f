/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings of pages: escapes in HTML and of JSON in a script element, through which everything from
 * outside goes; and each text once, with its position, which page_data.c and page_tables.c write
 * instead of it.
 */
#include "render/picture/page_strings.h"

#include "base/keyed_hash.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
	const char *bytes;
	const char *escaped;
} Escape;

static const Escape escapes[] = {
	{ "<", "\\u003c" },
	{ ">", "\\u003e" },
	{ "&", "\\u0026" },
	{ "\xe2\x80\xa8", "\\u2028" },
	{ "\xe2\x80\xa9", "\\u2029" },
};

void page_append_text(GString *out, const char *text)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append(out, escaped);
}

/* Returns the escape of what the text begins with, or NULL. */
static const Escape *find_escape(const char *text, gsize length)
{
	for (gsize i = 0; i < G_N_ELEMENTS(escapes); i++) {
		gsize bytes = strlen(escapes[i].bytes);

		if (bytes <= length && !memcmp(text, escapes[i].bytes, bytes))
			return &escapes[i];
	}
	return NULL;
}

void page_write_json(FILE *out, const char *json, gsize length)
{
	gsize start = 0;

	for (gsize i = 0; i < length; i++) {
		bool is_suspect =
			json[i] == '<' || json[i] == '>' || json[i] == '&' || json[i] == '\xe2';
		const Escape *escape = is_suspect ? find_escape(json + i, length - i) : NULL;

		if (!escape)
			continue;
		fwrite(json + start, 1, i - start, out);
		fputs(escape->escaped, out);
		i += strlen(escape->bytes) - 1;
		start = i + 1;
	}
	fwrite(json + start, 1, length - start, out);
}

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
