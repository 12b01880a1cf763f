/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_symbols.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

/* Real ELF files of this host. */

/* Returns the functions of a file, as the program reads them; it must be an ELF file. */
static inline ElfFunctions *elf_example_read(const char *path)
{
	ElfSymbolsFile file = { .path = path, .root = "" };
	ElfFunctions *functions;

	file.descriptor = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_geq(file.descriptor, 0, "%s", path);
	functions = elf_symbols_read(&file);
	close(file.descriptor);
	cr_assert_not_null(functions, "%s", path);
	return functions;
}

/* Returns the path of a library of this process that contains an address. */
static inline char *elf_example_library(const void *address)
{
	g_autofree char *text = file_read("/proc/self/maps", NULL);
	g_auto(GStrv) lines = NULL;

	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line && **line; line++) {
		char *end;
		guint64 start = g_ascii_strtoull(*line, &end, 16);
		guint64 stop = g_ascii_strtoull(end + 1, NULL, 16);

		if ((guint64)address >= start && (guint64)address < stop)
			return g_strdup(strchr(*line, '/'));
	}
	return NULL;
}
