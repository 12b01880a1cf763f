/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the build id of an open file in a process that has rights: header, list of segments and
 * notes, into fixed buffers, without libelf. The opener calls it to know whether a file is the
 * mapped one.
 */
#include "code/elf/elf_build_id.h"

#include "base/build_id.h"

#include <elf.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 128, NOTES_BYTES_MAX = 1 << 14 };

#define OWN_BYTE_ORDER (G_BYTE_ORDER == G_BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB)

/* Where the segments are listed, in a file of 32 or 64 bits. */
typedef struct {
	uint64_t at;
	unsigned count;
	bool is_64;
} Segments;

static bool read_at(int file, void *to, size_t bytes, uint64_t at)
{
	return pread(file, to, bytes, (off_t)at) == (ssize_t)bytes;
}

static bool read_header(int file, Segments *segments)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr of_32;
		Elf64_Ehdr of_64;
	} header;

	if (!read_at(file, &header, sizeof(header.of_32), 0) ||
	    memcmp(header.ident, ELFMAG, SELFMAG) != 0 || header.ident[EI_DATA] != OWN_BYTE_ORDER)
		return false;
	segments->is_64 = header.ident[EI_CLASS] == ELFCLASS64;
	if (segments->is_64 && !read_at(file, &header, sizeof(header.of_64), 0))
		return false;
	segments->at = segments->is_64 ? header.of_64.e_phoff : header.of_32.e_phoff;
	segments->count = segments->is_64 ? header.of_64.e_phnum : header.of_32.e_phnum;
	return (segments->is_64 ? header.of_64.e_phentsize == sizeof(Elf64_Phdr)
				: header.of_32.e_phentsize == sizeof(Elf32_Phdr)) &&
	       segments->count <= SEGMENTS_MAX;
}

/* Finds the notes of a segment. Returns false if it has none. */
static bool find_notes(int file, const Segments *segments, unsigned number, uint64_t *at,
		       uint64_t *bytes)
{
	Elf64_Phdr of_64 = { 0 };
	Elf32_Phdr of_32 = { 0 };

	if (!(segments->is_64
		      ? read_at(file, &of_64, sizeof(of_64), segments->at + number * sizeof(of_64))
		      : read_at(file, &of_32, sizeof(of_32),
				segments->at + number * sizeof(of_32))))
		return false;
	*at = segments->is_64 ? of_64.p_offset : of_32.p_offset;
	*bytes = segments->is_64 ? of_64.p_filesz : of_32.p_filesz;
	return (segments->is_64 ? of_64.p_type : of_32.p_type) == PT_NOTE &&
	       *bytes <= NOTES_BYTES_MAX;
}

bool elf_build_id_read(int file, UserFileId *id)
{
	uint8_t notes[NOTES_BYTES_MAX];
	Segments segments;
	uint64_t at, bytes;

	if (!read_header(file, &segments))
		return false;
	for (unsigned i = 0; i < segments.count; i++) {
		g_autofree char *text = NULL;

		if (find_notes(file, &segments, i, &at, &bytes) && read_at(file, notes, bytes, at))
			text = build_id_of_notes(notes, bytes);
		if (text && user_build_id_parse((TextPart){ text, strlen(text) }, id))
			return true;
	}
	return false;
}

bool elf_build_id_is(int file, const UserFileId *wanted)
{
	UserFileId found = { 0 };

	return elf_build_id_read(file, &found) && found.build_id_bytes == wanted->build_id_bytes &&
	       !memcmp(found.build_id, wanted->build_id, found.build_id_bytes);
}
