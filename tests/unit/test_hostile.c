/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams that ask for much: what the reader does is counted, and grows with their length. */
#include "record/format.h"
#include "bench/hostile_shapes.h"

#include "base/lowest.h"
#include "base/slot_table.h"
#include "base/keyed_hash.h"
#include "count/loss.h"
#include "leaks.h"
#include "session/losses.h"
#include "names/cache_names.h"
#include "names/cgroup_names.h"
#include "table/group_rows.h"
#include "rates/rate_table.h"
#include "table/view.h"
#include "record/batch_writer.h"
#include "render/formats/renderers.h"
#include "session/session.h"
#include "symbols/frame_namer.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

TEST_SUITE_WITHOUT_LEAKS(hostile);

enum { MEMORY_BYTES = 64 << 20 };

static Session *session_of(const char *shape, unsigned parts)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	Session *session = session_new(MEMORY_BYTES);

	hostile_shape_lookup(shape)->append(bytes, parts);
	made_session_feed(session, bytes);
	session_finish(session);
	return session;
}

static View *view_of(const Session *session)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	const ViewOptions options = { .filters = filters, .top = UINT64_MAX };

	return made_view(session, &options);
}

Test(hostile, addresses_that_were_made_to_collide_spread_well)
{
	enum { FRAMES = 20000 };
	g_autoptr(SymbolStore) store = symbol_store_new();
	g_autoptr(FrameTable) frames = frame_table_new(16);
	g_autoptr(FrameNamer) namer = frame_namer_new(store, frames);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(FrameId));

	for (unsigned i = 1; i <= FRAMES; i++) {
		const uint64_t frame = hostile_frame(i);

		frame_namer_append(namer, ids, &frame, 1, 0);
	}
	cr_expect(lt(u64, slot_table_probes(&namer->slots), 4 * FRAMES));
}

Test(hostile, pairs_of_numbers_that_were_made_to_collide_spread_well)
{
	enum { PAIRS = 4096 };
	SlotTable slots;

	slot_table_init(&slots, PAIRS);
	for (uint64_t i = 0; i < PAIRS; i++) {
		uint32_t hash = keyed_hash_mix_pair(i << 32, i), at = hash;

		while (slot_table_candidate(&slots, hash, &at) != SLOT_ID_NONE)
			at++;
		slot_table_put(&slots, hash, at, (uint32_t)i);
	}
	cr_expect(lt(u64, slot_table_probes(&slots), 4 * PAIRS));
	slot_table_clear(&slots);
}

Test(hostile, what_collides_under_one_seed_does_not_under_another)
{
	enum { KEYS = 1000, SLOTS = 4096 };
	uint64_t seed = keyed_hash_seed, keys[KEYS];
	uint64_t mixed[KEYS];
	uint32_t found = 0, found_mixed = 0, together = 0, together_mixed = 0;

	for (uint64_t key = 0; found < KEYS || found_mixed < KEYS; key++) {
		if (found < KEYS && (keyed_hash(&key, sizeof(key)) & (SLOTS - 1)) == 0)
			keys[found++] = key;
		if (found_mixed < KEYS && (keyed_hash_mix(key) & (SLOTS - 1)) == 0)
			mixed[found_mixed++] = key;
	}
	keyed_hash_seed = ~seed;
	for (uint32_t i = 0; i < KEYS; i++) {
		together += (keyed_hash(&keys[i], sizeof(keys[i])) & (SLOTS - 1)) == 0;
		together_mixed += (keyed_hash_mix(mixed[i]) & (SLOTS - 1)) == 0;
	}
	keyed_hash_seed = seed;
	cr_expect(lt(u32, together, 20));
	cr_expect(lt(u32, together_mixed, 20));
}

Test(hostile, a_frame_is_searched_in_two_modules_at_most)
{
	g_autoptr(Session) session = session_of("modules", 1000);
	g_autoptr(View) view = view_of(session);
	uint32_t frames = 0;

	for (guint i = 0; i < view->stacks->len; i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		view_append_text(view, g_ptr_array_index(view->stacks, i), text);
		for (const char *at = text->str; *at; at++)
			frames += *at == '\n';
	}
	/* symbol_store.c asserts it of each search. */
	cr_expect(ge(u32, frames, 20000));
}

