/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions by name, with symbol versions, in up to three files of a program, and keeps only
 * the best fits. Runs in the child of program_symbols.c. Also the types of a kernel function, from
 * BTF, in the program.
 */
#include "config.h"

#include "collect/points/function_symbols.h"

#include "base/text_part.h"
#include "base/unconst.h"

#include <string.h>

/*
 * Reads the parameters and the result of one kernel function from BTF. Builds without libbpf know
 * none. point_events.c attaches them to an event, point_columns.c narrows registers by them.
 */

void function_types_free(FunctionTypes *types)
{
	if (!types)
		return;
	for (unsigned i = 0; i < types->count; i++)
		g_free(types->parameters[i].name);
	g_free(types->result.name);
	g_free(types);
}

#ifdef HAVE_LIBBPF
#include "collect/facts/host_facts.h"

#include <bpf/btf.h>

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

enum { REGISTER_BYTES = 8 };

/* Returns false if a register does not have the value, or not as an integer. */
static bool read_value(const struct btf *btf, unsigned type_id, FunctionValue *value)
{
	int id = btf__resolve_type(btf, type_id);
	const struct btf_type *type = id >= 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;

	if (!type)
		return false;
	value->bytes = REGISTER_BYTES;
	if (btf_is_ptr(type))
		return true;
	if (!btf_is_int(type) && !btf_is_enum(type))
		return false;
	value->bytes = type->size;
	value->is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
	return value->bytes >= 1 && value->bytes <= REGISTER_BYTES;
}

/* The last parameter of a function with any number of them has no type. */
static bool read_parameters(const struct btf *btf, const struct btf_type *prototype,
			    FunctionTypes *types)
{
	const struct btf_param *parameter = btf_params(prototype);

	for (unsigned i = 0; i < btf_vlen(prototype); i++, parameter++) {
		FunctionValue value = { 0 };
		const char *name = btf__name_by_offset(btf, parameter->name_off);

		if (i >= FUNCTION_PARAMETERS_MAX || !parameter->type ||
		    !read_value(btf, parameter->type, &value))
			return false;
		value.name = g_strdup(name ? name : "");
		types->parameters[types->count++] = value;
	}
	return true;
}

static FunctionTypes *read_types(const struct btf *btf, const char *function)
{
	g_autoptr(FunctionTypes) types = g_new0(FunctionTypes, 1);
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;
	const struct btf_type *prototype = type ? btf__type_by_id(btf, type->type) : NULL;

	if (!prototype || !btf_is_func_proto(prototype))
		return NULL;
	types->result.name = g_strdup("");
	if ((prototype->type && !read_value(btf, prototype->type, &types->result)) ||
	    !read_parameters(btf, prototype, types))
		return NULL;
	return g_steal_pointer(&types);
}

FunctionTypes *function_types_read(const char *root, const char *function)
{
	g_autofree char *path = g_strconcat(root, KERNEL_TYPES, NULL);
	struct btf *btf = btf_file_parse(path);
	FunctionTypes *types;

	if (!btf)
		return NULL;
	types = read_types(btf, function);
	btf__free(btf);
	return types;
}
#else
FunctionTypes *function_types_read(const char *root, const char *function)
{
	(void)root;
	(void)function;
	return NULL;
}
#endif

#define SYMBOLS ".symtab"
#define DYNAMIC_SYMBOLS ".dynsym"
#define VERSIONS ".gnu.version"
#define DEFINITIONS ".gnu.version_d"

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
	const ElfFile *file;
	const Elf_Data *symbols;
	const Elf_Data *names;
	const Elf_Data *versions;  /* NULL: none */
	GHashTable *version_names; /* number -> const char *, owned */
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

/* Returns the text at an offset in a section of texts; NULL: it does not end there. */
static const char *text_at(const Elf_Data *texts, uint64_t offset)
{
	const char *text = (const char *)texts->d_buf + offset;

	if (offset >= texts->d_size || !memchr(text, '\0', texts->d_size - offset))
		return NULL;
	return text;
}

/* Reads the table of versions, and the versions that this file defines: number -> name. The names
   of versions and of symbols are in the same section. */
