/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/elf_image.h"

#include <glib.h>

/*
 * The files that have symbols of a program or library: itself, its debug file (elf_debug_file.h)
 * and what is packed into it (elf_debug_file.h).
 */
enum { SYMBOL_FILES_MAX = 3 };

typedef struct {
	const ElfFile *files[SYMBOL_FILES_MAX]; /* count of them; the program itself is the first */
	unsigned count;
	int debug_fd;       /* owned; -1: none */
	GByteArray *packed; /* owned; NULL: none */
	ElfFile debug_file;
	ElfFile packed_file;
} SymbolFiles;

/* Opens them until the process ends: only a child that reads a program does so. path: of the image,
   which must live as long; root: folder of /usr/lib/debug. The structure must not be moved. */
void symbol_files_open(SymbolFiles *files, const ElfImage *image, const char *path,
		       const char *root);
