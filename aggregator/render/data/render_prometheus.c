/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "prometheus": two tables, about the run and with a row for each cache, whose
 * columns are families; counters are from rate_totals.c.
 */
#include "render/data/render_data.h"

#include "base/clock.h"
#include "base/escape.h"
#include "table/table.h"

#include <stddef.h>
#include <string.h>

#define PREFIX "slabratetop_"

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

/* Of the caches. */

static const RateRow *row_at(const Table *table, guint row)
{
	return &g_array_index(table->rows, RateRow, row);
}

/* In column->at: the data that is needed in addition to that of the metric. */
static Value read_figure(Table *table, const TableColumn *column, guint row)
{
	const RateRow *cache = row_at(table, row);
	int64_t number = 0;
	bool known = rate_row_number(cache, column->of, 0, &number);

	return (Value){ .known = known && !(cache->lacks & column->at),
			.number = (uint64_t)number };
}

/* The square of a standard error, if events were sampled. */
static Value read_variance(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;
	const RateRow *cache = row_at(table, row);
	int64_t number;

	return (Value){ .known = model->interval->totals->sampled &&
				 rate_row_number(cache, column->of, 0, &number),
			.real = *(const double *)(const void *)((const char *)cache + column->at) };
}

#define MARGIN                                                                                     \
	" In 95 of 100 cases, an increase is right within 1.96 times the square root of the "      \
	"increase of this."
#define FIGURE(metric) .type = VALUE_DIFFERENCE, .read = read_figure, .of = &metrics[metric]
#define VARIANCE(metric, member)                                                                   \
	.type = VALUE_REAL, .read = read_variance, .of = &metrics[metric],                         \
	.at = MEMBER_AT(double, RateRow, member)

/* The title is the help; counters end in "_total", the others are gauges. */
static const TableColumn cache_families[] = {
	{ "allocations_total", "Allocations from the slab cache." ESTIMATED,
	  FIGURE(METRIC_ALLOCATIONS) },
	{ "requested_bytes_total", "Bytes that callers requested." ESTIMATED,
	  FIGURE(METRIC_BYTES_REQUESTED) },
	{ "allocated_bytes_total", "Bytes of the allocated objects." ESTIMATED,
	  FIGURE(METRIC_BYTES_ALLOCATED) },
	{ "failed_allocations_total", "Allocations that returned NULL." ESTIMATED,
	  FIGURE(METRIC_FAILED), .at = NEEDS_CHURN },
	{ "frees_total", "Freed objects." ESTIMATED, FIGURE(METRIC_FREES) },
	{ "allocations_variance_total", "Variance of the estimated allocations." MARGIN,
	  VARIANCE(METRIC_ALLOCATIONS, sums.variance.allocations) },
	{ "requested_bytes_variance_total", "Variance of the estimated requested bytes." MARGIN,
	  VARIANCE(METRIC_BYTES_REQUESTED, sums.variance.bytes_requested) },
	{ "allocated_bytes_variance_total", "Variance of the estimated allocated bytes." MARGIN,
	  VARIANCE(METRIC_BYTES_ALLOCATED, sums.variance.bytes_allocated) },
	{ "objects_in_use", "Objects in use, as in /proc/slabinfo.",
	  FIGURE(METRIC_OBJECTS_IN_USE) },
	{ "held_objects", "Objects that were allocated in the run and not freed yet." ESTIMATED,
	  FIGURE(METRIC_HELD) },
	{ "held_bytes", "Bytes of the held objects." ESTIMATED, FIGURE(METRIC_HELD_BYTES) },
	{ "held_objects_variance",
	  "Variance of the estimated held objects. In 95 of 100 cases, their number is right "
	  "within 1.96 times the square root of this.",
	  VARIANCE(METRIC_HELD, live.held_variance) },
};

/* Of the run: its sums are the row TABLE_ALL. */

static Value read_info(Table *table, const TableColumn *column, guint row)
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
	const ReportModel *model = table->source;

	(void)column;
	(void)row;
	/* All labels always: PCP's agent cannot read a metric that loses its labels. */
	for (gsize i = 0; i < G_N_ELEMENTS(labels); i++) {
		const char *text = fact_text(model->facts, labels[i].fact);
		const char *version =
			text && labels[i].fact == FACT_PROGRAM ? strrchr(text, ' ') : NULL;

		g_string_append_c(table->text, i ? ',' : '{');
		append_label(table->text, labels[i].label,
			     version ? version + 1
			     : text  ? text
				     : "");
	}
	g_string_append(table->text, "} 1");
	return table_text(table->text);
}

/* What is no member of the totals. */
typedef enum { RUN_START, RUN_END, RUN_LOSS_UNKNOWN, RUN_PERIOD, RUN_COST } RunFigure;

