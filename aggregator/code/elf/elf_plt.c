/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the stubs through which a program calls other objects. Two decoders of instructions, in a
 * const table by machine, and the relocations of the file, sorted by slot. elf_symbols.c adds what
 * it finds.
 */
#include "code/elf/elf_symbols.h"

#include "base/bytes.h"
#include "base/unconst.h"

#include <glib.h>
#include <string.h>

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

static uint32_t elf_plt_instruction(const uint8_t *code, size_t number)
{
	return GUINT32_FROM_LE(load_u32(code + 4 * number, false));
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; ... */
static bool decode_aarch64(const uint8_t *code, size_t bytes, PltEntry *entry)
{
	size_t at = bytes >= 4 && elf_plt_instruction(code, 0) == 0xd503245f ? 1 : 0;
	uint32_t adrp, ldr;
	uint64_t page;

	if (bytes < 4 * (at + 2))
		return false;
	adrp = elf_plt_instruction(code, at);
	ldr = elf_plt_instruction(code, at + 1);
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

/* Returns the symbol in a slot; 0: none. */
static uint32_t symbol_in(const GArray *relocations, uint64_t slot)
{
	guint low = 0, high = relocations->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const Relocation *relocation = &g_array_index(relocations, Relocation, middle);

		if (relocation->slot == slot)
			return relocation->symbol;
		if (relocation->slot > slot)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/* What the entries of a file need. */
typedef struct {
	const ElfFile *file;
	const PltMachine *machine;
	GArray *relocations; /* owned */
	ElfNames names;
} Plt;

static void add_entry(ElfFunctions *functions, const Plt *plt, const PltEntry *entry)
{
	uint32_t number = symbol_in(plt->relocations, entry->slot);
	char text[NAME_BYTES_MAX];
	TextPart name;
	GElf_Sym symbol;
	uint64_t offset;

	if (!number || number > INT_MAX ||
	    !gelf_getsym(unconst(plt->names.symbols), (int)number, &symbol) ||
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
			add_entry(functions, plt, &entry);
	}
}

void elf_plt_add(ElfFunctions *functions, const ElfFile *file)
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
