/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "html": the page's template with inserts from a table; its policy allows only the
 * scripts in it, by hash.
 */
#include "render/picture/render_picture.h"

#include "render/picture/page_data.h"
#include "render/picture/page_plain.h"
#include "render/picture/page_texts.h"

#include <string.h>

enum { SHA256_BYTES = 32 };

/* Appends 'sha256-...', which allows an element with this content and no other. */
static void append_hash(GString *out, const char *content)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[SHA256_BYTES];
	gsize length = sizeof(digest);
	g_autofree char *base64 = NULL;

	g_checksum_update(checksum, (const guchar *)content, (gssize)strlen(content));
	g_checksum_get_digest(checksum, digest, &length);
	base64 = g_base64_encode(digest, length);
	g_string_append_printf(out, "'sha256-%s'", base64);
}

/* The page may not load anything, and run no script but its own. */
static void write_policy(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) policy = g_string_new("default-src 'none'; script-src ");

	(void)model;
	append_hash(policy, page_js);
	g_string_append(policy, "; style-src ");
	append_hash(policy, page_css);
	g_string_append(policy, "; base-uri 'none'; form-action 'none'");
	fputs(policy->str, out);
}

static void write_style(const ReportModel *model, FILE *out)
{
	(void)model;
	fputs(page_css, out);
}

static void write_script(const ReportModel *model, FILE *out)
{
	(void)model;
	fputs(page_js, out);
}

static void write_title(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) title = g_string_new(NULL);

	page_append_title(model, title);
	fputs(title->str, out);
}

static void write_plain(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	page_append_plain(model, text);
	fputs(text->str, out);
}

/* What replaces @NAME@ in the page. */
static const struct {
	const char *name;
	void (*write)(const ReportModel *model, FILE *out);
} inserts[] = {
	{ "@policy@", write_policy }, { "@title@", write_title },    { "@style@", write_style },
	{ "@plain@", write_plain },   { "@data@", page_data_write }, { "@script@", write_script },
};

/* Writes the insert that the text begins with. Returns the length of its name; 0: there is none. */
static gsize write_insert(const ReportModel *model, const char *text, FILE *out)
{
	for (gsize i = 0; i < G_N_ELEMENTS(inserts); i++)
		if (g_str_has_prefix(text, inserts[i].name)) {
			inserts[i].write(model, out);
			return strlen(inserts[i].name);
		}
	return 0;
}

void render_html(const ReportModel *model, FILE *out)
{
	const char *rest = page_html;

	while (*rest) {
		gsize plain = strcspn(rest, "@");
		gsize inserted;

		fwrite(rest, 1, plain, out);
		rest += plain;
		inserted = *rest ? write_insert(model, rest, out) : 0;
		if (*rest && !inserted)
			fputc(*rest++, out);
		rest += inserted;
	}
}
