/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that fit a terminal (ReportSource.fits): what stands above and below the rows is made
 * first, then as many rows as there is room for, at most ten, and at least one. A row is a line of
 * a table, or of stacks some lines: its figures, whose it is, its path.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "report/report_table.h"
#include "session/losses.h"

#include <string.h>

enum {
	ROWS_MAX = 10,
	PATH_LINES_MAX = 4,
	PATH_LINES = 2,    /* if there is no room for more ... */
	ROWS_OF_PATHS = 3, /* ... but rather than fewer rows, one */
	PROCESSES_MAX = 2, /* of a row */
	CACHES_MAX = 6,    /* likewise */
	INDENTATION = 2,
	LINES_OF_INPUT = 3,   /* around a report: the command, the prompt, one to spare */
	LINES_OF_WARNING = 2, /* below a report, if too much was lost */
};

static const char separator[] = " < ";

/* The number of lines of a terminal that a text takes. */
static guint lines_of(const char *text, guint columns)
{
	guint lines = 0;

	for (const char *end; *text; text = *end ? end + 1 : end) {
		g_autofree char *line = NULL;

		end = strchrnul(text, '\n');
		line = g_strndup(text, (gsize)(end - text));
		lines += (guint)MAX(text_width(line) - 1, 0) / columns + 1;
	}
	return lines;
}

/* Breaks long lines between words. Commands stay whole, for whoever pastes them. */
static void break_lines(GString *text, guint columns)
{
	g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);

	g_string_truncate(text, 0);
	for (char **line = lines; *line; line++) {
		bool is_command = g_str_has_prefix(*line, "Next:");
		g_auto(GStrv) words = g_strsplit(*line, is_command ? "\n" : " ", -1);
		glong width = 0;

		for (char **word = words; *word; word++) {
			glong more = text_width(*word) + 1;

			if (word > words && width + more > (glong)columns) {
				g_string_append_printf(text, "\n%*s", INDENTATION, "");
				width = INDENTATION;
			} else if (word > words) {
				g_string_append_c(text, ' ');
			}
			g_string_append(text, *word);
			width += more;
		}
		g_string_append(text, line[1] ? "\n" : "");
	}
}

/* Appends a path in at most so many lines, cut between functions. */
static void append_path(GString *out, const char *path, guint columns, guint lines_max)
{
	g_auto(GStrv) functions = g_strsplit(path, separator, -1);
	glong width = 0, room = (glong)columns - INDENTATION - (glong)strlen(" < ...");
	guint lines = 0;

	for (guint i = 0; functions[i]; i++) {
		glong more = text_width(functions[i]) + (glong)strlen(separator);

		if (lines && width + more <= room) {
			g_string_append_printf(out, "%s%s", separator, functions[i]);
			width += more;
			continue;
		}
		if (lines == lines_max) {
			g_string_append(out, " < ...\n");
			return;
		}
		g_string_append_printf(out, "%s%*s%s", lines ? " <\n" : "", INDENTATION, "",
				       functions[i]);
		width = more;
		lines++;
	}
	g_string_append_c(out, '\n');
}

/* All system calls begin with these. */
static void cut_entry(GString *path)
{
	static const char *const entries[] = { " < x64_sys_call", " < do_syscall_64",
					       " < entry_SYSCALL_64", " < do_el0_svc" };

	for (gsize i = 0; i < G_N_ELEMENTS(entries); i++) {
		const char *entry = strstr(path->str, entries[i]);

		if (entry)
			g_string_truncate(path, (gsize)(entry - path->str));
	}
}

static void append_stack(GString *out, const ReportModel *model, const View *view, uint32_t row,
			 guint lines_max)
{
	g_autoptr(FrameList) frames = stack_rows_list(view_stack_rows(view), row);
	g_autoptr(GString) path = g_string_new(NULL);

	stack_chain_append(path, frames);
	cut_entry(path);
	append_path(out, path->str, model->source->terminal.columns, lines_max);
}

