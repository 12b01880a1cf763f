/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "json": one object with facts, stacks, rows and readings. doc/JSON.md has the
 * schema; each member's name is constant. Large reports are spilled while they are written.
 */
#include "render/data/render_data.h"

#include "rates/rate_net.h"
#include "report/diff_notes.h"
#include "report/report_table.h"
#include "table/comm_fold.h"
#include "table/context_name.h"
#include "symbols/frame_line.h"

#include <string.h>

/* Version of the schema in doc/JSON.md: increases if a key is removed or changes its meaning. */
enum { SCHEMA_VERSION = 1 };

static const char *const report_names[] = {
	[REPORT_STACKS] = "stacks",
	[REPORT_SLABSTACK] = "slabstack",
	[REPORT_SLAB_CACHES] = "slab_caches",
	[REPORT_INFO] = "info",
	[REPORT_DIFF] = "diff",
};

static void write_facts(JsonWriter *json, const char *name, const Facts *facts)
{
	json_open(json, name, '{');
	for (FactId id = 0; id < FACTS; id++)
		json_value(json, fact_kinds[id].id, fact_kinds[id].type, &facts->values[id]);
	json_close(json, '}');
}

/* Writes a number of allocations that does not belong to a row. */
static void write_allocations(JsonWriter *json, uint64_t allocations)
{
	json_count(json, metrics[METRIC_ALLOCATIONS].member, allocations);
}

/* For several processes, writes the common part of their names. */
static void write_name(JsonWriter *json, const ViewProcess *process)
{
	const char *comm = process ? process->comm : "";

	if (!*comm)
		json_null(json, "name");
	else if (process->processes > 1)
		json_text_len(json, "name", comm, comm_folded_length(comm));
	else
		json_text(json, "name", comm);
}

static void write_processes(JsonWriter *json, const GArray *processes)
{
	json_open(json, "processes", '[');
	for (guint i = 0; i < processes->len; i++) {
		const ViewProcess *process = &g_array_index(processes, ViewProcess, i);
		bool is_task = process->context == KMT_CONTEXT_TASK;

		json_open(json, NULL, '{');
		json_text(json, "context", context_name(process->context));
		write_name(json, is_task ? process : NULL);
		if (process->tgid)
			json_count(json, "tgid", process->tgid);
		else
			json_null(json, "tgid");
		if (process->processes)
			json_count(json, "processes", process->processes);
		else
			json_null(json, "processes");
		write_allocations(json, process->allocations);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* digits: at least so many; 0: the address is not known. */
static void write_address(JsonWriter *json, uint64_t address, int digits)
{
	g_autofree char *text = g_strdup_printf("0x%0*" G_GINT64_MODIFIER "x", digits, address);

	json_text(json, "address", digits ? text : NULL);
}

static void write_frame(JsonWriter *json, const Frame *frame)
{
	g_autoptr(GString) text = g_string_new(NULL);

	frame_line_append_stripped(text, frame);
	json_open(json, NULL, '{');
	write_address(json, frame->address, frame->address_digits);
	json_text(json, "function", frame->function);
	if (frame->has_offset)
		json_count(json, "offset_bytes", frame->offset);
	else
		json_null(json, "offset_bytes");
	json_text(json, "module", frame->module);
	/* Only with source lines: nothing else changes with them. */
	if (frame->file)
		json_text(json, "file", frame->file);
	if (frame->line)
		json_count(json, "line", frame->line);
	if (frame->source)
		json_text(json, "source", frame->source);
	if (frame->inlined)
		json_flag(json, "inlined", true);
	json_text(json, "text", text->str);
	json_close(json, '}');
}

/* Writes the frames of a stack, innermost first. */
static void write_frames(JsonWriter *json, const StackRows *stacks, uint32_t row)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	json_open(json, "frames", '[');
	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(stacks, ids[i]);

		write_frame(json, &frame);
	}
	json_close(json, ']');
}

static void write_half(JsonWriter *json, const char *name, uint64_t allocated, uint64_t kept)
{
	json_open(json, name, '{');
	json_count(json, "allocated", allocated);
	json_count(json, "held", kept);
	json_close(json, '}');
}

