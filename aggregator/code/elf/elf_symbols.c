/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all functions of a file into an ElfFunctions: symbols of the file, of a debug file, of
 * packed debug data, and stubs. Ranks decide which of several names stays. Runs in a child, started
 * by user_resolve.c; for the vdso in the program.
 */
#include "code/elf/elf_symbols.h"

#include "base/unconst.h"
#include "code/elf/elf_debug_file.h"
#include "code/elf/elf_file.h"
#include "code/user/user_names.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

/* Returns false if the symbol of this file is no function. */
static bool rank_of(const ElfFile *file, const GElf_Sym *symbol, unsigned *rank)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	GElf_Shdr section;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_shndx == SHN_COMMON)
		return false;
	if (type == STT_NOTYPE) {
		*rank = ELF_NAME_LABEL;
		return gelf_getshdr(elf_getscn(file->elf, symbol->st_shndx), &section) &&
		       section.sh_flags & SHF_EXECINSTR;
	}
	*rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? ELF_NAME_LOCAL : ELF_NAME_GLOBAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Adds the symbols of a table of this type. Returns false if there is none. mapped: the file in
   which offsets are. */
static bool add_table(ElfFunctions *functions, const ElfFile *mapped, const ElfFile *file,
		      GElf_Word type)
{
	ElfNames table;

	if (!elf_names_find(&table, file, type))
		return false;
	for (size_t i = 0; i < table.count; i++) {
		GElf_Sym symbol;
		TextPart name;
		unsigned rank;
		uint64_t offset;

		if (!gelf_getsym(unconst(table.symbols), (int)i, &symbol))
			break;
		name = elf_names_get(&table, symbol.st_name);
		/* Mapping symbols of ARM and RISC-V ("$x"), and labels that an assembler left
		   (".L5"). The text is terminated. */
		if (!name.length || name.text[0] == '$' || g_str_has_prefix(name.text, ".L") ||
		    !rank_of(file, &symbol, &rank) ||
		    !elf_file_offset(mapped, symbol.st_value, &offset))
			continue;
		if (!elf_functions_add(functions, offset, symbol.st_size, name, rank))
			break;
	}
	return true;
}

static bool add_debug_file(ElfFunctions *functions, const ElfFile *mapped,
			   const ElfSymbolsFile *from)
{
	int descriptor = elf_debug_file_open(mapped, from->path, from->root);
	ElfFile file;
	bool has_table = false;

	if (descriptor < 0)
		return false;
	if (elf_file_begin(&file, descriptor)) {
		has_table = add_table(functions, mapped, &file, SHT_SYMTAB);
		elf_file_end(&file);
	}
	close(descriptor);
	return has_table;
}

static void add_mini_debug(ElfFunctions *functions, const ElfFile *mapped)
{
	g_autoptr(GByteArray) image = elf_mini_debug_unpack(mapped);
	ElfFile file;

	if (!image || !elf_file_begin_memory(&file, image->data, image->len))
		return;
	add_table(functions, mapped, &file, SHT_SYMTAB);
	elf_file_end(&file);
}

/* Programs begin at their entry point, which is "_start" where it has a name. Its code is short on
   all machines. */
static void add_entry(ElfFunctions *functions, const ElfFile *file)
{
	enum { START_BYTES = 64 };
	static const char name[] = "_start";
	uint64_t offset;

	if (file->header.e_entry && elf_file_offset(file, file->header.e_entry, &offset))
		elf_functions_add(functions, offset, START_BYTES,
				  (TextPart){ name, sizeof(name) - 1 }, ELF_NAME_LABEL);
}

/* from NULL: a file in memory, which has no files beside it. */
static ElfFunctions *read_functions(const ElfFile *file, const ElfSymbolsFile *from)
{
	ElfFunctions *functions = elf_functions_new();
	uint64_t limit = 0; /* the first offset behind all executable segments */

	if (!add_table(functions, file, file, SHT_SYMTAB)) {
		add_table(functions, file, file, SHT_DYNSYM);
		if (from && !add_debug_file(functions, file, from))
			add_mini_debug(functions, file);
	}
	for (unsigned i = 0; i < file->segments_count; i++) {
		const ElfSegment *segment = &file->segments[i];

		elf_functions_add_segment(functions, &(UserSegment){ .offset = segment->offset,
								     .bytes = segment->bytes,
								     .address = segment->address });
		limit = MAX(limit, segment->offset + segment->bytes);
	}
	elf_plt_add(functions, file);
	add_entry(functions, file);
	elf_functions_sort(functions, limit);
	return functions;
}

ElfFunctions *elf_symbols_read(const ElfSymbolsFile *from)
{
	ElfFunctions *functions;
	ElfFile file;

	if (!elf_file_begin(&file, from->descriptor))
		return NULL;
	functions = read_functions(&file, from);
	elf_file_end(&file);
	return functions;
}

ElfFunctions *elf_symbols_read_memory(void *image, size_t bytes)
{
	ElfFunctions *functions;
	ElfFile file;

	if (!elf_file_begin_memory(&file, image, bytes))
		return NULL;
	functions = read_functions(&file, NULL);
	elf_file_end(&file);
	return functions;
}
