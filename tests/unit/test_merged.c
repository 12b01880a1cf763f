/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "report/merged.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "session/session.h"
#include "table/group_rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(merged);

enum { PLENTY = 64 << 20, NO_ROOM = 1, TIGHT = 64 << 10, MANY_PATHS = 1000, CPU = 0 };

/* Two builds of a kernel: functions are at other addresses, and calls at other offsets. */
typedef struct {
	const char *symbols;
	uint32_t allocator, alpha, beta;
} Kernel;

static const Kernel older = { "ffffffff81000000 T _stext\n"
			      "ffffffff81000200 T __kmalloc\n"
			      "ffffffff81000300 T alpha\n"
			      "ffffffff81000400 T beta\n"
			      "ffffffff81001000 T _etext\n",
			      0x81000210, 0x81000310, 0x81000410 };
static const Kernel newer = { "ffffffff82000000 T _stext\n"
			      "ffffffff82000100 T __kmalloc\n"
			      "ffffffff82000300 T beta\n"
			      "ffffffff82000500 T alpha\n"
			      "ffffffff82001000 T _etext\n",
			      0x82000120, 0x82000540, 0x82000330 };

/* A run of "sh" on a kernel: alpha() allocates 64 bytes so often, one allocation fails, beta()
   allocates 3000 bytes once, and there are two frees. */
typedef struct {
	const Kernel *kernel;
	unsigned times;
	uint32_t tgid;
	const char *cache; /* NULL: unknown */
} Run;

static void write_events(GByteArray *stream, const Run *run)
{
	const uint32_t alpha[] = { run->kernel->allocator, run->kernel->alpha };
	const uint32_t beta[] = { run->kernel->allocator, run->kernel->beta };
	EventBatch batch = event_batch_begin(stream, CPU, 0, 1000);
	uint16_t origin;

	event_batch_task(&batch, run->tgid, "sh");
	if (run->cache)
		event_batch_cache(&batch, run->cache, 64, 64);
	origin = event_batch_origin(&batch, alpha, 2, 60, 64);
	event_batch_allocate(&batch, origin, run->times, KMT_CONTEXT_TASK);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 0, KMT_CONTEXT_TASK, 0);
	event_batch_allocate(&batch, event_batch_origin(&batch, beta, 2, 3000, 4096), 1,
			     KMT_CONTEXT_TASK);
	origin = event_batch_origin(&batch, beta, 2, 0, 0);
	for (unsigned i = 0; i < 2; i++)
		event_batch_event(&batch, KMT_RECORD_FREE, origin, i, KMT_CONTEXT_TASK, 0x1000);
	event_batch_end_only(&batch);
}

/* Many call paths, each with one allocation of a process of its own. */
static void write_many(GByteArray *stream)
{
	for (uint32_t i = 0; i < MANY_PATHS; i++) {
		const uint32_t frames[] = { older.allocator, older.alpha + 0x10000 + 16 * i };
		EventBatch batch = event_batch_begin(stream, CPU, i, 1000);
		g_autofree char *name = g_strdup_printf("task%u-x", i);

		event_batch_task(&batch, i + 1, name);
		event_batch_allocate(&batch, event_batch_origin(&batch, frames, 2, 10, 16), 1,
				     KMT_CONTEXT_TASK);
		event_batch_end(&batch, i + 1);
	}
}

static Session *session_of(const Run *run)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	const char *symbols = run ? run->kernel->symbols : "";

	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	if (run)
		write_events(stream, run);
	else
		write_many(stream);
	return made_session_new(stream);
}

/* Adds the run at that place; NULL: that with many call paths. */
static void add_run(Merged *merged, RunNames *names, guint at, const Run *run)
{
	g_autoptr(Session) session = session_of(run);
	const ViewOptions options = { .top = UINT64_MAX };
	g_autofree char *path = g_strdup_printf("%c.kmr", (char)('a' + at));
	g_autofree char *host = g_strdup_printf("host-%s", path);
	g_auto(MadeView) made = made_view_named(session, &options);
	uint32_t number = run_names_add(names, &(RunIdentity){ host, NULL, path });

	merged_add(merged, made.view, number, NULL);
}

