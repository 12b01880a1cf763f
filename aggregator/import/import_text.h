/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Functions shared by the importers: joining input that arrives in pieces, and parsing parts of a
 * line. The text is not trusted: lengths are explicit, NULs are ordinary bytes.
 */

/*
 * Reads as much as possible of a text and returns the number of bytes used. The rest is passed
 * again with more text after it. If full is set, no more text follows, and at least one byte must
 * be used.
 */
typedef size_t (*ImportConsumer)(void *state, const char *text, size_t length, bool full);

/* Keeps the text that a consumer has not used, at most bytes_max. */
typedef struct {
	ImportConsumer consume;
	void *state;
	GString *rest;
	size_t bytes_max;
} ImportCarry;

/* Begins a text, and takes a part of it. state is the consumer's. */
void import_carry_init(ImportCarry *carry, size_t bytes_max, ImportConsumer consume, void *state);
void import_carry_feed(ImportCarry *carry, const char *text, size_t length);

/* Ends the text, as if by a newline, and frees the kept text. */
void import_carry_finish(ImportCarry *carry);

/* The rest of a line, or of a text. If a function that takes something returns false, the cursor is
   unchanged. */
typedef struct {
	const char *at;
	const char *end;
} Cursor;

/*
 * Takes the next line of a text, without its end, trailing blanks, and what a terminal echoed
 * before it: of a program that was ended by Ctrl-C, the first line begins with "^C".
 */
bool import_next_line(Cursor *rest, Cursor *line);

/* Returns the number of bytes that a terminal echoed at the start of a line: "^C^C". */
size_t import_echo_bytes(const char *line, size_t length);

/* Whether one of the first lines of a text passes the test; none does in a text with NULs. */
enum { IMPORT_ALL_LINES = 0, IMPORT_FIRST_LINES = 64 };
bool import_any_line(const char *text, size_t length, unsigned lines_max,
		     bool (*test)(const char *line, size_t length));

/* Whether a line begins with a literal. */
bool import_begins(const char *line, size_t length, const char *literal);

/* Finds the end of the line that starts at text; NULL: not in the text. */
const char *import_line_end(const char *text, const char *end);

/* Finds the last occurrence of a text in another; NULL: none. */
const char *import_find_last(const char *text, size_t length, const char *sought);

/* Copies the name of a process, at most KMT_COMM_BYTES, up to its first NUL. */
void import_copy_comm(char *to, const char *name, size_t length);

/* Returns the length without trailing blanks and carriage returns. */
size_t import_trimmed(const char *line, size_t length);

/* Returns a cursor over a text, which is borrowed; and whether a cursor is at its end. */
Cursor cursor_over(const char *text, size_t length);
bool cursor_at_end(const Cursor *cursor);
/* Skips blanks and tabs; returns whether there were any. */
bool cursor_skip_blanks(Cursor *cursor);
bool cursor_take(Cursor *cursor, const char *literal);
bool cursor_take_decimal(Cursor *cursor, uint64_t *value);
bool cursor_take_hex(Cursor *cursor, uint64_t *value, unsigned *digits);
/* Skips " (sampled, +-3.1 %)", which reports print after estimates. Returns whether it was there.
 */
bool cursor_skip_margin(Cursor *cursor);
/* Takes everything up to the next blank, tab or end. */
bool cursor_take_word(Cursor *cursor, const char **word, size_t *length);
