/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens an ELF file with libelf, after its header, sections and segments were checked: libelf would
 * allocate what a hostile header says. Also finds symbol tables, and returns single names as
 * checked parts of a section. Runs in children, and in the program for the vdso. Symbols, unwinding
 * and probe points are read through it.
 */
#include "code/elf/elf_file.h"

#include "record/format.h"
#include "base/unconst.h"
#include "code/user/user_names.h"

#include <elfutils/libdwelf.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any file that was seen: debug files of browsers have 4 GB, their symbols 200 MB. */
#define FILE_BYTES_MAX ((uint64_t)8 << 30)
enum { SECTION_BYTES_MAX = 256 << 20, NOTES_BYTES_MAX = 1 << 20 };

/* Extended numbering, for more sections or segments than 16 bits count, is for object files. */
static bool has_plain_numbers(const ElfFile *file)
{
	const GElf_Ehdr *header = &file->header;

	if (header->e_shnum == 0 && header->e_shoff != 0)
		return false;
	return header->e_phnum != 0 && header->e_phnum != PN_XNUM;
}

/* Reads the header that libelf will read, before libelf allocates tables for its numbers. */
static bool read_header(ElfFile *file, const void *bytes, size_t length)
{
	union {
		Elf32_Ehdr of_32;
		Elf64_Ehdr of_64;
	} header;
	Elf_Data from = { .d_buf = unconst(bytes), .d_type = ELF_T_EHDR, .d_version = EV_CURRENT };
	Elf_Data to = { .d_buf = &header, .d_size = sizeof(header), .d_version = EV_CURRENT };
	const unsigned char *ident = bytes;
	bool is_64 = length > EI_DATA && ident[EI_CLASS] == ELFCLASS64;

	from.d_size = is_64 ? sizeof(header.of_64) : sizeof(header.of_32);
	if (length < from.d_size || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (!(is_64 ? elf64_xlatetom : elf32_xlatetom)(&to, &from, ident[EI_DATA]))
		return false;
	file->header.e_shnum = is_64 ? header.of_64.e_shnum : header.of_32.e_shnum;
	file->header.e_shoff = is_64 ? header.of_64.e_shoff : header.of_32.e_shoff;
	file->header.e_phnum = is_64 ? header.of_64.e_phnum : header.of_32.e_phnum;
	return true;
}

/* Returns false if a segment has more notes than a file has. */
static bool read_segments(ElfFile *file)
{
	for (int i = 0; i < file->header.e_phnum; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(file->elf, i, &segment) ||
		    (segment.p_type == PT_NOTE && segment.p_filesz > NOTES_BYTES_MAX))
			return false;
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
		    file->segments_count < ELF_FILE_SEGMENTS_MAX)
			file->segments[file->segments_count++] = (ElfSegment){
				.address = segment.p_vaddr,
				.bytes = segment.p_filesz,
				.offset = segment.p_offset,
			};
	}
	return true;
}

static bool begin(ElfFile *file, Elf *elf)
{
	file->elf = elf;
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &file->header) &&
	    has_plain_numbers(file) && read_segments(file)) {
		if (elf_getshdrstrndx(elf, &file->names) < 0)
			file->names = 0;
		return true;
	}
	elf_file_end(file);
	return false;
}

bool elf_file_begin(ElfFile *file, int descriptor)
{
	char bytes[sizeof(Elf64_Ehdr)];
	size_t length = 0;
	ssize_t got = 1;
	struct stat status;

	*file = (ElfFile){ 0 };
	elf_version(EV_CURRENT);
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode) ||
	    (uint64_t)status.st_size > FILE_BYTES_MAX)
		return false;
	/* Of a file that is shorter, or unreadable, there are fewer bytes. */
	while (got > 0 && length < sizeof(bytes)) {
		got = pread(descriptor, bytes + length, sizeof(bytes) - length, (off_t)length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (!read_header(file, bytes, length) || !has_plain_numbers(file))
		return false;
	return begin(file, elf_begin(descriptor, ELF_C_READ, NULL));
}

bool elf_file_begin_memory(ElfFile *file, void *image, size_t bytes)
{
	*file = (ElfFile){ 0 };
	elf_version(EV_CURRENT);
	if (!read_header(file, image, bytes) || !has_plain_numbers(file))
		return false;
	return begin(file, elf_memory(image, bytes));
}

void elf_file_end(ElfFile *file)
{
	elf_end(file->elf);
	file->elf = NULL;
}

Elf_Scn *elf_file_section(const ElfFile *file, const char *name)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	/* libelf reads the table of names as a whole. */
	if (!file->names || !gelf_getshdr(elf_getscn(file->elf, file->names), &header) ||
	    header.sh_size > SECTION_BYTES_MAX)
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		found = elf_strptr(file->elf, file->names, header.sh_name);
		if (found && strcmp(found, name) == 0)
			return section;
	}
	return NULL;
}

const Elf_Data *elf_file_data(Elf_Scn *section)
{
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
	    header.sh_flags & SHF_COMPRESSED || header.sh_size > SECTION_BYTES_MAX)
		return NULL;
	return elf_getdata(section, NULL);
}

bool elf_file_build_id(const ElfFile *file, UserFileId *id)
{
	const void *bytes;
	ssize_t length = dwelf_elf_gnu_build_id(file->elf, &bytes);

	if (length <= 0 || length > USER_BUILD_ID_BYTES_MAX)
		return false;
	memcpy(id->build_id, bytes, (size_t)length);
	id->build_id_bytes = (uint8_t)length;
	return true;
}

bool elf_file_has_build_id(const ElfFile *file, const UserFileId *wanted)
{
	UserFileId found = { 0 };

	return elf_file_build_id(file, &found) && found.build_id_bytes == wanted->build_id_bytes &&
	       !memcmp(found.build_id, wanted->build_id, found.build_id_bytes);
}

bool elf_file_offset(const ElfFile *file, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < file->segments_count; i++) {
		const ElfSegment *segment = &file->segments[i];

		if (address - segment->address >= segment->bytes)
			continue;
		*offset = address - segment->address + segment->offset;
		return true;
	}
	return false;
}

/* Symbol tables. */

bool elf_names_find(ElfNames *table, const ElfFile *file, GElf_Word type)
{
	size_t symbol_bytes = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			break;
	table->symbols = elf_file_data(section);
	if (!table->symbols || !table->symbols->d_buf)
		return false;
	table->names = elf_file_data(elf_getscn(file->elf, header.sh_link));
	table->count = MIN(table->symbols->d_size / symbol_bytes, INT_MAX);
	return table->names && table->names->d_buf;
}

TextPart elf_names_get(const ElfNames *table, uint32_t st_name)
{
	size_t bytes = table->names->d_size;
	size_t rest = st_name < bytes ? bytes - st_name : 0;
	TextPart name = { 0 };
	const char *version;

	if (!rest)
		return name;
	name.text = (const char *)table->names->d_buf + st_name;
	name.length = strnlen(name.text, MIN(rest, USER_NAME_BYTES_MAX + 1));
	/* Without an end in the section, it is damaged. */
	if (name.length == rest)
		name.length = 0;
	version = memchr(name.text, '@', name.length);
	if (version)
		name.length = (size_t)(version - name.text);
	return name;
}