/* Of a stack, or with NULL of all; only if allocations were paired. */
static void write_times(JsonWriter *json, const ReportModel *model, const ViewStack *stack)
{
	const HeldCells *cells = view_source(model->view)->held_cells;
	HeldTimes times;

	if (!cells || !held_cells_have_times(cells))
		return;
	times = view_times(model->view, stack);
	json_open(json, "held_times", '{');
	json_counts(json, "held_by_age", times.ages, AGE_CLASSES);
	json_counts(json, "freed_by_lifetime", times.lifetimes, LIFE_CLASSES);
	json_counts(json, "held_over_time", times.held, held_cells_parts(cells));
	write_half(json, "first_half", times.first_allocated, times.first_kept);
	write_half(json, "second_half", times.second_allocated, times.second_kept);
	json_close(json, '}');
}

void json_write_row(JsonWriter *json, Table *table, guint row)
{
	for (guint i = 0; i < table->columns->len; i++) {
		const TableColumn *column = table_column(table, i);
		Value value;

		if (column->is_key && row >= TABLE_OTHERS)
			continue;
		value = table_cell(table, column, row);
		if (column->is_optional && !value.known)
			continue;
		if (column->type == VALUE_FRAMES)
			write_frames(json, value.of, (uint32_t)value.number);
		else
			json_value(json, column->id, column->type, &value);
	}
}

/* Writes all rows as an array of objects. out: gets what is complete, so that large tables are
   never in memory; or NULL. */
static void write_rows(JsonWriter *json, const char *name, Table *table, FILE *out)
{
	json_open(json, name, '[');
	for (guint row = 0; row < table->count; row++) {
		json_open(json, NULL, '{');
		json_write_row(json, table, row);
		json_close(json, '}');
		if (out)
			json_spill(json, out);
	}
	json_close(json, ']');
}

static void write_stacks(JsonWriter *json, const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);

	json_open(json, "stacks", '[');
	for (guint i = 0; i < table->count; i++) {
		const ViewStack *stack = g_ptr_array_index(model->view->stacks, i);
		g_autoptr(GArray) processes = view_processes(model->view, stack);

		json_open(json, NULL, '{');
		json_write_row(json, table, i);
		json_flag(json, "cut", stack->truncated);
		/* Only a stack of held objects has ages. */
		if (held_sums_have_ages(&stack->sums.held))
			json_seconds(json, "age_min_seconds", stack->sums.held.youngest_ns);
		write_times(json, model, stack);
		write_processes(json, processes);
		write_frames(json, view_stack_rows(model->view), stack->row);
		json_close(json, '}');
		json_spill(json, out);
	}
	json_close(json, ']');
}

static void write_hits(JsonWriter *json, const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);

	write_rows(json, "hits", table, out);
	json_count(json, "hits_not_shown", table->more);
	json_count(json, "hits_not_kept", model->hits->dropped);
}

static void write_by(JsonWriter *json, const GroupRows *groups)
{
	json_open(json, "by", '[');
	for (guint key = 0; groups->keys[key]; key++)
		json_text(json, NULL, groups->keys[key]->name);
	json_close(json, ']');
}

static void write_groups(JsonWriter *json, const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);

	write_by(json, model->groups);
	write_rows(json, "rows", table, out);
	if (!table->more) {
		json_null(json, "others");
		return;
	}
	json_open(json, "others", '{');
	json_count(json, "rows", table->more);
	json_write_row(json, table, TABLE_OTHERS);
	json_close(json, '}');
}

