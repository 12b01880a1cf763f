/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "json": one object with facts, stacks, rows and readings. doc/JSON.md has the
 * schema; each member's name is constant. Large reports are spilled while they are written.
 */
#include "render/data/render_data.h"

#include "report/report_table.h"
#include "table/task_name.h"
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
		json_count_if(json, "tgid", process->tgid, process->tgid);
		json_count_if(json, "processes", process->processes, process->processes);
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
	json_count_if(json, "offset_bytes", frame->has_offset, frame->offset);
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
	const char *within = NULL, *opened = NULL;

	for (guint i = 0; i < table->columns->len; i++) {
		const TableColumn *column = table_column(table, i);
		Value value;

		if (column->is_key && row >= TABLE_OTHERS)
			continue;
		value = table_cell(table, column, row);
		if (column->is_optional && !value.known)
			continue;
		if (column->within != within) {
			if (opened)
				json_close(json, '}');
			within = column->within;
			opened = value.known ? within : NULL;
			if (opened)
				json_open(json, within, '{');
			else if (within)
				json_null(json, within);
		}
		if (column->type == VALUE_FRAMES)
			write_frames(json, value.of, (uint32_t)value.number);
		else if (opened || !within)
			json_value(json, column->id, column->type, &value);
	}
	if (opened)
		json_close(json, '}');
}

static void write_sum(JsonWriter *json, const char *name, Table *table, guint row)
{
	json_open(json, name, '{');
	if (row == TABLE_OTHERS)
		json_count(json, "rows", table->more);
	json_write_row(json, table, row);
	json_close(json, '}');
}