Test(hostile, looking_for_a_batch_moves_a_byte_at_most_once)
{
	enum { HEADERS = 40000, CHUNK = 4096 };
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	hostile_shape_lookup("headers")->append(bytes, HEADERS);
	for (guint at = 0; at < bytes->len; at += CHUNK)
		session_feed(session, bytes->data + at, MIN(CHUNK, bytes->len - at));
	session_finish(session);
	cr_expect(eq(u64, batch_reader_totals(session->reader).damaged_bytes, bytes->len));
	cr_expect(le(u64, batch_reader_totals(session->reader).bytes_moved, bytes->len));
}

Test(hostile, a_cpu_with_a_high_number_is_one_of_two)
{
	g_autoptr(Session) session = session_of("cpus", 10);

	cr_expect(eq(u32, loss_ledger_totals(session->loss).cpus, 2));
	cr_expect(lt(sz, session->memory->bytes[MEMORY_CPUS], 1 << 20));
}

Test(hostile, the_lowest_of_many_takes_few_steps)
{
	enum { MEMBERS = 1 << 16, CHANGES = 100000 };
	uint64_t grown;
	Lowest lowest;

	lowest_init(&lowest);
	cr_expect(eq(u64, lowest_value(&lowest), UINT64_MAX));
	for (guint i = 0; i < MEMBERS; i++)
		lowest_set(&lowest, i, 1000 + i);
	cr_expect(eq(u64, lowest_value(&lowest), 1000));
	grown = lowest.steps;
	/* The lowest one moves each time. */
	for (guint i = 0; i < CHANGES; i++)
		lowest_set(&lowest, i % MEMBERS, 1000 + MEMBERS + i);
	cr_expect(eq(u64, lowest_value(&lowest), 1000 + CHANGES));
	cr_expect(eq(u64, lowest.steps - grown, 16 * CHANGES));
	cr_expect(le(u64, grown, 34 * (uint64_t)MEMBERS));
	lowest_clear(&lowest);
}

/* Returns all labels of a table, in its order; the caller frees it. */
static char *labels_of(const View *view, const char *key)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	ViewOptions options = { .filters = filters, .top = UINT64_MAX };
	g_autoptr(GString) labels = g_string_new(NULL);
	g_autoptr(GroupRows) rows = NULL;

	cr_assert(dimensions_parse(key, false, options.by, NULL));
	rows = group_rows_new(view, &options, false);
	for (guint i = 0; i < rows->rows->len; i++) {
		group_rows_append_label(rows, &g_array_index(rows->rows, GroupRow, i), 0, labels);
		g_string_append_c(labels, '\n');
	}
	return g_string_free(g_steal_pointer(&labels), FALSE);
}

/* Everything that is ranked, as text; all of it has the same count. The caller frees it. */
static char *ranking_under(uint64_t seed)
{
	uint64_t before = keyed_hash_seed;
	g_autoptr(GString) out = g_string_new(NULL);

	keyed_hash_seed = seed;
	{
		g_autoptr(Session) session = session_of("modules", 300);
		g_autoptr(View) view = view_of(session);
		g_autofree char *modules = labels_of(view, "module");
		g_autofree char *call_sites = labels_of(view, "callsite");

		for (guint i = 0; i < view->stacks->len; i++)
			view_append_text(view, g_ptr_array_index(view->stacks, i), out);
		g_string_append_printf(out, "%s%s", modules, call_sites);
	}
	keyed_hash_seed = before;
	return g_string_free(g_steal_pointer(&out), FALSE);
}

Test(hostile, no_order_depends_on_the_seed)
{
	g_autofree char *one = ranking_under(1), *other = ranking_under(0x123456789abcdef);

	cr_expect(lt(u64, 10000, strlen(one)));
	cr_expect(eq(str, one, other));
}

/* Returns a report, as text; the caller frees it. */
static char *report_of(const Session *session)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	const ViewOptions options = { .filters = filters, .top = 1 };
	g_autoptr(View) view = view_new(&(ViewSource){ .profile = session->profile,
						       .symbols = session->symbols,
						       .memory = session->memory },
					&options);
	const ReportSource source = { .session = session, .view = view, .options = &options };

	return made_report(REPORT_STACKS, &source, &renderers[0]);
}