/* Appends "4.6 MiB (99 %): 4,812 held"; "141 allocations (82 %), 70.5 MiB". */
static void append_amounts(GString *out, const ReportModel *model, const RowSums *sums)
{
	const Metric *rank = view_rank(model->source->options);
	const CountedWords *words = counted_words(model);
	const bool by_bytes = words->of_stack && sums->summary.bytes_allocated;
	g_autoptr(GString) share = g_string_new(NULL);

	if (metric_adds_up(rank)) {
		g_string_append(share, " (");
		append_percent(share, metric_figure(rank, sums),
			       metric_figure(rank, model_all_sums(model)));
		g_string_append_c(share, ')');
	}
	if (by_bytes) {
		append_amount(out, sums->summary.bytes_allocated, true);
		g_string_append_printf(out, "%s: ", share->str);
	}
	append_count(out, sums->summary.allocations);
	if (words->of_stack)
		g_string_append_printf(out, " %s", words->of_stack);
	else
		g_string_append_printf(out, " %s%s", counted_noun(model),
				       sums->summary.allocations == 1 ? "" : "s");
	if (by_bytes)
		return;
	append_sampled(out, sums);
	g_string_append(out, share->str);
	if (model_counts(model) == COUNTS_HITS) {
		append_hits(model, &sums->hits, out);
	} else if (sums->summary.bytes_allocated) {
		g_string_append(out, ", ");
		append_amount(out, sums->summary.bytes_allocated, true);
	}
}

/* Appends " of 4,812 allocated, oldest 18.500 s, grows"; nothing if it is not known. */
static void append_lives(GString *out, const ReportModel *model, const CallRow *call)
{
	const HeldSums *held = &call->sums.held;
	HeldTimes times;
	const char *verdict;

	if (held->allocated) {
		g_string_append(out, " of ");
		append_count(out, held->allocated);
		g_string_append(out, " allocated");
	}
	if (held_sums_have_ages(held)) {
		g_string_append(out, ", oldest ");
		append_seconds(out, held->oldest_ns);
	}
	if (model->groups || !held->allocated)
		return;
	times = view_times(model->view, model->view->stacks->pdata[call_row_first(call)]);
	verdict = model_growth_word(model, held, &times);
	if (verdict)
		g_string_append_printf(out, ", %s", verdict);
}

static guint key_of(const GroupRows *groups, bool (*is_key)(const Dimension *key))
{
	guint key = 0;

	while (groups->keys[key] && !is_key(groups->keys[key]))
		key++;
	return key;
}

static bool is_cache(const Dimension *key)
{
	return g_str_equal(key->name, "cache");
}

static const GroupRow *group_row_of(const ReportModel *model, guint row)
{
	return &g_array_index(model->groups->rows, GroupRow, row);
}

/* Appends "sock_inode_cache, dentry, 3 more". */
static void append_names(GString *out, const GPtrArray *names)
{
	for (guint i = 0; i < MIN(names->len, CACHES_MAX); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
	if (names->len > CACHES_MAX)
		g_string_append_printf(out, ", %u more", names->len - CACHES_MAX);
}

/* Appends "4,812 of each"; "4,810 to 4,812 of each". */
static void append_number_of_each(GString *out, const ReportModel *model, const CallRow *call)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (guint i = 0; i < call->rows->len; i++) {
		guint row = g_array_index(call->rows, guint, i);
		uint64_t held = model_row_sums(model, row)->summary.allocations;

		least = MIN(least, held);
		most = MAX(most, held);
	}
	append_count(out, least);
	if (least < most) {
		g_string_append(out, " to ");
		append_count(out, most);
	}
	g_string_append(out, " of each");
}

static void add_name(GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++)
		if (g_str_equal(names->pdata[i], name))
			return;
	g_ptr_array_add(names, g_strdup(name));
}

/* Adds the names of the caches of a stack, escaped. */
static void add_caches_of_stack(const ReportModel *model, const ViewStack *stack, GPtrArray *names)
{
	const ViewSource *source = view_source(model->view);
	uint32_t count;
	const uint32_t *cells = view_cells(model->view, stack, &count);

	for (uint32_t i = 0; i < count; i++) {
		const ProfileCell *cell = view_source_cell(source, cells[i]);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
		CacheLabel cache = cache_names_of(source->caches, origin);

		if (cell->events && cache.name && cache.origin != CACHE_PAGES)
			add_name(names, cache.name);
	}
}

/* Adds the cache of a row; in a list of several without its other names. */
static void add_cache_of_group(const ReportModel *model, const GroupRow *row, guint key,
			       GPtrArray *names, bool is_short)
{
	g_autoptr(GString) label = g_string_new(NULL);

	group_rows_append_label(model->groups, row, key, label);
	if (is_short)
		g_string_truncate(label, strcspn(label->str, " "));
	add_name(names, label->str);
}