/* A ranking of merged runs. */
typedef struct {
	RunNames *names;
	Merged *merged;
	ViewOptions options;
	ViewSource source;
	View *view;
	GroupRows *rows;
} Ranking;

static Ranking *ranking_new(const char *by, size_t bytes_max, const Run *const *runs, guint count)
{
	Ranking *ranking = g_new0(Ranking, 1);

	ranking->options.top = UINT64_MAX;
	cr_assert(dimensions_parse(by, false, ranking->options.by, NULL), "%s", by);
	ranking->names = run_names_new(false);
	run_names_add_unknown(ranking->names);
	ranking->merged =
		merged_new(bytes_max, merged_parts_of(ranking->options.by, NULL), ranking->names);
	for (guint i = 0; i < count; i++)
		add_run(ranking->merged, ranking->names, i, runs[i]);
	ranking->source = merged_source(ranking->merged);
	ranking->view = view_new(&ranking->source, &ranking->options);
	ranking->rows = group_rows_new(ranking->view, &ranking->options, false);
	return ranking;
}

static void ranking_free(Ranking *ranking)
{
	group_rows_free(ranking->rows);
	view_free(ranking->view);
	merged_free(ranking->merged);
	run_names_free(ranking->names);
	g_free(ranking);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ranking, ranking_free)

/* Returns the rows as "7 sh; 1 httpd", most first. */
static char *text_of(const Ranking *ranking)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < ranking->rows->rows->len; i++) {
		const GroupRow *row = &g_array_index(ranking->rows->rows, GroupRow, i);

		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " ", i ? "; " : "",
				       row->sums.summary.allocations);
		group_rows_append_label(ranking->rows, row, 0, text);
	}
	return g_string_free(text, FALSE);
}

static const Run of_older = { &older, 4, 10, "kmalloc-64" };
static const Run of_newer = { &newer, 3, 20, "kmalloc-64" };
static const Run of_another_cache = { &newer, 2, 10, "dentry" };
static const Run *const both[] = { &of_older, &of_newer, &of_another_cache };

static void expect_rows(const char *by, guint runs, const char *wanted)
{
	g_autoptr(Ranking) ranking = ranking_new(by, PLENTY, both, runs);
	g_autofree char *rows = text_of(ranking);

	cr_expect(eq(str, rows, (char *)wanted), "%s", by);
}

Test(merged, a_path_at_the_addresses_of_two_kernels_is_one_row)
{
	g_autoptr(Ranking) ranking = ranking_new("stack", PLENTY, both, 2);
	const GroupRow *alpha = &g_array_index(ranking->rows->rows, GroupRow, 0);
	g_autofree char *rows = text_of(ranking);

	cr_expect(eq(str, rows,
		     (char *)"7  __kmalloc [kernel]\n alpha [kernel]\n; "
			     "2  __kmalloc [kernel]\n beta [kernel]\n"));
	cr_expect(eq(u64, alpha->sums.summary.failed, 2));
	cr_expect(eq(u64, alpha->sums.summary.bytes_requested, 7 * 60));
	cr_expect(eq(u64, alpha->sums.summary.bytes_allocated, 7 * 64));
	cr_expect(eq(u32, merged_stacks(ranking->merged), 2));
}

Test(merged, call_sites_of_two_kernels_are_one_row)
{
	expect_rows("callsite", 2, "7 alpha [kernel]; 2 beta [kernel]");
}

Test(merged, processes_of_one_name_are_one_row_but_their_pids_are_not)
{
	expect_rows("process", 2, "9 sh");
	expect_rows("pid", 2, "5 sh[10]; 4 sh[20]");
}

Test(merged, equal_pids_of_two_hosts_are_two_processes)
{
	g_autoptr(Ranking) ranking = ranking_new("pid", PLENTY, both, 3);

	cr_expect(eq(u32, ranking->rows->rows->len, 3));
}