/* Writes the sum of the rows that are not shown. */
static void write_others(JsonWriter *json, Table *table)
{
	if (table->more)
		write_sum(json, "others", table, TABLE_OTHERS);
	else
		json_null(json, "others");
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
	write_others(json, table);
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

/* Writes an array of structs. */
static void write_structs(JsonWriter *json, const char *name, GArray *rows,
			  const TableColumn *columns, gsize count)
{
	g_autoptr(Table) table = table_new(NULL, g_array_ref(rows));

	table_add(table, columns, count, TABLE_JSON);
	write_rows(json, name, table, NULL);
}

#define LEFT_OUT(name, type, member) TABLE_MEMBER(name, type, ViewLeftOut, member)

static const TableColumn left_out_columns[] = {
	{ LEFT_OUT("option", VALUE_TEXT, option) },
	{ LEFT_OUT("argument", VALUE_TEXT, given) },
	{ LEFT_OUT("allocations", VALUE_COUNT, allocations) },
	{ LEFT_OUT("remark", VALUE_TEXT, remark) },
};

static void write_left_out(JsonWriter *json, const View *view)
{
	write_structs(json, "left_out", view->left_out_by, left_out_columns,
		      G_N_ELEMENTS(left_out_columns));
}

#define HELD(name, type, member) TABLE_MEMBER(name, type, HeldCheckRow, member)

static const TableColumn held_columns[] = {
	{ HELD("cache", VALUE_TEXT, name) },
	{ HELD("objects_not_seen_freed", VALUE_COUNT, held) },
	{ HELD("objects_in_use_start", VALUE_COUNT, start) },
	{ HELD("objects_in_use_end", VALUE_COUNT, end) },
	{ HELD("older_objects_freed_max", VALUE_COUNT, older_freed) },
	{ HELD("is_contradicted", VALUE_FLAG, contradicted) },
	{ HELD("is_left_out", VALUE_FLAG, left_out) },
};

/* Writes what slab caches hold (element-type HeldCheckRow), compared with /proc/slabinfo. */
static void write_held_compared(JsonWriter *json, GArray *rows)
{
	write_structs(json, "held_compared", rows, held_columns, G_N_ELEMENTS(held_columns));
}

static void write_duration(JsonWriter *json, uint64_t ns)
{
	const Value value = { .known = ns, .number = ns };

	json_value(json, "duration_seconds", VALUE_TIME_SPAN, &value);
}

/* Writes the growth of the requested caches. */
static void write_growth(JsonWriter *json, const SlabGrowth *growth)
{
	g_autoptr(Table) table = slab_growth_table_new(growth);

	json_open(json, "growth", '{');
	write_duration(json, growth->span.span_ns);
	json_text(json, "allocations_of", growth->of_whom);
	json_flag(json, "allocations_of_part", growth->of_part);
	write_rows(json, "caches", table, NULL);
	write_sum(json, "sum", table, TABLE_ALL);
	json_close(json, '}');
}

static void write_memory(JsonWriter *json, const char *name, const HostState *memory)
{
	static const HostFigure shown[] = { HOST_MEMORY_AVAILABLE, HOST_SLAB_UNRECLAIMABLE,
					    HOST_SLAB_RECLAIMABLE, HOST_VMALLOC,
					    HOST_PER_CPU,          HOST_PAGE_TABLES,
					    HOST_TCP_BUFFERS,      HOST_BALLOON };

	json_open(json, name, '{');
	for (gsize i = 0; i < G_N_ELEMENTS(shown); i++)
		json_count_if(json, host_figures[shown[i]].key, memory->known[shown[i]],
			      memory->numbers[shown[i]]);
	json_close(json, '}');
}

/* Writes how many cgroups there are, and those with kernel memory. */
static void write_cgroups(JsonWriter *json, const SlabTable *slabs)
{
	static const CgroupTotals unknown = { 0 };
	const CgroupSpan *span = &slabs->cgroups;
	const CgroupTotals *start = span->start ? &span->start->totals : &unknown;
	const CgroupTotals *end = span->end ? &span->end->totals : &unknown;
	g_autoptr(Table) table = cgroup_table_new(slabs, TABLE_JSON);

	table_cut(table, slabs->rows_max);
	json_count_if(json, "cgroups_visible", end->is_visible_known, end->visible);
	json_count_if(json, "cgroups_dying_start", start->is_dying_known, start->dying);
	json_count_if(json, "cgroups_dying", end->is_dying_known, end->dying);
	json_text(json, "cgroups_dying_below", span->end ? cgroup_of_most_dying(span->end) : NULL);
	json_count(json, "cgroups_not_read", end->unread);
	write_rows(json, "cgroups", table, NULL);
	json_count(json, "cgroups_left_out", table->more);
}

static void write_slab_table(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const SlabTable *slabs = &model->slab->table;
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);
	g_autoptr(Table) balance = balance_table_new(slabs, TABLE_JSON);

	write_duration(json, slabs->span.span_ns);
	write_memory(json, "memory_start", &slabs->memory.start);
	write_memory(json, "memory_end", &slabs->memory.end);
	json_count_if(json, "ram_bytes", slabs->memory.end.known[HOST_RAM],
		      slabs->memory.end.numbers[HOST_RAM]);
	write_rows(json, "balance", balance, NULL);
	json_signed(json, "taken_outside_slab_bytes", slab_table_taken_outside(slabs));
	write_rows(json, "caches", table, out);
	json_count(json, "caches_left_out", table->more);
	write_cgroups(json, slabs);
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
	write_left_out(json, model->view);
}

/* A comparison of two runs. */

void json_write_rows_compared(JsonWriter *json, const DiffRows *diff)
{
	json_count(json, "rows_compared", diff->compared);
	json_count_if(json, "rows_beyond_noise", diff_rows_know_noise(diff), diff->exceeding);
	json_count_if(json, "rows_unclear", diff_rows_know_noise(diff), diff->unclear);
}

void json_write_recorded_differently(JsonWriter *json, const ReportModel *model)
{
	g_autoptr(GArray) notes = diff_notes_new(model->older->facts, model->facts);

	json_open(json, "recorded_differently", '[');
	for (guint i = 0; i < notes->len; i++)
		json_text(json, NULL, fact_kinds[g_array_index(notes, FactId, i)].id);
	json_close(json, ']');
}

