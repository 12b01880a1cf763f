/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/user/elf_file.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The ELF file of a program or library, by its path. Everybody may have written it. */
typedef struct {
	int fd;
	ElfFile file;
} ElfImage;

/* Opens a file. Returns NULL with error set if it cannot be read, or is not an ELF program or
   library. The error begins with the path. */
ElfImage *elf_image_open(const char *path, GError **error);
void elf_image_free(ElfImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfImage, elf_image_free)

/* Finds the offset in the file of an address of writable data. Returns false if the file does not
   contain it. */
bool elf_image_data_offset(const ElfImage *image, uint64_t address, uint64_t *offset);
