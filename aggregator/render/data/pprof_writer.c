/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs parts of a message with protobuf-c and compresses them piece by piece; a table has the
 * positions of texts.
 */
#include "render/data/pprof_writer.h"

#include "base/keyed_hash.h"

#include <gio/gio.h>

enum { BUFFER_BYTES = 64 << 10, COMPRESSION_LEVEL = 4 };

struct PprofWriter {
	FILE *out;
	GConverter *gzip;
	GByteArray *packed;   /* not yet compressed */
	GHashTable *texts;    /* (element-type utf8 uint) positions in the string table */
	GStringChunk *copies; /* of texts */
};

/* What protobuf-c packs a message into. */
typedef struct {
	ProtobufCBuffer base;
	GByteArray *packed;
} PackBuffer;

static void append_packed(ProtobufCBuffer *buffer, size_t length, const uint8_t *bytes)
{
	g_byte_array_append(((PackBuffer *)buffer)->packed, bytes, (guint)length);
}

/* Compresses what is packed. Memory cannot be its end: zlib fails only if it lacks memory, and GLib
   ends the program then. */
static void pprof_writer_compress(PprofWriter *writer, GConverterFlags flags)
{
	guint8 compressed[BUFFER_BYTES];
	gsize done = 0, taken, made;
	GConverterResult result;

	do {
		result = g_converter_convert(writer->gzip, writer->packed->data + done,
					     writer->packed->len - done, compressed,
					     sizeof(compressed), flags, &taken, &made, NULL);
		if (result == G_CONVERTER_ERROR)
			break;
		done += taken;
		fwrite(compressed, 1, made, writer->out);
	} while (flags ? result != G_CONVERTER_FINISHED : done < writer->packed->len);
	g_byte_array_set_size(writer->packed, 0);
}

void pprof_writer_add(PprofWriter *writer, const Pprof__Profile *part)
{
	PackBuffer buffer = { .base = { .append = append_packed }, .packed = writer->packed };

	pprof__profile__pack_to_buffer(part, &buffer.base);
	if (writer->packed->len >= BUFFER_BYTES)
		pprof_writer_compress(writer, G_CONVERTER_NO_FLAGS);
}

int64_t pprof_writer_text(PprofWriter *writer, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	gpointer position;
	char *copy;

	if (g_hash_table_lookup_extended(writer->texts, text, NULL, &position))
		return GPOINTER_TO_UINT(position);
	position = GUINT_TO_POINTER(g_hash_table_size(writer->texts));
	copy = g_string_chunk_insert(writer->copies, text);
	g_hash_table_insert(writer->texts, copy, position);
	part.n_string_table = 1;
	part.string_table = &copy;
	pprof_writer_add(writer, &part);
	return GPOINTER_TO_UINT(position);
}

PprofWriter *pprof_writer_new(FILE *out)
{
	PprofWriter *writer = g_new0(PprofWriter, 1);

	writer->out = out;
	writer->gzip = G_CONVERTER(
		g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, COMPRESSION_LEVEL));
	writer->packed = g_byte_array_new();
	writer->texts = g_hash_table_new(keyed_hash_text, g_str_equal);
	writer->copies = g_string_chunk_new(BUFFER_BYTES);
	/* The first text is empty. */
	pprof_writer_text(writer, "");
	return writer;
}

void pprof_writer_close(PprofWriter *writer)
{
	pprof_writer_compress(writer, G_CONVERTER_INPUT_AT_END);
	g_object_unref(writer->gzip);
	g_byte_array_unref(writer->packed);
	g_hash_table_unref(writer->texts);
	g_string_chunk_free(writer->copies);
	g_free(writer);
}
