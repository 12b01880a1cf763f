/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "prometheus": const tables of families, about the run and for each cache, with
 * counters from rate_totals.c.
 */
#include "render/data/render_data.h"

#include "base/clock.h"
#include "base/escape.h"

#include <string.h>

#define PREFIX "slabratetop_"

typedef enum {
	COUNTER,
	GAUGE,
} FamilyType;

static const char *const type_names[] = {
	[COUNTER] = "counter",
	[GAUGE] = "gauge",
};

/* The lines before the samples of a metric. */
typedef struct {
	const char *name; /* without PREFIX */
	FamilyType type;
	const char *help;
} Family;

#define ESTIMATED " Estimated if slabratetop_sampling_period is above 1."

/* A label has escapes of its own. */
static void append_label(GString *out, const char *name, const char *text)
{
	g_autoptr(GString) printable = g_string_new(NULL);

	escape_hidden_append_len(printable, text, strlen(text));
	g_string_append_printf(out, "%s=\"", name);
	for (const char *at = printable->str; *at; at++) {
		if (strchr("\\\"", *at))
			g_string_append_c(out, '\\');
		g_string_append_c(out, *at);
	}
	g_string_append_c(out, '"');
}

static void append_seconds(GString *out, uint64_t ns)
{
	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%09u", ns / NS_PER_SECOND,
			       (unsigned)(ns % NS_PER_SECOND));
}

static void append_real(GString *out, double number)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append(out, g_ascii_formatd(text, sizeof(text), "%.15g", number));
}

/* All samples of a metric follow each other. */
static void append_head(GString *out, const Family *family)
{
	g_assert(family->type < G_N_ELEMENTS(type_names));
	g_string_append_printf(out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n",
			       family->name, family->help, family->name, type_names[family->type]);
}

/* A metric with a sample for each slab cache. */
typedef struct {
	Family family;
	MetricId metric;
	unsigned needs; /* MetricNeed, in addition to those of the metric */
	/* Instead of the metric: the square of its standard error, if events were sampled. */
	double (*variance)(const RateRow *row);
} CacheFamily;

static double allocations_variance(const RateRow *row)
{
	return row->sums.variance.allocations;
}

static double requested_variance(const RateRow *row)
{
	return row->sums.variance.bytes_requested;
}

static double allocated_variance(const RateRow *row)
{
	return row->sums.variance.bytes_allocated;
}

static double held_variance(const RateRow *row)
{
	return row->live.held_variance;
}

#define MARGIN                                                                                     \
	" In 95 of 100 cases, an increase is right within 1.96 times the square root of the "      \
	"increase of this."

static const CacheFamily cache_families[] = {
	{ { "allocations_total", COUNTER, "Allocations from the slab cache." ESTIMATED },
	  METRIC_ALLOCATIONS,
	  0,
	  NULL },
	{ { "requested_bytes_total", COUNTER, "Bytes that callers requested." ESTIMATED },
	  METRIC_BYTES_REQUESTED,
	  0,
	  NULL },
	{ { "allocated_bytes_total", COUNTER, "Bytes of the allocated objects." ESTIMATED },
	  METRIC_BYTES_ALLOCATED,
	  0,
	  NULL },
	{ { "failed_allocations_total", COUNTER, "Allocations that returned NULL." ESTIMATED },
	  METRIC_FAILED,
	  NEEDS_CHURN,
	  NULL },
	{ { "frees_total", COUNTER, "Freed objects." ESTIMATED }, METRIC_FREES, 0, NULL },
	{ { "allocations_variance_total", COUNTER,
	    "Variance of the estimated allocations." MARGIN },
	  METRIC_ALLOCATIONS,
	  0,
	  allocations_variance },
	{ { "requested_bytes_variance_total", COUNTER,
	    "Variance of the estimated requested bytes." MARGIN },
	  METRIC_BYTES_REQUESTED,
	  0,
	  requested_variance },
	{ { "allocated_bytes_variance_total", COUNTER,
	    "Variance of the estimated allocated bytes." MARGIN },
	  METRIC_BYTES_ALLOCATED,
	  0,
	  allocated_variance },
	{ { "objects_in_use", GAUGE, "Objects in use, as in /proc/slabinfo." },
	  METRIC_OBJECTS_IN_USE,
	  0,
	  NULL },
	{ { "held_objects", GAUGE,
	    "Objects that were allocated in the run and not freed yet." ESTIMATED },
	  METRIC_HELD,
	  0,
	  NULL },
	{ { "held_bytes", GAUGE, "Bytes of the held objects." ESTIMATED },
	  METRIC_HELD_BYTES,
	  0,
	  NULL },
	{ { "held_objects_variance", GAUGE,
	    "Variance of the estimated held objects. In 95 of 100 cases, their number is right "
	    "within 1.96 times the square root of this." },
	  METRIC_HELD,
	  0,
	  held_variance },
};

/* Appends the figure of a cache. Returns false if it is not known, or is no estimate. */
static bool append_figure(GString *out, const CacheFamily *family, const RateRow *row, bool sampled)
{
	const Metric *metric = &metrics[family->metric];
	int64_t number;

	if (row->lacks & family->needs || !rate_row_number(row, metric, 0, &number) ||
	    (family->variance && !sampled))
		return false;
	if (family->variance)
		append_real(out, family->variance(row));
	else
		g_string_append_printf(out, "%" G_GINT64_FORMAT, number);
	return true;
}

/* A name that was derived from the size has a label of its own: it is no part of the name. */
static void append_cache(GString *out, const RateRow *row)
{
	append_label(out, "cache", row->by_size ? row->name : row->label);
	if (row->by_size)
		g_string_append(out, ",by_size=\"1\"");
}

