/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CFI of one file in the worker: libdw's handles, and the rows that were decoded, in a hash
 * table by file offset. Memory is taken from the worker's budget; rows are forgotten when it is
 * used up.
 */
#include "config.h"

#include "code/unwind/unwind_object.h"

#include "record/format.h"
#include "base/slot_table.h"
#include "code/elf/elf_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Makes a row of rules from what libdw decodes, once for each address, and applies it: one step of
 * a walk. Worker only.
 */

enum {
	ROOM = 3,           /* operations that dwarf_frame_register() stores in ours */
	OPS_MAX = 1 << 10,  /* of an expression; real ones have about ten */
	OFFSET_OPS_MAX = 3, /* CFA, plus the offset, and whether it is a value */
};

/* Reads "register + offset", what nearly all code has as the CFA; else the name of a register that
   has the value. Both have names for the first 32 registers. */
static bool read_register(const Dwarf_Op *op, bool has_offset, UnwindRule *rule)
{
	const unsigned first = has_offset ? DW_OP_breg0 : DW_OP_reg0;
	const unsigned numbered = has_offset ? DW_OP_bregx : DW_OP_regx;
	bool is_named = op->atom >= first && op->atom <= first + 31;
	uint64_t from = is_named ? (uint64_t)op->atom - first : op->number;

	if ((!is_named && op->atom != numbered) || from >= UNWIND_REGISTER_COUNT)
		return false;
	rule->type = UNWIND_RULE_REGISTER;
	rule->from = (uint8_t)from;
	rule->offset = has_offset ? (int64_t)(is_named ? op->number : op->number2) : 0;
	return true;
}

static bool read_expression(const Dwarf_Op *ops, size_t count, UnwindRuleType type,
			    UnwindRule *rule)
{
	if (count > OPS_MAX)
		return false;
	rule->type = (uint8_t)type;
	rule->op_count = (uint16_t)count;
	rule->ops = ops;
	return true;
}

static bool read_cfa(Dwarf_Frame *frame, UnwindRule *rule)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count) || !count)
		return false;
	if (count == 1 && read_register(ops, true, rule))
		return true;
	/* The one operation of "register + offset" belongs to the frame; expressions do not. */
	return (count > 1 || ops->atom != DW_OP_bregx) &&
	       read_expression(ops, count, UNWIND_RULE_BY_CODE, rule);
}

/* Reads rules that libdw made of an offset: "CFA + offset", saved there or itself the value. */
static bool read_cfa_offset(const Dwarf_Op *ops, size_t count, UnwindRule *rule)
{
	bool has_offset = count > 1 && ops[1].atom == DW_OP_plus_uconst;
	bool is_value = ops[count - 1].atom == DW_OP_stack_value;

	if (ops->atom != DW_OP_call_frame_cfa || count != 1U + has_offset + is_value)
		return false;
	rule->type = is_value ? UNWIND_RULE_CFA : UNWIND_RULE_SAVED;
	rule->offset = has_offset ? (int64_t)ops[1].number : 0;
	return true;
}

/* Reads what dwarf_frame_register() found. The operations of offsets and registers are in room,
   those of expressions belong to libdw. */
static bool read_rule(const Dwarf_Op *ops, size_t count, const Dwarf_Op *room, UnwindRule *rule)
{
	bool is_value = ops[count - 1].atom == DW_OP_stack_value;

	if (count == 1 && read_register(ops, false, rule))
		return true;
	if (count <= OFFSET_OPS_MAX && read_cfa_offset(ops, count, rule))
		return true;
	return ops != room &&
	       read_expression(ops, count,
			       is_value ? UNWIND_RULE_BY_CODE : UNWIND_RULE_SAVED_BY_CODE, rule);
}

/*
 * Reads the rule of a register into the row, unless it keeps its value. A value that the caller
 * cannot get back ("undefined") is kept, too: correct CFI does not use it, and libdw says this of
 * registers without a rule.
 */
