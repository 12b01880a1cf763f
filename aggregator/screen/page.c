/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page as three lists of lines; scrolls, becomes text, and is saved to a new file. The views fill
 * it, terminal.c draws it.
 */
#include "screen/page.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <unistd.h>

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
