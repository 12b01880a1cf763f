/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of the page as JSON, written while it is made: stacks, frames by number, parts, figures,
 * texts each once. data.js describes the shape. State: the tables from the view's numbers to those
 * of the page.
 */
#include "render/picture/page_data.h"

#include "render/data/json_writer.h"
#include "render/picture/page_strings.h"
#include "render/picture/page_plain.h"
#include "render/text/render_text.h"
#include "symbols/frame_line.h"

#include <string.h>

enum {
	SCHEMA_VERSION = 1,
	FLUSH_BYTES = 1 << 16,
	CHART_SERIES = 14, /* slab caches in the charts; all others are one more */
	KEY_STACK = 0,     /* the first key of what divides the stacks (Renderer.parts) */
};

/* Large reports are never completely in memory. */
typedef struct {
	const ReportModel *model;
	FILE *out;
	JsonWriter json;
	MetricContext context;
	char *counted;                  /* what is counted, plural: "allocations"; owned */
	const Metric *figures[METRICS]; /* of each stack and of each part */
	guint figure_count;
	guint *stack_numbers; /* by row of the view: position among the shown stacks */
	guint *frame_numbers; /* by FrameId: position in frames, from 1; 0: not used */
	GArray *frames;       /* (element-type FrameId) */
	PageNames *names;
} Page;

static void page_data_flush(Page *page)
{
	page_write_json(page->out, page->json.out->str, page->json.out->len);
	g_string_truncate(page->json.out, 0);
}

static void flush_if_long(Page *page)
{
	if (page->json.out->len > FLUSH_BYTES)
		page_data_flush(page);
}

static void write_list(Page *page, const char *name, char **list)
{
	json_open(&page->json, name, '[');
	for (; *list; list++)
		if (**list)
			json_text(&page->json, NULL, *list);
	json_close(&page->json, ']');
}

/* Who keeps memory, if the report tells. */
static void write_verdict(JsonWriter *json, const Verdict *verdict)
{
	if (!verdict)
		return;
	json_open(json, "verdict", '{');
	json_flag(json, "is_suspect", verdict->is_suspect);
	json_text(json, "sentence", verdict->sentence);
	json_text(json, "next", verdict->next);
	json_close(json, '}');
}

static void write_words(Page *page)
{
	g_auto(GStrv) growth = page_growth(page->model);
	g_auto(GStrv) lines = page_lines(page->model);
	g_auto(GStrv) warnings = page_warnings(page->model);

	write_list(page, "growth", growth);
	write_list(page, "lines", lines);
	write_list(page, "warnings", warnings);
}

/* How the page shows values of a type. */
static const char *const type_names[] = {
	[VALUE_TEXT] = "text",       [VALUE_LIST] = "list",         [VALUE_FLAG] = "flag",
	[VALUE_COUNT] = "count",     [VALUE_DIFFERENCE] = "count",  [VALUE_RANGE] = "range",
	[VALUE_BYTES] = "bytes",     [VALUE_REAL] = "number",       [VALUE_SHARE] = "percent",
	[VALUE_PERCENT] = "percent", [VALUE_TIME_SPAN] = "seconds", [VALUE_NS] = "ns",
	[VALUE_TIME] = "time",
};

