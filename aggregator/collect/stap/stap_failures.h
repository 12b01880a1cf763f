/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/*
 * Explains SystemTap's error texts: a table of text, reason and remedy. A lower rank means a more
 * specific failure. Of several lines, the one with the lowest rank is reported.
 */
enum { STAP_FAILURE_NONE = -1 };

/* Returns the rank of the failure that a line of stderr reports, or STAP_FAILURE_NONE. */
int stap_failure_find(const char *line);

/* Whether that rank is the one of unknown errors. */
bool stap_failure_is_unknown(int rank);

/* Whether --poison-cache may help: an interrupted stap leaves empty cache entries. */
bool stap_failure_may_be_poisoned_cache(int rank);

/* Returns "reason; remedy" for that rank, in one line. stap_version begins with the release of
   SystemTap ("5.6/0.196, ..."); NULL or other texts: unknown. */
char *stap_failure_describe(int rank, const char *line, const char *kernel_release,
			    const char *stap_version);