static bool add_rule(UnwindRow *row, Dwarf_Frame *frame, int number)
{
	UnwindRule *rule = &row->rules[row->rule_count];
	Dwarf_Op room[ROOM];
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, room, &ops, &count))
		return false;
	if (!count) {
		row->is_start |= ops && number == UNWIND_RETURN;
		return true;
	}
	if (!read_rule(ops, count, room, rule))
		return false;
	rule->target = (uint8_t)number;
	/* The caller's stack pointer is the CFA anyway. */
	if (number != UNWIND_SP || rule->type != UNWIND_RULE_CFA || rule->offset)
		row->rule_count++;
	return true;
}

/* Returns the memory of a row, in bytes. */
static size_t unwind_row_bytes(const UnwindRow *row)
{
	return sizeof(*row) + row->rule_count * sizeof(UnwindRule);
}

/* Returns the row of a frame; its expressions belong to the frame's Dwarf_CFI. NULL: this program
   does not understand it. Free it with g_free(). */
static UnwindRow *unwind_row_new(Dwarf_Frame *frame)
{
	g_autofree UnwindRow *row =
		g_malloc0(sizeof(*row) + UNWIND_RULE_REGISTERS * sizeof(UnwindRule));
	bool is_signal;
	size_t bytes;

	if (dwarf_frame_info(frame, NULL, NULL, &is_signal) != UNWIND_RETURN)
		return NULL;
	row->is_signal = is_signal;
	if (!read_cfa(frame, &row->cfa))
		return NULL;
	for (int number = 0; number < UNWIND_RULE_REGISTERS; number++)
		if (!add_rule(row, frame, number))
			return NULL;
	bytes = unwind_row_bytes(row);
	return g_realloc(g_steal_pointer(&row), bytes);
}

/* Returns the row of a function's first instruction; free it with g_free(). Calls push the return
   address on x86-64, and leave it in a register elsewhere. */
static UnwindRow *unwind_row_new_entry(void)
{
	const bool is_pushed = UNWIND_RETURN == UNWIND_PC;
	const int64_t pushed_bytes = is_pushed ? 8 : 0;
	UnwindRow *row = g_malloc0(sizeof(*row) + (is_pushed ? 1 : 0) * sizeof(UnwindRule));

	row->cfa = (UnwindRule){ .type = UNWIND_RULE_REGISTER,
				 .from = UNWIND_SP,
				 .offset = pushed_bytes };
	row->rule_count = is_pushed;
	if (is_pushed)
		row->rules[0] = (UnwindRule){ .type = UNWIND_RULE_SAVED,
					      .target = UNWIND_RETURN,
					      .offset = -pushed_bytes };
	return row;
}

bool unwind_row_step(const UnwindRow *row, UnwindFrame *frame)
{
	UnwindRegisters caller = frame->registers;

	if (!unwind_rule_apply(&row->cfa, frame, &frame->cfa))
		return false;
	caller.values[UNWIND_SP] = frame->cfa;
	for (unsigned i = 0; i < row->rule_count; i++) {
		const UnwindRule *rule = &row->rules[i];

		/* Code has taken from the stack what is below the stack pointer: the register has
		   its value again. Compilers do not say so in CFI, as they need not. */
		if (rule->type == UNWIND_RULE_SAVED &&
		    frame->cfa + (uint64_t)rule->offset < frame->registers.values[UNWIND_SP])
			continue;
		if (!unwind_rule_apply(rule, frame, &caller.values[rule->target]))
			return false;
	}
	frame->registers = caller;
	return true;
}

enum { SLOTS_MIN = 64, PIECES = 2 };

/* Spreads offsets over the slots: 2^64 divided by the golden ratio. */
#define SPREAD 0x9e3779b97f4a7c15ULL

typedef struct {
	uint64_t file_offset;
	UnwindRow *row; /* owned; NULL: no CFI */
} KnownRow;

struct UnwindObject {
	UnwindBudget *budget;
	ElfFile file;      /* without an elf: no CFI */
	Dwarf_CFI *eh_cfi; /* owned */
	Dwarf *dwarf;
	Dwarf_CFI *debug_cfi; /* of dwarf */
	/* Of the sections .init and .fini, which have no CFI: their code is pieced together. */
	uint64_t piece_starts[PIECES];
	SlotTable slots;
	GArray *rows; /* (element-type KnownRow) */
};