static Value read_run(Table *table, const TableColumn *column, guint row)
{
	const ReportModel *model = table->source;
	const RateTable *interval = model->interval->table;

	(void)row;
	switch ((RunFigure)column->at) {
	case RUN_START:
		return model->facts->values[FACT_START_TIME];
	case RUN_END:
		return (Value){ .known = interval->realtime_ns, .number = interval->realtime_ns };
	case RUN_LOSS_UNKNOWN:
		return (Value){ .known = true, .number = facts_have_unknown_loss(model->facts) };
	case RUN_PERIOD:
		return (Value){ .known = true, .number = interval->sampling_period };
	default: /* RUN_COST */
		return (Value){ .known = fact_is_known(model->facts, FACT_COST),
				.number = model->interval->totals->probe_ns };
	}
}

#define SECONDS(member) .type = VALUE_TIME_SPAN, .at = MEMBER_AT(uint64_t, RateTotals, member)
#define COUNT(member) .type = VALUE_COUNT, .at = MEMBER_AT(uint64_t, RateTotals, member)

static const TableColumn run_families[] = {
	{ "info", "The program that collects, and what it runs on.", .type = VALUE_LABEL,
	  .read = read_info },
	{ "start_timestamp_seconds", "When the run began, since 1970.", .type = VALUE_TIME,
	  .read = read_run, .at = RUN_START },
	{ "interval_end_timestamp_seconds", "Up to when everything is counted, since 1970.",
	  .type = VALUE_TIME, .read = read_run, .at = RUN_END },
	{ "observed_seconds_total", "The time that the counters cover.", SECONDS(observed_ns) },
	{ "events_received_total",
	  "Events that the kernel delivered, of all processes; a loss is a share of these and the "
	  "lost ones.",
	  COUNT(events_received) },
	{ "events_lost_total", "Events that are not counted: at least so many.",
	  COUNT(events_lost.low) },
	{ "events_lost_max_total", "Events that are not counted: at most so many.",
	  COUNT(events_lost.high) },
	{ "loss_unknown",
	  "1 if more events may be missing, whose number is not known, for example of CPUs that "
	  "were not observed.",
	  .type = VALUE_COUNT, .read = read_run, .at = RUN_LOSS_UNKNOWN },
	{ "untraced_cpu_seconds_total", "Time in which CPUs were online, but not observed.",
	  SECONDS(untraced_ns) },
	{ "sampling_period",
	  "One of this many events was taken, at most so far; 1: the counters are exact.",
	  .type = VALUE_COUNT, .read = read_run, .at = RUN_PERIOD },
	{ "probe_cpu_seconds_total", "CPU time that observing took from the observed tasks.",
	  .type = VALUE_TIME_SPAN, .read = read_run, .at = RUN_COST },
};

static void append_value(GString *out, ValueType type, const Value *value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	switch (type) {
	case VALUE_LABEL:
		g_string_append(out, value->text);
		break;
	case VALUE_REAL:
		g_ascii_formatd(text, sizeof(text), "%.15g", value->real);
		g_string_append(out, text);
		break;
	case VALUE_TIME:
	case VALUE_TIME_SPAN:
		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%09u",
				       value->number / NS_PER_SECOND,
				       (unsigned)(value->number % NS_PER_SECOND));
		break;
	case VALUE_DIFFERENCE:
		g_string_append_printf(out, "%" G_GINT64_FORMAT, (int64_t)value->number);
		break;
	default:
		g_string_append_printf(out, "%" G_GUINT64_FORMAT, value->number);
	}
}

/* A name that was derived from the size has a label of its own: it is no part of the name. */
static void append_cache(GString *out, const RateRow *row)
{
	g_string_append_c(out, '{');
	append_label(out, "cache", row->by_size ? row->name : row->label);
	g_string_append(out, row->by_size ? ",by_size=\"1\"}" : "}");
}

/* All samples of a metric follow each other. */
static void append_family(GString *out, Table *table, const TableColumn *family)
{
	bool has_samples = false;

	for (guint i = 0; i < table->count; i++) {
		Value value = table_cell(table, family, table->rows ? i : TABLE_ALL);

		if (!value.known)
			continue;
		if (!has_samples)
			g_string_append_printf(
				out, "# HELP " PREFIX "%s %s\n# TYPE " PREFIX "%s %s\n", family->id,
				family->title, family->id,
				g_str_has_suffix(family->id, "_total") ? "counter" : "gauge");
		has_samples = true;
		g_string_append_printf(out, PREFIX "%s", family->id);
		if (table->rows)
			append_cache(out, row_at(table, i));
		if (family->type != VALUE_LABEL)
			g_string_append_c(out, ' ');
		append_value(out, family->type, &value);
		g_string_append_c(out, '\n');
	}
}

void render_prometheus(const ReportModel *model, FILE *out)
{
	const RateTotals *totals = model->interval->totals;
	g_autoptr(GString) text = g_string_new(model->interval->is_first ? "" : "\n");
	g_autoptr(Table) run = table_new(model, NULL);
	g_autoptr(Table) caches = table_new(model, g_array_ref(totals->rows));

	run->count = 1;
	run->all = totals;
	for (gsize i = 0; i < G_N_ELEMENTS(run_families); i++)
		append_family(text, run, &run_families[i]);
	for (gsize i = 0; i < G_N_ELEMENTS(cache_families); i++)
		append_family(text, caches, &cache_families[i]);
	fwrite(text->str, 1, text->len, out);
}
