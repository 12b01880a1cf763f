/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* What an option does with its value. */
typedef enum {
	OPTION_SECTION, /* no option: begins a part of the help text */
	OPTION_FLAG,    /* sets the bool at offset */
	OPTION_TEXT,    /* keeps its value at offset */
	OPTION_FILTER,  /* adds the filter of its name */
	OPTION_APPLY,   /* calls apply */
	OPTION_COLLECT, /* the same; it says how to collect, so that it means nothing to -i */
} OptionKind;

/* One option. Its argument is NULL where it takes none, in [] where it is optional. */
typedef struct {
	unsigned tools;  /* bits of ToolBit: which commands have it */
	char short_name; /* 0: none */
	const char *long_name;
	const char *argument;
	const char *help; /* NULL: option_events_help() */
	OptionKind kind;
	size_t offset; /* in Options */
	/* Takes over the value; returns false with error set when it is none. */
	bool (*apply)(Options *options, const char *value, GError **error);
} OptionRow;

/*
 * Every option of the suite, in the order of the help text, ended by a row without name. The same
 * letter means the same in every command; where only the help differs an option has a row for each.
 */
extern const OptionRow option_rows[];

/* Whether a row is an option, and this tool has it. */
bool option_row_is_of(const OptionRow *row, const Tool *tool);

/* Returns the row of an option as the user wrote it, "-m" or "--min-count"; NULL when this tool has
   no such option. */
const OptionRow *option_row_lookup(const Tool *tool, const char *given);
