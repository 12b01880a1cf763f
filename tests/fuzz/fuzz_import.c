/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiled once per importer: FUZZ_IMPORT is its table. */
#include "import/import_types.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

enum { MEMORY_BYTES = 8 << 20 };

static Session *import_all(const char *text, size_t size, size_t chunk, uint64_t *unreadable)
{
	Session *session = session_new(MEMORY_BYTES);
	void *state = import_begin(&FUZZ_IMPORT, session);

	session->imported = true;
	for (size_t at = 0; at < size; at += chunk)
		import_feed(state, text + at, MIN(chunk, size - at));
	*unreadable = import_finish(state);
	session_finish(session);
	return session;
}

/* Takes the text as two readings of what is held, if it is such a record. */
static void import_two_readings(const char *text, size_t size)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	void *state = import_begin(&FUZZ_IMPORT, session);
	size_t half = size / 2;

	session->imported = true;
	import_feed(state, text, half);
	import_finish(state);
	if (!session_is_held(session))
		return;
	session_next_reading(session);
	state = import_begin(&FUZZ_IMPORT, session);
	import_feed(state, text + half, size - half);
	import_finish(state);
	session_finish(session);
	fuzz_report(session);
}

/* Pairs the allocations of the text with its frees, if it has any. */
static void import_paired(const char *text, size_t size)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	PairingTotals totals;
	void *state;

	session_pair(session, true);
	session->imported = true;
	state = import_begin(&FUZZ_IMPORT, session);
	import_feed(state, text, size);
	import_finish(state);
	session_finish(session);
	totals = pairing_totals(session->pairing);
	if (totals.scale == 1 && totals.allocated != totals.freed + totals.recycled + totals.held)
		abort();
	fuzz_report(session);
}

static void expect_whole_lines(const Session *session)
{
	const StackTable *stacks = profile_stacks(session->profile);

	for (StackId id = 0; id < stack_table_count(stacks); id++) {
		uint32_t length;
		const char *text = stack_table_bytes(stacks, id, &length);

		if (length > 0 && text[length - 1] != '\n')
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	uint64_t unreadable_whole, unreadable_pieces;

	import_type_recognise(text, size);
	g_autoptr(Session) whole = import_all(text, size, MAX(size, (size_t)1), &unreadable_whole);
	g_autoptr(Session) pieces =
		import_all(text, size, fuzz_chunk_bytes(size), &unreadable_pieces);

	fuzz_expect_same(whole, pieces);
	if (unreadable_whole != unreadable_pieces)
		abort();
	expect_whole_lines(pieces);
	fuzz_report(pieces);
	import_two_readings(text, size);
	import_paired(text, size);
	fuzz_text_rates(&FUZZ_IMPORT, text, size, MEMORY_BYTES);
	return 0;
}
