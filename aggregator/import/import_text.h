/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the importers share: joining input that arrives in pieces, and reading small things from
 * one line. Nothing here trusts the text: lengths are explicit, NULs are ordinary bytes.
 */

/*
 * Reads what it can of a text and returns how many bytes it used. What it leaves comes again with
 * more behind it. With full set there will not be more, and it must use at least one byte.
 */
typedef size_t (*ImportConsumer)(void *state, const char *text, size_t length, bool full);

/* Keeps what a consumer left unused; at most bytes_max. */
typedef struct {
	ImportConsumer consume;
	void *state;
	GString *rest;
	size_t bytes_max;
} ImportCarry;

void import_carry_init(ImportCarry *carry, size_t bytes_max, ImportConsumer consume, void *state);
void import_carry_feed(ImportCarry *carry, const char *text, size_t length);

/* Ends the text, as if by a newline, and frees what was kept. */
void import_carry_finish(ImportCarry *carry);

/* Cuts a carried text into lines; a line that is longer than the carry's bound is unreadable. */
typedef struct {
	ImportCarry carry;
	/* Called for each line, without its newline and trailing blanks. */
	void (*line)(void *state, const char *line, size_t length);
	void *state;
	bool in_long_line;
	uint64_t too_long; /* lines that were skipped */
} ImportLines;

void import_lines_init(ImportLines *lines, void (*line)(void *, const char *, size_t), void *state);
void import_lines_feed(ImportLines *lines, const char *text, size_t length);
void import_lines_finish(ImportLines *lines);

/* Finds the end of the line that starts at text; NULL when it has none. */
const char *import_line_end(const char *text, const char *end);

/* The length without trailing blanks and carriage returns. */
size_t import_trimmed(const char *line, size_t length);

/* The rest of a line. A function below that returns false leaves it as it was. */
typedef struct {
	const char *at;
	const char *end;
} Cursor;

Cursor cursor_over(const char *text, size_t length);
bool cursor_at_end(const Cursor *cursor);
/* Skips blanks and tabs; returns whether there were any. */
bool cursor_skip_blanks(Cursor *cursor);
bool cursor_take(Cursor *cursor, const char *literal);
bool cursor_take_decimal(Cursor *cursor, uint64_t *value);
bool cursor_take_hex(Cursor *cursor, uint64_t *value, unsigned *digits);
/* Skips " (sampled, +-3.1 %)", which reports have behind an estimate; returns whether it was there.
 */
bool cursor_skip_margin(Cursor *cursor);
/* Takes everything up to the next blank, tab or end. */
bool cursor_take_word(Cursor *cursor, const char **word, size_t *length);
