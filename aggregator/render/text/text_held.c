/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is held, in words: the line of a stack with ages, growth test and bars over time, and the
 * lines about pairing.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

#include <langinfo.h>
#include <locale.h>

enum { LEVELS = 8 };

static uint64_t number_of(const ReportModel *model, FactId id)
{
	return fact_number(model->facts, id);
}

/* Appends "61 MiB", or "64,000,123 bytes". */
static void append_bytes_in_words(GString *out, const ReportModel *model, uint64_t bytes)
{
	append_amount(out, bytes, model->source->human);
	g_string_append(out, model->source->human ? "" : " bytes");
}

/* Appends ", ages 0.100 s to 18.500 s", or ", age 0.100 s" of all, if they are known. */
static void append_ages(GString *out, const HeldSums *held)
{
	if (!held_sums_have_ages(held))
		return;
	g_string_append(out, held->youngest_ns < held->oldest_ns ? ", ages " : ", age ");
	if (held->youngest_ns < held->oldest_ns) {
		append_seconds(out, held->youngest_ns);
		g_string_append(out, " to ");
	}
	append_seconds(out, held->oldest_ns);
}

/* Appends " (all certain)", " (40 doubtful)"; nothing if frees of any object may be unseen. */
static void append_certainty(GString *out, const ReportModel *model, uint64_t objects,
			     const HeldSums *held)
{
	if (!objects || (!held->doubtful && !model_sees_frees(model, held)))
		return;
	if (!held->doubtful) {
		g_string_append(out, " (all certain)");
	} else if (held->doubtful >= objects) {
		g_string_append(out, " (all doubtful)");
	} else {
		g_string_append(out, " (");
		append_count(out, held->doubtful);
		g_string_append(out, " doubtful)");
	}
}

/* Appends "; grows: first half 5,210 of 5,212 kept, second 4,790 of 4,790". */
static void append_growth_test(GString *out, const ReportModel *model, const HeldSums *held,
			       const HeldTimes *times)
{
	const char *word = model_growth_word(model, held, times);

	if (!word)
		return;
	g_string_append_printf(out, "; %s: first half ", word);
	append_count(out, times->first_kept);
	g_string_append(out, " of ");
	append_count(out, times->first_allocated);
	g_string_append(out, model_sees_frees(model, held) ? " kept" : " not seen freed");
	g_string_append(out, ", second ");
	append_count(out, times->second_kept);
	g_string_append(out, " of ");
	append_count(out, times->second_allocated);
}

/* The characters of the user's terminal; the program itself uses no locale. */
static bool has_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool has = locale && g_str_equal(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return has;
}

/* Appends a bar for each part of the run. */
static void append_bars(GString *out, const uint64_t held[RUN_PARTS], unsigned parts)
{
	/* From U+2581, the lowest block, to the full block. */
	static const gunichar lowest_block = 0x2581;
	static const char letters[LEVELS + 1] = "_.:-=+*#";
	const bool with_blocks = has_utf8();
	uint64_t most = 1;

	for (unsigned i = 0; i < parts; i++)
		most = MAX(most, held[i]);
	for (unsigned i = 0; i < parts; i++) {
		double part = (double)held[i] / (double)most;
		unsigned level = MIN((unsigned)(part * LEVELS), LEVELS - 1);

		g_string_append_unichar(out, with_blocks ? lowest_block + level
							 : (guchar)letters[level]);
	}
}

/* Appends "half within 15 us". */
static void append_median(GString *out, const HeldTimes *times)
{
	uint64_t all = 0, within = 0;
	unsigned class = 0;

	for (unsigned i = 0; i < LIFE_CLASSES; i++)
		saturate_add(&all, times->lifetimes[i]);
	for (; class < LIFE_CLASSES - 1; class ++) {
		saturate_add(&within, times->lifetimes[class]);
		if (within >= all / 2 + all % 2)
			break;
	}
	if (class == LIFE_CLASSES - 1) {
		g_string_append(out, "half after more than ");
		class --;
	} else {
		g_string_append(out, "half within ");
	}
	append_length(out, life_limits_ns[class]);
}

/* Appends " held over time _+#, freed 5,005 of 15,005 (half within 15 us, 4 % on another CPU)". */
static void append_over_time(GString *out, const ReportModel *model, const HeldSums *held,
			     const HeldTimes *times)
{
	g_string_append(out, " held over time ");
	append_bars(out, times->held, held_cells_parts(view_source(model->view)->held_cells));
	g_string_append(out, ", freed ");
	append_count(out, held->freed);
	g_string_append(out, " of ");
	append_count(out, held->allocated);
	if (held->freed) {
		g_string_append(out, " (");
		append_median(out, times);
		g_string_append(out, ", ");
		append_percent(out, held->freed_apart, held->freed);
		g_string_append(out, " on another CPU)");
	}
	g_string_append_c(out, '\n');
}

