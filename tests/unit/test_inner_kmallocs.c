/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "symbols/known_functions.h"

#include "import/import.h"
#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "render/formats/renderers.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(inner_kmallocs);

enum { PLENTY = 16 << 20, PAGE = 4096, LARGE = 2 * PAGE + 1 };

/* As the kernels have them; of the functions in between, only what ends a range. */
static const char linux_6_1[] = "ffffffffa9751870 T kmemdup\n"
				"ffffffffa9752310 T kvmalloc_node\n"
				"ffffffffa9752450 T vm_mmap\n"
				"ffffffffa97b9cd0 t __kmalloc_large_node\n"
				"ffffffffa97bc320 T kfree\n"
				"ffffffffa97bf980 T __kmalloc\n"
				"ffffffffa97bfd80 T __kmalloc_node\n";

static const char linux_6_12[] = "ffffffffa9752310 T __kvmalloc_node_noprof\n"
				 "ffffffffa9752450 T kvrealloc_noprof\n"
				 "ffffffffa9752a40 T vm_mmap\n"
				 "ffffffffa97b9cd0 t ___kmalloc_large_node\n"
				 "ffffffffa97ba700 T __kmalloc_large_noprof\n"
				 "ffffffffa97ba7b0 T __kmalloc_large_node_noprof\n"
				 "ffffffffa97bc320 T kfree\n"
				 "ffffffffa97bf980 T __kmalloc_noprof\n"
				 "ffffffffa97bfd80 T __kmalloc_cache_noprof\n"
				 "ffffffffa97c00b0 T __kmalloc_node_track_caller_noprof\n"
				 "ffffffffa97c04e0 T __kmalloc_cache_node_noprof\n"
				 "ffffffffa97c0820 T __kmalloc_node_noprof\n"
				 "ffffffffa97c0c50 t free_to_pcs\n";

static const char linux_6_18[] = "ffffffff815ba730 T kmemdup_noprof\n"
				 "ffffffff815bbb30 T vm_mmap\n"
				 "ffffffff8162c4a0 T __kmalloc_large_node_noprof\n"
				 "ffffffff8162c560 T other\n"
				 "ffffffff8162fdd0 T __kmalloc_noprof\n"
				 "ffffffff816307d0 T kfree\n"
				 "ffffffff81634ad0 T __kmalloc_node_track_caller_noprof\n"
				 "ffffffff81635550 T __kvmalloc_node_noprof\n"
				 "ffffffff81635f00 T another\n"
				 "ffffffff816371e0 T __kmalloc_node_noprof\n"
				 "ffffffff81637a00 T last\n";

static SymbolStore *store_of(const char *kallsyms)
{
	SymbolStore *store = symbol_store_new();

	symbol_store_add_kallsyms(store, 0, kallsyms, strlen(kallsyms));
	return store;
}

static InnerKmallocs inner_of(const char *kallsyms)
{
	g_autoptr(SymbolStore) store = store_of(kallsyms);
	InnerKmallocs inner = { 0 };

	cr_expect(inner_kmallocs_find(&inner, store, PAGE));
	return inner;
}

static const struct {
	const char *name, *kallsyms;
	uint64_t call_site, bytes;
	bool is_inner;
} cases[] = {
	{ "variable size", linux_6_12, 0xffffffffa97bfc62, LARGE, true },
	{ "first byte", linux_6_12, 0xffffffffa97bf980, LARGE, true },
	{ "last byte", linux_6_12, 0xffffffffa97bfd7f, LARGE, true },
	{ "behind it", linux_6_12, 0xffffffffa97bfd80, LARGE, false },
	{ "before it", linux_6_12, 0xffffffffa97bf97f, LARGE, false },
	{ "two pages", linux_6_12, 0xffffffffa97bfc62, LARGE - 1, false },
	{ "node", linux_6_12, 0xffffffffa97c0900, LARGE, true },
	{ "track_caller", linux_6_12, 0xffffffffa97c0100, 1 << 20, true },
	{ "its caller", linux_6_12, 0xffffffffc032bb98, LARGE, false },
	{ "kvmalloc() calls __kmalloc_node()", linux_6_12, 0xffffffffa9752360, LARGE, false },
	{ "kvmalloc() is in the allocator", linux_6_18, 0xffffffff81635a8a, LARGE, true },
	{ "readv()", linux_6_18, 0xffffffff8163027d, 16384, true },
	{ "no event is traced twice", linux_6_1, 0xffffffffa97bfc62, LARGE, false },
	{ "nor one of kvmalloc()", linux_6_1, 0xffffffffa9752360, LARGE, false },
};