static bool is_of_this_machine(const GElf_Ehdr *header)
{
#if defined(__x86_64__)
	const GElf_Half machine = EM_X86_64;
#elif defined(__aarch64__)
	const GElf_Half machine = EM_AARCH64;
#else
	const GElf_Half machine = EM_NONE;
#endif
	return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == machine;
}

/* Returns false if there is no such section with contents. */
static bool find_section(const UnwindObject *object, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = elf_file_section(&object->file, name);

	return section && gelf_getshdr(section, header);
}

static void read_pieces(UnwindObject *object)
{
	static const char *const names[PIECES] = { ".init", ".fini" };
	GElf_Shdr header;

	for (int i = 0; i < PIECES; i++)
		if (find_section(object, names[i], &header))
			object->piece_starts[i] = header.sh_addr;
}

static bool unwind_object_take(UnwindBudget *budget, uint64_t bytes)
{
	if (bytes > budget->sections_max - budget->sections)
		return false;
	budget->sections += bytes;
	return true;
}

/* Returns how much of the file libdw reads into memory. Without section headers that is all behind
   the start of the CFI. */
static uint64_t eh_frame_bytes(const UnwindObject *object, uint64_t file_bytes)
{
	GElf_Shdr rows, index;

	if (!find_section(object, ".eh_frame", &rows))
		return file_bytes;
	if (!find_section(object, ".eh_frame_hdr", &index))
		index.sh_size = 0;
	/* Sections that are not in the file are not read. */
	return MIN(rows.sh_size, file_bytes) + MIN(index.sh_size, file_bytes);
}

static void read_cfi(UnwindObject *object, uint64_t file_bytes)
{
	GElf_Shdr header;

	if (unwind_object_take(object->budget, eh_frame_bytes(object, file_bytes)))
		object->eh_cfi = dwarf_getcfi_elf(object->file.elf);
	/* libdw reads all debug sections. */
	if (!find_section(object, ".debug_frame", &header) ||
	    !unwind_object_take(object->budget, file_bytes))
		return;
	object->dwarf = dwarf_begin_elf(object->file.elf, DWARF_C_READ, NULL);
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
	if (fstat(fd, &status) || !elf_file_begin(&object->file, fd))
		return object;
	if (is_of_this_machine(&object->file.header)) {
		read_pieces(object);
		read_cfi(object, (uint64_t)status.st_size);
	}
	elf_cntl(object->file.elf, ELF_C_FDDONE);
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
	elf_file_end(&object->file);
	g_free(object);
}

static bool find_address(const UnwindObject *object, uint64_t file_offset, uint64_t *address)
{
	for (unsigned i = 0; i < object->file.segments_count; i++) {
		const ElfSegment *segment = &object->file.segments[i];

		*address = segment->address + (file_offset - segment->offset);
		if (file_offset - segment->offset < segment->bytes)
			return true;
	}
	return false;
}

static UnwindRow *unwind_object_decode(Dwarf_CFI *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	UnwindRow *row;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame))
		return NULL;
	row = unwind_row_new(frame);
	free(frame);
	return row;
}

static UnwindRow *decode_any(const UnwindObject *object, uint64_t file_offset)
{
	UnwindRow *row;
	uint64_t address;

	if (!find_address(object, file_offset, &address))
		return NULL;
	row = unwind_object_decode(object->eh_cfi, address);
	if (!row)
		row = unwind_object_decode(object->debug_cfi, address);
	/* A program's first call of such code is often its first page fault. */
	for (int i = 0; !row && i < PIECES; i++)
		if (address && address == object->piece_starts[i])
			row = unwind_row_new_entry();
	return row;
}

bool unwind_object_has_cfi(const UnwindObject *object)
{
	return object->eh_cfi || object->debug_cfi;
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

void unwind_object_prepare(void)
{
#if !_ELFUTILS_PREREQ(0, 178)
	static UnwindBudget budget = { .sections_max = 16 << 20, .rows_max = 1 << 20 };
	/* Kept: the library would be unloaded with the last CFI. */
	static UnwindObject *program;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint64_t offset;

	if (fd < 0)
		return;
	program = unwind_object_new(fd, &budget);
	close(fd);
	if (program->file.elf &&
	    elf_file_offset(&program->file, program->file.header.e_entry, &offset))
		unwind_object_row(program, offset);
#endif
}
