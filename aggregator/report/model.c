/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills the model of a report from its source, in one place: groups, parts, comparison, facts, held
 * figures, readings. Decides what is known and shown; renderers decide nothing.
 */
#include "report/model.h"

#include "record/format.h"
#include "report/facts.h"
#include "session/losses.h"

#include <string.h>

enum {
	PAGE_BYTES_DEFAULT = 4096,
	/* Linux 6.11 is the first release that traces large kmallocs twice. */
	TWICE_FROM_MAJOR = 6,
	TWICE_FROM_MINOR = 11,
};

Counts model_counts(const ReportModel *model)
{
	if (fact_is_known(model->facts, FACT_POINTS_NOUN))
		return COUNTS_HITS;
	if (!fact_number(model->facts, FACT_HELD_IS_COUNTED))
		return COUNTS_ALLOCATIONS;
	if (fact_number(model->facts, FACT_HELD_IS_PAIRED))
		return COUNTS_HELD;
	return fact_number(model->facts, FACT_HELD_IS_GROWTH) ? COUNTS_GROWTH : COUNTS_RECORD;
}

bool model_has_bytes(const ReportModel *model)
{
	const char *missing = fact_text(model->facts, FACT_NOT_RECORDED);

	if (model_counts(model) == COUNTS_HITS || (missing && strstr(missing, "bytes_")))
		return false;
	return !fact_number(model->facts, FACT_IMPORTED) ||
	       model->view->before.summary.bytes_allocated;
}

const RowSums *model_shown_sums(const ReportModel *model)
{
	return model->groups ? &model->groups->after : &model->view->after;
}

const RowSums *model_row_sums(const ReportModel *model, guint row)
{
	return model->groups ? &g_array_index(model->groups->rows, GroupRow, row).sums
			     : &((const ViewStack *)model->view->stacks->pdata[row])->sums;
}

const RowSums *model_all_sums(const ReportModel *model)
{
	return model->groups ? &model->groups->before : &model->view->before;
}

/* Which values of probe points there are; of those in bytes, the column in bytes replaces the other
   one. */
static unsigned lacks_of_hits(const ReportModel *model)
{
	const char *unit = fact_text(model->facts, FACT_VALUE_UNIT);
	bool in_bytes = !g_strcmp0(unit, "bytes");
	bool has_values = fact_is_known(model->facts, FACT_VALUE_NAME);

	return (has_values && !in_bytes ? 0 : NEEDS_VALUES) |
	       (has_values && in_bytes ? 0 : NEEDS_BYTE_VALUES) |
	       (model->view->before.hits.time_ns ? 0 : NEEDS_TIMES);
}

MetricContext model_metric_context(const ReportModel *model)
{
	bool is_sampled = variance_of_events(&model->view->before.variance) > 0;
	bool is_held = model_counts(model) >= COUNTS_HELD;

	return (MetricContext){
		.rank = view_rank(model->source->options),
		.all = model_all_sums(model),
		.lacks = (model_has_bytes(model) ? 0 : NEEDS_BYTES) |
			 (is_sampled ? 0 : NEEDS_SAMPLING) |
			 (is_held ? 0 : NEEDS_HELD | NEEDS_AGES) |
			 (view_source_has_pairs(view_source(model->view)) ? 0 : NEEDS_PAIRS) |
			 lacks_of_hits(model),
	};
}

MetricContext model_diff_context(const ReportModel *model)
{
	MetricContext context = model_metric_context(model);

	context.lacks |= model_metric_context(model->older).lacks;
	return context;
}

bool model_diff_shows(const ReportModel *model, const Metric *metric)
{
	return metric->uses & METRIC_REPORTS && metric->value.kind &&
	       (!metric->if_known || metric_is_known(metric, model_diff_context(model).lacks));
}

bool model_knows_rank(const ReportModel *model)
{
	const Metric *rank = view_rank(model->source->options);
	const RowSums *all = model_all_sums(model);
	MetricContext context =
		model->diff ? model_diff_context(model) : model_metric_context(model);

	/* Ages may be known of some objects only. */
	if (metric_figure(rank, all))
		return true;
	/* Values in bytes have the same figure, but a metric of their own. */
	for (MetricId id = 0; id < METRICS; id++)
		if (metric_same_figure(&metrics[id], rank) &&
		    metric_value(&metrics[id], all, &context).known)
			return true;
	return false;
}