void append_held_stack(GString *out, const ReportModel *model, const ViewStack *stack)
{
	const StackSummary *sums = &stack->sums.summary;
	const HeldSums *held = &stack->sums.held;
	const bool is_paired = held->allocated > 0;
	const HeldCells *cells = view_source(model->view)->held_cells;
	HeldTimes times = view_times(model->view, stack);

	append_count(out, sums->allocations);
	g_string_append_printf(out, " %s", counted_words(model)->of_stack);
	if (sums->bytes_allocated) {
		g_string_append(out, ", ");
		append_bytes_in_words(out, model, sums->bytes_allocated);
	}
	append_ages(out, held);
	if (is_paired) {
		append_certainty(out, model, sums->allocations, held);
		append_growth_test(out, model, held, &times);
	}
	g_string_append(out, ":\n");
	if (is_paired && cells && held_cells_have_times(cells))
		append_over_time(out, model, held, &times);
}

/* Appends "Held for 5 s or longer: 10 objects, 640 bytes, of 25 allocated in the run and 15 freed";
   "Held at the peak: ". */
static void append_held_line(GString *out, const ReportModel *model)
{
	const RowSums *all = &model->view->before;
	bool sees_frees = model_sees_frees(model, &all->held);
	const bool is_short = model->source->fits;

	g_string_append(out, number_of(model, FACT_HELD_IS_PEAK) ? "Held at the peak" : "Held");
	if (number_of(model, FACT_HELD_MIN_AGE)) {
		g_string_append(out, " for ");
		append_seconds(out, number_of(model, FACT_HELD_MIN_AGE));
		g_string_append(out, " or longer");
	}
	g_string_append(out, ": ");
	append_number_of(out, all->summary.allocations, "object");
	g_string_append(out, ", ");
	append_bytes_in_words(out, model, all->summary.bytes_allocated);
	if (all->held.allocated) {
		g_string_append(out, ", of ");
		append_count(out, all->held.allocated);
		g_string_append(out, is_short ? " allocated, " : " allocated in the run and ");
		append_count(out, all->held.freed);
		g_string_append(out, sees_frees ? " freed" : " seen freed");
	}
	if (!is_short)
		g_string_append_printf(out, "; %swhat was held before the run is not known",
				       sees_frees ? "" : "not all frees are seen, and ");
	g_string_append_c(out, '\n');
}

static void append_peak_line(GString *out, const ReportModel *model)
{
	if (!fact_is_known(model->facts, FACT_HELD_PEAK_AFTER))
		return;
	g_string_append(out, "Peak: ");
	append_bytes_in_words(out, model, number_of(model, FACT_HELD_PEAK_BYTES));
	g_string_append(out, " after ");
	append_seconds(out, number_of(model, FACT_HELD_PEAK_AFTER));
	g_string_append(out, number_of(model, FACT_HELD_IS_PEAK) ? "\n"
								 : " (--peak shows its stacks)\n");
}

static void append_doubt_line(GString *out, const ReportModel *model)
{
	uint64_t doubtful = number_of(model, FACT_HELD_DOUBTFUL);
	uint64_t freed_max = number_of(model, FACT_HELD_DOUBTFUL_FREED);

	if (!doubtful)
		return;
	g_string_append(out, "Doubtful: ");
	append_number_of(out, doubtful, "held object");
	if (fact_text(model->facts, FACT_FREES_NOT_SEEN))
		g_string_append(out, ": not all functions that free are observed");
	else
		g_string_append(out, ", allocated before the last loss of events");
	if (!fact_text(model->facts, FACT_FREES_NOT_SEEN) && model->view->before.held.recycled)
		g_string_append(out, ", or in caches whose frees are not all seen");
	if (fact_is_known(model->facts, FACT_HELD_DOUBTFUL_FREED) && freed_max < doubtful) {
		g_string_append(out, "; of these, at most ");
		append_count(out, freed_max);
		g_string_append(out, freed_max == 1 ? " was freed" : " were freed");
	}
	g_string_append_c(out, '\n');
}

static void append_unpaired_line(GString *out, const ReportModel *model)
{
	for (guint i = 0; i < model->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out =
			&g_array_index(model->view->left_out_by, ViewLeftOut, i);

		if (!g_str_equal(left_out->option, cell_filter_unpaired.option) ||
		    !left_out->remark)
			continue;
		g_string_append_printf(out, "Not paired: %s: left out, ", left_out->remark);
		append_number_of(out, left_out->allocations, "object");
		g_string_append_c(out, '\n');
	}
}

