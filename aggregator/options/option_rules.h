/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>

/* A rule between options. It is broken if the function returns true. */
typedef struct {
	bool (*broken)(const Options *options);
	const char *message;
} OptionRule;

/* Returns whether the options can be combined, by the rules of the suite and of their tool. If not,
   sets error (a usage error of one line). */
bool option_rules_check(const Options *options, GError **error);
