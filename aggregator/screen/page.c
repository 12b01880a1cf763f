/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page as three lists of lines; scrolls, becomes text, and is saved to a new file; texts that are
 * cut, or padded, to columns of a terminal. The views fill pages, terminal.c draws them.
 */
#include "screen/page.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

static void line_clear(gpointer data)
{
	PageLine *line = data;

	g_free(line->text);
}

static GArray *part_new(void)
{
	GArray *part = g_array_new(FALSE, FALSE, sizeof(PageLine));

	g_array_set_clear_func(part, line_clear);
	return part;
}

Page *page_new(void)
{
	Page *page = g_new0(Page, 1);

	page->head = part_new();
	page->body = part_new();
	page->foot = part_new();
	page->selected = page->cursor = -1;
	return page;
}

void page_free(Page *page)
{
	g_array_unref(page->head);
	g_array_unref(page->body);
	g_array_unref(page->foot);
	g_free(page);
}

void page_add(GArray *part, PageLook look, char *text)
{
	PageLine line = { .text = text, .look = look };

	g_array_append_val(part, line);
}

guint page_scroll(const Page *page, guint before, guint lines)
{
	guint first_max = page->body->len > lines ? page->body->len - lines : 0;
	guint first = MIN(before, first_max);

	if (page->selected < 0 || !lines)
		return first;
	if ((guint)page->selected < first)
		return (guint)page->selected;
	if ((guint)page->selected >= first + lines)
		return (guint)page->selected - lines + 1;
	return first;
}

static void append_part(GString *out, const GArray *part)
{
	for (guint i = 0; i < part->len; i++) {
		const PageLine *line = &g_array_index(part, PageLine, i);

		if (line->look == LOOK_KEYS || line->look == LOOK_SAYING)
			continue;
		g_string_append(out, line->text);
		while (out->len && out->str[out->len - 1] == ' ')
			g_string_truncate(out, out->len - 1);
		g_string_append_c(out, '\n');
	}
}

char *page_text(const Page *page)
{
	GString *out = g_string_new(NULL);

	append_part(out, page->head);
	append_part(out, page->body);
	append_part(out, page->foot);
	return g_string_free(out, FALSE);
}

static bool page_fail(const char *path, GError **error)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "%s: not written: %s", path,
		    g_strerror(errno));
	return false;
}

bool page_save(const Page *page, const char *path, GError **error)
{
	g_autofree char *text = page_text(page);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool is_written;

	if (!file)
		return page_fail(path, error);
	is_written = fputs(text, file) >= 0;
	is_written &= !fclose(file);
	return is_written || page_fail(path, error);
}

/* A character of a text, as shown. */
typedef struct {
	const char *bytes;
	gsize length;     /* in bytes */
	unsigned columns; /* 1 or 2 */
	const char *next; /* the text after it */
} Shown;

static Shown shown_at(const char *text, bool utf8)
{
	gunichar character = g_utf8_get_char_validated(text, -1);
	bool is_valid = character < (gunichar)-2;
	int columns = is_valid ? wcwidth((wchar_t)character) : -1;
	gsize length = is_valid ? (gsize)(g_utf8_find_next_char(text, NULL) - text) : 1;

	if (columns < 1 || (!utf8 && character > '~'))
		return (Shown){ "?", 1, 1, text + length };
	return (Shown){ text, length, (unsigned)columns, text + length };
}

unsigned fit_columns(const char *text, bool utf8)
{
	unsigned columns = 0;

	while (*text) {
		Shown shown = shown_at(text, utf8);

		columns += shown.columns;
		text = shown.next;
	}
	return columns;
}

unsigned fit_cut(GString *out, const char *text, unsigned width, bool utf8)
{
	bool is_cut = fit_columns(text, utf8) > width;
	unsigned room = is_cut && width ? width - 1 : width, taken = 0;

	while (*text) {
		Shown shown = shown_at(text, utf8);

		if (taken + shown.columns > room)
			break;
		g_string_append_len(out, shown.bytes, (gssize)shown.length);
		taken += shown.columns;
		text = shown.next;
	}
	if (is_cut && width) {
		g_string_append_c(out, '~');
		taken++;
	}
	return taken;
}

static void append_spaces(GString *out, unsigned count)
{
	g_string_append_printf(out, "%*s", (int)count, "");
}

void fit_left(GString *out, const char *text, unsigned width, bool utf8)
{
	append_spaces(out, width - fit_cut(out, text, width, utf8));
}

/* Returns a number with fewer characters: with its unit letter, and three significant digits if
   there is room; the text unchanged if it is not a number. The caller frees it. */
static char *fit_shorter(const char *text, unsigned width)
{
	const char *mark = *text == '~' ? "~" : "";
	g_auto(GStrv) groups = g_strsplit(text + strlen(mark), ",", -1);
	g_autofree char *digits = g_strjoinv("", groups), *with_part = NULL;
	static const char units[] = "kMGTPE";
	size_t unit = 0;
	char *end;
	double value = (double)g_ascii_strtoll(digits, &end, 10);

	if (!*digits || *end || ABS(value) < 1000)
		return g_strdup(text);
	/* A number that would be shown as 1000 gets the next unit. */
	for (value /= 1000; ABS(value) >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	with_part = g_strdup_printf("%s%.1f%c", mark, value, units[unit]);
	if (ABS(value) < 9.95 || (ABS(value) < 99.95 && strlen(with_part) <= width))
		return g_steal_pointer(&with_part);
	return g_strdup_printf("%s%.0f%c", mark, value, units[unit]);
}

void fit_number(GString *out, const char *text, unsigned width, bool utf8)
{
	g_autofree char *fitting =
		fit_columns(text, utf8) > width ? fit_shorter(text, width) : NULL;
	g_autoptr(GString) cut = g_string_new(NULL);

	append_spaces(out, width - fit_cut(cut, fitting ? fitting : text, width, utf8));
	g_string_append(out, cut->str);
}
