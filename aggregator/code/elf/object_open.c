/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the file of one mapping: by map_files, then by the paths of the process and of the host,
 * and takes only what has the inode or build id of the mapping. The build id is read without
 * libelf, in a process that has rights: header, list of segments and notes, into fixed buffers.
 * Runs in the process that opens files.
 */
#include "code/elf/object_open.h"

#include "base/build_id.h"
#include "base/trusted_file.h"

#include <elf.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

/* Opening. */

static const char deleted[] = " (deleted)"; /* appended by the kernel: fs/d_path.c */

/* Returns the path as the process used it. */
static char *plain_path(TextPart path)
{
	g_autofree char *text = g_strndup(path.text, path.length);
	char **parts = g_strsplit(text, "\\012", -1);
	char *plain = g_strjoinv("\n", parts);

	g_strfreev(parts);
	if (g_str_has_suffix(plain, deleted))
		plain[strlen(plain) - strlen(deleted)] = '\0';
	return plain;
}

static bool is_file(int descriptor, const UserFileId *wanted)
{
	UserFileId found = { 0 };
	struct stat status;

	if (wanted->build_id_bytes)
		return elf_build_id_read(descriptor, &found) &&
		       found.build_id_bytes == wanted->build_id_bytes &&
		       !memcmp(found.build_id, wanted->build_id, found.build_id_bytes);
	return wanted->inode && !fstat(descriptor, &status) &&
	       major(status.st_dev) == wanted->major && minor(status.st_dev) == wanted->minor &&
	       status.st_ino == wanted->inode;
}

/* Whether the link shows the path of the mapping. On overlay file systems and btrfs, the device and
   inode of a mapping are not those that stat() shows. */
static bool shows_path(const char *link, const UserMapLine *mapping)
{
	char text[USER_PATH_BYTES_MAX + 1];
	ssize_t length = readlink(link, text, sizeof(text));

	return length > 0 && text_part_equals((TextPart){ text, (size_t)length }, mapping->path);
}

/* Opens what is at this path, if it is the file of the mapping. */
static int open_same(const char *path, const UserMapLine *mapping, bool is_link_of_mapping)
{
	int descriptor = regular_file_open(path, REGULAR_FILE_STORED, UINT64_MAX);

	if (descriptor < 0 || is_file(descriptor, &mapping->file))
		return descriptor;
	if (is_link_of_mapping && !mapping->file.build_id_bytes && shows_path(path, mapping))
		return descriptor;
	close(descriptor);
	return -1;
}

int object_open(const char *root, const UserMapLine *mapping)
{
	g_autofree char *link = g_strdup_printf(
		"%s/proc/%u/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", root,
		mapping->tgid, mapping->start, mapping->start + mapping->length);
	int descriptor = open_same(link, mapping, true);
	g_autofree char *path = NULL;
	g_autofree char *of_process = NULL;
	g_autofree char *of_host = NULL;

	if (descriptor >= 0)
		return descriptor;
	path = plain_path(mapping->path);
	if (path[0] != '/')
		return -1;
	of_process = g_strdup_printf("%s/proc/%u/root%s", root, mapping->tgid, path);
	descriptor = open_same(of_process, mapping, false);
	if (descriptor >= 0)
		return descriptor;
	of_host = g_strconcat(root, path, NULL);
	return open_same(of_host, mapping, false);
}
