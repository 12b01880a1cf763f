/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts the bytes of a stream into whole batches. Bytes of an incomplete batch are carried over to
 * the next feed; all others are parsed where they are, without a copy. After damage it searches for
 * the next magic number. session.c feeds it, and passes each batch on.
 */
#include "record/batch_reader.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/bytes.h"

/* What the given bytes begin with. */
typedef enum {
	FOUND_BATCH, /* a whole batch */
	FOUND_START, /* of a batch: incomplete */
	FOUND_PADDING,
	FOUND_DAMAGE,
} Found;

struct BatchReader {
	BatchVisitor visit;
	void *user_data;
	BatchReaderTotals totals;
	bool resynchronising;
	uint32_t padding_run; /* zeros since the last batch */
	size_t carried;       /* bytes of an incomplete batch, kept until the next feed */
	size_t carry_at;      /* their offset in carry */
	size_t carry_room;    /* of carry, in bytes */
	uint8_t *carry;       /* owned; NULL: none was needed yet */
};

enum {
	MAGIC_BYTES = 4,
	/* Room for two batches: bytes move only after as many bytes were consumed. */
	CARRY_BYTES_MAX = 2 * KMT_BATCH_BYTES_MAX,
	CARRY_BYTES_MIN = 1 << 14,
};

BatchReader *batch_reader_new(BatchVisitor visit, void *user_data)
{
	BatchReader *reader = g_new0(BatchReader, 1);

	reader->visit = visit;
	reader->user_data = user_data;
	return reader;
}

void batch_reader_free(BatchReader *reader)
{
	if (!reader)
		return;
	g_free(reader->carry);
	g_free(reader);
}

static bool is_magic(const uint8_t *bytes)
{
	uint32_t magic = load_u32(bytes, false);

	return magic == KMT_MAGIC || magic == GUINT32_SWAP_LE_BE(KMT_MAGIC);
}

bool batch_reader_recognises(const void *bytes, size_t length)
{
	return length >= MAGIC_BYTES && is_magic(bytes);
}

static void header_swap(struct KmtBatchHeader *header)
{
	header->magic = GUINT32_SWAP_LE_BE(header->magic);
	header->header_bytes = GUINT16_SWAP_LE_BE(header->header_bytes);
	header->batch_bytes = GUINT32_SWAP_LE_BE(header->batch_bytes);
	header->field_set = GUINT16_SWAP_LE_BE(header->field_set);
	header->cpu = GUINT32_SWAP_LE_BE(header->cpu);
	header->batch_number = GUINT32_SWAP_LE_BE(header->batch_number);
	header->base_time_ns = GUINT64_SWAP_LE_BE(header->base_time_ns);
	header->frame_base = GUINT64_SWAP_LE_BE(header->frame_base);
	header->events = GUINT32_SWAP_LE_BE(header->events);
	header->sampling_period = GUINT32_SWAP_LE_BE(header->sampling_period);
	header->events_total = GUINT64_SWAP_LE_BE(header->events_total);
	header->dropped_reentrant = GUINT64_SWAP_LE_BE(header->dropped_reentrant);
	header->left_out_self = GUINT64_SWAP_LE_BE(header->left_out_self);
	header->left_out_interrupt = GUINT64_SWAP_LE_BE(header->left_out_interrupt);
}

static bool header_is_sound(const struct KmtBatchHeader *header)
{
	return header->header_bytes >= sizeof(*header) && header->header_bytes % 8 == 0 &&
	       header->batch_bytes % 8 == 0 && header->batch_bytes <= KMT_BATCH_BYTES_MAX &&
	       header->batch_bytes >= header->header_bytes + sizeof(struct KmtBatchTrailer) &&
	       (header->word_bytes == 4 || header->word_bytes == 8);
}

static bool trailer_agrees(const Batch *batch)
{
	const uint8_t *trailer =
		batch->bytes + batch->header.batch_bytes - sizeof(struct KmtBatchTrailer);

	return load_u32(trailer, batch->swapped) == KMT_END_MAGIC &&
	       load_u32(trailer + 4, batch->swapped) == batch->header.batch_number;
}

/* Classifies the start of bytes; *needed: the length required to decide. */
static Found batch_reader_find(const uint8_t *bytes, size_t length, Batch *batch, size_t *needed)
{
	if (length && !bytes[0])
		return FOUND_PADDING;
	*needed = sizeof(batch->header);
	if (length >= MAGIC_BYTES && !is_magic(bytes))
		return FOUND_DAMAGE;
	if (length < *needed)
		return FOUND_START;
	memcpy(&batch->header, bytes, sizeof(batch->header));
	batch->swapped = batch->header.magic != KMT_MAGIC;
	if (batch->swapped)
		header_swap(&batch->header);
	if (!header_is_sound(&batch->header))
		return FOUND_DAMAGE;
	*needed = batch->header.batch_bytes;
	if (length < *needed)
		return FOUND_START;
	batch->bytes = bytes;
	batch->content = bytes + batch->header.header_bytes;
	batch->content_bytes = batch->header.batch_bytes - batch->header.header_bytes -
			       (uint32_t)sizeof(struct KmtBatchTrailer);
	return trailer_agrees(batch) ? FOUND_BATCH : FOUND_DAMAGE;
}

bool batch_parse(const void *bytes, size_t length, Batch *batch)
{
	size_t needed;

	return batch_reader_find(bytes, length, batch, &needed) == FOUND_BATCH && needed == length;
}

