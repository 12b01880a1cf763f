/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/unwind/unwind_object.h"

#include "base/slot_table.h"

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	SLOTS_MIN = 64,
	SEGMENTS_MAX = 64,    /* executable ones; a file has one or two */
	SECTIONS_MAX = 65536, /* whose names are read */
	PIECES = 2,
};

/* Spreads offsets over the slots: 2^64 divided by the golden ratio. */
#define SPREAD 0x9e3779b97f4a7c15ULL

/* Where a part of the file is in the addresses that CFI has. */
typedef struct {
	uint64_t file_offset, bytes, address;
} Segment;

typedef struct {
	uint64_t file_offset;
	UnwindRow *row; /* owned; NULL: no CFI */
} KnownRow;

struct UnwindObject {
	UnwindBudget *budget;
	Elf *elf;          /* NULL: no CFI */
	Dwarf_CFI *eh_cfi; /* owned */
	Dwarf *dwarf;
	Dwarf_CFI *debug_cfi; /* of dwarf */
	/* Of the sections .init and .fini, which have no CFI: their code is pieced together. */
	uint64_t piece_starts[PIECES];
	Segment segments[SEGMENTS_MAX];
	unsigned segment_count;
	SlotTable slots;
	GArray *rows; /* (element-type KnownRow) */
};

static bool is_of_this_machine(Elf *elf)
{
	GElf_Ehdr header;

#if defined(__x86_64__)
	const GElf_Half machine = EM_X86_64;
#elif defined(__aarch64__)
	const GElf_Half machine = EM_AARCH64;
#else
	const GElf_Half machine = EM_NONE;
#endif
	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine;
}

static void read_segments(UnwindObject *object)
{
	GElf_Phdr phdr;
	size_t count = 0;

	elf_getphdrnum(object->elf, &count);
	for (size_t i = 0; i < count && object->segment_count < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(object->elf, (int)i, &phdr))
			break;
		if (phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X))
			continue;
		object->segments[object->segment_count++] =
			(Segment){ phdr.p_offset, phdr.p_filesz, phdr.p_vaddr };
	}
}

/* What libdw reads into memory. */
typedef struct {
	uint64_t eh_bytes, debug_bytes;
	bool has_debug_frame;
} SectionSizes;

static void add_section(SectionSizes *sizes, const char *name, uint64_t bytes)
{
	if (g_str_has_prefix(name, ".eh_frame"))
		sizes->eh_bytes += bytes;
	if (g_str_has_prefix(name, ".debug") || g_str_has_prefix(name, ".zdebug"))
		sizes->debug_bytes += bytes;
	sizes->has_debug_frame |= !strcmp(name, ".debug_frame") || !strcmp(name, ".zdebug_frame");
}

static void read_section(UnwindObject *object, const char *name, const GElf_Shdr *header,
			 SectionSizes *sizes)
{
	static const char *const pieces[PIECES] = { ".init", ".fini" };

	for (int i = 0; i < PIECES; i++)
		if (!strcmp(name, pieces[i]))
			object->piece_starts[i] = header->sh_addr;
	if (header->sh_type != SHT_NOBITS)
		add_section(sizes, name, header->sh_size);
}

static SectionSizes read_sections(UnwindObject *object)
{
	SectionSizes sizes = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(object->elf, &names))
		return sizes;
	for (int i = 0; i < SECTIONS_MAX && (section = elf_nextscn(object->elf, section)); i++) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(object->elf, names, header.sh_name)
					   : NULL;

		if (name)
			read_section(object, name, &header, &sizes);
	}
	return sizes;
}

static bool take(UnwindBudget *budget, uint64_t bytes)
{
	if (bytes > budget->sections_max - budget->sections)
		return false;
	budget->sections += bytes;
	return true;
}

