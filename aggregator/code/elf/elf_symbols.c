/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all functions of a file into an ElfFunctions: symbols of the file, of a debug file, of
 * packed debug data, and the stubs through which a program calls other objects, for which there are
 * two decoders of instructions, in a const table by machine. Ranks decide which of several names
 * stays. Runs in a child, started by user_resolve.c. Also the vdso of this process, which is that
 * of all 64-bit processes: its functions, read in the program, and its image for the unwinder.
 */
#include "code/elf/elf_symbols.h"

#include "base/bytes.h"
#include "base/sorted.h"
#include "base/unconst.h"
#include "code/elf/elf_debug_file.h"
#include "code/user/user_names.h"

#include <glib.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Procedure linkage tables. */

/* The dynamic symbol whose address is in a slot. */
typedef struct {
	uint64_t slot;
	uint32_t symbol;
} Relocation;

enum { RELOCATIONS_MAX = 1 << 20, ENTRY_BYTES = 16, NAME_BYTES_MAX = 1024 };

/* An entry of a table, by the address of its slot. */
typedef struct {
	uint64_t address, bytes;
	uint64_t slot;
} PltEntry;

/* Decodes the entry at an address, of which there are this many bytes at least up to the end of the
   section. */
typedef bool (*DecodeEntry)(const uint8_t *code, size_t bytes, PltEntry *entry);

/* How a processor jumps through a slot. */
typedef struct {
	GElf_Half machine;
	GElf_Word jump_slot, global_data; /* types of relocations */
	size_t step;                      /* entries begin at multiples of it */
	DecodeEntry decode;
} PltMachine;

/* [endbr64] [bnd] jmp *slot(%rip). An entry of 8 bytes is in .plt.got, without endbr64. */
static bool decode_x86_64(const uint8_t *code, size_t bytes, PltEntry *entry)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (bytes > sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (at < bytes && code[at] == 0xf2)
		at++;
	if (at + 6 > bytes || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	entry->slot = entry->address + at + 6 +
		      (uint64_t)(int32_t)GUINT32_FROM_LE(load_u32(code + at + 2, false));
	entry->bytes = at + 6 <= 8 && (bytes <= 8 || code[8] == 0xff) ? 8 : ENTRY_BYTES;
	return true;
}

static uint32_t instruction(const uint8_t *code, size_t number)
{
	return GUINT32_FROM_LE(load_u32(code + 4 * number, false));
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; ... */
static bool decode_aarch64(const uint8_t *code, size_t bytes, PltEntry *entry)
{
	size_t at = bytes >= 4 && instruction(code, 0) == 0xd503245f ? 1 : 0;
	uint32_t adrp, ldr;
	uint64_t page;

	if (bytes < 4 * (at + 2))
		return false;
	adrp = instruction(code, at);
	ldr = instruction(code, at + 1);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)((int64_t)((uint64_t)(adrp >> 5 & 0x7ffff) << 45) >> 43 |
			  (adrp >> 29 & 3));
	entry->slot = ((entry->address + 4 * at) & ~(uint64_t)0xfff) + (page << 12) +
		      (ldr >> 10 & 0xfff) * 8;
	entry->bytes = ENTRY_BYTES + 8 * at;
	return true;
}

static const PltMachine machines[] = {
	{ EM_X86_64, R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, 8, decode_x86_64 },
	{ EM_AARCH64, R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, 4, decode_aarch64 },
};

static void add_relocations(GArray *relocations, const PltMachine *machine, Elf_Data *data,
			    size_t count)
{
	for (size_t i = 0; i < MIN(count, INT_MAX); i++) {
		GElf_Rela from;
		Relocation relocation;

		if (!gelf_getrela(data, (int)i, &from) || relocations->len >= RELOCATIONS_MAX)
			return;
		if (GELF_R_TYPE(from.r_info) != machine->jump_slot &&
		    GELF_R_TYPE(from.r_info) != machine->global_data)
			continue;
		relocation = (Relocation){ from.r_offset, (uint32_t)GELF_R_SYM(from.r_info) };
		g_array_append_val(relocations, relocation);
	}
}

static gint compare_relocations(gconstpointer first, gconstpointer second)
{
	const Relocation *a = first, *b = second;

	return (a->slot > b->slot) - (a->slot < b->slot);
}

/* Returns the relocations that entries may use, sorted by slot. Both processors have addends. */
static GArray *read_relocations(const ElfFile *file, const PltMachine *machine)
{
	GArray *relocations = g_array_new(FALSE, FALSE, sizeof(Relocation));
	size_t bytes = gelf_fsize(file->elf, ELF_T_RELA, 1, EV_CURRENT);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		const Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !(header.sh_flags & SHF_ALLOC))
			continue;
		data = elf_file_data(section);
		if (data && data->d_buf)
			add_relocations(relocations, machine, unconst(data), data->d_size / bytes);
	}
	g_array_sort(relocations, compare_relocations);
	return relocations;
}

