/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/elf_symbols.h"

#include "collect/user/elf_file.h"

#include <glib.h>
#include <string.h>

/* A table of symbols: from one file, for offsets in the mapped one. */
typedef struct {
	const ElfFile *mapped;
	const Elf_Data *symbols;
	const Elf_Data *names;
} SymbolTable;

/* Mapping symbols of ARM and RISC-V ("$x"), and labels that an assembler left (".L5"). */
static bool is_no_name(const char *name)
{
	return !name[0] || name[0] == '$' || g_str_has_prefix(name, ".L");
}

/* Returns false if the symbol is no function. Undefined symbols have a section 0. */
static bool rank_of(const GElf_Sym *symbol, ElfNameRank *rank)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    symbol->st_shndx == SHN_COMMON)
		return false;
	if (type == STT_NOTYPE)
		*rank = ELF_NAME_LABEL;
	else if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		*rank = ELF_NAME_LOCAL;
	else
		*rank = ELF_NAME_GLOBAL;
	return type == STT_NOTYPE || type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Returns a name without its version ("memcpy@@GLIBC_2.14"); its length is 0 if there is none. */
static TextPart name_at(const Elf_Data *names, uint32_t offset)
{
	TextPart name = { 0 };
	size_t rest = offset < names->d_size ? names->d_size - offset : 0;
	const char *version;

	if (!rest)
		return name;
	name.text = (const char *)names->d_buf + offset;
	name.length = strnlen(name.text, MIN(rest, USER_NAME_BYTES_MAX + 1));
	/* Without an end in the section, it is damaged. */
	if (name.length == rest || is_no_name(name.text))
		name.length = 0;
	version = memchr(name.text, '@', name.length);
	if (version)
		name.length = (size_t)(version - name.text);
	return name;
}

/* Returns false if there is no more room. */
static bool add_symbol(ElfFunctions *functions, const SymbolTable *table, const GElf_Sym *symbol)
{
	TextPart name = name_at(table->names, symbol->st_name);
	ElfNameRank rank;
	uint64_t offset;

	if (!name.length || !rank_of(symbol, &rank) ||
	    !elf_file_offset(table->mapped, symbol->st_value, &offset))
		return true;
	return elf_functions_add(functions, offset, symbol->st_size, name, rank);
}

static void add_table(ElfFunctions *functions, const ElfFile *file, const SymbolTable *table)
{
	size_t symbol_bytes = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = MIN(table->symbols->d_size / symbol_bytes, INT_MAX);

	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;

		if (!gelf_getsym((Elf_Data *)table->symbols, (int)i, &symbol) ||
		    !add_symbol(functions, table, &symbol))
			return;
	}
}

static Elf_Scn *section_of_type(const ElfFile *file, GElf_Word type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			return section;
	return NULL;
}

/* Adds the symbols in a section of this type. Returns false if there is none. */
static bool add_section(ElfFunctions *functions, const ElfFile *mapped, const ElfFile *file,
			GElf_Word type)
{
	Elf_Scn *section = section_of_type(file, type);
	SymbolTable table = { .mapped = mapped, .symbols = elf_file_data(section) };
	GElf_Shdr header;

	if (!table.symbols || !table.symbols->d_buf || !gelf_getshdr(section, &header))
		return false;
	table.names = elf_file_data(elf_getscn(file->elf, header.sh_link));
	if (!table.names || !table.names->d_buf)
		return false;
	add_table(functions, file, &table);
	return true;
}

/* Returns the first offset behind all executable segments. */
static uint64_t limit_of(const ElfFile *file)
{
	uint64_t limit = 0;

	for (unsigned i = 0; i < file->segments_count; i++)
		limit = MAX(limit, file->segments[i].offset + file->segments[i].bytes);
	return limit;
}

static void add_symbols(ElfFunctions *functions, const ElfFile *file)
{
	if (!add_section(functions, file, file, SHT_SYMTAB))
		add_section(functions, file, file, SHT_DYNSYM);
}

ElfFunctions *elf_symbols_read(const ElfSymbolsFile *from)
{
	ElfFunctions *functions;
	ElfFile file;

	if (!elf_file_begin(&file, from->descriptor))
		return NULL;
	functions = elf_functions_new();
	add_symbols(functions, &file);
	elf_functions_sort(functions, limit_of(&file));
	elf_file_end(&file);
	return functions;
}

ElfFunctions *elf_symbols_read_memory(void *image, size_t bytes)
{
	ElfFunctions *functions;
	ElfFile file;

	if (!elf_file_begin_memory(&file, image, bytes))
		return NULL;
	functions = elf_functions_new();
	add_symbols(functions, &file);
	elf_functions_sort(functions, limit_of(&file));
	elf_file_end(&file);
	return functions;
}