static void read_versions(Table *table)
{
	const Elf_Data *data = elf_file_data(elf_file_section(table->file, DEFINITIONS));
	GElf_Verdef definition = { .vd_next = 1 };

	table->versions = elf_file_data(elf_file_section(table->file, VERSIONS));
	if (!table->versions || !data || !data->d_buf)
		return;
	/* Each step goes on, so a loop ends with the data. */
	for (uint64_t at = 0; definition.vd_next && at < MIN(data->d_size, (size_t)G_MAXINT32);
	     at += definition.vd_next) {
		GElf_Verdaux name;
		const char *text;

		if (!gelf_getverdef(unconst(data), (int)at, &definition) ||
		    definition.vd_aux > (uint64_t)G_MAXINT32 - at ||
		    !gelf_getverdaux(unconst(data), (int)(at + definition.vd_aux), &name))
			return;
		text = text_at(table->names, name.vda_name);
		if (text)
			g_hash_table_insert(table->version_names,
					    GUINT_TO_POINTER(definition.vd_ndx), unconst(text));
	}
}

/* Adds the version from the table of versions. */
static void add_version(const Table *table, int index, VersionedName *name)
{
	enum { HIDDEN = 0x8000 };
	GElf_Versym number;
	const char *version;

	if (!table->versions || name->version.length ||
	    !gelf_getversym(unconst(table->versions), index, &number))
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

/* On POWER, calls within a file skip the first instructions of a function, which find its data
   (ELFv2 ABI, "local entry point"). */
static uint64_t entry_of(const Table *table, const GElf_Sym *symbol)
{
	/* <elf.h> of glibc 2.17 lacks PPC64_LOCAL_ENTRY_OFFSET(). */
	unsigned power = symbol->st_other >> 5;

	if (table->file->header.e_machine != EM_PPC64 || power < 2)
		return symbol->st_value;
	return symbol->st_value + (1U << power);
}

static void add_found(Search *search, Fit fit, const Table *table, const GElf_Sym *symbol)
{
	GArray *found = search->functions->found;
	const FunctionSymbol function = {
		.address = entry_of(table, symbol),
		.bytes = symbol->st_size,
		.is_indirect = GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
	};

	if (fit < search->best || fit == FITS_NOT)
		return;
	if (fit > search->best)
		g_array_set_size(found, 0);
	search->best = fit;
	for (guint i = 0; i < found->len; i++)
		if (g_array_index(found, FunctionSymbol, i).address == function.address)
			return;
	if (found->len < FUNCTION_SYMBOLS_MAX)
		g_array_append_val(found, function);
}

static void visit_symbol(Search *search, const Table *table, int index)
{
	GElf_Sym symbol;
	unsigned type;
	const char *text;
	VersionedName name;

	if (!gelf_getsym(unconst(table->symbols), index, &symbol))
		return;
	type = GELF_ST_TYPE(symbol.st_info);
	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
	    !symbol.st_value)
		return;
	text = text_at(table->names, symbol.st_name);
	if (!text || !*text)
		return;
	g_hash_table_add(search->functions->names, unconst(text));
	name = split_name(text);
	add_version(table, index, &name);
	add_found(search, fit_of(search, &name, &symbol), table, &symbol);
}

/* Visits the table in the section of this name, if there is one. */
static void visit_section(Search *search, const ElfFile *file, const char *section_name)
{
	Elf_Scn *section = elf_file_section(file, section_name);
	Table table = { .file = file, .symbols = elf_file_data(section) };
	size_t symbol_bytes = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t count;
	GElf_Shdr header;

	if (!table.symbols || !table.symbols->d_buf || !gelf_getshdr(section, &header))
		return;
	table.names = elf_file_data(elf_getscn(file->elf, header.sh_link));
	if (!table.names || !table.names->d_buf)
		return;
	table.version_names = g_hash_table_new(NULL, NULL);
	if (g_str_equal(section_name, DYNAMIC_SYMBOLS))
		read_versions(&table);
	count = MIN(table.symbols->d_size / symbol_bytes, (size_t)G_MAXINT32);
	for (size_t i = 0; i < count; i++)
		visit_symbol(search, &table, (int)i);
	g_hash_table_unref(table.version_names);
}

void function_symbols_find(FunctionSymbols *functions, const ElfFile *const *files, unsigned count,
			   const char *name)
{
	Search search = { .functions = functions, .wanted = split_name(name) };

	functions->found = g_array_new(FALSE, FALSE, sizeof(FunctionSymbol));
	functions->names = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; i < count; i++) {
		visit_section(&search, files[i], DYNAMIC_SYMBOLS);
		visit_section(&search, files[i], SYMBOLS);
	}
}
