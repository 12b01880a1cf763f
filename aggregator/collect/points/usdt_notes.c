/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the notes of USDT probes from an ELF program or library, which is hostile, into an array of
 * sites, and parses their operands. Runs in the child of program_symbols.c; point_columns.c parses
 * operands.
 */
#include "collect/points/usdt_notes.h"

#include "base/bytes.h"
#include "base/text_part.h"
#include "base/unconst.h"
#include "collect/points/point_registers.h"

#include <glib.h>
#include <string.h>

ElfImage *elf_image_new(int fd)
{
	g_autoptr(ElfImage) image = g_new0(ElfImage, 1);
	const GElf_Ehdr *header = &image->file.header;

	if (!elf_file_begin(&image->file, fd) ||
	    (header->e_type != ET_EXEC && header->e_type != ET_DYN))
		return NULL;
	return g_steal_pointer(&image);
}

void elf_image_free(ElfImage *image)
{
	if (!image)
		return;
	elf_file_end(&image->file);
	g_free(image);
}

/*
 * Parses one operand of a USDT site: constant, register or memory. The text comes from the file:
 * nothing in it is trusted.
 */

static void usdt_notes_drop(TextPart *part, size_t length)
{
	part->text += length;
	part->length -= length;
}

static bool drop_character(TextPart *part, char c)
{
	if (!part->length || *part->text != c)
		return false;
	usdt_notes_drop(part, 1);
	return true;
}

/* Removes the next operand. A memory operand of ARM has blanks in its brackets. */
static TextPart next_operand(TextPart *rest)
{
	TextPart operand;
	bool in_brackets = false;
	size_t end;

	while (drop_character(rest, ' '))
		continue;
	for (end = 0; end < rest->length && (in_brackets || rest->text[end] != ' '); end++) {
		in_brackets |= rest->text[end] == '[';
		in_brackets &= rest->text[end] != ']';
	}
	operand = (TextPart){ rest->text, end };
	usdt_notes_drop(rest, end);
	return operand;
}

/* Removes "SIZE@". Old files have none: then it is that of a register. */
static void take_size(TextPart *rest, UsdtOperand *operand)
{
	const char *at = rest->length ? memchr(rest->text, '@', rest->length) : NULL;
	size_t length = at ? (size_t)(at - rest->text) : 0;
	TextPart size = { rest->text, length };
	uint64_t bytes;

	operand->bytes = sizeof(uint64_t);
	if (!at)
		return;
	usdt_notes_drop(rest, length + 1);
	operand->is_signed = drop_character(&size, '-');
	if (text_part_decimal(size, &bytes) && (bytes == 1 || bytes == 2 || bytes == 4))
		operand->bytes = (unsigned)bytes;
}

static bool read_constant(TextPart text, int64_t *constant)
{
	bool is_negative = drop_character(&text, '-');
	uint64_t number;
	bool is_read;

	if (text.length > 2 && text.text[0] == '0' && (text.text[1] | 0x20) == 'x') {
		usdt_notes_drop(&text, 2);
		is_read = text_part_hexadecimal(text, &number);
	} else {
		is_read = text_part_decimal(text, &number);
	}
	if (is_read)
		*constant = (int64_t)(is_negative ? -number : number);
	return is_read;
}

static void read_place(TextPart text, UsdtOperand *operand)
{
	unsigned bytes;

	operand->kind = USDT_OPERAND_MEMORY;
	if (drop_character(&text, '$') || (text.length && g_ascii_isdigit(*text.text)) ||
	    (text.length > 1 && *text.text == '-' && g_ascii_isdigit(text.text[1]))) {
		if (read_constant(text, &operand->constant))
			operand->kind = USDT_OPERAND_CONSTANT;
		return;
	}
	drop_character(&text, '%');
	operand->register_number = point_register_named(text.text, text.length, &bytes);
	if (operand->register_number == POINT_REGISTER_NONE)
		return;
	operand->kind = USDT_OPERAND_REGISTER;
	operand->bytes = MIN(operand->bytes, bytes);
}

bool usdt_operand_parse(const char *arguments, unsigned number, UsdtOperand *operand)
{
	TextPart rest = { arguments, strlen(arguments) }, text = { 0 };

	for (unsigned i = 0; i < number; i++)
		text = next_operand(&rest);
	*operand = (UsdtOperand){ 0 };
	if (!text.length)
		return false;
	take_size(&text, operand);
	read_place(text, operand);
	return true;
}

unsigned usdt_operands_count(const char *arguments)
{
	TextPart rest = { arguments, strlen(arguments) };
	unsigned count = 0;

	while (next_operand(&rest).length)
		count++;
	return count;
}

