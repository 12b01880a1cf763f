/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gelf.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The ELF file of a program or library. Everybody may have written it, and may change it while it
 * is read: it is read, not mapped, and nothing in it is trusted.
 */
typedef struct {
	int fd;
	Elf *elf;
} ElfImage;

/* Opens a file. Returns NULL with error set if it cannot be read, or is not an ELF program or
   library. The error begins with the path. */
ElfImage *elf_image_open(const char *path, GError **error);
void elf_image_free(ElfImage *image);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfImage, elf_image_free)

/* Opens the separate debug file of the same build below folder ("/usr/lib/debug"). Returns NULL if
   there is none. */
ElfImage *elf_image_open_debug(const ElfImage *image, const char *folder);

/* Finds the place in the file of an address, as symbols have it. flags: of the segment, PF_X for
   code, PF_W for data. Returns false if no such segment has it in the file. */
bool elf_image_offset(const ElfImage *image, uint64_t address, uint32_t flags, uint64_t *offset);

/* Returns the next section of that type after section (NULL: the first), or NULL. Sections that
   have no data, or implausibly much, are left out. */
Elf_Scn *elf_image_next_section(const ElfImage *image, Elf_Scn *section, uint32_t type,
				GElf_Shdr *header);

/* Returns the name of a section, owned by the image; "" if it has none. */
const char *elf_image_section_name(const ElfImage *image, const GElf_Shdr *header);