static void write_facts(Page *page)
{
	const Facts *facts = page->model->facts;

	json_open(&page->json, "facts", '[');
	for (FactId id = 0; id < FACTS; id++) {
		if (!fact_is_known(facts, id))
			continue;
		json_open(&page->json, NULL, '{');
		json_text(&page->json, "id", fact_kinds[id].id);
		json_text(&page->json, "type", type_names[fact_kinds[id].type]);
		json_value(&page->json, "value", fact_kinds[id].type, &facts->values[id]);
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
}

/* Figures that all rows lack only make the page longer. */
static void choose_figures(Page *page)
{
	const MetricContext *context = &page->context;

	for (MetricId id = 0; id < METRICS; id++) {
		const Metric *metric = &metrics[id];

		if (metric->uses & METRIC_REPORTS && metric->value.kind &&
		    metric_is_known(metric, context->lacks) &&
		    (!metric->if_any || metric_figure(metric, context->all)))
			page->figures[page->figure_count++] = metric;
	}
}

/* What sums are of, if the run counts held objects: those of an allocation that was freed are not
   in them. */
static const struct {
	MetricId id;
	const char *name;
	const char *help;
} held_figures[] = {
	{ METRIC_ALLOCATIONS, NULL, "objects that were allocated and not freed" },
	{ METRIC_BYTES_REQUESTED, "held bytes, requested", "bytes requested of held objects" },
	{ METRIC_BYTES_ALLOCATED, "held bytes", "bytes of held objects" },
	{ METRIC_BYTES_WASTED, "held bytes, wasted", "bytes of held objects, not requested" },
};

/* Returns the position of a metric in held_figures, or that of its end. */
static gsize held_figure(const Page *page, const Metric *metric)
{
	gsize i = 0;

	if (page->context.lacks & NEEDS_HELD ||
	    fact_number(page->model->facts, FACT_HELD_IS_GROWTH))
		return G_N_ELEMENTS(held_figures);
	while (i < G_N_ELEMENTS(held_figures) && metric != &metrics[held_figures[i].id])
		i++;
	return i;
}

/* What a figure is called if its member does not say it; else NULL. */
static const char *name_of(const Page *page, const Metric *metric)
{
	gsize held = held_figure(page, metric);

	if (metric == &metrics[METRIC_ALLOCATIONS])
		return page->counted;
	if (held < G_N_ELEMENTS(held_figures))
		return held_figures[held].name;
	if (metric == &metrics[METRIC_VALUE])
		return fact_text(page->model->facts,
				 fact_is_known(page->model->facts, FACT_VALUE_UNIT)
					 ? FACT_VALUE_UNIT
					 : FACT_VALUE_NAME);
	return NULL;
}

/* Writes the help of a figure. Where it goes on from that of a figure before it in the list of all,
   as "... of these: freed", it begins with that. */
static void write_help(Page *page, const Metric *metric)
{
	static const char goes_on[] = "... ";
	gsize held = held_figure(page, metric);
	const Metric *whole = metric;
	g_autofree char *joined = NULL;

	if (held < G_N_ELEMENTS(held_figures)) {
		json_text(&page->json, "help", held_figures[held].help);
		return;
	}
	while (g_str_has_prefix(whole->help, goes_on))
		whole--;
	if (whole != metric)
		joined = g_strconcat(whole->help, "; ", metric->help + strlen(goes_on), NULL);
	json_text(&page->json, "help", joined ? joined : metric->help);
}

static void write_metrics(Page *page)
{
	guint rank = 0;

	json_open(&page->json, "metrics", '[');
	for (guint i = 0; i < page->figure_count; i++) {
		const Metric *metric = page->figures[i];
		bool is_span = metric->type == VALUE_TIME_SPAN;

		json_open(&page->json, NULL, '{');
		json_text(&page->json, "member", metric->member);
		json_text(&page->json, "name", name_of(page, metric));
		write_help(page, metric);
		/* Spans are whole ns in the page, so all figures are whole numbers. */
		json_text(&page->json, "unit", is_span ? "ns" : type_names[metric->type]);
		json_flag(&page->json, "adds_up", metric_adds_up(metric));
		json_close(&page->json, '}');
	}
	json_close(&page->json, ']');
	/* Several metrics may be names of one figure. */
	while (rank < page->figure_count &&
	       !metric_same_figure(page->figures[rank], page->context.rank))
		rank++;
	json_count(&page->json, "rank", rank < page->figure_count ? rank : 0);
}

static void write_figure(Page *page, const Metric *metric, const RowSums *sums)
{
	Value value = metric_value(metric, sums, &page->context);

	json_count_if(&page->json, NULL, value.known, value.number);
	flush_if_long(page);
}

static void write_sums(Page *page, const char *name, const RowSums *sums)
{
	json_open(&page->json, name, '[');
	for (guint i = 0; i < page->figure_count; i++)
		write_figure(page, page->figures[i], sums);
	json_close(&page->json, ']');
}

static void write_text_number(Page *page, const char *text)
{
	json_count(&page->json, NULL, page_names_add(page->names, text));
}

static bool has_times(const Page *page)
{
	const HeldCells *cells = view_source(page->model->view)->held_cells;

	return cells && held_cells_have_times(cells);
}

static const ViewStack *stack_at(const Page *page, guint number)
{
	g_assert(number < page->model->view->stacks->len);
	return g_ptr_array_index(page->model->view->stacks, number);
}

static void write_stack_frames(Page *page)
{
	const StackRows *rows = view_stack_rows(page->model->view);
	guint stacks = page->model->view->stacks->len;
	uint32_t count;

	json_open(&page->json, "frames", '[');
	for (guint i = 0; i < stacks; i++) {
		const FrameId *ids = stack_rows_frames(rows, stack_at(page, i)->row, &count);

		for (uint32_t frame = 0; frame < count; frame++) {
			guint *number = &page->frame_numbers[ids[frame]];

			if (!*number) {
				g_array_append_val(page->frames, ids[frame]);
				*number = page->frames->len;
			}
			json_count(&page->json, NULL, *number - 1);
		}
		flush_if_long(page);
	}
	json_close(&page->json, ']');
	json_open(&page->json, "depths", '[');
	for (guint i = 0; i < stacks; i++) {
		stack_rows_frames(rows, stack_at(page, i)->row, &count);
		json_count(&page->json, NULL, count);
		flush_if_long(page);
	}
	json_close(&page->json, ']');
}

/* Margins of what ranks the stacks; only if events were sampled. */
static void write_margins(Page *page)
{
	if (page->context.lacks & NEEDS_SAMPLING || !page->context.rank->variance.kind)
		return;
	json_open(&page->json, "margins", '[');
	for (guint i = 0; i < page->model->view->stacks->len; i++) {
		json_real(&page->json, NULL,
			  metric_margin(page->context.rank, &stack_at(page, i)->sums));
		flush_if_long(page);
	}
	json_close(&page->json, ']');
}

/* What each stack does over the run; only if allocations were paired. */
static void write_growth_of_stacks(Page *page)
{
	if (!has_times(page))
		return;
	json_open(&page->json, "growth", '[');
	for (guint i = 0; i < page->model->view->stacks->len; i++) {
		const ViewStack *stack = stack_at(page, i);
		const HeldTimes times = view_times(page->model->view, stack);

		write_text_number(page, model_growth_word(page->model, &stack->sums.held, &times));
		flush_if_long(page);
	}
	json_close(&page->json, ']');
}

static void write_stacks(Page *page)
{
	guint stacks = page->model->view->stacks->len;

	json_open(&page->json, "stacks", '{');
	write_stack_frames(page);
	json_open(&page->json, "figures", '[');
	for (guint i = 0; i < page->figure_count; i++) {
		json_open(&page->json, NULL, '[');
		for (guint stack = 0; stack < stacks; stack++)
			write_figure(page, page->figures[i], &stack_at(page, stack)->sums);
		json_close(&page->json, ']');
	}
	json_close(&page->json, ']');
	write_margins(page);
	write_growth_of_stacks(page);
	json_open(&page->json, "cut", '[');
	for (guint i = 0; i < stacks; i++)
		if (stack_at(page, i)->truncated)
			json_count(&page->json, NULL, i);
	json_close(&page->json, ']');
	json_close(&page->json, '}');
}

/* Returns the position of the text that append makes of a frame. */
static guint frame_text(Page *page, const Frame *frame,
			void (*append)(GString *out, const Frame *frame))
{
	g_autoptr(GString) text = g_string_new(NULL);

	append(text, frame);
	return page_names_add(page->names, text->str);
}

/* An array for each frame; data.js says what is where. */
static void write_frames(Page *page)
{
	const StackRows *rows = view_stack_rows(page->model->view);
	JsonWriter *json = &page->json;

	json_open(json, "frames", '[');
	for (guint i = 0; i < page->frames->len; i++) {
		Frame frame = stack_rows_frame(rows, g_array_index(page->frames, FrameId, i));

		json_open(json, NULL, '[');
		json_count(json, NULL, frame_text(page, &frame, frame_line_append_name));
		write_text_number(page, frame.module);
		json_count(json, NULL, frame_text(page, &frame, frame_line_append_stripped));
		if (frame.file || frame.source || frame.inlined) {
			write_text_number(page, frame.file);
			json_count(json, NULL, frame.line);
			write_text_number(page, frame.source);
			json_count(json, NULL, frame.inlined);
		}
		json_close(json, ']');
		flush_if_long(page);
	}
	json_close(json, ']');
}

static const GroupRow *part_at(const Page *page, guint number)
{
	g_assert(number < page->model->parts->rows->len);
	return &g_array_index(page->model->parts->rows, GroupRow, number);
}

/* Writes the key of each part: a stack, or the position of a text. */
static void write_part_key(Page *page, guint key)
{
	const GroupRows *parts = page->model->parts;
	g_autoptr(GString) label = g_string_new(NULL);

	g_assert(page->model->parts->keys[key]);
	json_open(&page->json, parts->keys[key]->name, '[');
	for (guint i = 0; i < parts->rows->len; i++) {
		guint number;

		if (key == KEY_STACK) {
			number = page->stack_numbers[group_rows_member(parts, part_at(page, i),
								       key)];
		} else {
			g_string_truncate(label, 0);
			group_rows_append_label(parts, part_at(page, i), key, label);
			number = page_names_add(page->names, label->str);
		}
		json_count(&page->json, NULL, number);
		flush_if_long(page);
	}
	json_close(&page->json, ']');
}

static void write_parts(Page *page)
{
	const GroupRows *parts = page->model->parts;

	json_open(&page->json, "parts", '{');
	for (guint key = 0; parts->keys[key]; key++)
		write_part_key(page, key);
	json_open(&page->json, "figures", '[');
	for (guint i = 0; i < page->figure_count; i++) {
		json_open(&page->json, NULL, '[');
		for (guint part = 0; part < parts->rows->len; part++)
			write_figure(page, page->figures[i], &part_at(page, part)->sums);
		json_close(&page->json, ']');
	}
	json_close(&page->json, ']');
	json_close(&page->json, '}');
}

/* Of a stack, or with NULL of all. */
static void write_times_of(Page *page, const char *name, const ViewStack *stack)
{
	const HeldCells *cells = view_source(page->model->view)->held_cells;
	HeldTimes times = view_times(page->model->view, stack);

	json_open(&page->json, name, '{');
	json_counts(&page->json, "held_by_age", times.ages, AGE_CLASSES);
	json_counts(&page->json, "freed_by_lifetime", times.lifetimes, LIFE_CLASSES);
	json_counts(&page->json, "held_over_time", times.held, held_cells_parts(cells));
	json_counts(&page->json, "halves",
		    (const uint64_t[]){ times.first_allocated, times.first_kept,
					times.second_allocated, times.second_kept },
		    2 * 2);
	json_close(&page->json, '}');
	flush_if_long(page);
}

/* Only if allocations were paired. */
static void write_times(Page *page)
{
	if (!has_times(page))
		return;
	write_times_of(page, "times", NULL);
	json_open(&page->json, "times_of_stacks", '[');
	for (guint i = 0; i < page->model->view->stacks->len; i++)
		write_times_of(page, NULL, stack_at(page, i));
	json_close(&page->json, ']');
}

/* The run over time, if that is known. */
static void write_chart(Page *page)
{
	const ReportSource *source = page->model->source;
	g_autoptr(GArray) series = NULL;

	if (!source->chart || rate_chart_points(source->chart) < 2)
		return;
	series = rate_chart_series(source->chart, source->caches, CHART_SERIES);
	json_write_chart(&page->json, series, source->chart);
}

static void write_texts(Page *page)
{
	const GPtrArray *texts = page->names->texts;

	json_open(&page->json, "texts", '[');
	for (guint i = 0; i < texts->len; i++) {
		json_text(&page->json, NULL, g_ptr_array_index(texts, i));
		flush_if_long(page);
	}
	json_close(&page->json, ']');
}

/* All that a page of stacks has beside words and facts. */
static void write_run(Page *page)
{
	write_metrics(page);
	write_sums(page, "shown", model_shown_sums(page->model));
	write_sums(page, "all", model_all_sums(page->model));
	write_stacks(page);
	write_times(page);
	/* Only of probe points that have a begin and an end, if no filter left out some. */
	if (page->model->spans.spans)
		json_counts(&page->json, "lengths", page->model->spans.classes, DURATION_CLASSES);
	write_chart(page);
	write_parts(page);
	write_frames(page);
	if (page->model->diff)
		page_diff_write(&page->json, page->model, page->names);
	write_texts(page);
}

static void write_page(Page *page)
{
	const ReportModel *model = page->model;

	json_open(&page->json, NULL, '{');
	json_count(&page->json, "schema_version", SCHEMA_VERSION);
	json_text(&page->json, "command", model->source->command);
	json_text(&page->json, "counted", page->counted);
	json_flag(&page->json, "complete", page_is_complete(model));
	json_flag(&page->json, "loss_is_small", page_loss_is_small(model));
	write_verdict(&page->json, model->verdict);
	write_words(page);
	write_facts(page);
	if (model->kind == REPORT_SLAB_CACHES)
		page_overview_write(&page->json, &model->slab->table);
	else
		write_run(page);
	if (model->watch)
		page_watch_write(&page->json, model->watch);
	json_close(&page->json, '}');
	page_data_flush(page);
}

void page_data_write(const ReportModel *model, FILE *out)
{
	const StackRows *rows = view_stack_rows(model->view);
	Page page = {
		.model = model,
		.out = out,
		.json = { .out = g_string_new(NULL) },
		.context = model_metric_context(model),
		.stack_numbers = g_new0(guint, stack_rows_count(rows) + 1),
		.frame_numbers = g_new0(guint, stack_rows_frame_ids_end(rows) + 1),
		.frames = g_array_new(FALSE, FALSE, sizeof(FrameId)),
		.names = page_names_new(),
	};

	page.counted = g_strconcat(counted_noun(model), "s", NULL);
	choose_figures(&page);
	for (guint i = 0; i < model->view->stacks->len; i++)
		page.stack_numbers[stack_at(&page, i)->row] = i;
	write_page(&page);
	g_string_free(page.json.out, TRUE);
	g_array_unref(page.frames);
	page_names_free(page.names);
	g_free(page.counted);
	g_free(page.stack_numbers);
	g_free(page.frame_numbers);
}
