/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* What happens to an option's value. */
typedef enum {
	OPTION_SECTION,         /* not an option: begins a part of the help text */
	OPTION_FLAG,            /* sets the bool at offset */
	OPTION_TEXT,            /* stores its value at offset */
	OPTION_NUMBER,          /* stores a whole number, an uint64_t, at offset */
	OPTION_NUMBER_32,       /* ... an uint32_t */
	OPTION_FILTER,          /* adds the filter with its name */
	OPTION_APPLY,           /* calls apply() */
	OPTION_OF_RUN = 1 << 4, /* a bit: about a live run, so it has no meaning with -i */
	OPTION_COMMON = 1 << 5, /* a bit: most people need it, so --help shows it without =all */
} OptionKind;

/* An option. Its argument is NULL if it takes none, in [] if it is optional. */
typedef struct {
	unsigned tools;  /* bits of ToolBit: the commands that have it */
	char short_name; /* 0: none */
	const char *long_name;
	const char *argument;
	const char *help; /* NULL: option_events_help() */
	unsigned kind;    /* OptionKind */
	size_t offset;    /* in Options */
	/* Stores the value. Returns false with error set if it is invalid. */
	bool (*apply)(Options *options, const char *value, GError **error);
	uint64_t min, max; /* of a number */
} OptionRow;

/*
 * Every option of the suite, in the order of the help text, ended by a row without name. A letter
 * has the same meaning in every command. If only the help differs, an option has a row for each
 * text.
 */
extern const OptionRow option_rows[];

/* Returns what happens to the value of an option. */
static inline unsigned option_row_kind(const OptionRow *row)
{
	return row->kind & ~(unsigned)(OPTION_OF_RUN | OPTION_COMMON);
}

/* Returns the text that an option stored, or NULL: none, or it stores no text. */
const char *option_row_text(const OptionRow *row, const Options *options);

/* Whether the row is an option of this tool. */
bool option_row_is_of(const OptionRow *row, const Tool *tool);

/* Returns the row of an option as the user wrote it, "-m" or "--min-count"; NULL if this tool has
   no such option. */
const OptionRow *option_row_lookup(const Tool *tool, const char *given);

/*
 * Supports values that are attached to their options, as in -t5, which GLib's parser does not know.
 * words is a command line up to "--", NULL-terminated. Returns a copy in which such values are
 * separate words, -t 5. Other values are unchanged. The caller frees it with g_strfreev().
 */
char **option_attached_split(const Tool *tool, char *const *words);

/* Whether an option must have a value. */
bool option_takes_value(const OptionRow *row);

/* Returns the option of a word whose value is the next word ("-qt", "--top"); NULL: it has none, or
   it is attached. */
const OptionRow *option_awaits_value(const Tool *tool, const char *word);
