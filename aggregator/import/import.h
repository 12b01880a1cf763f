/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import_text.h"
#include "session/session.h"

/*
 * Importers read text formats of other tools and count their stacks as text: frames keep their
 * original names, lines end with '\n', nothing is escaped yet.
 *
 * To add one, add a file with such a table, a line in import_types.c, a corpus folder for its fuzz
 * target, and a golden test.
 */
typedef struct {
	const char *name;       /* "the Perl tool's stream" */
	bool takes_any_lines;   /* around its stacks: texts of other tools may look like this */
	bool is_silent_of_loss; /* its tool may lose events without reporting it */
	/* Whether the first bytes of an input (up to IMPORT_SNIFF_BYTES) look like this format. */
	bool (*recognises)(const char *text, size_t length);
	/* The same, if the user named the format; NULL: as above. */
	bool (*accepts)(const char *text, size_t length);
	/* Whether anything of the format was read, if a text of any length may come before it and
	   the user named the format; NULL: `accepts` decides. */
	bool (*has_read)(const void *state);
	bool is_held;           /* it has what is held, no events */
	size_t state_bytes;     /* of the state of an input, which begins with an Import */
	size_t piece_bytes_max; /* with `consume`: the largest piece that may be cut anywhere */
	/* Sets what the state has beyond its Import and zeros; NULL: nothing. */
	void (*begin)(void *state);
	/* Takes a line, without its newline and trailing blanks. Its stacks go to import_count(),
	   what is held to import_take_held(). */
	void (*line)(void *state, const char *line, size_t length);
	/* The same for a text that does not consist of lines; NULL: it does. */
	ImportConsumer consume;
	/* Ends the input, perhaps in the middle of a stack, and frees what `begin` made; NULL:
	   nothing to do. */
	void (*end)(void *state);
} ImportType;

/* An input that is being imported. */
typedef struct {
	const ImportType *type;
	Session *session;
	ImportCarry carry;
	GString *stack;      /* frame lines so far */
	bool in_long_line;   /* the beginning of this line was already skipped */
	uint64_t unreadable; /* lines, also those of a record that is incomplete at the end */
} Import;

/* Begins an input; the caller frees it with import_finish(). */
Import *import_begin(const ImportType *type, Session *session);

/* Processes the next bytes, in chunks of any size. Keeps unfinished text, up to a bound. */
void import_feed(Import *import, const char *text, size_t length);

/* Ends the input and frees it. Returns the number of unreadable lines. */
uint64_t import_finish(Import *import);

enum { IMPORT_SNIFF_BYTES = 65536 };

/* How importers pass on what they read. A stack is that of a traced function: frames of tracers
   above it are dropped first (symbols/known_functions.h), unless nothing else is left. */

/* Counts the events of an imported stack, except inner events of large kmallocs
   (record/inner_kmallocs.h): other tracers print them as well. */
void import_count(Session *session, const EventText *events);

/* Takes held objects from a record of the kernel. */
void import_take_held(Session *session, const HeldObjects *objects);

/*
 * Returns the page size of the kernel that a text is from, in bytes: that of --page-size, or the
 * one that the architecture and the release in its header imply, or the usual one. Sets it as
 * KMT_FIELD_PAGE_BYTES, and whether it is only assumed. Importers call this when the size matters.
 */
uint64_t import_page_bytes(Session *session);
