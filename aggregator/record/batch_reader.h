/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * BatchReader finds whole batches in a stream that may be chunked, cut or damaged anywhere.
 *
 * A batch is whole when header and trailer agree. Bytes that belong to no whole batch are
 * skipped up to the next magic and counted. Nothing is allocated after batch_reader_new().
 */
typedef struct BatchReader BatchReader;

/* A whole batch in the stream's byte order. All pointers are borrowed for the callback only. */
typedef struct {
	struct KmtBatchHeader header; /* already in this machine's byte order */
	bool swapped;                 /* the records are in the other byte order */
	const uint8_t *content;       /* what lies between header and trailer, not aligned */
	uint32_t content_bytes;
	const uint8_t *bytes; /* the whole batch as it came */
} Batch;

/* Called for each whole batch, in stream order. */
typedef void (*BatchVisitor)(const Batch *batch, void *user_data);

/* Parses bytes that are one whole batch; *batch borrows from them. Returns false where they are not
   one. */
bool batch_parse(const void *bytes, size_t length, Batch *batch);

typedef struct {
	uint64_t batches;       /* visited */
	uint64_t unknown;       /* whole, but of an unknown kind or version: not visited */
	uint64_t damaged;       /* times that reading had to resynchronise */
	uint64_t damaged_bytes; /* skipped while doing so */
	uint64_t bytes_moved;   /* within the reader's memory, at most as many as were read */
} BatchReaderTotals;

/* Returns a reader that calls visit; free it with batch_reader_free(). */
BatchReader *batch_reader_new(BatchVisitor visit, void *user_data);
void batch_reader_free(BatchReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatchReader, batch_reader_free)

/* Reads the next bytes of the stream; they need not end at the end of a batch. */
void batch_reader_feed(BatchReader *reader, const void *bytes, size_t length);

/* Ends the stream: a batch that is still incomplete counts as damaged. */
void batch_reader_finish(BatchReader *reader);

BatchReaderTotals batch_reader_totals(const BatchReader *reader);

/* Whether length bytes look like the start of a native stream, in either byte order. */
bool batch_reader_recognises(const void *bytes, size_t length);
