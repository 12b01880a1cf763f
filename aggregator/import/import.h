/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

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
	/* Returns the state of an input. Its stacks go to session_take_text(). */
	void *(*begin)(Session *session);
	/* Processes the next bytes, in chunks of any size. Keeps unfinished text, up to a bound. */
	void (*feed)(void *state, const char *text, size_t length);
	/* Ends the input and frees the state. Returns the number of unreadable lines, including
	   those of a record that is incomplete at the end. */
	uint64_t (*finish)(void *state);
} ImportType;

enum { IMPORT_SNIFF_BYTES = 65536 };

/* All formats, NULL-terminated, the most specific first. */
extern const ImportType *const import_types[];

/* Returns the format of an input that begins with this text, or NULL. */
const ImportType *import_type_recognise(const char *text, size_t length);
