/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The ELF file of a program or library. Everybody may have written it: read it in a process without
   rights. */
typedef struct {
	ElfFile file;
} ElfImage;

/* Reads an open file, which is borrowed. Returns NULL if it is not an ELF program or library. */
ElfImage *elf_image_new(int fd);
void elf_image_free(ElfImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfImage, elf_image_free)

/* Finds the offset in the file of an address of writable data. Returns false if the file does not
   contain it. */
bool elf_image_data_offset(const ElfImage *image, uint64_t address, uint64_t *offset);
