/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "code/elf/elf_file.h"

#include <stdbool.h>
#include <stddef.h>

/* A table of symbols with their names. The file keeps the data. */
typedef struct {
	const Elf_Data *symbols;
	const Elf_Data *names;
	size_t count;
} ElfNames;

/* Finds the table of this type: SHT_SYMTAB or SHT_DYNSYM. Returns false if there is none. */
bool elf_names_find(ElfNames *table, const ElfFile *file, GElf_Word type);

/* Returns the name at st_name of a symbol, without its version ("memcpy@@GLIBC_2.14"); its length
   is 0 if there is none. */
TextPart elf_names_get(const ElfNames *table, uint32_t st_name);
