/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/function_symbols.h"

#include "base/text_part.h"

#include <string.h>

/* Not in elf.h without _GNU_SOURCE's companions of old distributions. */
#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

/* How well a symbol fits the name. Only the best ones are found. */
typedef enum {
	FITS_NOT,
	FITS_STATIC,      /* a local symbol */
	FITS_OLD_VERSION, /* a version that only programs linked long ago get */
	FITS_BEST,
} Fit;

/* A symbol's name in parts: "memcpy@@GLIBC_2.14", of which a table of dynamic symbols has the
   version elsewhere. */
typedef struct {
	TextPart name;
	TextPart version; /* length 0: none */
	bool is_default;
} VersionedName;

typedef struct {
	FunctionSymbols *functions;
	VersionedName wanted;
	Fit best; /* of those found */
} Search;

/* A table of symbols, with their versions if it is the dynamic one. */
typedef struct {
	const ElfImage *image;
	GElf_Shdr header;
	Elf_Data *symbols;
	Elf_Data *versions;        /* NULL: none */
	GHashTable *version_names; /* number -> const char *, owned; NULL: none */
} Table;

static VersionedName split_name(const char *text)
{
	const char *at = strchr(text, '@');
	VersionedName name = { .name = { text, at ? (size_t)(at - text) : strlen(text) },
			       .is_default = !at || at[1] == '@' };

	if (at)
		name.version = (TextPart){ at + strspn(at, "@"), strlen(at + strspn(at, "@")) };
	return name;
}

/* Versions. */

/* Adds the names of the versions that this file defines: number -> name. */
static void read_definitions(Table *table, Elf_Data *data, const GElf_Shdr *header)
{
	uint64_t offset = 0;

	/* info is the number of definitions; each step goes on, so a loop ends with the data. */
	for (GElf_Word i = 0; i < header->sh_info && offset < data->d_size; i++) {
		GElf_Verdef definition;
		GElf_Verdaux name;
		const char *text;

		if (!gelf_getverdef(data, (int)offset, &definition) ||
		    !gelf_getverdaux(data, (int)(offset + definition.vd_aux), &name))
			return;
		text = elf_strptr(table->image->elf, header->sh_link, name.vda_name);
		if (text)
			g_hash_table_insert(table->version_names,
					    GUINT_TO_POINTER(definition.vd_ndx), (void *)text);
		if (!definition.vd_next)
			return;
		offset += definition.vd_next;
	}
}

static void read_versions(Table *table)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_image_next_section(table->image, NULL, SHT_GNU_versym, &header);
	Elf_Data *data;

	table->version_names = g_hash_table_new(NULL, NULL);
	if (!section)
		return;
	table->versions = elf_getdata(section, NULL);
	section = elf_image_next_section(table->image, NULL, SHT_GNU_verdef, &header);
	data = section ? elf_getdata(section, NULL) : NULL;
	if (data && data->d_buf && data->d_size <= G_MAXINT32)
		read_definitions(table, data, &header);
}

/* Adds the version from the table of versions. */
static void add_version(const Table *table, int index, VersionedName *name)
{
	enum { HIDDEN = 0x8000 };
	GElf_Versym number;
	const char *version;

	if (!table->versions || name->version.length ||
	    !gelf_getversym(table->versions, index, &number))
		return;
	version = g_hash_table_lookup(table->version_names, GUINT_TO_POINTER(number & ~HIDDEN));
	if (version)
		name->version = (TextPart){ version, strlen(version) };
	name->is_default = !(number & HIDDEN);
}

/* Search. */

static Fit fit_of(const Search *search, const VersionedName *name, const GElf_Sym *symbol)
{
	if (!text_part_equals(name->name, search->wanted.name))
		return FITS_NOT;
	if (search->wanted.version.length)
		return text_part_equals(name->version, search->wanted.version) ? FITS_BEST
									       : FITS_NOT;
	if (GELF_ST_BIND(symbol->st_info) == STB_LOCAL)
		return FITS_STATIC;
	return name->is_default ? FITS_BEST : FITS_OLD_VERSION;
}

static bool is_known(const GArray *found, uint64_t address)
{
	for (guint i = 0; i < found->len; i++)
		if (g_array_index(found, FunctionSymbol, i).address == address)
			return true;
	return false;
}

static void add_found(Search *search, Fit fit, const GElf_Sym *symbol)
{
	GArray *found = search->functions->found;
	const FunctionSymbol function = {
		.address = symbol->st_value,
		.bytes = symbol->st_size,
		.is_indirect = GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
	};

	if (fit < search->best || fit == FITS_NOT)
		return;
	if (fit > search->best)
		g_array_set_size(found, 0);
	search->best = fit;
	if (found->len < FUNCTION_SYMBOLS_MAX && !is_known(found, function.address))
		g_array_append_val(found, function);
}

static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value;
}

static void visit_symbol(Search *search, const Table *table, int index)
{
	GElf_Sym symbol;
	const char *text;
	VersionedName name;

	if (!gelf_getsym(table->symbols, index, &symbol) || !is_function(&symbol))
		return;
	text = elf_strptr(table->image->elf, table->header.sh_link, symbol.st_name);
	if (!text || !*text)
		return;
	g_hash_table_add(search->functions->names, (void *)text);
	name = split_name(text);
	add_version(table, index, &name);
	add_found(search, fit_of(search, &name, &symbol), &symbol);
}

static void visit_table(Search *search, Table *table)
{
	size_t bytes = gelf_fsize(table->image->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count = bytes ? table->symbols->d_size / bytes : 0;

	if (table->header.sh_type == SHT_DYNSYM)
		read_versions(table);
	for (size_t i = 0; i < MIN(count, (size_t)G_MAXINT32); i++)
		visit_symbol(search, table, (int)i);
	g_clear_pointer(&table->version_names, g_hash_table_unref);
}

static void visit_image(Search *search, const ElfImage *image, uint32_t type)
{
	Table table = { .image = image };
	Elf_Scn *section = elf_image_next_section(image, NULL, type, &table.header);

	table.symbols = section ? elf_getdata(section, NULL) : NULL;
	if (table.symbols && table.symbols->d_buf)
		visit_table(search, &table);
}

void function_symbols_find(FunctionSymbols *functions, const ElfImage *image, const ElfImage *debug,
			   const char *name)
{
	Search search = { .functions = functions, .wanted = split_name(name) };

	functions->found = g_array_new(FALSE, FALSE, sizeof(FunctionSymbol));
	functions->names = g_hash_table_new(g_str_hash, g_str_equal);
	visit_image(&search, image, SHT_DYNSYM);
	visit_image(&search, image, SHT_SYMTAB);
	if (debug)
		visit_image(&search, debug, SHT_SYMTAB);
}

void function_symbols_clear(FunctionSymbols *functions)
{
	g_array_unref(functions->found);
	g_hash_table_unref(functions->names);
}
