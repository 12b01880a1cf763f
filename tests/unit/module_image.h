/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <criterion/criterion.h>
#include <fcntl.h>
#include <gelf.h>
#include <glib.h>
#include <unistd.h>

/* Writes an object file that has only a section .modinfo. */
static inline void module_image_write(const char *path, const char *modinfo, size_t length)
{
	static char names[] = "\0.modinfo\0.shstrtab";
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	Elf *elf;
	Elf64_Ehdr *header;
	struct {
		const char *bytes;
		size_t length;
		unsigned name;
		unsigned type;
	} sections[] = { { modinfo, length, 1, SHT_PROGBITS },
			 { names, sizeof(names), 10, SHT_STRTAB } };

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	header = elf64_newehdr(elf);
	header->e_type = ET_REL;
	header->e_machine = EM_X86_64;
	header->e_version = EV_CURRENT;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	for (guint i = 0; i < G_N_ELEMENTS(sections); i++) {
		Elf_Scn *section = elf_newscn(elf);
		Elf_Data *data = elf_newdata(section);
		Elf64_Shdr *section_header = elf64_getshdr(section);

		data->d_buf = (void *)sections[i].bytes;
		data->d_size = sections[i].length;
		data->d_align = 1;
		data->d_version = EV_CURRENT;
		section_header->sh_name = sections[i].name;
		section_header->sh_type = sections[i].type;
		header->e_shstrndx = (Elf64_Half)elf_ndxscn(section);
	}
	cr_assert_gt(elf_update(elf, ELF_C_WRITE), 0);
	elf_end(elf);
	close(fd);
}