/* What the entries of a file need. */
typedef struct {
	const ElfFile *file;
	const PltMachine *machine;
	GArray *relocations; /* owned */
	ElfNames names;
} Plt;

static void add_plt_entry(ElfFunctions *functions, const Plt *plt, const PltEntry *entry)
{
	guint behind = SORTED_UNTIL(plt->relocations, Relocation, slot, entry->slot);
	Relocation relocation = { 0 };
	char text[NAME_BYTES_MAX];
	TextPart name;
	GElf_Sym symbol;
	uint64_t offset;

	if (behind)
		relocation = g_array_index(plt->relocations, Relocation, behind - 1);
	if (relocation.slot != entry->slot || !relocation.symbol || relocation.symbol > INT_MAX ||
	    !gelf_getsym(unconst(plt->names.symbols), (int)relocation.symbol, &symbol) ||
	    !elf_file_offset(plt->file, entry->address, &offset))
		return;
	name = elf_names_get(&plt->names, symbol.st_name);
	if (!name.length)
		return;
	g_snprintf(text, sizeof(text), "%.*s@plt", (int)MIN(name.length, NAME_BYTES_MAX / 2),
		   name.text);
	elf_functions_add(functions, offset, entry->bytes, (TextPart){ text, strlen(text) },
			  ELF_NAME_GLOBAL);
}

static void add_section(ElfFunctions *functions, const Plt *plt, const char *name)
{
	Elf_Scn *section = elf_file_section(plt->file, name);
	const Elf_Data *data = elf_file_data(section);
	GElf_Shdr header;
	size_t step = plt->machine->step;

	if (!data || !data->d_buf || !gelf_getshdr(section, &header))
		return;
	for (size_t at = 0; at < data->d_size; at += step) {
		PltEntry entry = { .address = header.sh_addr + at };

		if (plt->machine->decode((const uint8_t *)data->d_buf + at, data->d_size - at,
					 &entry))
			add_plt_entry(functions, plt, &entry);
	}
}

/*
 * Adds the entries of the procedure linkage tables: "puts@plt" jumps to puts of another object. An
 * entry is found by its instructions (x86-64 and aarch64): it jumps through the slot that a
 * relocation fills with the address of the function.
 */
static void add_plt(ElfFunctions *functions, const ElfFile *file)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	Plt plt = { .file = file, .machine = NULL };

	for (unsigned i = 0; !plt.machine && i < G_N_ELEMENTS(machines); i++)
		if (machines[i].machine == file->header.e_machine)
			plt.machine = &machines[i];
	if (!plt.machine || !elf_names_find(&plt.names, file, SHT_DYNSYM))
		return;
	plt.relocations = read_relocations(file, plt.machine);
	for (unsigned i = 0; i < G_N_ELEMENTS(sections); i++)
		add_section(functions, &plt, sections[i]);
	g_array_unref(plt.relocations);
}

/* Symbols. */

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
	add_plt(functions, file);
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

/* The vdso. */

/* The table of sections is what comes last in the image. The kernel made it: it is trusted. */
static size_t image_bytes(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/* Returns the image in this process; NULL: there is none. */
static ElfW(Ehdr) * image(void)
{
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);

	return header && !memcmp(header->e_ident, ELFMAG, SELFMAG) ? header : NULL;
}

int vdso_image_open(void)
{
	const ElfW(Ehdr) *header = image();
	int fd = header ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0 || write(fd, header, image_bytes(header)) == (ssize_t)image_bytes(header))
		return fd;
	close(fd);
	return -1;
}

ElfFunctions *vdso_image_functions(void)
{
	ElfW(Ehdr) *header = image();

	if (!header)
		return NULL;
	return elf_symbols_read_memory(header, image_bytes(header));
}
