/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes of texts in HTML and of JSON in a script element. Everything from outside goes through
 * here.
 */
#include "render/picture/page_escape.h"

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
