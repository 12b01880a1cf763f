/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Returns what stands between two texts in the first line that begins with the first of them and
   contains the second, or NULL; after "" is the end of the line. The caller frees it. */
char *line_value(const char *text, const char *before, const char *after);

/* The same for the text of a file. Returns NULL if it cannot be read. */
char *line_value_of_file(const char *path, const char *before, const char *after);
