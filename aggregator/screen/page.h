/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A page is what a view has to show, as lines of text: the head and the foot stay where they are,
 * the body is scrolled. It knows no terminal.
 */
typedef enum {
	LOOK_PLAIN,
	LOOK_STATE,  /* how the program is doing */
	LOOK_TITLE,  /* of the columns below */
	LOOK_SAYING, /* something has happened */
	LOOK_SUM,
	LOOK_KEYS,
} PageLook;

typedef struct {
	char *text;
	PageLook look;
} PageLine;

typedef struct {
	GArray *head; /* (element-type PageLine) */
	GArray *body;
	GArray *foot;
	int selected; /* line of the body; -1: none */
	int cursor;   /* the column in the last line where something is typed; -1: nowhere */
} Page;

Page *page_new(void);
void page_free(Page *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Page, page_free)

/* Adds a line to a part of a page; the text is taken over. */
void page_add(GArray *part, PageLook look, char *text);

/* Returns the first line of the body to show in so many lines, which moves no further than it must
   from the one shown before for the selected one to be seen. */
guint page_scroll(const Page *page, guint before, guint lines);

/* Returns the page as a text of all its lines without the keys' and without spaces at their ends.
 */
char *page_text(const Page *page);

/* Writes that text into a new file that only its owner can read; one that exists is not touched.
   Returns false with error set. */
bool page_save(const Page *page, const char *path, GError **error);