static void read_cfi(UnwindObject *object, uint64_t file_bytes)
{
	SectionSizes sizes = read_sections(object);

	/* Without section headers libdw reads all that is behind the start of the CFI. */
	if (take(object->budget, sizes.eh_bytes ? sizes.eh_bytes : file_bytes))
		object->eh_cfi = dwarf_getcfi_elf(object->elf);
	if (!sizes.has_debug_frame || !take(object->budget, sizes.debug_bytes))
		return;
	object->dwarf = dwarf_begin_elf(object->elf, DWARF_C_READ, NULL);
	if (object->dwarf)
		object->debug_cfi = dwarf_getcfi(object->dwarf);
}

UnwindObject *unwind_object_new(int fd, UnwindBudget *budget)
{
	UnwindObject *object = g_new0(UnwindObject, 1);
	struct stat status;

	object->budget = budget;
	slot_table_init(&object->slots, SLOTS_MIN);
	object->rows = g_array_new(FALSE, FALSE, sizeof(KnownRow));
	elf_version(EV_CURRENT);
	/* Read, not mapped: a mapped file that its owner cuts is a fatal signal. */
	object->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!object->elf)
		return object;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && is_of_this_machine(object->elf)) {
		read_segments(object);
		read_cfi(object, (uint64_t)status.st_size);
	}
	elf_cntl(object->elf, ELF_C_FDDONE);
	return object;
}

void unwind_object_forget_rows(UnwindObject *object)
{
	for (guint i = 0; i < object->rows->len; i++) {
		KnownRow *known = &g_array_index(object->rows, KnownRow, i);

		object->budget->rows -=
			sizeof(*known) + (known->row ? unwind_row_bytes(known->row) : 0);
		g_free(known->row);
	}
	g_array_set_size(object->rows, 0);
	slot_table_clear(&object->slots);
	slot_table_init(&object->slots, SLOTS_MIN);
}

void unwind_object_free(UnwindObject *object)
{
	if (!object)
		return;
	unwind_object_forget_rows(object);
	slot_table_clear(&object->slots);
	g_array_free(object->rows, TRUE);
	if (object->eh_cfi)
		dwarf_cfi_end(object->eh_cfi);
	if (object->dwarf)
		dwarf_end(object->dwarf);
	elf_end(object->elf);
	g_free(object);
}

static bool find_address(const UnwindObject *object, uint64_t file_offset, uint64_t *address)
{
	for (unsigned i = 0; i < object->segment_count; i++) {
		const Segment *segment = &object->segments[i];

		*address = segment->address + (file_offset - segment->file_offset);
		if (file_offset >= segment->file_offset &&
		    file_offset - segment->file_offset < segment->bytes)
			return true;
	}
	return false;
}

static UnwindRow *decode(Dwarf_CFI *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	UnwindRow *row;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame))
		return NULL;
	row = unwind_row_new(frame);
	free(frame);
	return row;
}

/* A program's first call of such code is often its first page fault. */
static UnwindRow *decode_piece(const UnwindObject *object, uint64_t address)
{
	for (int i = 0; i < PIECES; i++)
		if (address && address == object->piece_starts[i])
			return unwind_row_new_entry();
	return NULL;
}

static UnwindRow *decode_any(const UnwindObject *object, uint64_t file_offset)
{
	UnwindRow *row;
	uint64_t address;

	if (!find_address(object, file_offset, &address))
		return NULL;
	row = decode(object->eh_cfi, address);
	if (!row)
		row = decode(object->debug_cfi, address);
	return row ? row : decode_piece(object, address);
}

const UnwindRow *unwind_object_row(UnwindObject *object, uint64_t file_offset)
{
	uint32_t hash = (uint32_t)(file_offset * SPREAD >> 32), at = hash, id;
	KnownRow known = { .file_offset = file_offset };

	for (; (id = slot_table_candidate(&object->slots, hash, &at)) != SLOT_ID_NONE; at++) {
		const KnownRow *found = &g_array_index(object->rows, KnownRow, id);

		if (found->file_offset == file_offset)
			return found->row;
	}
	known.row = decode_any(object, file_offset);
	object->budget->rows += sizeof(known) + (known.row ? unwind_row_bytes(known.row) : 0);
	slot_table_put(&object->slots, hash, at, object->rows->len);
	g_array_append_val(object->rows, known);
	return known.row;
}
