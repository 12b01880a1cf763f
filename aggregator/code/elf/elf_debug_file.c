/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks for the separate debug file of a program, and checks build id or checksum. In a child,
 * which may not open files, it asks the program for each path (elf_debug_file_ask()), and the
 * program checks that such a path may be asked for.
 */
#include "config.h"

#include "code/elf/elf_debug_file.h"

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/trusted_file.h"
#include "process/child_port.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

/*
 * Unpacks .gnu_debugdata with liblzma, with limits for its memory and its result. Builds without
 * liblzma find nothing.
 */

#ifdef HAVE_LZMA
#include <lzma.h>

/* The largest that was seen has 2 MB. A dictionary of more than 64 MB is not needed for them. */
enum { UNPACKED_BYTES_MAX = 64 << 20, DECODER_BYTES_MAX = 80 << 20, UNPACK_PIECE_BYTES = 1 << 16 };

GByteArray *elf_mini_debug_unpack(const ElfFile *file)
{
	const Elf_Data *data = elf_file_data(elf_file_section(file, ".gnu_debugdata"));
	g_autoptr(GByteArray) unpacked = g_byte_array_new();
	lzma_stream stream = LZMA_STREAM_INIT;
	guint8 piece[UNPACK_PIECE_BYTES];
	lzma_ret result;

	if (!data || !data->d_buf || lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0) != LZMA_OK)
		return NULL;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	do {
		stream.next_out = piece;
		stream.avail_out = sizeof(piece);
		result = lzma_code(&stream, LZMA_FINISH);
		g_byte_array_append(unpacked, piece, (guint)(sizeof(piece) - stream.avail_out));
	} while (result == LZMA_OK && unpacked->len < UNPACKED_BYTES_MAX);
	lzma_end(&stream);
	return result == LZMA_STREAM_END ? g_steal_pointer(&unpacked) : NULL;
}
#else
GByteArray *elf_mini_debug_unpack(const ElfFile *file)
{
	(void)file;
	return NULL;
}
#endif

static const char debug_folder[] = "/usr/lib/debug";

enum { PIECE_BYTES = 1 << 16 };

/* What is read for a checksum: it takes about a second. */
#define CHECKED_BYTES_MAX ((uint64_t)1 << 30)

static int program = -1; /* socket to the program; -1: this process opens files itself */

/* The contents of a .gnu_debuglink. */
typedef struct {
	const char *name; /* borrowed from the file */
	uint32_t checksum;
} DebugLink;

/* The name ends with zeros up to a multiple of four bytes; the checksum follows. */
static bool read_link(const ElfFile *file, DebugLink *link)
{
	const Elf_Data *data = elf_file_data(elf_file_section(file, ".gnu_debuglink"));
	bool is_big = file->header.e_ident[EI_DATA] == ELFDATA2MSB;
	size_t length;

	if (!data || !data->d_buf)
		return false;
	link->name = data->d_buf;
	length = strnlen(link->name, data->d_size);
	if (!length || (length | 3) + 1 + sizeof(link->checksum) > data->d_size)
		return false;
	link->checksum = load_u32(link->name + (length | 3) + 1,
				  is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	return !strchr(link->name, '/');
}

/* The CRC of IEEE 802.3, with the lowest bit first, as in zlib. */
static bool has_checksum(int descriptor, uint32_t wanted)
{
	g_autofree uint8_t *piece = g_malloc(PIECE_BYTES);
	uint32_t table[256], crc = UINT32_MAX;
	uint64_t at = 0;
	ssize_t length;

	for (uint32_t byte = 0; byte < 256; byte++) {
		table[byte] = byte;
		for (int bit = 0; bit < 8; bit++)
			table[byte] = table[byte] >> 1 ^ (table[byte] & 1 ? 0xedb88320U : 0);
	}
	while (at < CHECKED_BYTES_MAX &&
	       (length = pread(descriptor, piece, PIECE_BYTES, (off_t)at)) > 0) {
		for (ssize_t i = 0; i < length; i++)
			crc = crc >> 8 ^ table[(crc ^ piece[i]) & 0xff];
		at += (uint64_t)length;
	}
	return ~crc == wanted;
}

static bool is_debug_file(int descriptor, const UserFileId *id, const DebugLink *link)
{
	ElfFile file;
	bool is_same;

	if (!id->build_id_bytes)
		return link && has_checksum(descriptor, link->checksum);
	if (!elf_file_begin(&file, descriptor))
		return false;
	is_same = elf_file_has_build_id(&file, id);
	elf_file_end(&file);
	return is_same;
}

/* Opens a path if it is the debug file with this build id or checksum. Takes the path. */
static int try_path(char *path, const UserFileId *id, const DebugLink *link)
{
	int descriptor = program < 0 ? regular_file_open(path, REGULAR_FILE_STORED, UINT64_MAX)
				     : child_port_ask(program, path);

	g_free(path);
	if (descriptor < 0 || is_debug_file(descriptor, id, link))
		return descriptor;
	close(descriptor);
	return -1;
}

static int open_by_build_id(const UserFileId *id, const char *root)
{
	g_autofree char *folder = g_strconcat(root, debug_folder, NULL);
	g_autofree char *build_id = user_build_id_text(id);
	char *path = build_id ? build_id_debug_path(folder, build_id) : NULL;

	return path ? try_path(path, id, NULL) : -1;
}

static int open_by_link(const UserFileId *id, const DebugLink *link, const char *path,
			const char *root)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int descriptor = try_path(g_strconcat(root, folder, "/", link->name, NULL), id, link);

	if (descriptor < 0)
		descriptor =
			try_path(g_strconcat(root, folder, "/.debug/", link->name, NULL), id, link);
	if (descriptor < 0)
		descriptor = try_path(
			g_strconcat(root, debug_folder, folder, "/", link->name, NULL), id, link);
	return descriptor;
}

int elf_debug_file_open(const ElfFile *file, const char *path, const char *root)
{
	UserFileId id = { 0 };
	DebugLink link;
	int descriptor = -1;

	if (elf_file_build_id(file, &id))
		descriptor = open_by_build_id(&id, root);
	if (descriptor < 0 && path && path[0] == '/' && read_link(file, &link))
		descriptor = open_by_link(&id, &link, path, root);
	return descriptor;
}

void elf_debug_file_ask(int socket)
{
	program = socket;
}

bool elf_debug_file_may_ask(const char *asked, const char *path, const char *root)
{
	g_autofree char *debug = g_strconcat(root, debug_folder, "/", NULL);
	g_autofree char *folder = g_path_get_dirname(path ? path : "");
	g_autofree char *beside = g_strconcat(root, folder, "/", NULL);

	return !strstr(asked, "/../") && (g_str_has_prefix(asked, debug) ||
					  (folder[0] == '/' && g_str_has_prefix(asked, beside)));
}