static void feed_shape(Session *session, const char *shape, unsigned parts)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	hostile_shape_lookup(shape)->append(bytes, parts);
	made_session_feed(session, bytes);
	session_finish(session);
}

Test(hostile, symbols_take_no_more_than_their_share_of_the_bound)
{
	static const char *const shapes[] = { "ranges", "turns", "cgroups", "modules" };
	enum { BOUND = 1 << 20, PARTS = 60000 };

	for (gsize i = 0; i < G_N_ELEMENTS(shapes); i++) {
		g_autoptr(Session) session = session_new(BOUND);
		g_autofree char *text = NULL;
		size_t taken = 0;

		feed_shape(session, shapes[i], PARTS);
		text = report_of(session);
		for (int part = 0; part < MEMORY_PARTS; part++)
			taken += session->memory->bytes[part];
		cr_expect(le(sz, taken, BOUND), "%s", shapes[i]);
		cr_expect(losses_make_incomplete(session, 100), "%s", shapes[i]);
		cr_expect(ne(ptr, strstr(text, "\nMemory: no room for "), NULL), "%s: %s",
			  shapes[i], text);
	}
}

Test(hostile, what_fits_is_not_said_to_be_left_out)
{
	g_autoptr(Session) session = session_of("modules", 100);
	g_autofree char *text = report_of(session);

	cr_expect(eq(ptr, strstr(text, "Memory:"), NULL), "%s", text);
	cr_expect(not(memory_budget_is_full(session->memory)));
}

Test(hostile, a_part_that_is_full_keeps_what_it_has)
{
	g_autofree MemoryBudget *budget = memory_budget_new(1000);
	size_t limit = memory_budget_limit(budget, MEMORY_SYMBOLS);

	cr_expect(memory_budget_take(budget, MEMORY_SYMBOLS, limit));
	cr_expect(not(memory_budget_take(budget, MEMORY_SYMBOLS, 1)));
	cr_expect(not(memory_budget_take(budget, MEMORY_TEXTS, 1)));
	cr_expect(memory_budget_take(budget, MEMORY_CPUS, 1));
	cr_expect(eq(sz, budget->bytes[MEMORY_SYMBOLS], limit));
	cr_expect(budget->full[MEMORY_SYMBOLS]);
	cr_expect(not(budget->full[MEMORY_CPUS]));
	cr_expect(not(memory_budget_take(budget, MEMORY_SYMBOLS, SIZE_MAX)));
}

/* Returns what a part gets if another one has taken all that it can. */
static size_t left_by(MemoryPart greedy, MemoryPart other, size_t bytes, bool pairs)
{
	g_autofree MemoryBudget *budget = memory_budget_new(bytes);
	size_t limit;

	if (pairs)
		memory_budget_pair(budget);
	limit = memory_budget_limit(budget, greedy);
	cr_expect(memory_budget_take(budget, greedy, limit));
	cr_expect(le(sz, limit + memory_budget_limit(budget, other), bytes));
	return memory_budget_limit(budget, other);
}

Test(hostile, a_part_takes_what_others_leave_but_never_what_each_gets_in_any_case)
{
	const MemoryPart parts[] = { MEMORY_TABLES, MEMORY_SYMBOLS, MEMORY_CPUS, MEMORY_REPORT,
				     MEMORY_PAIRING };
	const size_t megabytes[] = { 16, 64, 256, 4096 };

	for (size_t i = 0; i < G_N_ELEMENTS(megabytes); i++) {
		size_t bytes = megabytes[i] << 20;
		g_autofree MemoryBudget *budget = memory_budget_new(bytes);

		cr_expect(zero(sz, memory_budget_limit(budget, MEMORY_PAIRING)));
		memory_budget_pair(budget);
		for (size_t a = 0; a < G_N_ELEMENTS(parts); a++)
			for (size_t b = 0; b < G_N_ELEMENTS(parts); b++)
				if (a != b && parts[a] != MEMORY_REPORT)
					cr_expect(ge(sz, left_by(parts[a], parts[b], bytes, true),
						     memory_budget_floor(budget, parts[b])));
		/* The symbols of a large kernel fit, and half of the memory is for objects. */
		cr_expect(ge(sz, left_by(MEMORY_PAIRING, MEMORY_SYMBOLS, bytes, true), 5500000));
		cr_expect(ge(sz, memory_budget_limit(budget, MEMORY_PAIRING),
			     bytes / 100 * (megabytes[i] < 64 ? 34 : 55)));
	}
}

