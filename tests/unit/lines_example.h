/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

/* What lines_subject.c says about itself. */

typedef enum { LINES_EXAMPLE_ADDRESS = 1, LINES_EXAMPLE_LINE = 2 } LinesExampleField;

/* Returns the address in a function of the subject, or the line of that place. */
static inline uint64_t lines_example_number(const char *function, LinesExampleField field)
{
	char *argv[] = { LINES_SUBJECT, NULL };
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	cr_assert(g_spawn_sync(NULL, argv, NULL, 0, NULL, NULL, &text, NULL, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit(*line, " ", -1);

		if (g_strv_length(words) == 3 && !strcmp(words[0], function))
			return g_ascii_strtoull(words[field], NULL,
						field == LINES_EXAMPLE_ADDRESS ? 16 : 10);
	}
	cr_assert_fail("%s: %s", function, text);
	return 0;
}

/* Returns the build id of a file in hexadecimal; the caller frees it. */
static inline char *lines_example_build_id(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	UserFileId id = { 0 };
	ElfFile file;

	cr_assert(elf_file_begin(&file, descriptor), "%s", path);
	cr_assert(elf_file_build_id(&file, &id), "%s", path);
	elf_file_end(&file);
	close(descriptor);
	return user_build_id_text(&id);
}