bool model_is_empty(const ReportModel *model)
{
	if (model->diff)
		return !model->diff->rows->len;
	return !(model->groups ? model->groups->rows->len : model->view->stacks->len);
}

/* Returns the drops of rows, the last one that of the top; NULL: stacks are shown. */
static const GArray *row_drops(const ReportModel *model)
{
	if (model->diff)
		return model->diff->drops;
	return model->groups ? model->groups->drops : NULL;
}

guint model_drop_count(const ReportModel *model)
{
	const GArray *of_rows = row_drops(model);
	/* The older run of a comparison is not cut itself. */
	bool has_top = of_rows || model->kind != REPORT_DIFF;

	return model->view->drops->len + (of_rows ? of_rows->len : 0) -
	       (has_top && model->source->options->top == UINT64_MAX);
}

bool model_drop_is_of_stacks(const ReportModel *model, guint index)
{
	return index < model->view->drops->len;
}

const FilterDrop *model_drop(const ReportModel *model, guint index)
{
	guint of_stacks = model->view->drops->len;

	g_assert(index < of_stacks || index - of_stacks < row_drops(model)->len);
	return model_drop_is_of_stacks(model, index)
		       ? &g_array_index(model->view->drops, FilterDrop, index)
		       : &g_array_index(row_drops(model), FilterDrop, index - of_stacks);
}

const MetricFacts metric_facts[METRICS_SUMMED] = {
	{ METRIC_ALLOCATIONS, FACT_ALLOCATIONS, FACT_ALLOCATIONS_BEFORE },
	{ METRIC_BYTES_REQUESTED, FACT_BYTES_REQUESTED, FACT_BYTES_REQUESTED_BEFORE },
	{ METRIC_BYTES_ALLOCATED, FACT_BYTES_ALLOCATED, FACT_BYTES_ALLOCATED_BEFORE },
	{ METRIC_BYTES_WASTED, FACT_BYTES_WASTED, FACT_BYTES_WASTED_BEFORE },
};

static void set_sums(ReportModel *model)
{
	const RowSums *shown = model_shown_sums(model);
	const RowSums *before = &model->view->before;
	unsigned lacks = model_metric_context(model).lacks;

	for (gsize i = 0; i < METRICS_SUMMED; i++) {
		const Metric *metric = &metrics[metric_facts[i].metric];

		if (!metric_is_known(metric, lacks))
			continue;
		fact_set_number(model->facts, metric_facts[i].shown, metric_figure(metric, shown));
		fact_set_number(model->facts, metric_facts[i].before,
				metric_figure(metric, before));
	}
}

static void set_counts(ReportModel *model)
{
	const View *view = model->view;
	Facts *facts = model->facts;

	fact_set_percent(facts, FACT_ALLOCATIONS_MARGIN,
			 metric_margin(&metrics[METRIC_ALLOCATIONS], &view->before));
	fact_set_number(facts, FACT_ALLOCATIONS_LEFT_OUT, view->left_out);
	/* Most texts do not show them. */
	if (!fact_number(facts, FACT_IMPORTED) || view->failed_before)
		fact_set_number(facts, FACT_ALLOCATIONS_FAILED, view->failed_before);
	fact_set_number(facts, FACT_FREES, view->frees);
	fact_set_number(facts, FACT_PAGE_FREES, view->page_frees);
	fact_set_number(facts, FACT_RANGE_FREES, view->range_frees);
	fact_set_number(facts, FACT_STACKS_BEFORE, view->stacks_before);
	fact_set_number(facts, FACT_STACKS_AFTER, view->stacks_after);
	fact_set_number(facts, FACT_STACKS_CUT, view->stacks_truncated);
	if (!model->groups)
		return;
	fact_set_number(facts, FACT_ROWS_BEFORE, model->groups->rows_before);
	fact_set_number(facts, FACT_ROWS_AFTER, model->groups->rows->len);
}

/* Each lost event may be the free of an object that looks held. */
static uint64_t lost_max(const Facts *facts)
{
	if (fact_number(facts, FACT_LOSS_IS_UNKNOWN) || fact_number(facts, FACT_END_IS_UNKNOWN) ||
	    fact_number(facts, FACT_UNTRACED))
		return UINT64_MAX;
	return fact_range(facts, FACT_LOST_UNCOUNTED).high;
}

bool model_sees_frees(const ReportModel *model, const HeldSums *held)
{
	return !fact_text(model->facts, FACT_FREES_NOT_SEEN) && !held->recycled &&
	       !held_check_fails(model->held_check);
}

