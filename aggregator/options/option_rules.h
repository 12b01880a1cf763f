/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>

/* A rule between options: what cannot be combined, what needs what. */
typedef struct {
	/* The rule is broken if all of these terms hold: "missing-debuginfo !input|output". They
	   are separated by blanks; a term is a word, or several of which one is enough. A word
	   holds if the option of that long name was given, "record=-" if a text option has that
	   value, "by=age" if that is a key of --by, and a word in capitals is a condition of
	   option_rules.c. A '!' negates a word. */
	const char *terms;
	bool (*when)(const Options *options); /* and this is true; NULL: nothing more */
	const char *message;
} OptionRule;

/* Returns whether the options can be combined, by the rules of the suite and of their tool. If not,
   sets error (a usage error of one line). */
bool option_rules_check(const Options *options, GError **error);
