/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "report/diff_rows.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "session/session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(diff_rows);
TEST_SUITE_WITHOUT_LEAKS(join);

enum { PLENTY = 64 << 20, CPU = 0, NS = 1000000000, START_NS = 1000 };

/* The newer kernel is another build: at other addresses, and its compiler made a copy of beta(). */
static const char older_symbols[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000200 T __kmalloc\n"
				    "ffffffff81000300 T alpha\n"
				    "ffffffff81000400 t beta\n"
				    "ffffffff81000500 T gone\n"
				    "ffffffff81001000 T _etext\n";
static const char newer_symbols[] = "ffffffff82000000 T _stext\n"
				    "ffffffff82000100 T __kmalloc_noprof\n"
				    "ffffffff82000200 T alpha\n"
				    "ffffffff82000400 t beta.isra.0\n"
				    "ffffffff82000500 t beta.constprop.1\n"
				    "ffffffff82000600 T came\n"
				    "ffffffff82001000 T _etext\n";

/* How often a call path allocates how many bytes. */
typedef struct {
	uint32_t frames[2];
	unsigned times;
	uint64_t bytes;
} Path;

/* When events come: after equal distances, or all in the middle of the run. */
typedef enum { EVENLY, AT_ONCE, AT_NO_TIME } When;

static const Path older_paths[] = {
	{ { 0x81000210, 0x81000310 }, 100, 64 },
	{ { 0x81000210, 0x81000410 }, 50, 64 },
	{ { 0x81000210, 0x81000510 }, 40, 64 },
};
static const Path newer_paths[] = {
	{ { 0x82000110, 0x82000210 }, 101, 64 }, { { 0x82000110, 0x82000410 }, 10, 64 },
	{ { 0x82000110, 0x82000510 }, 290, 64 }, { { 0x82000110, 0x82000610 }, 30, 4096 },
	{ { 0x82000110, 0x82000280 }, 4, 64 },
};

static uint32_t time_of(When when, unsigned n, unsigned times)
{
	return when == EVENLY ? (uint32_t)(NS / times * n) : NS / 2;
}

static Session *session_of(const char *symbols, const Path *paths, gsize count, When when)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Session *session = session_new(PLENTY);
	EventBatch batch;

	profile_keep_blocks(session->profile);

	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	batch = event_batch_begin(stream, CPU, 0, START_NS);
	event_batch_task(&batch, 10, "sh");
	for (gsize i = 0; i < count; i++) {
		uint16_t origin = event_batch_origin(&batch, paths[i].frames, 2, paths[i].bytes,
						     paths[i].bytes);

		for (unsigned n = 0; n < paths[i].times; n++)
			event_batch_event(&batch, KMT_RECORD_ALLOC, origin,
					  time_of(when, n, paths[i].times), KMT_CONTEXT_TASK,
					  0x1000);
	}
	event_batch_end_only(&batch);
	made_session_feed(session, stream);
	session_finish(session);
	return session;
}

typedef struct {
	Session *session;
	MadeView of;
} Run;

static Run run_of(Session *session, const ViewOptions *options)
{
	return (Run){ session, made_view_named(session, options) };
}

static void run_clear(Run *run)
{
	made_view_clear(&run->of);
	session_free(run->session);
}

/* A comparison of the two kernels, and what it is made of. */
typedef struct {
	GPtrArray *filters;
	ViewOptions options;
	Run runs[JOIN_SIDES];
	DiffRows *rows;
	When when; /* the events of both runs */
} Comparison;

static void compare(Comparison *comparison, const char *by, DiffPer per)
{
	DiffRun runs[JOIN_SIDES] = { { .duration_ns = 2ULL * NS, .events = 190 },
				     { .duration_ns = NS, .events = 435 } };
	const uint64_t start_ns = comparison->when == AT_NO_TIME ? 0 : START_NS;

	cr_assert(dimensions_parse(by, false, comparison->options.by, NULL));
	comparison->options.filters = comparison->filters;
	if (!comparison->options.top)
		comparison->options.top = UINT64_MAX;
	comparison->runs[JOIN_OLD] = run_of(
		session_of(older_symbols, older_paths, G_N_ELEMENTS(older_paths), comparison->when),
		&comparison->options);
	comparison->runs[JOIN_NEW] = run_of(
		session_of(newer_symbols, newer_paths, G_N_ELEMENTS(newer_paths), comparison->when),
		&comparison->options);
	for (JoinSide side = 0; side < JOIN_SIDES; side++) {
		runs[side].view = comparison->runs[side].of.view;
		runs[side].start_ns = start_ns;
		runs[side].end_ns = start_ns + NS;
	}
	comparison->rows = diff_rows_new(runs, &comparison->options, per);
}

