/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens up to three files with the symbols of a program. Runs in the child of program_symbols.c,
 * which frees nothing.
 */
#include "collect/points/symbol_files.h"

#include "code/elf/elf_debug_file.h"

static void add_debug(SymbolFiles *files, const ElfImage *image, const char *path, const char *root)
{
	files->debug_fd = elf_debug_file_open(&image->file, path, root);
	if (files->debug_fd >= 0 && elf_file_begin(&files->debug_file, files->debug_fd))
		files->files[files->count++] = &files->debug_file;
}

static void add_packed(SymbolFiles *files, const ElfImage *image)
{
	files->packed = elf_mini_debug_unpack(&image->file);
	if (files->packed &&
	    elf_file_begin_memory(&files->packed_file, files->packed->data, files->packed->len))
		files->files[files->count++] = &files->packed_file;
}

void symbol_files_open(SymbolFiles *files, const ElfImage *image, const char *path,
		       const char *root)
{
	*files = (SymbolFiles){ .files = { &image->file }, .count = 1 };
	add_debug(files, image, path, root);
	add_packed(files, image);
}
