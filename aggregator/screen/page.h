/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A page is the content of a view as lines of text. The head and the foot are fixed, the body
 * scrolls. It is independent of the terminal.
 */
typedef enum {
	LOOK_PLAIN,
	LOOK_STATE,  /* state of the program */
	LOOK_TITLE,  /* titles of the columns */
	LOOK_SAYING, /* a message about an event */
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
	int selected; /* selected line of the body; -1: none */
	int cursor;   /* column of the text cursor in the last line; -1: none */
} Page;

/* Returns a new one; free it with page_free(). */
Page *page_new(void);
void page_free(Page *page);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Page, page_free)

/* Adds a line to a part of a page; takes ownership of the text. */
void page_add(GArray *part, PageLook look, char *text);

/* Returns the first line of the body to show in that many lines. It moves from the previous one
   only as far as needed to show the selected line. */
guint page_scroll(const Page *page, guint before, guint lines);

/* Returns all lines of the page as text, without the line of keys and without trailing spaces. */
char *page_text(const Page *page);

/* Writes that text to a new file that only its owner can read; never overwrites a file. Returns
   false with error set. */
bool page_save(const Page *page, const char *path, GError **error);

/*
 * Fits text into columns of a terminal. Characters that the terminal cannot show, or that have no
 * column of their own, become "?"; without utf8, all except ASCII.
 */

/* Appends as much of the text as fits; a cut text ends with "~". Returns the columns used. */
unsigned fit_cut(GString *out, const char *text, unsigned width, bool utf8);

/* The same, padded with spaces to the width after the text. */
void fit_left(GString *out, const char *text, unsigned width, bool utf8);

/* Appends a whole number, "~108,408,299", after spaces. One that does not fit is shown without
   separators or in thousands, "~108M", and not cut. */
void fit_number(GString *out, const char *text, unsigned width, bool utf8);

/* Returns the number of columns of the whole text. */
unsigned fit_columns(const char *text, bool utf8);