static void comparison_clear(Comparison *comparison)
{
	diff_rows_free(comparison->rows);
	for (JoinSide side = 0; side < JOIN_SIDES; side++)
		run_clear(&comparison->runs[side]);
	if (comparison->filters)
		g_ptr_array_unref(comparison->filters);
}

static DiffFigures figures_at(const Comparison *comparison, guint row)
{
	return diff_row_figures(comparison->rows,
				&g_array_index(comparison->rows->rows, DiffRow, row),
				comparison->rows->rank);
}

static void expect(const Comparison *comparison, guint row, double before, double after,
		   DiffChange what)
{
	DiffFigures figures = figures_at(comparison, row);

	cr_expect_float_eq(figures.before, before, 1e-9, "row %u: %g", row, figures.before);
	cr_expect_float_eq(figures.after, after, 1e-9, "row %u: %g", row, figures.after);
	cr_expect(eq(int, (int)figures.what, (int)what), "row %u", row);
}

Test(diff_rows, stacks_are_joined_by_names_and_ranked_by_change)
{
	Comparison comparison = { .rows = NULL };

	compare(&comparison, "stack", DIFF_PER_RUN);
	cr_assert(eq(u32, comparison.rows->rows->len, 4));
	expect(&comparison, 0, 50, 300, DIFF_MORE);
	expect(&comparison, 1, 40, 0, DIFF_GONE);
	expect(&comparison, 2, 0, 30, DIFF_NEW);
	expect(&comparison, 3, 100, 105, DIFF_NOISE);
	cr_expect(eq(u64, comparison.rows->compared, 4));
	cr_expect(eq(u64, comparison.rows->exceeding, 3));
	comparison_clear(&comparison);
}

Test(diff_rows, figures_are_divided_by_seconds)
{
	Comparison comparison = { .rows = NULL };

	compare(&comparison, "stack", DIFF_PER_SECOND);
	expect(&comparison, 0, 25, 300, DIFF_MORE);
	expect(&comparison, 1, 50, 105, DIFF_MORE);
	expect(&comparison, 2, 0, 30, DIFF_NEW);
	expect(&comparison, 3, 20, 0, DIFF_GONE);
	comparison_clear(&comparison);
}

Test(diff_rows, figures_are_divided_by_events)
{
	Comparison comparison = { .rows = NULL };

	compare(&comparison, "callsite", DIFF_PER_EVENTS);
	expect(&comparison, 0, 50 * 1000 / 190.0, 300 * 1000 / 435.0, DIFF_MORE);
	comparison_clear(&comparison);
}

Test(diff_rows, labels_of_functions_are_joined_without_what_compilers_append)
{
	Comparison comparison = { .rows = NULL };

	compare(&comparison, "callsite", DIFF_PER_RUN);
	cr_expect(eq(u32, comparison.rows->rows->len, 4));
	expect(&comparison, 0, 50, 300, DIFF_MORE);
	comparison_clear(&comparison);
}

Test(diff_rows, noise_of_bytes_grows_with_the_sizes)
{
	Comparison comparison = { .options = { .sort = &metrics[METRIC_BYTES_ALLOCATED] } };
	DiffFigures bytes, counts;

	compare(&comparison, "process", DIFF_PER_RUN);
	bytes = figures_at(&comparison, 0);
	counts =
		diff_row_figures(comparison.rows, &g_array_index(comparison.rows->rows, DiffRow, 0),
				 &metrics[METRIC_ALLOCATIONS]);
	cr_expect_float_eq(bytes.after, 405 * 64 + 30 * 4096, 1e-9);
	/* 30 objects of 4,096 bytes vary more than 435 of the mean size. */
	cr_expect(bytes.noise / bytes.after > 1.5 * counts.noise / counts.after);
	comparison_clear(&comparison);
}

Test(diff_rows, larger_side_passes_filters_on_numbers)
{
	Comparison comparison = { .filters = g_ptr_array_new_with_free_func(
					  (GDestroyNotify)filter_free) };

	g_ptr_array_add(comparison.filters,
			filter_new(filter_type_lookup("min-count"), "40", NULL));
	compare(&comparison, "stack", DIFF_PER_RUN);
	cr_assert(eq(u32, comparison.rows->rows->len, 3));
	expect(&comparison, 1, 40, 0, DIFF_GONE);
	cr_expect(eq(u64, g_array_index(comparison.rows->drops, FilterDrop, 0).rows, 1));
	comparison_clear(&comparison);
}

Test(diff_rows, rows_beyond_the_top_are_others)
{
	Comparison comparison = { .options = { .top = 1 } };
	const DiffRows *rows;

	compare(&comparison, "stack", DIFF_PER_RUN);
	rows = comparison.rows;
	cr_expect(eq(u32, rows->rows->len, 1));
	cr_expect(eq(u64, rows->compared, 4));
	cr_expect(eq(u64, rows->others[JOIN_OLD].summary.allocations, 140));
	cr_expect(eq(u64, rows->others[JOIN_NEW].summary.allocations, 135));
	cr_expect(eq(u64, rows->all[JOIN_NEW].summary.allocations, 435));
	comparison_clear(&comparison);
}

