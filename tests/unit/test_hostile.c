/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams that ask for much: what the reader does is counted, and grows with their length. */
#include "bench/hostile_shapes.h"

#include "count/lowest.h"
#include "count/slot_table.h"
#include "keyed_hash.h"
#include "leaks.h"
#include "names/cache_names.h"
#include "names/cgroup_names.h"
#include "rank/group_rows.h"
#include "rank/view.h"
#include "session.h"
#include "symbols/frame_text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(hostile);

enum { MEMORY_BYTES = 64 << 20 };

static Session *session_of(const char *shape, unsigned parts)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	Session *session = session_new(MEMORY_BYTES);

	hostile_shape_lookup(shape)->append(bytes, parts);
	session_feed(session, bytes->data, bytes->len);
	session_finish(session);
	return session;
}

static View *view_of(const Session *session)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	const ViewOptions options = { .filters = filters, .top = UINT64_MAX };

	return view_new(
		&(ViewSource){ .profile = session->profile, .symbols = session->symbols },
		&options);
}

Test(hostile, addresses_that_were_made_to_collide_spread_well)
{
	enum { FRAMES = 20000 };
	g_autoptr(SymbolStore) store = symbol_store_new();
	g_autoptr(LineTable) lines = line_table_new();
	g_autoptr(FrameText) text = frame_text_new(store, lines);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(LineId));

	for (unsigned i = 1; i <= FRAMES; i++) {
		const uint64_t frame = hostile_frame(i);

		frame_text_append(text, ids, &frame, 1, 0);
	}
	cr_expect(lt(u64, frame_text_probes(text), 4 * FRAMES));
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
	cr_expect(ge(u32, frames, 20000));
	/* An address is looked up once for its name, and once for whether it is text. */
	cr_expect(le(u64, symbol_store_searches(session->symbols), 4 * (uint64_t)frames));
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
	cr_expect(lt(u64, loss_ledger_memory(session->loss), 1 << 20));
}

Test(hostile, the_lowest_of_many_takes_few_steps)
{
	enum { MEMBERS = 1 << 16, CHANGES = 100000 };
	g_autoptr(Lowest) lowest = lowest_new();
	uint64_t grown;

	cr_expect(eq(u64, lowest_value(lowest), UINT64_MAX));
	for (guint i = 0; i < MEMBERS; i++)
		lowest_set(lowest, i, 1000 + i);
	cr_expect(eq(u64, lowest_value(lowest), 1000));
	grown = lowest_steps(lowest);
	/* The lowest one moves each time. */
	for (guint i = 0; i < CHANGES; i++)
		lowest_set(lowest, i % MEMBERS, 1000 + MEMBERS + i);
	cr_expect(eq(u64, lowest_value(lowest), 1000 + CHANGES));
	cr_expect(eq(u64, lowest_steps(lowest) - grown, 16 * CHANGES));
	cr_expect(le(u64, grown, 34 * (uint64_t)MEMBERS));
}

/* Returns all labels of a table, in its order; the caller frees it. */
static char *labels_of(const View *view, const char *key)
{
	g_autoptr(GPtrArray) filters = g_ptr_array_new();
	ViewOptions options = { .filters = filters, .top = UINT64_MAX };
	g_autoptr(GString) labels = g_string_new(NULL);
	g_autoptr(GroupRows) rows = NULL;

	cr_assert(group_keys_parse(key, options.by, NULL));
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

	cr_expect(gt(u64, strlen(one), 10000));
	cr_expect(eq(str, one, other));
}