/* Two events that stand for so many each, of so many bytes. */
static Session *huge_session(uint64_t weight, uint64_t bytes_requested)
{
	const EventText events = {
		.text = " f\n",
		.length = 3,
		.weight = weight,
		.bytes_requested = bytes_requested,
		.bytes_allocated = bytes_requested,
	};
	Session *session = session_new(MEMORY_BYTES);

	session->imported = true;
	session_take_text(session, &events);
	session_take_text(session, &events);
	return session;
}

Test(hostile, sums_that_would_wrap_are_the_largest_number_and_the_report_says_so)
{
	g_autoptr(Session) events = huge_session(UINT64_MAX - 1, 0);
	g_autoptr(Session) bytes = huge_session(3, UINT64_MAX / 4);
	g_autoptr(Session) largest = huge_session(2, UINT64_MAX / 5);
	g_autofree char *of_events = report_of(events);
	g_autofree char *of_bytes = report_of(bytes), *of_largest = report_of(largest);

	cr_expect(eq(u64, profile_totals(events->profile).events, UINT64_MAX));
	cr_expect(ne(ptr, strstr(of_events, "\nToo large: 18446744073709551615 is"), NULL), "%s",
		  of_events);
	cr_expect(ne(ptr, strstr(of_bytes, "requested 18,446,744,073,709,551,615,"), NULL), "%s",
		  of_bytes);
	cr_expect(ne(ptr, strstr(of_bytes, "\nToo large: "), NULL), "%s", of_bytes);
	cr_expect(eq(ptr, strstr(of_largest, "Too large"), NULL), "%s", of_largest);
}

Test(hostile, numbers_of_rates_stay_within_their_type)
{
	const RateRow row = { .label = "a",
			      .sums.summary.bytes_allocated = UINT64_MAX,
			      .live = { .frees = UINT64_MAX, .net = -INT64_MAX },
			      .net_state = RATE_NET_KNOWN };
	int64_t number;

	cr_assert(rate_row_number(&row, &metrics[METRIC_BYTES_ALLOCATED], 0, &number));
	cr_expect(eq(i64, number, INT64_MAX));
	cr_assert(rate_row_number(&row, &metrics[METRIC_BYTES_ALLOCATED], 1, &number));
	cr_expect(eq(i64, number, INT64_MAX));
	cr_assert(rate_row_number(&row, &metrics[METRIC_NET], 0, &number));
	cr_expect(eq(i64, number, -INT64_MAX));
	cr_assert(rate_row_number(&row, &metrics[METRIC_NET], 1, &number));
	cr_expect(eq(i64, number, -INT64_MAX));
}

/* Returns the JSON of an interval; the caller frees it. */
static char *interval_of(const Session *session, const RateTable *table, const RateLayout *layout)
{
	const IntervalSource interval = { .table = table, .layout = layout, .is_first = true };
	const ReportSource source = { .command = "slabratetop",
				      .session = session,
				      .interval = &interval };

	return made_report(REPORT_INTERVAL, &source, renderer_lookup("json"));
}

Test(hostile, json_has_no_control_character_of_any_kind)
{
	const InfoField fields[] = { { KMT_FIELD_COVERED, 0, "a\xc2\x9b\x7f\tz" } };
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	const RateLayout layout = {
		.columns = (const Metric *const[]){ &metrics[METRIC_CACHE], NULL },
		.rows_max = 1,
	};
	g_autoptr(RateTable) table = g_new0(RateTable, 1);
	char *json;

	made_session_feed_facts(session, fields, G_N_ELEMENTS(fields));
	table->rows = g_array_new(FALSE, FALSE, sizeof(RateRow));
	table->texts = text_pool_new();
	table->sum.label = "";
	json = interval_of(session, table, &layout);
	cr_expect(ne(ptr, strstr(json, "\"a\\\\xc2\\\\x9b"), NULL), "%s", json);
	cr_expect(eq(ptr, strstr(json, "\xc2\x9b"), NULL), "%s", json);
	cr_expect(eq(ptr, strchr(json, 0x7f), NULL), "%s", json);
	free(json);
}