static void append_ages_line(GString *out, const ReportModel *model)
{
	const HeldTimes times = view_times(model->view, NULL);
	const char *separator = "Ages of the objects shown: ";

	for (unsigned class = 0; class < AGE_CLASSES; class ++) {
		if (!times.ages[class])
			continue;
		g_string_append(out, separator);
		held_age_append(class, out);
		g_string_append(out, ": ");
		append_count(out, times.ages[class]);
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append_c(out, '\n');
}

/* The memory of what is freed is not always allocated in a way that a probe sees. */
static void append_checks_line(GString *out, const ReportModel *model)
{
	static const struct {
		FactId id;
		const char *noun;
	} checks[] = {
		{ FACT_FREED_AGAIN, "possible double free" },
		{ FACT_FREED_ELSEWHERE, "wrong-cache free" },
	};
	const char *separator = "Checks: ";

	for (gsize i = 0; i < G_N_ELEMENTS(checks); i++) {
		if (!fact_is_known(model->facts, checks[i].id) ||
		    (model->source->fits && !number_of(model, checks[i].id)))
			continue;
		g_string_append(out, separator);
		append_number_of(out, number_of(model, checks[i].id), checks[i].noun);
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append_c(out, '\n');
}

enum { CHECKED_MAX = 5 };

/* Appends "kmalloc-64 (2,497 held, 233 in use)", "filp (1,200 held, grew by 3)". */
static void append_contradiction(GString *out, const HeldCheckRow *row)
{
	escape_append(out, row->name);
	g_string_append(out, " (");
	append_count(out, row->held);
	if (row->held > row->end) {
		g_string_append(out, " held, ");
		append_count(out, row->end);
		g_string_append(out, " in use)");
		return;
	}
	g_string_append(out, row->end < row->start ? " held, shrank by " : " held, grew by ");
	append_count(out, row->end < row->start ? row->start - row->end : row->end - row->start);
	g_string_append_c(out, ')');
}

/* Counts the caches that are counted, which come first, and returns how many are contradicted. */
static guint text_held_contradicted(const GArray *rows, guint *counted)
{
	guint count = 0;

	while (count < rows->len && g_array_index(rows, HeldCheckRow, count).contradicted)
		count++;
	*counted = count;
	while (*counted < rows->len && !g_array_index(rows, HeldCheckRow, *counted).left_out)
		++*counted;
	return count;
}

void append_held_compared(GString *out, const GArray *rows)
{
	guint counted = 0, wrong = rows ? text_held_contradicted(rows, &counted) : 0;

	if (!counted)
		return;
	g_string_append(out, "Compared with /proc/slabinfo: ");
	if (!wrong)
		g_string_append(out, "no contradiction in ");
	else
		g_string_append(out, "less is held of ");
	for (guint i = 0; i < MIN(wrong, CHECKED_MAX); i++) {
		g_string_append(out, i ? ", " : "");
		append_contradiction(out, &g_array_index(rows, HeldCheckRow, i));
	}
	if (wrong > CHECKED_MAX)
		g_string_append_printf(out, ", %u more", wrong - CHECKED_MAX);
	if (wrong && wrong < counted)
		g_string_append(out, "; no contradiction in ");
	if (wrong < counted)
		append_number_of(out, counted - wrong, wrong ? "other cache" : "slab cache");
	g_string_append_c(out, '\n');
}

static void append_slab_pages_line(GString *out, const ReportModel *model)
{
	for (guint i = 0; i < model->view->left_out_by->len; i++) {
		const ViewLeftOut *left_out =
			&g_array_index(model->view->left_out_by, ViewLeftOut, i);

		if (!g_str_equal(left_out->option, cell_filter_slab_pages.option) ||
		    !left_out->allocations)
			continue;
		g_string_append(out, "Pages of slabs and large kmallocs: ");
		append_number_of(out, left_out->allocations, "allocation");
		g_string_append(out, ", left out: their objects are counted\n");
	}
}

void append_held_lines(const ReportModel *model, GString *out)
{
	const Facts *facts = model->facts;
	const bool human = model->source->human, is_whole = !model->source->fits;

	if (model_counts(model) != COUNTS_HELD)
		return;
	append_held_line(out, model);
	if (!number_of(model, FACT_HELD_IS_PEAK) && is_whole)
		append_ages_line(out, model);
	if (is_whole)
		append_peak_line(out, model);
	append_doubt_line(out, model);
	/* Caches that hold more than the kernel counts; if frees are not all observed, also that
	   others do not. */
	if (!model_sees_frees(model, &model->view->before.held) &&
	    (is_whole || held_check_fails(model->held_check)))
		append_held_compared(out, model->held_check);
	append_unpaired_line(out, model);
	if (is_whole)
		append_slab_pages_line(out, model);
	if (number_of(model, FACT_HELD_SCALE) > 1)
		append_fact_line(out, facts, FACT_HELD_SCALE, human);
	if (is_whole)
		append_fact_line(out, facts, FACT_HELD_RECYCLED, human);
	append_fact_line(out, facts, FACT_HELD_OVER_BOUND, human);
	append_checks_line(out, model);
	append_fact_line(out, facts, FACT_FREED_IN_PARTS, human);
	append_fact_line(out, facts, FACT_HELD_UNORDERED, human);
}