Test(diff_rows, maximum_has_no_rate_and_no_noise)
{
	Comparison comparison = { .options = { .sort = &metrics[METRIC_AGE] } };

	compare(&comparison, "stack", DIFF_PER_SECOND);
	cr_expect(not(diff_rows_know_noise(comparison.rows)));
	cr_expect(eq(int, (int)diff_rows_per(comparison.rows, comparison.rows->rank),
		     (int)DIFF_PER_RUN));
	cr_expect(eq(u64, comparison.rows->exceeding, 0));
	comparison_clear(&comparison);
}

/* "unclear" would say that independent events do not explain the change. */
Test(diff_rows, change_is_unknown_if_nothing_is_known_of_the_noise)
{
	Metric maximum = metrics[METRIC_ALLOCATIONS];
	Comparison comparison = { .options = { .sort = &maximum } };

	maximum.scatter = (Spread){ .kind = SPREAD_UNKNOWN };
	compare(&comparison, "stack", DIFF_PER_RUN);
	expect(&comparison, 0, 50, 300, DIFF_UNKNOWN);
	expect(&comparison, 3, 100, 105, DIFF_UNKNOWN);
	cr_expect(isinf(figures_at(&comparison, 0).noise));
	cr_expect(eq(u64, comparison.rows->exceeding, 0));
	cr_expect(eq(u64, comparison.rows->unclear, 0));
	comparison_clear(&comparison);
}

/* One burst in each run does not show how bursts vary. */
Test(diff_rows, one_burst_is_not_judged)
{
	Comparison comparison = { .when = AT_ONCE };

	compare(&comparison, "stack", DIFF_PER_RUN);
	expect(&comparison, 0, 50, 300, DIFF_UNCLEAR);
	expect(&comparison, 1, 40, 0, DIFF_UNCLEAR);
	expect(&comparison, 2, 0, 30, DIFF_UNCLEAR);
	expect(&comparison, 3, 100, 105, DIFF_NOISE);
	cr_expect(eq(u64, comparison.rows->exceeding, 0));
	cr_expect(eq(u64, comparison.rows->unclear, 3));
	cr_expect(figures_at(&comparison, 0).noise > 250);
	comparison_clear(&comparison);
}

Test(diff_rows, events_at_unknown_times_are_not_judged)
{
	Comparison comparison = { .when = AT_NO_TIME };

	compare(&comparison, "stack", DIFF_PER_RUN);
	expect(&comparison, 0, 50, 300, DIFF_UNCLEAR);
	expect(&comparison, 3, 100, 105, DIFF_NOISE);
	cr_expect(isinf(figures_at(&comparison, 0).noise));
	cr_expect(eq(dbl, comparison.rows->errors_measured, 0));
	cr_expect(eq(u64, comparison.rows->unclear, 3));
	comparison_clear(&comparison);
}

Test(diff_rows, sums_of_all_and_of_others_are_judged)
{
	Comparison comparison = { .options = { .top = 1 } };
	DiffFigures all, others;

	compare(&comparison, "stack", DIFF_PER_RUN);
	all = diff_row_figures(comparison.rows, &comparison.rows->of_all, comparison.rows->rank);
	others = diff_row_figures(comparison.rows, &comparison.rows->of_others,
				  comparison.rows->rank);
	cr_expect(eq(dbl, all.before, 190));
	cr_expect(eq(dbl, all.after, 435));
	cr_expect(eq(int, (int)all.what, (int)DIFF_MORE));
	cr_expect(eq(dbl, others.after, 135));
	cr_expect(eq(int, (int)others.what, (int)DIFF_NOISE));
	comparison_clear(&comparison);
}

/* A name, and what is left of it. */
typedef struct {
	const char *name;
	const char *left;
} Name;

static const Name names[] = {
	{ "foo", "foo" },
	{ "foo.isra.0", "foo" },
	{ "foo.isra.0.cold", "foo" },
	{ "foo.part.12.constprop.3", "foo" },
	{ "foo.cold.7", "foo" },
	{ "foo.llvm.1234567890123456789", "foo" },
	{ "foo.lto_priv.4", "foo" },
	{ "kmem_cache_alloc_noprof", "kmem_cache_alloc" },
	{ "foo.0", "foo.0" },
	{ "main.part.func1", "main.part.func1" },
	{ "cold", "cold" },
	{ ".cold", ".cold" },
	{ "", "" },
};

Test(join, names_lose_what_compilers_append)
{
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *left = g_strndup(names[i].name, join_name_length(names[i].name));

		cr_expect(eq(str, left, (char *)names[i].left), "%s", names[i].name);
	}
}
