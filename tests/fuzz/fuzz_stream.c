/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>

enum { MEMORY_BYTES = 8 << 20 };

static Session *read_stream(const uint8_t *data, size_t size, size_t chunk, bool sliced)
{
	Session *session = session_new(MEMORY_BYTES);

	if (sliced)
		session_set_slice(session, (RunSlice){ 1000000, 1000000000 });
	for (size_t at = 0; at < size; at += chunk)
		session_feed(session, data + at, MIN(chunk, size - at));
	session_finish(session);
	return session;
}

/* Pairs the allocations of the stream with its frees. */
static void report_paired(const uint8_t *data, size_t size)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	session_pair(session, true);
	session_feed(session, data, size);
	session_finish(session);
	fuzz_report(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(Session) whole = read_stream(data, size, MAX(size, (size_t)1), false);
	g_autoptr(Session) pieces = read_stream(data, size, fuzz_chunk_bytes(size), false);
	g_autoptr(Session) part = read_stream(data, size, MAX(size, (size_t)1), true);
	BatchReaderTotals a = batch_reader_totals(whole->reader);
	BatchReaderTotals b = batch_reader_totals(pieces->reader);

	fuzz_expect_same(whole, pieces);
	if (a.batches != b.batches || a.damaged_bytes != b.damaged_bytes)
		abort();
	if (batch_reader_totals(part->reader).batches != a.batches)
		abort();
	fuzz_add_lines(pieces);
	fuzz_report(pieces);
	fuzz_report(part);
	report_paired(data, size);
	fuzz_rates(data, size, MEMORY_BYTES);
	return 0;
}
