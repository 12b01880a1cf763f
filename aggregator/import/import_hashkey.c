/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of the Perl tool's stream. It works on bytes instead of lines: an incomplete record
 * is carried over to the next piece of input, bounded by its largest size.
 */
#include "import/import.h"
#include "import/import_types.h"

#include <string.h>

/*
 * The stream of SystemTap's Perl example kmalloc-top:
 *
 *	<hashkey>
 *	 0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 *	</hashkey>
 *	<hashval>12</hashval>
 *
 * The text between the tags is the stack, whatever its content. It is not parsed by lines: the next
 * tag line ends the stack, and the whole text is its key.
 */

enum {
	STACK_BYTES_MAX = 256 * 1024,
	COUNT_LINE_BYTES_MAX = 64, /* "<hashval>", a number, "</hashval>" */
	RECORD_BYTES_MAX = STACK_BYTES_MAX + 2 * COUNT_LINE_BYTES_MAX,
};

/* Whether the record that starts here is complete. */
typedef enum { RECORD_WHOLE, RECORD_CUT, RECORD_BROKEN } RecordExtent;

typedef struct {
	const char *stack;
	size_t stack_bytes;
	uint64_t count;
	const char *next; /* the record's end, or the position of the error */
} HashkeyRecord;

/* A record, perhaps behind the "^C" of a terminal. */
static Cursor record_at(const char *line, const char *end)
{
	size_t length = (size_t)(end - line);
	size_t echo = import_echo_bytes(line, length);

	return cursor_over(line + echo, length - echo);
}

static bool take_newline(Cursor *cursor)
{
	return cursor_take(cursor, "\n") || cursor_take(cursor, "\r\n");
}

/* Whether the text at the cursor matches the literal, as far as it is available. */
static bool may_begin(const Cursor *cursor, const char *literal)
{
	size_t length = MIN(strlen(literal), (size_t)(cursor->end - cursor->at));

	return memcmp(cursor->at, literal, length) == 0;
}

/* Moves to the next tag line: "</hashkey>" ends the stack, "<hashkey>" breaks it. A stack above all
   bounds is broken at its start. */
static RecordExtent find_stack_end(Cursor *cursor)
{
	const char *at = cursor->at;
	const char *end = cursor->end;
	bool bounded = end - at > STACK_BYTES_MAX;

	if (bounded)
		end = at + STACK_BYTES_MAX;
	for (; at < end && (at = memchr(at, '<', (size_t)(end - at))); at++) {
		Cursor tag = cursor_over(at, (size_t)(cursor->end - at));
		bool closes = cursor_take(&tag, "</hashkey>");

		if (at[-1] != '\n' || !(closes || cursor_take(&tag, "<hashkey>")))
			continue;
		cursor->at = at;
		return closes ? RECORD_WHOLE : RECORD_BROKEN;
	}
	return bounded ? RECORD_BROKEN : RECORD_CUT;
}

/* Reads "</hashkey>", the line with the count, and their newlines. */
static RecordExtent read_count(Cursor *cursor, uint64_t *count)
{
	const char *newline;
	size_t line_bytes;

	cursor_take(cursor, "</hashkey>");
	if (!take_newline(cursor))
		return may_begin(cursor, "\r\n") ? RECORD_CUT : RECORD_BROKEN;
	if (!may_begin(cursor, "<hashval>"))
		return RECORD_BROKEN;
	line_bytes = MIN((size_t)(cursor->end - cursor->at), (size_t)COUNT_LINE_BYTES_MAX);
	newline = import_line_end(cursor->at, cursor->at + line_bytes);
	if (!newline)
		return line_bytes < COUNT_LINE_BYTES_MAX ? RECORD_CUT : RECORD_BROKEN;
	if (cursor_take(cursor, "<hashval>") && cursor_take_decimal(cursor, count) &&
	    cursor_take(cursor, "</hashval>") && take_newline(cursor))
		return RECORD_WHOLE;
	cursor->at = newline + 1;
	return RECORD_BROKEN;
}