static void append_caches(GString *out, const CacheFamily *family, const RateTotals *totals)
{
	bool has_samples = false;

	for (guint i = 0; i < totals->rows->len; i++) {
		const RateRow *row = &g_array_index(totals->rows, RateRow, i);
		g_autoptr(GString) figure = g_string_new(NULL);

		if (!append_figure(figure, family, row, totals->sampled))
			continue;
		if (!has_samples)
			append_head(out, &family->family);
		has_samples = true;
		g_string_append_printf(out, PREFIX "%s{", family->family.name);
		append_cache(out, row);
		g_string_append_printf(out, "} %s\n", figure->str);
	}
}

/* A metric with one sample. */
typedef struct {
	Family family;
	/* Appends labels, a space and the figure. Returns false if it is not known. */
	bool (*append)(GString *out, const ReportModel *model);
} RunFamily;

static bool append_info(GString *out, const ReportModel *model)
{
	static const struct {
		FactId fact;
		const char *label;
	} labels[] = {
		{ FACT_PROGRAM, "version" },
		{ FACT_COLLECTOR, "collector" },
		{ FACT_RELEASE, "kernel" },
		{ FACT_ARCH, "architecture" },
	};

	/* All labels always: PCP's agent cannot read a metric that loses its labels. */
	for (gsize i = 0; i < G_N_ELEMENTS(labels); i++) {
		const char *text = fact_text(model->facts, labels[i].fact);
		const char *version =
			text && labels[i].fact == FACT_PROGRAM ? strrchr(text, ' ') : NULL;

		g_string_append_c(out, i ? ',' : '{');
		append_label(out, labels[i].label, version ? version + 1 : text ? text : "");
	}
	g_string_append(out, "} 1");
	return true;
}

/* Appends a figure of seconds. */
static bool append_time(GString *out, uint64_t ns)
{
	g_string_append_c(out, ' ');
	append_seconds(out, ns);
	return true;
}

static bool append_count(GString *out, uint64_t number)
{
	g_string_append_printf(out, " %" G_GUINT64_FORMAT, number);
	return true;
}

static bool append_run_start(GString *out, const ReportModel *model)
{
	return fact_is_known(model->facts, FACT_START_TIME) &&
	       append_time(out, fact_number(model->facts, FACT_START_TIME));
}

static bool append_end(GString *out, const ReportModel *model)
{
	uint64_t end_ns = model->interval->table->realtime_ns;

	return end_ns && append_time(out, end_ns);
}

static bool append_observed(GString *out, const ReportModel *model)
{
	return append_time(out, model->interval->totals->observed_ns);
}

static bool append_lost(GString *out, const ReportModel *model)
{
	return append_count(out, model->interval->totals->events_lost.low);
}

static bool append_lost_max(GString *out, const ReportModel *model)
{
	return append_count(out, model->interval->totals->events_lost.high);
}

static bool append_received(GString *out, const ReportModel *model)
{
	return append_count(out, model->interval->totals->events_received);
}

static bool append_unknown_loss(GString *out, const ReportModel *model)
{
	return append_count(out, facts_have_unknown_loss(model->facts));
}

static bool append_untraced(GString *out, const ReportModel *model)
{
	return append_time(out, model->interval->totals->untraced_ns);
}

static bool append_period(GString *out, const ReportModel *model)
{
	return append_count(out, model->interval->table->sampling_period);
}

static bool append_cost(GString *out, const ReportModel *model)
{
	return fact_is_known(model->facts, FACT_COST) &&
	       append_time(out, model->interval->totals->probe_ns);
}

static const RunFamily run_families[] = {
	{ { "info", GAUGE, "The program that collects, and what it runs on." }, append_info },
	{ { "start_timestamp_seconds", GAUGE, "When the run began, since 1970." },
	  append_run_start },
	{ { "interval_end_timestamp_seconds", GAUGE,
	    "Up to when everything is counted, since 1970." },
	  append_end },
	{ { "observed_seconds_total", COUNTER, "The time that the counters cover." },
	  append_observed },
	{ { "events_received_total", COUNTER,
	    "Events that the kernel delivered, of all processes; a loss is a share of these and "
	    "the "
	    "lost ones." },
	  append_received },
	{ { "events_lost_total", COUNTER, "Events that are not counted: at least so many." },
	  append_lost },
	{ { "events_lost_max_total", COUNTER, "Events that are not counted: at most so many." },
	  append_lost_max },
	{ { "loss_unknown", GAUGE,
	    "1 if more events may be missing, whose number is not known, for example of CPUs that "
	    "were not observed." },
	  append_unknown_loss },
	{ { "untraced_cpu_seconds_total", COUNTER,
	    "Time in which CPUs were online, but not observed." },
	  append_untraced },
	{ { "sampling_period", GAUGE,
	    "One of this many events was taken, at most so far; 1: the counters are exact." },
	  append_period },
	{ { "probe_cpu_seconds_total", COUNTER,
	    "CPU time that observing took from the observed tasks." },
	  append_cost },
};

static void append_run(GString *out, const RunFamily *family, const ReportModel *model)
{
	g_autoptr(GString) figure = g_string_new(NULL);

	if (!family->append(figure, model))
		return;
	append_head(out, &family->family);
	g_string_append_printf(out, PREFIX "%s%s\n", family->family.name, figure->str);
}

void render_prometheus(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(model->interval->is_first ? "" : "\n");

	for (gsize i = 0; i < G_N_ELEMENTS(run_families); i++)
		append_run(text, &run_families[i], model);
	for (gsize i = 0; i < G_N_ELEMENTS(cache_families); i++)
		append_caches(text, &cache_families[i], model->interval->totals);
	fwrite(text->str, 1, text->len, out);
}