const char *model_growth_word(const ReportModel *model, const HeldSums *held,
			      const HeldTimes *times)
{
	enum {
		HALF_MIN = 10, /* allocations in each half of the run */
		/* Percent of the second half's share that the first half must keep at least. */
		GROWTH_PERCENT = 50,
	};
	double first, second;

	if (times->first_allocated < HALF_MIN || times->second_allocated < HALF_MIN ||
	    !(times->first_kept + times->second_kept))
		return NULL;
	first = (double)times->first_kept / (double)times->first_allocated;
	second = (double)times->second_kept / (double)times->second_allocated;
	if (!times->first_kept || first * 100 < second * GROWTH_PERCENT)
		return "turns over";
	return model_sees_frees(model, held) ? "grows" : "may grow";
}

static void set_held(ReportModel *model)
{
	const ViewSource *source = view_source(model->view);
	const HeldChoice *choice = NULL;
	const RowSums *all = &model->view->before;
	uint64_t doubtful = MIN(all->held.doubtful, all->summary.allocations);

	if (source->merged)
		choice = merged_cells_choice(source->merged);
	else if (source->held_cells)
		choice = held_cells_choice(source->held_cells);
	if (!choice)
		return;
	fact_set_number(model->facts, FACT_HELD_IS_PEAK, choice->at_peak);
	if (choice->min_age_ns)
		fact_set_number(model->facts, FACT_HELD_MIN_AGE, choice->min_age_ns);
	if (!view_source_has_pairs(source))
		return;
	fact_set_number(model->facts, FACT_HELD_DOUBTFUL, doubtful);
	if (model_sees_frees(model, &all->held))
		fact_set_number(model->facts, FACT_HELD_DOUBTFUL_FREED,
				MIN(doubtful, lost_max(model->facts)));
}

static bool is_of_stacks(ReportKind kind)
{
	return kind == REPORT_STACKS || kind == REPORT_SLABSTACK;
}

/* Returns the verdict of a run with pairs that was followed to its end; else NULL. */
static Verdict *verdict_of_pairs(const ReportModel *model)
{
	const ViewSource *source = view_source(model->view);
	const HeldChoice *choice =
		source->held_cells ? held_cells_choice(source->held_cells) : NULL;
	const HeldSums *held = &model->view->before.held;
	VerdictEvidence evidence = {
		.span_ns = fact_number(model->facts, FACT_DURATION),
		.allocated = held->allocated,
		.freed = held->freed,
		.sees_frees = model_sees_frees(model, held),
	};
	uint64_t lost = fact_range(model->facts, FACT_LOST).high;

	if (!choice || choice->at_peak || choice->min_age_ns ||
	    !held_cells_have_times(source->held_cells))
		return NULL;
	evidence.lost_percent = losses_percent(model->source->session, lost);
	verdict_find_calls(&evidence, model->view, model->source->session, model->held_check);
	return verdict_of_held(&evidence);
}

static void set_verdict(ReportModel *model)
{
	if (model->kind == REPORT_SLAB_CACHES)
		model->verdict = verdict_of_slabs(&model->slab->table);
	else if (is_of_stacks(model->kind) && model_counts(model) == COUNTS_HELD)
		model->verdict = verdict_of_pairs(model);
	else if (model->slab && model_counts(model) == COUNTS_ALLOCATIONS &&
		 !model->slab->growth.of_whom && !model->slab->growth.of_part)
		model->verdict = verdict_of_growth(&model->slab->growth, model->view->processes);
}

/* Sets whether a sum exceeds 64 bits. */
static void set_saturated(ReportModel *model)
{
	const View *view = model->view;
	bool saturated = view->frees == UINT64_MAX || view->failed_before == UINT64_MAX ||
			 view->left_out == UINT64_MAX;

	for (gsize i = 0; i < METRICS_SUMMED; i++)
		saturated |= metric_figure(&metrics[metric_facts[i].metric], &view->before) ==
			     UINT64_MAX;
	fact_set_number(model->facts, FACT_SATURATED, saturated);
}