Test(merged, runs_and_hosts_are_apart_if_a_key_asks_for_them)
{
	expect_rows("recording", 2, "5 a.kmr; 4 b.kmr");
	expect_rows("host", 2, "5 host-a.kmr; 4 host-b.kmr");
}

Test(merged, caches_are_joined_by_name)
{
	expect_rows("cache", 3, "9 kmalloc-64; 3 dentry");
}

Test(merged, frees_add_up)
{
	g_autoptr(Ranking) ranking = ranking_new("process", PLENTY, both, 3);

	cr_expect(eq(u64, ranking->view->frees, 6));
}

Test(merged, only_parts_that_keys_need_are_kept)
{
	const Dimension *none[] = { NULL };
	const MergedParts of_none = merged_parts_of(none, NULL);
	const MergedParts of_more = merged_parts_of(none, "stack,host,cache");
	const MergedParts of_threads = merged_parts_of(none, "thread");

	cr_expect_not(of_none.runs || of_none.pids || of_none.threads || of_none.cgroups ||
		      of_none.caches || of_none.call_sites);
	cr_expect(of_more.runs && of_more.caches);
	cr_expect_not(of_more.pids || of_more.cgroups);
	cr_expect(of_threads.threads && of_threads.pids && of_threads.runs);
}

/* Returns the row of what found no room; NULL: there is none. */
static const GroupRow *row_of_others(const Ranking *ranking, const char *label)
{
	for (guint i = 0; i < ranking->rows->rows->len; i++) {
		const GroupRow *row = &g_array_index(ranking->rows->rows, GroupRow, i);
		g_autoptr(GString) text = g_string_new(NULL);

		group_rows_append_label(ranking->rows, row, 0, text);
		if (strstr(text->str, label))
			return row;
	}
	return NULL;
}

static const Run *const many[] = { NULL, &of_older };

Test(merged, stacks_that_find_no_room_are_a_row_of_their_own_and_the_total_is_whole)
{
	static const size_t limits[] = { NO_ROOM, TIGHT, PLENTY };

	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
		g_autoptr(Ranking) ranking = ranking_new("stack", limits[i], many, 2);
		const GroupRow *others = row_of_others(ranking, "[stacks beyond the memory bound]");
		uint64_t lost = merged_overflow(ranking->merged).over_bound;

		cr_expect(eq(u64, ranking->view->before.summary.allocations, MANY_PATHS + 5));
		cr_expect(eq(u64, ranking->view->before.summary.failed, 1));
		cr_expect(eq(int, others != NULL, limits[i] != PLENTY));
		cr_expect(eq(int, lost > 0, limits[i] != PLENTY));
		if (others)
			cr_expect(eq(u64,
				     others->sums.summary.allocations + others->sums.summary.failed,
				     lost));
	}
}

Test(merged, tasks_that_find_no_room_are_other_tasks_and_the_total_is_whole)
{
	g_autoptr(Ranking) ranking = ranking_new("process", NO_ROOM, many, 2);
	const GroupRow *others = row_of_others(ranking, "[other tasks]");

	cr_expect(eq(u64, ranking->rows->before.summary.allocations, MANY_PATHS + 5));
	cr_assert(others != NULL);
	cr_expect(lt(u64, 0, merged_overflow(ranking->merged).of_other_tasks));
}

Test(merged, the_host_of_what_finds_no_room_is_known)
{
	static const Run *const full[] = { NULL, &of_older, &of_newer };
	g_autoptr(Ranking) ranking = ranking_new("host", NO_ROOM, full, G_N_ELEMENTS(full));
	g_autofree char *rows = text_of(ranking);

	cr_expect(lt(u64, 0, merged_overflow(ranking->merged).of_other_tasks));
	cr_expect(eq(str, rows, (char *)"1000 host-a.kmr; 5 host-b.kmr; 4 host-c.kmr"));
}