Test(inner_kmallocs, an_event_is_an_inner_one_by_its_call_site_and_size)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const InnerKmallocs inner = inner_of(cases[i].kallsyms);

		cr_expect_eq(inner_kmallocs_have(&inner, cases[i].call_site, cases[i].bytes),
			     cases[i].is_inner, "%s", cases[i].name);
	}
	cr_expect_not(inner_kmallocs_have(NULL, 0xffffffffa97bfc62, LARGE));
}

Test(inner_kmallocs, the_size_is_that_of_the_pages)
{
	g_autoptr(SymbolStore) store = store_of(linux_6_12);
	InnerKmallocs inner;

	cr_assert(inner_kmallocs_find(&inner, store, 65536));
	cr_expect_not(inner_kmallocs_have(&inner, 0xffffffffa97bfc62, 2 * 65536));
	cr_expect(inner_kmallocs_have(&inner, 0xffffffffa97bfc62, 2 * 65536 + 1));
}

Test(inner_kmallocs, without_the_kernels_symbols_nothing_is_known)
{
	static const char *const texts[] = {
		"",
		"0000000000000000 T kfree\n0000000000000000 T __kmalloc_noprof\n",
		"ffffffffc0001000 t kfree\t[imposter]\n",
	};
	InnerKmallocs inner = { .count = 1 };

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(SymbolStore) store = store_of(texts[i]);

		cr_expect_not(inner_kmallocs_find(&inner, store, PAGE));
	}
	cr_expect_eq(inner.count, 1);
}

static const struct {
	const char *text;
	bool is_inner;
} texts[] = {
	{ " 0xff : __kmalloc_large_node_noprof+0x98 [kernel]\n"
	  " 0xfe : __kmalloc_noprof+0x4ad [kernel]\n"
	  " 0xfd : iovec_from_user+0xcf [kernel]\n",
	  true },
	{ " 0xff : __kmalloc_noprof+0x244 [kernel]\n 0xfd : iovec_from_user+0xcf [kernel]\n",
	  false },
	{ "__kmalloc_large_node_noprof+0x98\n__kvmalloc_node_noprof+0x53a\n", true },
	/* Of constant size, for a node. */
	{ "__kmalloc_large_node_noprof+0x98\nring_buffer_alloc+0x53a [ring]\n", false },
	/* Linux 6.11 to 6.14. */
	{ "__kmalloc_node_noprof+0x98\n__kvmalloc_node_noprof+0x53a\n", false },
	/* Inlined functions, where perf script knows them. */
	{ " 0xff : trace_kmalloc\n"
	  " 0xff : __kmalloc_large_node_noprof+0x98 [kernel]\n"
	  " 0xfe : __do_kmalloc_node\n"
	  " 0xfe : __kmalloc_node_track_caller_noprof+0x4ad [kernel]\n",
	  true },
	/* Two users of a tracepoint are called through a function. */
	{ " 0xfff : __traceiter_kmalloc+0x37 [kernel]\n"
	  " 0xff : __kmalloc_large_node_noprof+0x98 [kernel]\n"
	  " 0xfe : __kmalloc_noprof+0x4ad [kernel]\n",
	  true },
	{ " 0xffffffff8162c538\n 0xffffffff8163027d\n", false },
	{ "__kmalloc_large_node_noprof+0x98\n", false },
	{ "", false },
};

static uint64_t count_of(const char *stack)
{
	g_autoptr(Session) session = session_new(1 << 20);

	import_count(session, &(EventText){
				      .text = stack,
				      .length = (uint32_t)strlen(stack),
				      .weight = 1,
			      });
	return session_totals(session).events;
}