static void write_drops(JsonWriter *json, const ReportModel *model)
{
	json_open(json, "dropped", '[');
	for (guint i = 0; i < model_drop_count(model); i++) {
		const FilterDrop *drop = model_drop(model, i);

		json_open(json, NULL, '{');
		json_text(json, "option", drop->option);
		json_text(json, "argument", drop->argument);
		json_text(json, "of", model_drop_is_of_stacks(model, i) ? "stacks" : "rows");
		json_count(json, "count", drop->rows);
		write_allocations(json, drop->allocations);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_left_out(JsonWriter *json, const GArray *left_out)
{
	json_open(json, "left_out", '[');
	for (guint i = 0; i < left_out->len; i++) {
		const ViewLeftOut *one = &g_array_index(left_out, ViewLeftOut, i);

		json_open(json, NULL, '{');
		json_text(json, "option", one->option);
		json_text(json, "argument", one->given);
		write_allocations(json, one->allocations);
		json_text(json, "remark", one->remark);
		json_close(json, '}');
	}
	json_close(json, ']');
}

#define MEMBER(name, type, member) TABLE_MEMBER(name, type, HeldCheckRow, member)

static const TableColumn held_columns[] = {
	{ MEMBER("cache", VALUE_TEXT, name) },
	{ MEMBER("objects_not_seen_freed", VALUE_COUNT, held) },
	{ MEMBER("objects_in_use_start", VALUE_COUNT, start) },
	{ MEMBER("objects_in_use_end", VALUE_COUNT, end) },
	{ MEMBER("older_objects_freed_max", VALUE_COUNT, older_freed) },
	{ MEMBER("is_contradicted", VALUE_FLAG, contradicted) },
	{ MEMBER("is_left_out", VALUE_FLAG, left_out) },
};

/* Writes what slab caches hold (element-type HeldCheckRow), compared with /proc/slabinfo. */
static void write_held_compared(JsonWriter *json, GArray *rows)
{
	g_autoptr(Table) table = table_new(NULL, g_array_ref(rows));

	table_add(table, held_columns, G_N_ELEMENTS(held_columns), TABLE_JSON);
	write_rows(json, "held_compared", table, NULL);
}

/* Writes the growth of the requested caches. */
static void write_growth(JsonWriter *json, const SlabGrowth *growth)
{
	g_autoptr(Table) table = slab_growth_table_new(growth);

	json_open(json, "growth", '{');
	if (growth->span.span_ns)
		json_seconds(json, "duration_seconds", growth->span.span_ns);
	else
		json_null(json, "duration_seconds");
	json_text(json, "allocations_of", growth->of_whom);
	json_flag(json, "allocations_of_part", growth->of_part);
	write_rows(json, "caches", table, NULL);
	json_open(json, "sum", '{');
	json_write_row(json, table, TABLE_ALL);
	json_close(json, '}');
	json_close(json, '}');
}

static void write_memory(JsonWriter *json, const char *name, const HostState *memory)
{
	json_open(json, name, '{');
	for (int use = 0; use < SLAB_TABLE_USES; use++) {
		HostFigure figure = slab_table_uses[use].figure;

		if (memory->known[figure])
			json_count(json, host_figures[figure].key, memory->numbers[figure]);
		else
			json_null(json, host_figures[figure].key);
	}
	json_close(json, '}');
}

static void write_slab_table(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const SlabTable *slabs = &model->slab->table;
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);

	if (slabs->span.span_ns)
		json_seconds(json, "duration_seconds", slabs->span.span_ns);
	else
		json_null(json, "duration_seconds");
	write_memory(json, "memory_start", &slabs->memory.start);
	write_memory(json, "memory_end", &slabs->memory.end);
	json_signed(json, "taken_outside_slab_bytes", slab_table_taken_outside(slabs));
	write_rows(json, "caches", table, out);
	json_count(json, "caches_left_out", table->more);
}

static void write_view(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const Metric *sort = view_rank(model->source->options);

	json_text(json, "sort", sort->name);
	write_times(json, model, NULL);
	if (model->slab)
		write_growth(json, &model->slab->growth);
	if (model->held_check)
		write_held_compared(json, model->held_check);
	if (model->groups)
		write_groups(json, model, out);
	else if (model->hits)
		write_hits(json, model, out);
	else
		write_stacks(json, model, out);
	write_processes(json, model->view->processes);
	write_drops(json, model);
	write_left_out(json, model->view->left_out_by);
}

/* A comparison of two runs. */

/* Writes a figure of both runs; the unit is in the name. */
static void write_diff_figure(JsonWriter *json, const ReportModel *model, const Metric *metric,
			      const DiffRow *row)
{
	const char *suffix = diff_units[diff_rows_per(model->diff, metric)].suffix;
	g_autofree char *name = g_strconcat(metric->member, suffix, NULL);
	DiffFigures figures;

	if (!metric_is_known(metric, model_diff_context(model).lacks)) {
		json_null(json, name);
		return;
	}
	figures = diff_row_figures(model->diff, row, metric);
	json_open(json, name, '{');
	for (gsize i = 0; i < DIFF_FIGURES; i++)
		json_exact(json, diff_figures[i].name, diff_figure(&figures, diff_figures[i].at));
	json_close(json, '}');
}

/* Writes how the sums of both runs differ, into the open object. */
static void write_diff_figures(JsonWriter *json, const ReportModel *model, const DiffRow *row)
{
	const DiffFigures ranked = diff_row_figures(model->diff, row, model->diff->rank);

	json_text(json, "change", diff_change_names[ranked.what]);
	json_exact(json, "change_percent", ranked.percent);
	for (MetricId id = 0; id < METRICS; id++)
		if (model_diff_shows(model, &metrics[id]))
			write_diff_figure(json, model, &metrics[id], row);
}

static void write_diff_rows(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const DiffRows *diff = model->diff;
	g_autoptr(Table) labels = table_new(model, NULL);

	report_table_add_keys(labels, model, TABLE_JSON);
	json_open(json, "rows", '[');
	for (guint i = 0; i < diff->rows->len; i++) {
		json_open(json, NULL, '{');
		json_write_row(json, labels, i);
		write_diff_figures(json, model, diff_rows_at(diff, i));
		json_close(json, '}');
		json_spill(json, out);
	}
	json_close(json, ']');
}

static void write_diff_others(JsonWriter *json, const ReportModel *model)
{
	const DiffRows *diff = model->diff;

	if (diff->compared == diff->rows->len) {
		json_null(json, "others");
		return;
	}
	json_open(json, "others", '{');
	json_count(json, "rows", diff->compared - diff->rows->len);
	write_diff_figures(json, model, &diff->of_others);
	json_close(json, '}');
}

static void write_diff_notes(JsonWriter *json, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);
	const GPtrArray *modules = model->diff->half_known;

	json_open(json, "recorded_differently", '[');
	for (guint i = 0; i < notes->len; i++)
		json_text(json, NULL, fact_kinds[g_array_index(notes, FactId, i)].id);
	json_close(json, ']');
	json_open(json, "lines_of_one_run_only", '[');
	for (guint i = 0; i < modules->len; i++)
		json_text(json, NULL, modules->pdata[i]);
	json_close(json, ']');
}

