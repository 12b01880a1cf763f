/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "render/formats/renderers.h"

#include "leaks.h"
#include "record/batch_writer.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(prometheus);

enum { MEMORY_BYTES = 16 << 20 };

/*
 * A strict reader of the text exposition format 0.0.4 ("Exposition formats" in Prometheus'
 * documentation). It also refuses what promtool warns of, and what is allowed but not wanted here:
 * empty lines, comments, timestamps.
 */
#define NAME "([a-z][a-z0-9_]*)"
#define LABEL "[a-z][a-z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\"\\\\n])*\""
#define LABELS "(\\{" LABEL "(?:," LABEL ")*\\})?"
#define NUMBER "(-?[0-9]+(?:\\.[0-9]+)?(?:e[+-][0-9]+)?)"

typedef struct {
	GRegex *help, *type, *sample;
	GHashTable *seen; /* (element-type utf8): metrics, and samples with their labels */
	char *metric;     /* whose lines follow; NULL: none */
	bool is_counter;
	guint samples; /* of the metric */
} Reader;

static void reader_init(Reader *reader)
{
	*reader = (Reader){
		.help = g_regex_new("^# HELP " NAME " (?:[^\\\\\\n]|\\\\[\\\\n])+$", 0, 0, NULL),
		.type = g_regex_new("^# TYPE " NAME " (counter|gauge)$", 0, 0, NULL),
		.sample = g_regex_new("^" NAME LABELS " " NUMBER "$", 0, 0, NULL),
		.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
}

static void reader_clear(Reader *reader)
{
	g_regex_unref(reader->help);
	g_regex_unref(reader->type);
	g_regex_unref(reader->sample);
	g_hash_table_unref(reader->seen);
	g_free(reader->metric);
}

/* Returns what is wrong with a metric's name. */
static const char *name_problem(const Reader *reader)
{
	if (!g_str_has_prefix(reader->metric, "slabratetop_"))
		return "a metric of somebody else";
	if (reader->is_counter != g_str_has_suffix(reader->metric, "_total"))
		return "counters, and only counters, end in _total";
	return NULL;
}

static const char *read_help(Reader *reader, GMatchInfo *match)
{
	if (reader->metric && !reader->samples)
		return "a metric without samples before";
	g_free(reader->metric);
	reader->metric = g_match_info_fetch(match, 1);
	reader->samples = 0;
	return g_hash_table_add(reader->seen, g_strdup(reader->metric)) ? NULL : "the metric twice";
}

static const char *read_type(Reader *reader, GMatchInfo *match)
{
	g_autofree char *metric = g_match_info_fetch(match, 1);
	g_autofree char *type = g_match_info_fetch(match, 2);

	if (!reader->metric || reader->samples || strcmp(metric, reader->metric) != 0)
		return "a type away from its help";
	reader->is_counter = !strcmp(type, "counter");
	return name_problem(reader);
}

static const char *read_sample(Reader *reader, GMatchInfo *match)
{
	g_autofree char *metric = g_match_info_fetch(match, 1);
	g_autofree char *labels = g_match_info_fetch(match, 2);
	g_autofree char *number = g_match_info_fetch(match, 3);

	if (!reader->metric || strcmp(metric, reader->metric) != 0)
		return "a sample away from its help";
	reader->samples++;
	if (*number == '-')
		return "a number below 0";
	if (!g_hash_table_add(reader->seen, g_strconcat(metric, "{", labels, NULL)))
		return "the sample twice";
	return NULL;
}

/* Returns what is wrong with a line, or NULL. */
static const char *read_line(Reader *reader, const char *line)
{
	const struct {
		const GRegex *pattern;
		const char *(*read)(Reader *reader, GMatchInfo *match);
	} forms[] = {
		{ reader->help, read_help },
		{ reader->type, read_type },
		{ reader->sample, read_sample },
	};
	const char *problem = "no line of the format";

	for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
		GMatchInfo *match;

		if (g_regex_match(forms[i].pattern, line, 0, &match))
			problem = forms[i].read(reader, match);
		g_match_info_free(match);
	}
	return problem;
}

/* Returns a complaint about a text, or NULL. The caller frees it. */
static char *problem_of(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	char *complaint = NULL;
	Reader reader;

	reader_init(&reader);
	for (guint i = 0; lines[i + 1] && !complaint; i++) {
		const char *problem = g_utf8_validate(lines[i], -1, NULL)
					      ? read_line(&reader, lines[i])
					      : "no UTF-8";

		if (problem)
			complaint = g_strdup_printf("%s: %s", problem, lines[i]);
	}
	if (!complaint && !g_str_has_suffix(text, "\n"))
		complaint = g_strdup("no end of the last line");
	reader_clear(&reader);
	return complaint;
}

