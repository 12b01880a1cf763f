/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a symbol table with its names, and returns single names as checked parts of the section.
 * Runs in children.
 */
#include "code/elf/elf_names.h"

#include "code/user/user_names.h"

#include <glib.h>
#include <string.h>

static Elf_Scn *section_of_type(const ElfFile *file, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

bool elf_names_find(ElfNames *table, const ElfFile *file, GElf_Word type)
{
	Elf_Scn *section = section_of_type(file, type);
	size_t symbol_bytes = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Shdr header;

	table->symbols = elf_file_data(section);
	if (!table->symbols || !table->symbols->d_buf || !gelf_getshdr(section, &header))
		return false;
	table->names = elf_file_data(elf_getscn(file->elf, header.sh_link));
	table->count = MIN(table->symbols->d_size / symbol_bytes, INT_MAX);
	return table->names && table->names->d_buf;
}

TextPart elf_names_get(const ElfNames *table, uint32_t st_name)
{
	size_t bytes = table->names->d_size;
	size_t rest = st_name < bytes ? bytes - st_name : 0;
	TextPart name = { 0 };
	const char *version;

	if (!rest)
		return name;
	name.text = (const char *)table->names->d_buf + st_name;
	name.length = strnlen(name.text, MIN(rest, USER_NAME_BYTES_MAX + 1));
	/* Without an end in the section, it is damaged. */
	if (name.length == rest)
		name.length = 0;
	version = memchr(name.text, '@', name.length);
	if (version)
		name.length = (size_t)(version - name.text);
	return name;
}