static void write_diff(JsonWriter *json, const ReportModel *model, FILE *out)
{
	const DiffRows *diff = model->diff;
	g_autoptr(Table) table = report_table_new(model, TABLE_JSON);

	json_text(json, "sort", view_rank(model->source->options)->name);
	json_open(json, "diff", '{');
	json_text(json, "per", diff_units[diff->per].name);
	json_write_rows_compared(json, diff);
	json_real(json, "noise_standard_errors",
		  diff->errors_measured > 0 ? diff->errors_measured : diff->errors);
	json_write_recorded_differently(json, model);
	json_open(json, "lines_of_one_run_only", '[');
	for (guint i = 0; i < diff->half_known->len; i++)
		json_text(json, NULL, diff->half_known->pdata[i]);
	json_close(json, ']');
	write_facts(json, "old_facts", model->older->facts);
	write_by(json, diff->groups[JOIN_NEW]);
	write_rows(json, "rows", table, out);
	write_others(json, table);
	write_sum(json, "all", table, TABLE_ALL);
	json_close(json, '}');
	write_drops(json, model);
	write_left_out(json, model->view);
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
	write_sum(json, "sum", table, TABLE_ALL);
	if (rate_net_is_shown(interval->layout->columns))
		json_count(json, "net_caches_left_out", rates->net_unknown);
	if (rates->sum.lacks & NEEDS_HELD)
		return;
	/* Frees of what is held may not be seen. */
	write_rate_fact(json, facts, FACT_FREES_NOT_SEEN);
	if (rates->held_compared)
		write_held_compared(json, rates->held_compared);
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

#define CALL(name, type, member) TABLE_MEMBER(name, type, VerdictCall, member)

static const TableColumn call_columns[] = {
	{ CALL("memory", VALUE_TEXT, memory) },
	{ CALL("process", VALUE_TEXT, process) },
	{ CALL("tgid", VALUE_COUNT, tgid), .known_at = offsetof(VerdictCall, is_single) },
	{ CALL("processes", VALUE_COUNT, processes) },
	{ CALL("is_kernel_thread", VALUE_FLAG, is_kernel_thread) },
	{ CALL("is_interrupt", VALUE_FLAG, is_interrupt) },
	{ CALL("cgroup", VALUE_TEXT, cgroup) },
	{ CALL("module", VALUE_TEXT, module) },
	{ CALL("path", VALUE_TEXT, path) },
	{ CALL("cache", VALUE_TEXT, name) },
	{ CALL("caches", VALUE_COUNT, caches) },
	{ CALL("objects", VALUE_COUNT, objects) },
	{ CALL("bytes", VALUE_COUNT, bytes) },
	{ CALL("allocated", VALUE_COUNT, allocated) },
	{ CALL("freed", VALUE_COUNT, freed) },
	{ CALL("objects_in_cache", VALUE_COUNT, in_cache) },
};

/* Writes who keeps memory, if the report tells. */
static void write_verdict(JsonWriter *json, const Verdict *verdict)
{
	g_autoptr(GArray) calls = g_array_new(FALSE, FALSE, sizeof(VerdictCall));

	if (!verdict)
		return;
	for (MemoryKind kind = 0; kind < MEMORY_KINDS; kind++)
		if (verdict->calls[kind].bytes)
			g_array_append_val(calls, verdict->calls[kind]);
	json_open(json, "verdict", '{');
	json_text(json, "rule", verdict->rule);
	json_flag(json, "is_suspect", verdict->is_suspect);
	json_text(json, "sentence", verdict->sentence);
	json_text(json, "next", verdict->next);
	write_structs(json, "calls", calls, call_columns, G_N_ELEMENTS(call_columns));
	json_close(json, '}');
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
	write_verdict(json, model->verdict);
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