static void write_compared(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const DiffRows *diff = model->diff;

	json_open(json, "diff", '{');
	json_text(json, "per", diff_units[diff->per].name);
	json_count(json, "rows_compared", diff->compared);
	if (diff_rows_know_noise(diff)) {
		json_count(json, "rows_beyond_noise", diff->exceeding);
		json_count(json, "rows_unclear", diff->unclear);
	} else {
		json_null(json, "rows_beyond_noise");
		json_null(json, "rows_unclear");
	}
	json_real(json, "noise_standard_errors",
		  diff->errors_measured > 0 ? diff->errors_measured : diff->errors);
	write_diff_notes(json, model);
	write_facts(json, "old_facts", model->older->facts);
	write_by(json, diff->groups[JOIN_NEW]);
	write_diff_rows(json, model, out);
	write_diff_others(json, model);
	json_open(json, "all", '{');
	write_diff_figures(json, model, &diff->of_all);
	json_close(json, '}');
	json_close(json, '}');
}

/* The table of an interval. */

static void write_rate_fact(JsonWriter *json, const Facts *facts, FactId id)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	json_value(json, fact_kinds[id].id, fact_kinds[id].type, &facts->values[id]);
}

static void write_rate_head(JsonWriter *json, const RateTable *table, const Facts *facts)
{
	const Value cost = { .known = table->cost_percent >= 0,
			     .real = table->cost_percent,
			     .other = 3 };

	json_count(json, "interval", table->number);
	if (table->realtime_ns) {
		json_micros(json, "time", table->realtime_ns);
		json_time(json, "end_time", table->realtime_ns);
	} else {
		json_null(json, "time");
		json_null(json, "end_time");
	}
	json_count(json, "start_ns", table->start_ns);
	json_seconds(json, "seconds", table->end_ns - table->start_ns);
	json_text(json, "loadavg", table->load_average);
	json_text(json, "covered", fact_text(facts, FACT_COVERED));
	json_text(json, "not_covered", fact_text(facts, FACT_NOT_COVERED));
	json_flag(json, "partial", table->partial);
	json_count(json, "events_lost", table->events_lost.low);
	json_count(json, "events_lost_max", table->events_lost.high);
	json_count(json, "sampling_period", table->sampling_period);
	json_value(json, "cost_percent", VALUE_ROUNDED, &cost);
	write_rate_fact(json, facts, FACT_WALKS_COMPARED);
	write_rate_fact(json, facts, FACT_WALKS_DIFFERENT);
	write_rate_fact(json, facts, FACT_NAMES_COMPARED);
	write_rate_fact(json, facts, FACT_NAMES_DIFFERENT);
	json_count(json, "caches", table->rows->len);
}

