/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "table/metric.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "options/options.h"
#include "report/model.h"
#include "table/group_rows.h"
#include "tools/rate_feed.h"
#include "tools/tool.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(metric);

enum { PLENTY = 16 << 20, SAMPLING_PERIOD = 3 };

static const MetricUse uses[] = { METRIC_RANKS, METRIC_REPORTS, METRIC_RATES };

static const Tool reports = { .name = "kmalloc-top", .bit = TOOL_KMALLOC_TOP };
static const Tool rates = { .name = "slabratetop", .bit = TOOL_SLABRATETOP };

static bool has_name(const Metric *metric, const char *name)
{
	return !g_strcmp0(metric->name, name) || !g_strcmp0(metric->alias, name);
}

static bool has_member(const Metric *metric, const char *member)
{
	return !g_strcmp0(metric->member, member);
}

Test(metric, each_name_is_that_of_one)
{
	for (MetricId a = 0; a < METRICS; a++)
		for (MetricId b = 0; b < METRICS; b++) {
			if (a == b || !metrics[a].name)
				continue;
			cr_expect(not(has_name(&metrics[b], metrics[a].name)), "%s",
				  metrics[a].name);
			cr_expect(not(metrics[a].alias && has_name(&metrics[b], metrics[a].alias)),
				  "%s", metrics[a].alias);
		}
	for (MetricId a = 0; a < METRICS; a++)
		for (MetricId b = 0; b < a && metrics[a].member; b++)
			cr_expect(not(has_member(&metrics[b], metrics[a].member)), "%s",
				  metrics[a].member);
}

Test(metric, each_has_what_its_tables_show)
{
	for (MetricId id = 0; id < METRICS; id++) {
		const Metric *metric = &metrics[id];

		cr_expect(ne(int, (int)metric->uses, 0), "%s", metric->member);
		cr_expect(ne(ptr, (void *)metric->help, NULL), "%s", metric->member);
		if (metric->uses & ~(unsigned)METRIC_RANKS)
			cr_expect(ne(ptr, (void *)metric->member, NULL), "%u", (unsigned)id);
		if (metric->uses & METRIC_REPORTS)
			cr_expect(ne(ptr, (void *)metric->title, NULL), "%s", metric->member);
		if (metric->uses & METRIC_RATES)
			cr_expect(metric->title_short && metric->width, "%s", metric->member);
		/* What is not ranked by is not asked for its margin. A maximum has none. */
		if (metric->uses & METRIC_RANKS)
			cr_expect(metric->name && metric->value.kind, "%s", metric->help);
		if (metric->uses & METRIC_RANKS && metric->type != VALUE_TIME_SPAN)
			cr_expect(ne(int, (int)metric->variance.kind, SPREAD_UNKNOWN), "%s",
				  metric->help);
	}
}

Test(metric, a_row_has_a_share_of_figures_that_have_a_sum)
{
	const RowSums sums = { .summary.allocations = 1,
			       .held.oldest_ns = 3,
			       .hits.time_max_ns = 3 };

	for (MetricId id = 0; id < METRICS; id++) {
		const MetricContext context = { .rank = &metrics[id], .all = &sums };

		if (metrics[id].uses & (METRIC_RANKS | METRIC_OF_HITS))
			cr_expect(eq(int,
				     metric_value(&metrics[METRIC_SHARE], &sums, &context).known,
				     !metrics[id].is_maximum),
				  "%s", metrics[id].name);
	}
}

Test(metric, facts_that_are_sums_are_called_as_the_metric)
{
	for (gsize i = 0; i < METRICS_SUMMED; i++) {
		const Metric *metric = &metrics[metric_facts[i].metric];
		const FactKind *shown = &fact_kinds[metric_facts[i].shown];
		const FactKind *before = &fact_kinds[metric_facts[i].before];
		g_autofree char *name = g_strconcat(metric->member, "_before_filters", NULL);

		cr_expect(eq(str, (char *)shown->id, (char *)metric->member));
		cr_expect(eq(str, (char *)before->id, name));
		cr_expect(eq(int, (int)shown->type, (int)metric->type), "%s", name);
		cr_expect(eq(int, (int)before->type, (int)metric->type), "%s", name);
	}
}

static Options *parsed(const Tool *tool, const char *option, const char *name)
{
	g_autofree char *word = g_strdup_printf("--%s=%s", option, name);
	/* Some rank what is held. */
	char *held = tool == &reports ? "--held" : "--check";
	char *words[] = { (char *)tool->name, "--check", held, word, NULL };
	g_auto(GStrv) arguments = g_strdupv(words);
	g_autoptr(GError) error = NULL;
	Options *options = options_parse(tool, 4, arguments, &error);

	cr_assert(ne(ptr, options, NULL), "%s: %s", word, error ? error->message : "");
	return options;
}

static void expect_in_rates(const Metric *metric, const char *name)
{
	g_autoptr(Options) sorted = parsed(&rates, "sort", name);
	g_autoptr(Options) shown = parsed(&rates, "columns", name);
	guint i = 0;

	cr_expect(eq(ptr, (void *)sorted->rate.sort, (void *)metric), "%s", name);
	while (shown->rate.columns[i] && shown->rate.columns[i] != metric)
		i++;
	cr_expect(eq(ptr, (void *)shown->rate.columns[i], (void *)metric), "%s", name);
}

static void expect_taken(const Metric *metric, const char *name)
{
	if (metric->uses & METRIC_RANKS && name == metric->name) {
		g_autoptr(Options) ranked = parsed(&reports, "sort", name);

		cr_expect(eq(ptr, (void *)ranked->view.sort, (void *)metric), "%s", name);
	}
	if (metric->uses & METRIC_RATES)
		expect_in_rates(metric, name);
}

