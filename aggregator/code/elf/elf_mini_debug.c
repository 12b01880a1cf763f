/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unpacks .gnu_debugdata with liblzma, with limits for its memory and its result. Builds without
 * liblzma find nothing.
 */
#include "config.h"

#include "code/elf/elf_mini_debug.h"

#ifdef HAVE_LZMA
#include <lzma.h>

/* The largest that was seen has 2 MB. A dictionary of more than 64 MB is not needed for them. */
enum { UNPACKED_BYTES_MAX = 64 << 20, DECODER_BYTES_MAX = 80 << 20, PIECE_BYTES = 1 << 16 };

/* Appends what the decoder has; returns false at the end, or if the data is damaged. */
static bool unpack_piece(lzma_stream *stream, GByteArray *unpacked, lzma_ret *result)
{
	guint8 piece[PIECE_BYTES];

	stream->next_out = piece;
	stream->avail_out = sizeof(piece);
	*result = lzma_code(stream, LZMA_FINISH);
	g_byte_array_append(unpacked, piece, (guint)(sizeof(piece) - stream->avail_out));
	return *result == LZMA_OK && unpacked->len < UNPACKED_BYTES_MAX;
}

static GByteArray *unpack(const Elf_Data *data)
{
	g_autoptr(GByteArray) unpacked = g_byte_array_new();
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result;

	if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0) != LZMA_OK)
		return NULL;
	stream.next_in = data->d_buf;
	stream.avail_in = data->d_size;
	while (unpack_piece(&stream, unpacked, &result))
		continue;
	lzma_end(&stream);
	return result == LZMA_STREAM_END ? g_steal_pointer(&unpacked) : NULL;
}

GByteArray *elf_mini_debug_unpack(const ElfFile *file)
{
	const Elf_Data *data = elf_file_data(elf_file_section(file, ".gnu_debugdata"));

	return data && data->d_buf ? unpack(data) : NULL;
}
#else
GByteArray *elf_mini_debug_unpack(const ElfFile *file)
{
	(void)file;
	return NULL;
}
#endif
