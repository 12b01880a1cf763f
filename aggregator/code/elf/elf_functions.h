/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/user/user_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ElfFunctions is a table of the functions of an object, by offset: add all, then sort once, then
 * find. Of several names for an offset it keeps one: with a size, of a high rank, with the
 * fewest underscores in front, the shortest, the first in the alphabet; in this order.
 */
typedef struct ElfFunctions ElfFunctions;

/* How good a name is, beside others for the same offset; higher ranks are better. */
enum {
	ELF_NAME_LABEL, /* without a type: of assembler */
	ELF_NAME_LOCAL,
	ELF_NAME_GLOBAL, /* or weak */
};

/* Returns a new one; free it with elf_functions_free(). */
ElfFunctions *elf_functions_new(void);
void elf_functions_free(ElfFunctions *functions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ElfFunctions, elf_functions_free)

/* Adds a function; bytes 0: it reaches to the next one. The name need not be terminated. Returns
   false if the table is full. */
bool elf_functions_add(ElfFunctions *functions, uint64_t offset, uint64_t bytes, TextPart name,
		       unsigned rank);

/* Adds an executable segment of the file. */
void elf_functions_add_segment(ElfFunctions *functions, const UserSegment *segment);

/* Returns the segment that contains an offset; NULL: none. It lives as long as the table. */
const UserSegment *elf_functions_segment(const ElfFunctions *functions, uint64_t offset);

/* Sorts the table; nothing can be added then. limit: the first offset behind all functions. */
void elf_functions_sort(ElfFunctions *functions, uint64_t limit);

/* Finds the function at an offset: the innermost one. The name lives as long as the table. */
bool elf_functions_find(const ElfFunctions *functions, uint64_t offset, UserName *name);
