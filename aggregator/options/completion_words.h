/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/option_table.h"

#include <glib.h>
#include <stdio.h>

/* A word of a command line that is being completed. */
typedef struct {
	const Tool *tool;
	const char *root;  /* "": this host; else the folder below which its files are read */
	GString *before;   /* the beginning of the word, which stays: "--by=process," */
	const char *typed; /* the rest of it: what candidates begin with */
	GHashTable *seen;  /* (element-type utf8) names that were offered, owned */
	FILE *out;
} Completion;

/*
 * Prints a candidate if it begins with what was typed and was not printed yet, with a text about it
 * (NULL: none), escaped. Leaves out names that a shell would not take as they are: any user can
 * name a process.
 */
void completion_offer(Completion *completion, const char *name, const char *about);

/* Offers values of an option. */
void completion_offer_values(Completion *completion, const OptionRow *row);

/* Offers words that are no options: what the tool observes. */
void completion_offer_objects(Completion *completion);
