/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "code/user/user_map_line.h"

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ElfFile reads an ELF file of a stranger. Sizes in the file are checked before libelf allocates
 * for them; files that no linker makes are refused. Files are read, not mapped: a file that is
 * truncated meanwhile must not end the program.
 */
enum { ELF_FILE_SEGMENTS_MAX = 64 };

/* An executable segment: addresses as in symbols, and where they are in the file. */
typedef struct {
	uint64_t address, bytes;
	uint64_t offset;
} ElfSegment;

typedef struct {
	Elf *elf;
	GElf_Ehdr header;
	ElfSegment segments[ELF_FILE_SEGMENTS_MAX];
	unsigned segments_count;
	size_t names; /* section with the names of sections; 0: none */
} ElfFile;

/* Begins to read an open file, or a file in memory; both are borrowed until the end. Returns false
   if it is no ELF program, library or debug file. */
bool elf_file_begin(ElfFile *file, int descriptor);
bool elf_file_begin_memory(ElfFile *file, void *image, size_t bytes);
void elf_file_end(ElfFile *file);

/* Returns the first section of this name that has contents; NULL: none. */
Elf_Scn *elf_file_section(const ElfFile *file, const char *name);

/* Returns the contents of a section, at most 256 MB, which live as long as the file; NULL: none. */
const Elf_Data *elf_file_data(Elf_Scn *section);

/* Sets the build id. Returns false if the file has none. */
bool elf_file_build_id(const ElfFile *file, UserFileId *id);

/* Whether the file has this build id. */
bool elf_file_has_build_id(const ElfFile *file, const UserFileId *wanted);

/* Finds the offset in the file of an address in an executable segment. */
bool elf_file_offset(const ElfFile *file, uint64_t address, uint64_t *offset);

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
