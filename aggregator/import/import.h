/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Importers read the text formats that people already have, and count their stacks by text:
 * frames keep the names they came with, lines end with '\n', nothing is escaped yet.
 *
 * To add one: a file with such a table, a line in import_types.c, a corpus folder for its fuzz
 * target, a golden test.
 */
typedef struct {
	const char *name;       /* "the Perl tool's stream" */
	bool is_silent_of_loss; /* its tool may lose events, and the text does not say so */
	/* Whether the first bytes of an input (up to IMPORT_SNIFF_BYTES) look like this format. */
	bool (*recognises)(const char *text, size_t length);
	/* Returns the state of an input, whose stacks go to session_take_text(). */
	void *(*begin)(Session *session);
	/* Reads the next bytes, cut anywhere; what they leave unfinished is kept, bounded. */
	void (*feed)(void *state, const char *text, size_t length);
	/* Ends the input and frees the state. Returns how many lines could not be read, those of
	   a record that the end cut off included. */
	uint64_t (*finish)(void *state);
} ImportType;

enum { IMPORT_SNIFF_BYTES = 65536 };

/* All formats, ended by NULL, the most specific first. */
extern const ImportType *const import_types[];

/* Returns the format of an input that begins like this, or NULL. */
const ImportType *import_type_recognise(const char *text, size_t length);