Test(metric, options_take_each_by_its_name_and_its_alias)
{
	for (MetricId id = 0; id < METRICS; id++) {
		if (metrics[id].name)
			expect_taken(&metrics[id], metrics[id].name);
		if (metrics[id].alias)
			expect_taken(&metrics[id], metrics[id].alias);
	}
}

Test(metric, only_what_a_table_has_is_found)
{
	cr_expect(eq(ptr, (void *)metric_lookup("cou", METRIC_RANKS), NULL));
	cr_expect(eq(ptr, (void *)metric_lookup("net", METRIC_RANKS), NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(uses); i++)
		cr_expect(eq(ptr, (void *)metric_lookup("", uses[i]), NULL));
	cr_expect(eq(ptr, (void *)metric_lookup("requested", METRIC_RANKS),
		     (void *)metric_lookup("req", METRIC_RATES)));
	cr_expect(eq(ptr, (void *)metric_lookup("size", METRIC_RANKS), NULL));
}

Test(metric, more_requested_than_allocated_is_no_waste)
{
	const RowSums sums = { .summary = { .bytes_requested = 10, .bytes_allocated = 8 } };

	cr_expect(eq(u64, metric_figure(&metrics[METRIC_BYTES_WASTED], &sums), 0));
}

/* Two caches, one of them with two stacks, and an allocation that fails; some are sampled. */
static void write_events(GByteArray *stream)
{
	static const uint32_t alpha[] = { 0x81000210, 0x81000310 };
	static const uint32_t beta[] = { 0x81000210, 0x81000410 };
	EventBatch batch = event_batch_begin(stream, 0, 0, 1000);
	uint16_t origins[3];

	event_batch_header(&batch)->sampling_period = SAMPLING_PERIOD;
	event_batch_task(&batch, 10, "sh");
	event_batch_cache(&batch, "dentry", 192, 192);
	origins[0] = event_batch_origin(&batch, alpha, 2, 192, 192);
	event_batch_cache(&batch, "kmalloc-64", 64, 64);
	origins[1] = event_batch_origin(&batch, alpha, 2, 40, 64);
	origins[2] = event_batch_origin(&batch, beta, 2, 60, 64);
	for (uint32_t i = 0; i < 12; i++)
		event_batch_event(&batch, KMT_RECORD_ALLOC, origins[i % 3], i,
				  i % 4 ? KMT_CONTEXT_TASK : KMT_CONTEXT_SOFTIRQ, 0x1000);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origins[1], 12, KMT_CONTEXT_TASK, 0);
	event_batch_end(&batch, event_batch_header(&batch)->events * SAMPLING_PERIOD);
}

static void keep_table(RateTable *table, void *user_data)
{
	RateTable **kept = user_data;

	cr_assert(eq(ptr, *kept, NULL), "one interval has all");
	*kept = table;
}

/* Feeds the stream. Returns the table of its interval; all of it counts in the session, too. */
static RateTable *rates_of(Session *session)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	RateTable *table = NULL;
	g_autoptr(RateFeed) feed = rate_feed_new(session, &(RateFeedOptions){
								  .interval_s = 1,
								  .sort = rate_sort_default,
								  .counts_all = true,
								  .bytes_max = PLENTY,
								  .sink = keep_table,
								  .user_data = &table,
							  });

	write_events(stream);
	made_session_feed(session, stream);
	session_finish(session);
	rate_feed_finish(feed);
	return table;
}

static const RateRow *row_of(const RateTable *table, const char *label)
{
	for (guint i = 0; i < table->rows->len; i++)
		if (g_str_equal(g_array_index(table->rows, RateRow, i).label, label))
			return &g_array_index(table->rows, RateRow, i);
	cr_assert(false, "no row of %s", label);
	return NULL;
}

static void expect_same(const RowSums *a, const RowSums *b, const char *label)
{
	for (MetricId id = 0; id < METRICS; id++) {
		if (!metrics[id].value.kind)
			continue;
		cr_expect(eq(u64, metric_figure(&metrics[id], a), metric_figure(&metrics[id], b)),
			  "%s of %s", metrics[id].member, label);
		cr_expect(eq(dbl, metric_margin(&metrics[id], a), metric_margin(&metrics[id], b)),
			  "margin of %s of %s", metrics[id].member, label);
	}
}

Test(metric, reports_and_rates_of_a_stream_have_the_same_figures)
{
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(RateTable) table = rates_of(session);
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);
	const ViewSource source = { .profile = session->profile,
				    .symbols = session->symbols,
				    .caches = caches,
				    .sampling = sampling_of(session->profile, session->info) };
	ViewOptions options = { .top = UINT64_MAX };
	g_autoptr(View) view = NULL;
	g_autoptr(GroupRows) rows = NULL;

	cr_assert(dimensions_parse("cache", false, options.by, NULL));
	view = view_new(&source, &options);
	rows = group_rows_new(view, &options, false);
	cr_assert(eq(u32, rows->rows->len, 2));
	cr_assert(eq(u32, table->rows->len, 2));
	cr_expect(eq(u64, table->sum.sums.summary.allocations, 12 * SAMPLING_PERIOD));
	cr_expect(lt(dbl, 0, metric_margin(rate_sort_default, &table->sum.sums)));
	for (guint i = 0; i < rows->rows->len; i++) {
		const GroupRow *row = &g_array_index(rows->rows, GroupRow, i);
		g_autoptr(GString) label = g_string_new(NULL);

		group_rows_append_label(rows, row, 0, label);
		expect_same(&row->sums, &row_of(table, label->str)->sums, label->str);
	}
	expect_same(&rows->before, &table->sum.sums, "all");
	expect_same(&view->before, &table->sum.sums, "all stacks");
}