/* Writes the members of a rate table into the open object; doc/JSON.md describes them. */
static void write_interval(JsonWriter *json, const IntervalSource *interval, const Facts *facts,
			   FILE *out)
{
	const RateTable *rates = interval->table;
	g_autoptr(Table) table = interval_table_new(interval, TABLE_JSON);

	write_rate_head(json, rates, facts);
	write_rows(json, "rows", table, out);
	json_open(json, "sum", '{');
	json_write_row(json, table, TABLE_ALL);
	json_close(json, '}');
	if (rate_net_is_shown(interval->layout->columns))
		json_count(json, "net_caches_left_out", rates->net_unknown);
	if (rates->sum.lacks & NEEDS_HELD)
		return;
	/* Frees of what is held may not be seen. */
	write_rate_fact(json, facts, FACT_FREES_NOT_SEEN);
	if (rates->held_compared)
		write_held_compared(json, rates->held_compared);
}

static void write_diff(JsonWriter *json, const ReportModel *model, FILE *out)
{
	json_text(json, "sort", view_rank(model->source->options)->name);
	write_compared(json, model, out);
	write_drops(json, model);
	write_left_out(json, model->view->left_out_by);
}

/* Writes the files with code, each with the sections that follow it. */
static void write_code(JsonWriter *json, const GArray *rows)
{
	guint i = 0;

	json_open(json, "code", '[');
	while (i < rows->len) {
		const CodeRow *row = &g_array_index(rows, CodeRow, i++);

		json_open(json, NULL, '{');
		json_text(json, "object", row->name);
		json_text(json, "build_id", row->build_id);
		write_address(json, row->address, row->address ? 1 : 0);
		json_open(json, "sections", '[');
		for (; i < rows->len && g_array_index(rows, CodeRow, i).is_section; i++) {
			row = &g_array_index(rows, CodeRow, i);
			json_open(json, NULL, '{');
			json_text(json, "section", row->name);
			write_address(json, row->address, row->address ? 1 : 0);
			json_close(json, '}');
		}
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_runs(JsonWriter *json, const ManyRuns *runs)
{
	const RunCounts counts = many_runs_counts(runs);

	json_open(json, "runs", '{');
	json_count(json, "recordings", counts.recordings);
	json_count(json, "recordings_not_read", counts.not_read);
	json_count(json, "hosts", counts.hosts);
	json_count(json, "kernel_releases", counts.releases);
	json_seconds(json, "duration_min_seconds", counts.duration_min_ns);
	json_seconds(json, "duration_max_seconds", counts.duration_max_ns);
	json_close(json, '}');
}

static void write_report(JsonWriter *json, const ReportModel *model, FILE *out)
{
	g_assert(model->kind < G_N_ELEMENTS(report_names));
	json_text(json, "command", model->source->command);
	json_text(json, "report", report_names[model->kind]);
	write_facts(json, "facts", model->facts);
	if (model->runs)
		write_runs(json, model->runs);
	if (model->kind == REPORT_SLAB_CACHES)
		write_slab_table(json, model, out);
	else if (model->kind == REPORT_INFO)
		write_code(json, model->code);
	else if (model->kind == REPORT_DIFF)
		write_diff(json, model, out);
	else
		write_view(json, model, out);
}

void render_json(const ReportModel *model, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);
	JsonWriter json = { .out = text };

	json_open(&json, NULL, '{');
	json_count(&json, "schema_version", SCHEMA_VERSION);
	if (model->kind == REPORT_INTERVAL)
		write_interval(&json, model->interval, model->facts, out);
	else
		write_report(&json, model, out);
	json_close(&json, '}');
	g_string_append_c(text, '\n');
	fwrite(text->str, 1, text->len, out);
}