/* The cursor is after the first line of the record. */
static RecordExtent read_record(Cursor *cursor, HashkeyRecord *record)
{
	RecordExtent extent;

	record->stack = cursor->at;
	extent = find_stack_end(cursor);
	record->stack_bytes = (size_t)(cursor->at - record->stack);
	if (extent == RECORD_WHOLE)
		extent = read_count(cursor, &record->count);
	record->next = cursor->at;
	return extent;
}

/* Without carriage returns at the ends of lines. */
static void count_record(Import *import, const HashkeyRecord *record)
{
	const char *stack = record->stack;
	size_t length = record->stack_bytes;

	if (memchr(stack, '\r', length)) {
		g_string_truncate(import->stack, 0);
		for (const char *at = stack; at < stack + length; at++)
			if (*at != '\r' || at + 1 == stack + length || at[1] != '\n')
				g_string_append_c(import->stack, *at);
		stack = import->stack->str;
		length = import->stack->len;
	}
	import_count(import->session, &(EventText){
					      .text = stack,
					      .length = (uint32_t)length,
					      .weight = record->count,
				      });
}

static uint64_t lines_of(const char *text, const char *end)
{
	uint64_t lines = 0;

	while (text < end) {
		const char *newline = import_line_end(text, end);

		lines++;
		text = newline ? newline + 1 : end;
	}
	return lines;
}

/* Skips a line outside of records. Returns NULL if its end is not available yet. */
static const char *skip_line(Import *import, const char *at, const char *end, bool full)
{
	const char *newline = import_line_end(at, end);
	const char *line_end = newline ? newline : end;

	if (!newline && !full)
		return NULL;
	if (!import->in_long_line && import_trimmed(at, (size_t)(line_end - at)) > 0)
		import->unreadable++;
	import->in_long_line = !newline;
	return newline ? newline + 1 : end;
}

/* Reads one record, or one line between records. Returns NULL if its end is not available yet. */
static const char *consume_one(Import *import, const char *at, const char *end, bool full)
{
	Cursor cursor = record_at(at, end);
	HashkeyRecord record;

	if (import->in_long_line || !cursor_take(&cursor, "<hashkey>") || !take_newline(&cursor))
		return skip_line(import, at, end, full);
	switch (read_record(&cursor, &record)) {
	case RECORD_WHOLE:
		count_record(import, &record);
		return record.next;
	case RECORD_BROKEN:
		import->unreadable += lines_of(at, record.next);
		return record.next;
	case RECORD_CUT:
		break;
	}
	return full ? skip_line(import, at, end, full) : NULL;
}

static size_t hashkey_consume(void *data, const char *text, size_t length, bool full)
{
	Import *import = data;
	const char *at = text;
	const char *end = text + length;

	while (at < end) {
		const char *next = consume_one(import, at, end, full && at == text);

		if (!next)
			break;
		at = next;
	}
	return (size_t)(at - text);
}

/* Recognises a complete record anywhere, or a first line and a frame if the first record is
   incomplete. */
static bool hashkey_recognises(const char *text, size_t length)
{
	const char *end = text + length;
	const char *next = NULL;

	for (const char *at = text; at && at < end; at = next) {
		Cursor cursor = record_at(at, end);
		HashkeyRecord record;
		RecordExtent extent;

		next = import_line_end(at, end);
		next = next ? next + 1 : NULL;
		if (!cursor_take(&cursor, "<hashkey>") || !take_newline(&cursor))
			continue;
		if (at == text && may_begin(&cursor, " 0x") && cursor.end - cursor.at >= 3)
			return true;
		extent = read_record(&cursor, &record);
		if (extent == RECORD_WHOLE)
			return true;
		/* The checked part contains no other first line. */
		next = extent == RECORD_CUT ? NULL : record.next;
	}
	return false;
}

const ImportType import_hashkey = {
	.name = "the Perl tool's stream",
	.recognises = hashkey_recognises,
	.state_bytes = sizeof(Import),
	.piece_bytes_max = RECORD_BYTES_MAX,
	.consume = hashkey_consume,
};
