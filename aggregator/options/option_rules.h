/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>

/* One rule between options: broken when it says so. */
typedef struct {
	bool (*broken)(const Options *options);
	const char *message;
} OptionRule;

/* Returns whether the options go together, by the rules of the suite and of their tool; else error
 * is set, a usage error of one line. */
bool option_rules_check(const Options *options, GError **error);
