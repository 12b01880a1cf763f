/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * BatchReader finds whole batches in a stream that may be chunked, cut or damaged anywhere.
 *
 * A batch is whole if header and trailer agree. Bytes outside of whole batches are counted and
 * skipped, up to the next magic. Nothing is allocated after batch_reader_new().
 */
typedef struct BatchReader BatchReader;

/* A whole batch: batch.h. */
typedef struct Batch Batch;

/* Called for each whole batch, in stream order. */
typedef void (*BatchVisitor)(const Batch *batch, void *user_data);

/* Parses bytes that are one whole batch; *batch borrows them. Returns false if they are not. */
bool batch_parse(const void *bytes, size_t length, Batch *batch);

typedef struct {
	uint64_t batches;       /* visited */
	uint64_t unknown;       /* whole, but unknown kind or version: not visited */
	uint64_t damaged;       /* number of resynchronisations */
	uint64_t damaged_bytes; /* bytes skipped by these */
	uint64_t bytes_moved;   /* copied within the reader's memory; at most the bytes read */
} BatchReaderTotals;

/* Returns a reader that calls visit; free it with batch_reader_free(). */
BatchReader *batch_reader_new(BatchVisitor visit, void *user_data);
void batch_reader_free(BatchReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BatchReader, batch_reader_free)

/* Reads the next bytes of the stream, in chunks of any length. */
void batch_reader_feed(BatchReader *reader, const void *bytes, size_t length);

/* Ends the stream: a batch that is still incomplete counts as damaged. */
void batch_reader_finish(BatchReader *reader);

/* Returns the sums over all bytes so far. */
BatchReaderTotals batch_reader_totals(const BatchReader *reader);

/* Whether length bytes look like the start of a native stream, in either byte order. */
bool batch_reader_recognises(const void *bytes, size_t length);