/* Sets how the slab caches of the view's allocations were named; pages have none. */
static void set_names(ReportModel *model)
{
	const View *view = model->view;
	const ViewSource *source = view_source(view);
	uint64_t events[CACHE_ORIGINS] = { 0 };

	if (!dimensions_have(model->source->options->by, "cache"))
		return;
	for (guint i = 0; i < view->stacks->len; i++) {
		uint32_t cells;
		const uint32_t *ids = view_cells(view, view->stacks->pdata[i], &cells);

		for (uint32_t j = 0; j < cells; j++) {
			const ProfileCell *cell = view_source_cell(source, ids[j]);
			const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);

			events[cache_names_of(source->caches, origin).origin] += cell->events;
		}
	}
	fact_set_number(model->facts, FACT_NAMED_BY_KERNEL, events[CACHE_RECORDED]);
	fact_set_number(model->facts, FACT_NAMED_BY_SIZE, events[CACHE_BY_SIZE]);
	fact_set_number(model->facts, FACT_NAMED_UNKNOWN, events[CACHE_UNKNOWN]);
}

static bool traces_large_twice(const char *release)
{
	char *end;
	uint64_t major, minor;

	if (!release)
		return true;
	major = g_ascii_strtoull(release, &end, 10);
	minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
	return major > TWICE_FROM_MAJOR || (major == TWICE_FROM_MAJOR && minor >= TWICE_FROM_MINOR);
}

static bool has_kmalloc_above(const Profile *profile, uint64_t bytes)
{
	for (uint32_t i = 0; i < profile_origin_count(profile); i++) {
		const ProfileOrigin *origin = profile_origin(profile, i);

		if (origin->source == KMT_SOURCE_KMALLOC && !origin->free &&
		    origin->bytes_requested > bytes)
			return true;
	}
	return false;
}

/* Large kmallocs are counted twice by kernels that trace them twice, if the stream lacks the
   symbols that identify the inner events. */
Facts *model_facts_of_run(const Session *session, const View *view, bool show_host)
{
	Facts *facts = facts_new(session, show_host);
	uint64_t small_max =
		2 * run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_DEFAULT);

	facts_set_hits(facts, session, &view->before);
	if (!session->inner_is_known && !session->imported &&
	    traces_large_twice(fact_text(facts, FACT_RELEASE)) &&
	    has_kmalloc_above(session->profile, small_max))
		fact_set_number(facts, FACT_COUNTED_TWICE_ABOVE, small_max);
	return facts;
}

static void set_groups(ReportModel *model)
{
	const ReportSource *source = model->source;
	const Dimension *const *by = source->options->by;
	const Dimension *blocks[DIMENSIONS_MAX + 1] = { NULL };
	guint same = 0;

	if (by[0])
		model->groups = group_rows_new(source->view, source->options,
					       source->details || source->whole_names);
	dimensions_parse(SLABSTACK_BLOCKS, false, blocks, NULL);
	while (blocks[same] && blocks[same] == by[same])
		same++;
	model->has_blocks = model->kind == REPORT_SLABSTACK && !blocks[same] && !by[same];
	model->group_noun = model->has_blocks ? "block" : "row";
}

/* What divides stacks needs no filters: those of the view have judged the stacks. */
static void set_parts(ReportModel *model)
{
	const ReportSource *source = model->source;
	g_autoptr(Facts) of_runs = NULL;
	bool are_hits;

	if (model->groups || !source->parts)
		return;
	of_runs = source->runs ? many_runs_facts(source->runs) : NULL;
	are_hits = of_runs ? fact_is_known(of_runs, FACT_POINTS_NOUN)
			   : run_info_text(source->session->info, KMT_FIELD_POINTS_NOUN) != NULL;
	model->parts_by = (ViewOptions){
		.sort = source->options->sort,
		.top = UINT64_MAX,
		.callsite_skip = source->options->callsite_skip,
	};
	dimensions_choose(source->parts, are_hits, model->parts_by.by);
	model->parts = group_rows_new(source->view, &model->parts_by, true);
}

static DiffRun diff_run(const ReportModel *model)
{
	uint64_t duration_ns = fact_number(model->facts, FACT_DURATION);
	uint64_t end_ns = session_end_ns(model->source->session);

	return (DiffRun){
		.start_ns = end_ns - MIN(duration_ns, end_ns),
		.end_ns = end_ns,
		.view = model->view,
		.duration_ns = duration_ns,
		.events = model->view->before.summary.allocations,
	};
}