/* Appends "filp"; of a call "3 caches, 4,812 of each: sock_inode_cache, dentry, filp"; nothing if
   the rows have no cache. */
static void append_caches(GString *out, const ReportModel *model, const CallRow *call)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const guint key = model->groups ? key_of(model->groups, is_cache) : 0;
	const bool is_call = call->rows->len > 1;
	const bool by_cache =
		model->groups && !model->groups->keys[key_of(model->groups, dimension_is_stack)];

	if (model_counts(model) == COUNTS_HITS || (model->groups && !model->groups->keys[key]))
		return;
	for (guint i = 0; i < call->rows->len; i++) {
		guint row = g_array_index(call->rows, guint, i);

		if (model->groups)
			add_cache_of_group(model, group_row_of(model, row), key, names, is_call);
		else
			add_caches_of_stack(model, model->view->stacks->pdata[row], names);
	}
	if (is_call) {
		g_string_append_printf(out, "%u %s, ", call->rows->len,
				       by_cache ? "caches" : "stacks of one call");
		append_number_of_each(out, model, call);
		g_string_append(out, ": ");
	}
	append_names(out, names);
}

/* Appends whose a row is: "chatd[4711] 100 %; filp". */
static void append_whose(GString *out, const ReportModel *model, const CallRow *call)
{
	const guint row = call_row_first(call);
	g_autoptr(GString) caches = g_string_new(NULL);
	g_autoptr(GArray) processes = NULL;

	if (model->groups) {
		group_rows_append_label(model->groups, group_row_of(model, row), BLOCK_PROCESS,
					out);
	} else {
		const ViewStack *stack = model->view->stacks->pdata[row];

		processes = view_processes(model->view, stack);
		append_processes(out, processes, stack->sums.summary.allocations, PROCESSES_MAX);
	}
	append_caches(caches, model, call);
	if (caches->len)
		g_string_append_printf(out, "%s%s", out->len ? "; " : "", caches->str);
}

/* Appends a stack, or a block of slabstack. */
static void append_block(GString *out, const ReportModel *model, guint number, guint lines_max)
{
	const CallRow *call = model->calls->pdata[number];
	const guint row = call_row_first(call), columns = model->source->terminal.columns;
	g_autoptr(GString) head = g_string_new(NULL), whose = g_string_new(NULL);
	uint32_t stack;

	append_amounts(head, model, &call->sums);
	append_lives(head, model, call);
	append_whose(whose, model, call);
	g_string_append(out, head->str);
	if (text_width(head->str) + text_width(whose->str) + (glong)strlen("; ") <= (glong)columns)
		g_string_append(out, whose->len ? "; " : "");
	else
		g_string_append_printf(out, "\n%*s", INDENTATION, "");
	g_string_append_printf(out, "%s\n", whose->str);
	stack = model->groups
			? group_rows_member(model->groups, group_row_of(model, row), BLOCK_STACK)
			: ((const ViewStack *)model->view->stacks->pdata[row])->row;
	append_stack(out, model, model->view, stack, lines_max);
}

static void append_blocks(GString *out, const ReportModel *model, guint count, guint lines_max)
{
	for (guint i = 0; i < count; i++)
		append_block(out, model, i, lines_max);
}

/* Appends below a row of a table what is too long for it: the caches of a call, and the path. */
static void append_below_row(GString *out, const ReportModel *model, guint number)
{
	const CallRow *call = model->calls->pdata[number];
	const guint key = key_of(model->groups, dimension_is_stack);

	if (call->rows->len > 1 && model->groups->keys[key_of(model->groups, is_cache)]) {
		g_string_append_printf(out, "%*s", INDENTATION, "");
		append_caches(out, model, call);
		g_string_append_c(out, '\n');
	}
	if (model->groups->keys[key])
		append_stack(out, model, model->view,
			     group_rows_member(model->groups,
					       group_row_of(model, call_row_first(call)), key),
			     1);
}