enum { NOTE_TYPE = 3 };
#define NOTE_OWNER "stapsdt"
#define NOTES_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"

/* What the notes of a file are read with. */
typedef struct {
	const ElfImage *image;
	GPtrArray *sites;
	uint64_t base; /* address of the section .stapsdt.base; 0: none */
	size_t address_bytes;
	bool swapped;
} Reader;

static void site_free(gpointer data)
{
	UsdtSite *site = data;

	g_free(site->provider);
	g_free(site->name);
	g_free(site->arguments);
	g_free(site);
}

GPtrArray *usdt_sites_new(void)
{
	return g_ptr_array_new_with_free_func(site_free);
}

static uint64_t read_address(const Reader *reader, const uint8_t *description, unsigned index)
{
	const uint8_t *from = description + index * reader->address_bytes;

	return reader->address_bytes == sizeof(uint64_t) ? load_u64(from, reader->swapped)
							 : load_u32(from, reader->swapped);
}

/* Returns the next text before the end, and moves on. Returns NULL if it does not end there. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *stop = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

/* Finds the offset in the file of an address of writable data. Returns false if the file does not
   contain it. */
static bool data_offset(const ElfImage *image, uint64_t address, uint64_t *offset)
{
	for (int i = 0; i < MIN(image->file.header.e_phnum, ELF_FILE_SEGMENTS_MAX); i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->file.elf, i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_W) || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}

/* The linker moves code, but not the addresses in the notes: the base, which moves alike, tells by
   how much (prelink, and linking against other sections). */
static uint64_t moved_by(const Reader *reader, uint64_t noted_base)
{
	return reader->base && noted_base ? reader->base - noted_base : 0;
}

static void add_site(const Reader *reader, const uint8_t *description, size_t bytes)
{
	enum { PC, BASE, SEMAPHORE, ADDRESSES };
	const char *at = (const char *)description + ADDRESSES * reader->address_bytes;
	const char *end = (const char *)description + bytes;
	const char *provider = take_text(&at, end), *name = take_text(&at, end);
	const char *arguments = take_text(&at, end);
	uint64_t move, semaphore;
	uint64_t offset, semaphore_offset = 0;
	UsdtSite *site;

	if (!provider || !name)
		return;
	move = moved_by(reader, read_address(reader, description, BASE));
	semaphore = read_address(reader, description, SEMAPHORE);
	if (!elf_file_offset(&reader->image->file, read_address(reader, description, PC) + move,
			     &offset) ||
	    (semaphore && !data_offset(reader->image, semaphore + move, &semaphore_offset)))
		return;
	site = g_new(UsdtSite, 1);
	*site = (UsdtSite){
		.provider = g_strdup(provider),
		.name = g_strdup(name),
		.arguments = g_strdup(arguments ? arguments : ""),
		.offset = offset,
		.semaphore_offset = semaphore_offset,
	};
	g_ptr_array_add(reader->sites, site);
}

static void read_notes(const Reader *reader, const Elf_Data *data)
{
	size_t at = 0, next, name_at, description_at;
	GElf_Nhdr note;

	for (; reader->sites->len < USDT_SITES_MAX &&
	       (next = gelf_getnote(unconst(data), at, &note, &name_at, &description_at));
	     at = next) {
		const uint8_t *bytes = data->d_buf;

		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_OWNER) &&
		    !memcmp(bytes + name_at, NOTE_OWNER, sizeof(NOTE_OWNER)) &&
		    note.n_descsz >= 3 * reader->address_bytes)
			add_site(reader, bytes + description_at, note.n_descsz);
	}
}

GPtrArray *usdt_notes_read(const ElfImage *image)
{
	const ElfFile *file = &image->file;
	bool is_big = file->header.e_ident[EI_DATA] == ELFDATA2MSB;
	Elf_Scn *base = elf_file_section(file, BASE_SECTION);
	GElf_Shdr header;
	Reader reader = {
		.image = image,
		.sites = usdt_sites_new(),
		.base = base && gelf_getshdr(base, &header) ? header.sh_addr : 0,
		.address_bytes = file->header.e_ident[EI_CLASS] == ELFCLASS32 ? 4 : 8,
		.swapped = is_big != (G_BYTE_ORDER == G_BIG_ENDIAN),
	};
	const Elf_Data *notes = elf_file_data(elf_file_section(file, NOTES_SECTION));

	if (notes && notes->d_buf)
		read_notes(&reader, notes);
	return reader.sites;
}