static void set_diff(ReportModel *model)
{
	DiffPer per = model->source->per;
	DiffRun runs[JOIN_SIDES];
	uint64_t older_ns, newer_ns;
	bool are_commands;

	model->older = report_model_new(REPORT_DIFF, model->source->older);
	runs[JOIN_OLD] = diff_run(model->older);
	runs[JOIN_NEW] = diff_run(model);
	older_ns = runs[JOIN_OLD].duration_ns;
	newer_ns = runs[JOIN_NEW].duration_ns;
	are_commands = fact_is_known(model->facts, FACT_COMMAND) &&
		       fact_is_known(model->older->facts, FACT_COMMAND);
	/* The work of a command is the same however long it takes. What is held does not grow with
	   the length of a run as what was allocated does. */
	if (per == DIFF_PER_AUTO)
		per = older_ns && newer_ns && older_ns != newer_ns && !are_commands &&
				      model_counts(model) < COUNTS_HELD
			      ? DIFF_PER_SECOND
			      : DIFF_PER_RUN;
	model->diff = diff_rows_new(runs, model->source->options, per);
}

/* Facts of several runs were joined before. */
static void set_facts(ReportModel *model)
{
	const ReportSource *source = model->source;

	if (source->runs) {
		model->facts = many_runs_facts(source->runs);
		facts_add_overflow(model->facts, &source->overflow,
				   view_source(source->view)->memory);
		fact_set_number(model->facts, FACT_STACKS_COUNTED, source->stacks_merged);
	} else if (is_of_stacks(model->kind) || model->kind == REPORT_DIFF) {
		model->facts = model_facts_of_run(source->session, source->view, source->show_host);
	} else {
		model->facts = facts_new(source->session, source->show_host);
	}
}

/* Lengths are known of all spans together only. */
static void set_spans(ReportModel *model)
{
	const ReportSource *source = model->source;

	if (model->view->left_out)
		return;
	if (source->runs)
		model->spans = *many_runs_spans(source->runs);
	else if (source->session->durations)
		model->spans = durations_totals(source->session->durations);
}

/* Readings of slab caches, files with code and hits one by one are those of a single run. */
static void set_details_of_run(ReportModel *model)
{
	const ReportSource *source = model->source;
	ReportKind kind = model->kind;

	if (!source->session && source->lists_code)
		model->code = g_array_new(FALSE, FALSE, sizeof(CodeRow));
	if (!source->session)
		return;
	if (is_of_stacks(kind))
		model->held_check = held_check_new(source->view, source->session);
	if (kind == REPORT_SLAB_CACHES || (kind == REPORT_SLABSTACK && source->caches))
		model->slab = slab_readings_new(source, model->held_check);
	if (model->slab && source->session->watch && source->shows_charts)
		model->watch =
			watch_charts_new(source->session->watch,
					 run_info_number(source->session->info,
							 KMT_FIELD_PAGE_BYTES, PAGE_BYTES_DEFAULT));
	if (kind == REPORT_INFO || source->lists_code)
		model->code = code_rows_new(source->session);
	if (is_of_stacks(kind) && !model->groups)
		model->hits = hit_rows_new(source->session, source->view, source->hits_max);
}

ReportModel *report_model_new(ReportKind kind, const ReportSource *source)
{
	ReportModel *model = g_new0(ReportModel, 1);

	model->kind = kind;
	model->group_noun = "row";
	model->source = source;
	model->view = source->view;
	model->interval = source->interval;
	model->runs = source->runs;
	if (is_of_stacks(kind)) {
		set_groups(model);
		set_parts(model);
	}
	set_details_of_run(model);
	/* Facts come last: names of groups take memory, too. */
	set_facts(model);
	set_verdict(model);
	if (!is_of_stacks(kind) && kind != REPORT_DIFF)
		return model;
	set_counts(model);
	set_sums(model);
	set_names(model);
	set_saturated(model);
	set_held(model);
	set_spans(model);
	if (source->fits && is_of_stacks(kind) && !model->hits)
		model->calls = call_rows_new(model);
	if (source->older) {
		set_diff(model);
		set_parts(model);
	}
	return model;
}

void report_model_free(ReportModel *model)
{
	if (!model)
		return;
	diff_rows_free(model->diff);
	report_model_free(model->older);
	hit_rows_free(model->hits);
	verdict_free(model->verdict);
	slab_readings_free(model->slab);
	watch_charts_free(model->watch);
	g_clear_pointer(&model->held_check, g_array_unref);
	g_clear_pointer(&model->code, g_array_unref);
	g_clear_pointer(&model->calls, g_ptr_array_unref);
	group_rows_free(model->groups);
	group_rows_free(model->parts);
	facts_free(model->facts);
	g_free(model);
}