/* Appends a table's first rows, and below each what belongs to it. */
static void append_rows_of(GString *out, const ReportModel *model, Table *table, guint count,
			   void (*append_below)(GString *out, const ReportModel *model, guint row))
{
	const TextLayout layout = {
		.gap = 2,
		.human = !model->diff,
		.trims = true,
		.fits = model->source->terminal.columns,
		.all = model->diff && metric_adds_up(model->diff->rank) ? "(all)" : NULL,
		.append_below = append_below,
		.model = model,
	};

	table_cut(table, count);
	append_table(out, table, &layout);
}

static void append_groups(GString *out, const ReportModel *model, guint count, guint lines_max)
{
	g_autoptr(Table) table = text_table_of_groups(model);

	(void)lines_max;
	for (guint i = table->columns->len; i-- > 0;) {
		const TableColumn *column = table_column(table, i);

		if (column->is_key && dimension_is_stack(model->groups->keys[column->at]))
			g_array_remove_index(table->columns, i);
	}
	append_rows_of(out, model, table, count, append_below_row);
}

/* Appends below a row of a comparison its path. */
static void append_changed_stack(GString *out, const ReportModel *model, guint row)
{
	const DiffRow *changed = diff_rows_at(model->diff, row);
	const JoinSide side = diff_row_side(changed);
	const GroupRows *groups = model->diff->groups[side];
	const guint key = key_of(groups, dimension_is_stack);

	if (groups->keys[key])
		append_stack(
			out, model, model->diff->views[side],
			group_rows_member(groups, diff_rows_of(model->diff, changed, side), key),
			1);
}

static void append_changes(GString *out, const ReportModel *model, guint count, guint lines_max)
{
	g_autoptr(Table) table = text_table_of_diff(model);

	(void)lines_max;
	append_rows_of(out, model, table, count, append_changed_stack);
}

static void append_hit_list(GString *out, const ReportModel *model, guint count, guint lines_max)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_TEXT);
	const TextLayout layout = { .gap = 2,
				    .trims = true,
				    .columns = model->source->terminal.columns };

	(void)lines_max;
	table_cut(table, count);
	append_table(out, table, &layout);
}

/* The rows of a report, and what prints some of them. */
typedef struct {
	void (*append)(GString *out, const ReportModel *model, guint count, guint lines_max);
	guint count; /* rows that there are */
	guint max;   /* rows that are shown, if there is room */
	bool has_paths;
} FitRows;

static FitRows rows_of(const ReportModel *model)
{
	const guint lines = model->source->terminal.lines;
	const guint count = model->diff   ? model->diff->rows->len
			    : model->hits ? model->hits->hits->len
					  : model->calls->len;

	if (model->diff)
		return (FitRows){ append_changes, count, MIN(count, ROWS_MAX), false };
	if (model->hits)
		return (FitRows){ append_hit_list, count, MIN(count, lines), false };
	if (model->groups && !model->has_blocks)
		return (FitRows){ append_groups, count, MIN(count, ROWS_MAX), false };
	return (FitRows){ append_blocks, count, MIN(count, ROWS_MAX), true };
}

static bool try_rows(GString *out, const ReportModel *model, const FitRows *rows, guint count,
		     guint lines_max, guint room)
{
	g_string_truncate(out, 0);
	rows->append(out, model, count, lines_max);
	break_lines(out, model->source->terminal.columns);
	return lines_of(out->str, model->source->terminal.columns) <= room;
}

/* Appends as many rows as there is room for, and returns their number: all with long paths, or else
   fewer of them with short ones. */
static guint append_rows(GString *out, const ReportModel *model, const FitRows *rows, guint room)
{
	guint count = rows->max;
	const guint least = rows->has_paths ? MIN(ROWS_OF_PATHS, count) : 1;

	if (!count)
		return 0;
	for (guint lines = PATH_LINES_MAX; rows->has_paths && lines > PATH_LINES; lines--)
		if (try_rows(out, model, rows, count, lines, room))
			return count;
	for (; count >= least; count--)
		if (try_rows(out, model, rows, count, PATH_LINES, room))
			return count;
	for (count = MIN(rows->max, ROWS_MAX);
	     !try_rows(out, model, rows, count, 1, room) && count > 1;)
		count--;
	return count;
}

static uint64_t counted_in(const ReportModel *model, guint rows)
{
	uint64_t sum = 0;

	for (guint i = 0; i < rows; i++)
		saturate_add(&sum,
			     ((const CallRow *)model->calls->pdata[i])->sums.summary.allocations);
	return sum;
}