Test(inner_kmallocs, a_stack_that_came_as_text_is_one_by_its_first_functions)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		cr_expect_eq(count_of(texts[i].text), !texts[i].is_inner, "%s", texts[i].text);
}

/* Appends three large kmallocs of linux_6_12, of which one failed, each traced twice, and a free.
 */
static void append_events(GByteArray *stream)
{
	static const uint32_t inner_frames[] = { 0xa97bfc62, 0xaa000000 };
	static const uint32_t outer_frames[] = { 0xaa000000 };
	EventBatch batch = event_batch_begin(stream, 0, 0, 1000);
	uint16_t inner, outer;

	event_batch_task(&batch, 10, "one");
	inner = event_batch_origin(&batch, inner_frames, 2, LARGE, 16384);
	outer = event_batch_origin(&batch, outer_frames, 1, LARGE, 16384);
	for (uint32_t i = 0; i < 3; i++) {
		event_batch_event(&batch, KMT_RECORD_ALLOC, inner, i, KMT_CONTEXT_TASK, i);
		event_batch_event(&batch, KMT_RECORD_ALLOC, outer, i, KMT_CONTEXT_TASK, i);
	}
	event_batch_event(&batch, KMT_RECORD_FREE, inner, 9, KMT_CONTEXT_TASK, 1);
	event_batch_end(&batch, 7);
}

static Session *session_fed(const char *kallsyms)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();

	if (kallsyms)
		stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	append_events(stream);
	return made_session_new(stream);
}

/* Sums the cells of allocations. */
static ProfileCell sum_of(const Profile *profile)
{
	ProfileCell sum = { 0 };

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);

		if (profile_origin(profile, cell->origin)->free)
			continue;
		sum.events += cell->events;
		sum.failed += cell->failed;
	}
	return sum;
}

Test(inner_kmallocs, they_are_decoded_but_neither_counted_nor_lost)
{
	g_autoptr(Session) session = session_fed(linux_6_12);
	ProfileCell sum = sum_of(session->profile);

	cr_expect_eq(sum.events, 2);
	cr_expect_eq(sum.failed, 1);
	cr_expect_eq(profile_totals(session->profile).events, 4, "a free among them");
	cr_expect_eq(loss_ledger_totals(session->loss).damaged.high, 0);
	cr_expect_eq(loss_ledger_totals(session->loss).transport.high, 0);
}

Test(inner_kmallocs, without_symbols_all_events_count)
{
	g_autoptr(Session) session = session_fed(NULL);
	g_autoptr(Session) older = session_fed(linux_6_1);

	cr_expect_not(session->inner_is_known);
	cr_expect_eq(sum_of(session->profile).events, 4);
	cr_expect(older->inner_is_known);
	cr_expect_eq(sum_of(older->profile).events, 4);
}

static const struct {
	const char *release; /* NULL: not recorded */
	const char *kallsyms;
	bool says_so;
} lines[] = {
	{ "6.12.107+deb13-amd64", NULL, true },
	{ "6.11.0-rc1", NULL, true },
	{ "7.2.12", NULL, true },
	{ NULL, NULL, true },
	{ "6.10.9", NULL, false },
	{ "5.10.0-32-amd64", NULL, false },
	{ "6.12.107", linux_6_12, false },
};

static bool says_twice(const Session *session)
{
	const ViewOptions options = { .top = UINT64_MAX };
	g_autoptr(View) view = made_view(session, &options);
	const ReportSource source = { .session = session, .view = view, .options = &options };
	g_autofree char *text = made_report(REPORT_STACKS, &source, &renderers[0]);

	return strstr(text, "\nLarge kmallocs: those above 8,192 bytes may be counted twice");
}

Test(inner_kmallocs, a_report_says_where_large_ones_may_count_twice)
{
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(Session) session = session_fed(lines[i].kallsyms);
		const InfoField release = { KMT_FIELD_RELEASE, 0, lines[i].release };

		if (lines[i].release)
			made_session_feed_facts(session, &release, 1);
		cr_expect_eq(says_twice(session), lines[i].says_so, "%s", lines[i].release);
	}
}
