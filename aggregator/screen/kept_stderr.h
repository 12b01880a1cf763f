/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* What is printed to stderr while it is a terminal on which somebody draws is kept in a file
   without a name, and printed when that is over. */
typedef struct KeptStderr KeptStderr;

/* Returns NULL where stderr is no terminal, or there is no place to keep it: it stays as it is. */
KeptStderr *kept_stderr_begin(void);

/* Returns the last line that was printed since the last call, escaped, or NULL; the caller frees
   it. kept may be NULL. */
char *kept_stderr_news(KeptStderr *kept);

/* Prints it. kept may be NULL. */
void kept_stderr_end(KeptStderr *kept);
