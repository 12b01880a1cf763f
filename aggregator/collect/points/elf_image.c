/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file that is a program or library, opened in a child. Finds the file offset of data that
 * programs write to.
 */
#include "collect/points/elf_image.h"

ElfImage *elf_image_new(int fd)
{
	g_autoptr(ElfImage) image = g_new0(ElfImage, 1);
	const GElf_Ehdr *header = &image->file.header;

	if (!elf_file_begin(&image->file, fd) ||
	    (header->e_type != ET_EXEC && header->e_type != ET_DYN))
		return NULL;
	return g_steal_pointer(&image);
}

void elf_image_free(ElfImage *image)
{
	if (!image)
		return;
	elf_file_end(&image->file);
	g_free(image);
}

bool elf_image_data_offset(const ElfImage *image, uint64_t address, uint64_t *offset)
{
	for (int i = 0; i < MIN(image->file.header.e_phnum, ELF_FILE_SEGMENTS_MAX); i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->file.elf, i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_W) || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}
