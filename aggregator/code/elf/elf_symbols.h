/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"
#include "code/elf/elf_functions.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Reads the functions of an ELF file, by their offset in the file: from its symbol table; else from
 * its dynamic symbols, and from a separate debug file, else from what is packed into the file
 * (both: elf_debug_file.h). Entries of procedure linkage tables are functions, too. The file may be
 * hostile.
 */

/* What is known about a file that is open. */
typedef struct {
	int descriptor;   /* borrowed; not a pipe or device */
	const char *path; /* where it was, for files beside it; NULL: unknown */
	const char *root; /* folder of /usr/lib/debug; "": this host's */
} ElfSymbolsFile;

/* Returns the functions, sorted; NULL: it is no ELF file. */
ElfFunctions *elf_symbols_read(const ElfSymbolsFile *file);

/* The same of a file in memory; offsets are those in memory. */
ElfFunctions *elf_symbols_read_memory(void *image, size_t bytes);

/* Returns the functions of the vdso, by offset in its mapping: those of this process, which the
   kernel maps into all 64-bit processes. NULL: there is none. Free them. */
ElfFunctions *vdso_image_functions(void);

/* Returns a descriptor of a copy of its image, which the caller closes; -1: there is none. */
int vdso_image_open(void);