Test(prometheus, the_reader_of_this_test_notices_what_is_wrong)
{
#define HEAD "# HELP slabratetop_a_total b\n# TYPE slabratetop_a_total counter\n"
#define SAMPLE "slabratetop_a_total{c=\"d\"} 1"
	static const char *const wrong[] = {
		HEAD SAMPLE,
		HEAD SAMPLE " 1700000000000\n",
		HEAD "slabratetop_a_total{c=\"d\\x\"} 1\n",
		HEAD "slabratetop_a_total{c=\"d\"e\"} 1\n",
		HEAD "slabratetop_a_total{c=\"\xff\"} 1\n",
		HEAD SAMPLE "\n" SAMPLE "\n",
		HEAD SAMPLE "\n" HEAD SAMPLE "\n",
		HEAD SAMPLE "\n\n",
		HEAD "# HELP slabratetop_b b\n",
		SAMPLE "\n",
		"# HELP slabratetop_a b\n# TYPE slabratetop_a counter\nslabratetop_a 1\n",
		"# HELP slabratetop_a_total b\n# TYPE slabratetop_a_total gauge\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *problem = problem_of(wrong[i]);

		cr_expect_not_null(problem, "%s", wrong[i]);
	}
	cr_expect_null(problem_of(HEAD SAMPLE "\nslabratetop_a_total{c=\"\\\\ \\\" \\n\"} 2\n"));
}

/* A run whose totals are rendered. */
typedef struct {
	Session *session;
	RateTable *table;
	RateTotals *totals;
} Run;

static void begin(Run *run)
{
	run->session = session_new(MEMORY_BYTES);
	run->table = g_new0(RateTable, 1);
	run->table->rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	run->table->texts = text_pool_new();
	run->table->sampling_period = 1;
	run->totals = rate_totals_new();
}

static void end(Run *run)
{
	session_free(run->session);
	rate_table_free(run->table);
	rate_totals_free(run->totals);
}

static void add(Run *run, const char *cache, unsigned lacks)
{
	const RateRow row = {
		.label = cache,
		.name = cache,
		.lacks = lacks,
		.sums.summary.allocations = 10,
		.sums.variance.allocations = 2.5,
		.live = { .frees = 4, .held = 6, .held_bytes = 48 },
	};

	g_array_append_val(run->table->rows, row);
}

/* Returns the exposition; the caller frees it. */
static char *render(Run *run)
{
	const IntervalSource interval = {
		.table = run->table,
		.totals = run->totals,
		.is_first = true,
	};
	const ReportSource source = { .session = run->session, .interval = &interval };

	rate_totals_add(run->totals, run->table, &(RateRunCounters){ .probe_ns = 5 });
	return made_report(REPORT_INTERVAL, &source, renderer_lookup("prometheus"));
}

Test(prometheus, names_from_outside_cannot_leave_their_label)
{
	static const char *const names[] = { "a\"} 1\nb 2", "c\\", "\\\"", "d\xff\xfe", "e\033[2J",
					     "\xc2\x9b",    "f,g", "{}",   "",          "h\n" };
	const InfoField fields[] = {
		{ KMT_FIELD_RELEASE, 0, "6.12\"} 1\nslabratetop_b{c=\"\\" },
		{ KMT_FIELD_COLLECTOR, 0, "\xff\n" },
	};
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	Run run;

	begin(&run);
	made_session_feed_facts(run.session, fields, G_N_ELEMENTS(fields));
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		add(&run, names[i], 0);
	text = render(&run);
	problem = problem_of(text);
	cr_expect_null(problem, "%s", problem);
	cr_expect_not_null(strstr(text, "allocations_total{cache=\"c\\\\\"} 10\n"), "%s", text);
	cr_expect_not_null(strstr(text, "kernel=\"6.12\\\"} 1?slabratetop_b{c=\\\"\\\\\""), "%s",
			   text);
	end(&run);
}

Test(prometheus, what_is_not_known_has_no_sample)
{
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	Run run;

	begin(&run);
	add(&run, "all", 0);
	add(&run, "some", NEEDS_FREES | NEEDS_CHURN);
	add(&run, "none", NEEDS_FREES | NEEDS_HELD);
	run.table->sum.lacks = NEEDS_SLABINFO;
	text = render(&run);
	problem = problem_of(text);
	cr_expect_null(problem, "%s", problem);
	cr_expect_not_null(strstr(text, "frees_total{cache=\"all\"} 4\n"));
	cr_expect_null(strstr(text, "frees_total{cache=\"some\"}"));
	cr_expect_not_null(strstr(text, "held_objects{cache=\"some\"} 6\n"));
	cr_expect_not_null(strstr(text, "held_bytes{cache=\"all\"} 48\n"));
	cr_expect_null(strstr(text, "held_objects{cache=\"none\"}"));
	cr_expect_null(strstr(text, "allocations_total{cache=\"some\"}"));
	cr_expect_null(strstr(text, "failed_allocations_total{cache=\"some\"}"));
	cr_expect_null(strstr(text, "objects_in_use"));
	cr_expect_null(strstr(text, "probe_cpu_seconds"));
	cr_expect_null(strstr(text, "variance"));
	end(&run);
}

Test(prometheus, estimates_have_their_period_and_variance)
{
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	Run run;

	begin(&run);
	add(&run, "filp", 0);
	run.table->sampling_period = 16;
	text = render(&run);
	problem = problem_of(text);
	cr_expect_null(problem, "%s", problem);
	cr_expect_not_null(strstr(text, "\nslabratetop_sampling_period 16\n"));
	cr_expect_not_null(strstr(text, "allocations_variance_total{cache=\"filp\"} 2.5\n"));
	end(&run);
}
