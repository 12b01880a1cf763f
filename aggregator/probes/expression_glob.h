/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether a text that is not terminated matches a glob with * ? [a-z] [!a-z]; a '[' without its end
   is an ordinary character. At most pattern x text steps, no allocation. */
bool expression_glob_match(const char *pattern, size_t pattern_bytes, const char *text,
			   size_t text_bytes);