static void visit(BatchReader *reader, const Batch *batch)
{
	const struct KmtBatchHeader *header = &batch->header;

	reader->resynchronising = false;
	reader->padding_run = 0;
	if (header->version < KMT_VERSION || header->version > KMT_VERSION_BY_BITS ||
	    header->kind < KMT_BATCH_EVENTS || header->kind > KMT_BATCH_HISTORY) {
		reader->totals.unknown++;
		return;
	}
	reader->totals.batches++;
	reader->visit(batch, reader->user_data);
}

static void count_damage(BatchReader *reader, size_t bytes)
{
	if (!reader->resynchronising)
		reader->totals.damaged++;
	reader->resynchronising = true;
	reader->totals.damaged_bytes += bytes;
}

/* Returns how many bytes to skip until a batch may begin: at least one. */
static size_t skip_to_magic(const uint8_t *bytes, size_t length)
{
	size_t at;

	for (at = 1; at + MAGIC_BYTES <= length; at++)
		if (is_magic(bytes + at))
			break;
	return MIN(at, length);
}

static size_t skip_padding(BatchReader *reader, const uint8_t *bytes, size_t length)
{
	size_t zeros = 0;
	size_t allowed = KMT_PADDING_BYTES_MAX - MIN(reader->padding_run, KMT_PADDING_BYTES_MAX);

	while (zeros < length && !bytes[zeros])
		zeros++;
	if (zeros > allowed || reader->resynchronising)
		count_damage(reader, reader->resynchronising ? zeros : zeros - allowed);
	reader->padding_run += (uint32_t)MIN(zeros, KMT_PADDING_BYTES_MAX);
	return zeros;
}

/* Visits the batches in bytes. Returns the number of consumed bytes; *needed: the length that the
   incomplete batch after them requires. */
static size_t batch_reader_consume(BatchReader *reader, const uint8_t *bytes, size_t length,
				   size_t *needed)
{
	size_t done = 0;

	while (done < length) {
		Batch batch;
		size_t skip;

		switch (batch_reader_find(bytes + done, length - done, &batch, needed)) {
		case FOUND_BATCH:
			visit(reader, &batch);
			done += batch.header.batch_bytes;
			break;
		case FOUND_START:
			return done;
		case FOUND_PADDING:
			done += skip_padding(reader, bytes + done, length - done);
			break;
		case FOUND_DAMAGE:
			skip = skip_to_magic(bytes + done, length - done);
			count_damage(reader, skip);
			done += skip;
			break;
		}
	}
	return done;
}

/* Visits the batches among the carried bytes and drops the consumed bytes. Returns the length that
   the rest requires. */
static size_t consume_carry(BatchReader *reader)
{
	size_t needed = reader->carried;
	size_t done = batch_reader_consume(reader, reader->carry + reader->carry_at,
					   reader->carried, &needed);

	reader->carry_at += done;
	reader->carried -= done;
	return needed;
}

/* Appends to the carried bytes, up to one batch in total. */
static void carry(BatchReader *reader, const uint8_t *bytes, size_t length)
{
	size_t end;

	if (!length)
		return;
	if (!reader->carried)
		reader->carry_at = 0;
	if (reader->carry_at > KMT_BATCH_BYTES_MAX) {
		memmove(reader->carry, reader->carry + reader->carry_at, reader->carried);
		reader->totals.bytes_moved += reader->carried;
		reader->carry_at = 0;
	}
	end = reader->carry_at + reader->carried;
	/* Most batches are far smaller than the largest possible one. */
	if (end + length > reader->carry_room) {
		reader->carry_room = CLAMP(2 * (end + length), CARRY_BYTES_MIN, CARRY_BYTES_MAX);
		reader->carry = g_realloc(reader->carry, reader->carry_room);
	}
	memcpy(reader->carry + end, bytes, length);
	reader->carried += length;
}

/* Completes the carried batch with the next bytes. Returns how many bytes it took. */
static size_t complete_carry(BatchReader *reader, const uint8_t *bytes, size_t length)
{
	size_t taken = 0;
	size_t needed = reader->carried ? consume_carry(reader) : 0;

	while (reader->carried && taken < length) {
		size_t part = MIN(needed - reader->carried, length - taken);

		carry(reader, bytes + taken, part);
		taken += part;
		needed = consume_carry(reader);
	}
	return taken;
}

void batch_reader_feed(BatchReader *reader, const void *bytes, size_t length)
{
	const uint8_t *rest;
	size_t taken, needed;

	/* An empty array may have no data. */
	if (!length)
		return;
	taken = complete_carry(reader, bytes, length);
	rest = (const uint8_t *)bytes + taken;
	if (reader->carried || taken == length)
		return;
	taken = batch_reader_consume(reader, rest, length - taken, &needed) + taken;
	carry(reader, (const uint8_t *)bytes + taken, length - taken);
}

void batch_reader_finish(BatchReader *reader)
{
	/* A damaged length may hide whole batches inside the incomplete one. */
	while (reader->carried) {
		size_t skip = skip_to_magic(reader->carry + reader->carry_at, reader->carried);

		count_damage(reader, skip);
		reader->carry_at += skip;
		reader->carried -= skip;
		consume_carry(reader);
	}
}

BatchReaderTotals batch_reader_totals(const BatchReader *reader)
{
	return reader->totals;
}