/* Appends ", 83 % of 8,502 allocations (79.8 MiB)". */
static void append_counted(GString *out, const ReportModel *model, guint shown)
{
	const RowSums *all = model_all_sums(model);
	const uint64_t number = all->summary.allocations;

	g_string_append(out, ", ");
	if (shown < model->calls->len) {
		append_percent(out, counted_in(model, shown), number);
		g_string_append(out, " of ");
	}
	append_number_of(out, number, counted_noun(model));
	if (!all->summary.bytes_allocated)
		return;
	g_string_append(out, " (");
	append_amount(out, all->summary.bytes_allocated, true);
	g_string_append_c(out, ')');
}

/* Appends "Shown: 10 of 95 stacks, 83 % of 8,502 allocations (79.8 MiB); -t 95 shows all". */
static void append_shown_line(GString *out, const ReportModel *model, const FitRows *rows,
			      guint shown)
{
	const char *noun = model->hits                    ? counted_noun(model)
			   : model->diff || model->groups ? model->group_noun
							  : "stack";
	guint rows_before = model->hits || model->diff ? rows->count
			    : model->groups            ? model->groups->rows->len
						       : model->view->stacks->len;

	if (!rows->count)
		return;
	g_string_append(out, "Shown: ");
	if (shown < rows->count) {
		append_count(out, shown);
		g_string_append(out, " of ");
	} else {
		g_string_append(out, rows->count > 1 ? "all " : "");
	}
	append_number_of(out, rows->count, noun);
	if (model->calls)
		append_counted(out, model, shown);
	if (shown < rows->count)
		g_string_append_printf(out, "; -t %u shows all", rows_before);
	g_string_append_c(out, '\n');
}

static void append_above(GString *out, const ReportModel *model)
{
	if (model->diff) {
		append_diff_head(out, model);
		return;
	}
	append_verdict(out, model->verdict, model->source->terminal.columns);
	append_memory_line(out, model);
	if (model->slab && model_counts(model) < COUNTS_RECORD)
		append_most_growth(out, &model->slab->growth, 1);
	/* A verdict ends with a blank line. */
	if (out->len && !g_str_has_suffix(out->str, "\n\n"))
		g_string_append_c(out, '\n');
}

/* Puts the lengths of time spans before the closing lines, if there is room for all. Returns the
   lines that are used then. */
static guint add_lengths(GString *below, const ReportModel *model, const FitRows *rows, guint used)
{
	g_autoptr(GString) lengths = g_string_new(NULL);
	guint lines;

	append_lengths(model, lengths);
	lines = lines_of(lengths->str, model->source->terminal.columns);
	if (used + lines + rows->max * (rows->has_paths ? PATH_LINES + 1 : 1) >
	    model->source->terminal.lines)
		return used;
	g_string_prepend(below, lengths->str);
	return used + lines;
}

/* The lines of the terminal that others have printed, or will. */
static guint lines_around(const ReportModel *model)
{
	const ReportSource *source = model->source;

	return LINES_OF_INPUT + source->terminal.lines_said +
	       (source->session && losses_are_many(source->session) ? LINES_OF_WARNING : 0);
}

static void append_lines_below(GString *out, const ReportModel *model)
{
	append_facts(model, out);
}

void text_print_fitted(const ReportModel *model, FILE *out)
{
	const TerminalSize terminal = model->source->terminal;
	const FitRows rows = rows_of(model);
	g_autoptr(GString) above = g_string_new(NULL), below = g_string_new(NULL);
	g_autoptr(GString) text = g_string_new(NULL), shown = g_string_new(NULL);
	guint used = lines_around(model);

	append_above(above, model);
	(model->diff ? append_diff_lines : append_lines_below)(below, model);
	break_lines(above, terminal.columns);
	break_lines(below, terminal.columns);
	/* As if not all rows could be shown. */
	append_shown_line(shown, model, &rows, rows.count ? rows.count - 1 : 0);
	used += lines_of(above->str, terminal.columns) + lines_of(below->str, terminal.columns) +
		lines_of(shown->str, terminal.columns);
	used = add_lengths(below, model, &rows, used);
	g_string_truncate(shown, 0);
	append_shown_line(shown, model, &rows,
			  append_rows(text, model, &rows, MAX(terminal.lines, used + 1) - used));
	fprintf(out, "%s%s%s%s", above->str, text->str, shown->str, below->str);
}
