/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a command line into Options: words before and after "--", by GLib with the option table;
 * then defaults, cell filters and what follows from options is filled in. Owns all of it; tools and
 * engines read it.
 */
#include "options/options.h"

#include "base/nearest.h"
#include "base/unconst.h"
#include "collect/run/collect_live.h"
#include "collect/run/command.h"
#include "options/option_table.h"
#include "options/option_rules.h"
#include "options/option_values.h"
#include "table/cell_filter.h"
#include "options/tool_description.h"
#include "report/slab_readings.h"

#include <string.h>

enum {
	MEMORY_MEGABYTES_DEFAULT = 256,
	RATE_INTERVAL_SECONDS_DEFAULT = 1,
	RATE_ROWS_DEFAULT = 20,
	OVERHEAD_PERCENT_DEFAULT = 20,
};
#define RECORD_BYTES_DEFAULT (1ULL << 30)
#define LOSS_PERCENT_DEFAULT 0.1

static bool row_apply(const OptionRow *row, Options *options, const char *value, GError **error)
{
	char *at = (char *)options + row->offset;
	char **text = (char **)at;

	options->live.is_given |= (row->kind & OPTION_OF_RUN) != 0;
	switch (option_row_kind(row)) {
	case OPTION_FLAG:
		*(bool *)at = true;
		return true;
	case OPTION_TEXT:
		g_free(*text);
		*text = g_strdup(value);
		return true;
	case OPTION_FILTER:
		return option_add_filter(options, row->long_name, value, error);
	case OPTION_NUMBER:
		return option_parse_whole(value, row->min, row->max, (uint64_t *)at, error);
	case OPTION_NUMBER_32:
		return option_parse_whole32(value, row->min, row->max, (uint32_t *)at, error);
	default:
		return row->apply(options, value, error);
	}
}

bool options_are_given(const Options *options, const char *const *names)
{
	for (guint i = 0; i < options->given->len; i++) {
		const OptionRow *row = g_ptr_array_index(options->given, i);

		if (g_strv_contains(names, row->long_name))
			return true;
	}
	return false;
}

/* Called by GLib for every option. */
static gboolean apply_option(const char *given, const char *value, gpointer data, GError **error)
{
	Options *options = data;
	const OptionRow *row = option_row_lookup(options->tool, given);
	GError *reason = NULL;

	g_ptr_array_add(options->given, unconst(row));
	if (row_apply(row, options, value, &reason))
		return TRUE;
	g_propagate_prefixed_error(error, reason, "%s: ", given);
	return FALSE;
}

static GOptionFlags row_flags(const OptionRow *row)
{
	if (!row->argument)
		return G_OPTION_FLAG_NO_ARG;
	return *row->argument == '[' ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_NONE;
}

static GOptionGroup *option_group(Options *options)
{
	GOptionGroup *group = g_option_group_new("suite", "", "", options, NULL);

	for (const OptionRow *row = option_rows; row->long_name; row++) {
		const GOptionEntry entries[] = {
			{ row->long_name, row->short_name, (int)row_flags(row),
			  G_OPTION_ARG_CALLBACK, (gpointer)apply_option, row->help, row->argument },
			{ NULL, 0, 0, 0, NULL, NULL, NULL },
		};

		if (option_row_is_of(row, options->tool))
			g_option_group_add_entries(group, entries);
	}
	return group;
}

/* Filters may be given in any order, but are applied in a fixed one. */
static gint compare_filters(gconstpointer left, gconstpointer right)
{
	const Filter *const *a = left, *const *b = right;

	return ((*a)->type > (*b)->type) - ((*a)->type < (*b)->type);
}

static void options_rate_init(RateOptions *rate)
{
	rate->interval_s = RATE_INTERVAL_SECONDS_DEFAULT;
	rate->rows_max = RATE_ROWS_DEFAULT;
	for (int i = 0; i < RATE_COLUMNS_FIRST; i++)
		rate->columns[i] = rate_columns_first[i];
}

static Options *options_new(const Tool *tool)
{
	Options *options = g_new0(Options, 1);

	options->tool = tool;
	options->view.filters = g_ptr_array_new_with_free_func((GDestroyNotify)filter_free);
	options->choice.cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	options->view.cells = options->choice.cells;
	options->view.sort = &metrics[METRIC_ALLOCATIONS];
	options->output.renderer = &renderers[0];
	options->view.top = UINT64_MAX;
	options->given = g_ptr_array_new();
	options->input.paths = g_ptr_array_new_with_free_func(g_free);
	options->input.kernel.root = "";
	options->input.kernel_files = g_ptr_array_new_with_free_func(g_free);
	options->points.words = g_ptr_array_new_with_free_func(g_free);
	options->lines.source_paths = g_ptr_array_new_with_free_func(g_free);
	options->lines.debuginfo = g_ptr_array_new_with_free_func(g_free);
	options->live.pids = g_array_new(FALSE, FALSE, sizeof(guint32));
	options->input.slice.to_ns = UINT64_MAX;
	options->memory_bytes_max = (uint64_t)MEMORY_MEGABYTES_DEFAULT << 20;
	options->loss_percent_max = LOSS_PERCENT_DEFAULT;
	options->live.request.what.events = tool->events;
	options->live.request.what.stack_depth = tool->sites_only ? 0 : STACK_DEPTH_DEFAULT;
	options->live.request.stap.walk = STACK_WALK_AUTO;
	options_rate_init(&options->rate);
	options->live.request.what.sampling_period = 1;
	options->live.request.bounds.overhead_percent_max = OVERHEAD_PERCENT_DEFAULT;
	return options;
}

void options_free(Options *options)
{
	if (!options)
		return;
	for (const OptionRow *row = option_rows; row->long_name; row++)
		if (option_row_kind(row) == OPTION_TEXT)
			g_clear_pointer((char **)((char *)options + row->offset), g_free);
	g_ptr_array_unref(options->view.filters);
	g_array_unref(options->choice.cells);
	cache_query_free(options->choice.caches);
	g_free(options->choice.caches_asked);
	cache_query_free(options->choice.caches_excluded);
	g_ptr_array_unref(options->given);
	g_array_unref(options->live.pids);
	g_ptr_array_unref(options->lines.debuginfo);
	g_ptr_array_unref(options->lines.source_paths);
	g_free(options->lines.debuginfod);
	g_ptr_array_unref(options->points.words);
	preset_free(options->points.preset);
	g_free(options->points.keys);
	g_strfreev(options->live.request.command.words);
	g_free(unconst(options->live.request.stap.options));
	g_free(unconst(options->live.request.labels.command_line));
	g_free(options->input.path);
	g_ptr_array_unref(options->input.paths);
	g_ptr_array_unref(options->input.kernel_files);
	g_free(options->live.kernel_release);
	g_clear_pointer(&options->input.symbols, g_bytes_unref);
	g_free(options->choice.stacks_excluded);
	g_free(options->choice.pids);
	callsite_skip_free(options->choice.callsite_skip);
	g_free(options);
}

/* Takes a word that is neither option nor value: one that the tool accepts, else a file of
   --import. */
static bool take_word(Options *options, const char *word, GError **error)
{
	const Tool *tool = options->tool;
	/* slabstack's CACHE comes first. */
	bool is_file = options->input.kernel.record && (!tool->take_word || options->choice.caches);

	if (tool->take_word && !is_file)
		return tool->take_word(options, word, error);
	if (!is_file)
		return option_fail(
			error, "'%s' is not an option; run a command with -c CMD or -- CMD ARG...",
			word);
	if (options->input.kernel_files->len == G_N_ELEMENTS(options->input.kernel.files))
		return option_fail(error,
				   "'%s' is one file too many: --import reads one, or the "
				   "difference of two",
				   word);
	g_ptr_array_add(options->input.kernel_files, g_strdup(word));
	return true;
}

static char *commands_of(unsigned tools)
{
	static const char *const commands[] = { "kmalloc-top", "slabstack", "slabratetop",
						"stack-top" }; /* by the bit of ToolBit */
	GString *names = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
		if (tools & 1U << i)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", commands[i]);
	return g_string_free(names, FALSE);
}

/* Adds the commands that have the option, or those of this command with a similar name, to
   "Unknown option --durtion=5". */
static void suggest_options(const Tool *tool, GError *error)
{
	const char *given = strstr(error->message, " --");
	g_autofree char *name =
		given ? g_strndup(given + 3, strcspn(given + 3, "= ")) : g_strdup("");
	g_autoptr(Nearest) nearest = nearest_new(name);
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) similar = g_string_new(NULL);
	g_autofree char *others = NULL;
	unsigned tools = 0;

	if (!g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !*name)
		return;
	for (const OptionRow *row = option_rows; row->long_name; row++) {
		if (option_row_kind(row) == OPTION_SECTION)
			continue;
		tools |= g_str_equal(row->long_name, name) ? row->tools : 0;
		g_ptr_array_add(words, g_strconcat("--", row->long_name, NULL));
		if (option_row_is_of(row, tool))
			nearest_offer(nearest, words->pdata[words->len - 1], row->long_name);
	}
	others = commands_of(tools);
	nearest_append(nearest, similar);
	if (!tools && !similar->len)
		return;
	g_free(error->message);
	error->message = g_strdup_printf("Unknown option --%s; %s: %s", name,
					 tools ? "commands that have it" : "similar",
					 tools ? others : similar->str);
}

/* Parses the words before "--". */
static bool parse_words(Options *options, char **words, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	GError *problem = NULL;
	g_auto(GStrv) rest = option_attached_split(options->tool, words);
	bool wants_words = options->tool->take_word != NULL;

	for (char **word = words; *word && !wants_words; word++)
		wants_words = g_str_has_prefix(*word, "--import");
	g_option_context_set_help_enabled(context, FALSE);
	/* Else the first word ends the options, so that the error is about it. */
	g_option_context_set_strict_posix(context, !wants_words);
	g_option_context_set_main_group(context, option_group(options));
	if (!g_option_context_parse_strv(context, &rest, &problem)) {
		suggest_options(options->tool, problem);
		g_propagate_error(error, problem);
		return false;
	}
	/* Behind the program's name. */
	for (char **word = *rest ? rest + 1 : rest; *word; word++)
		if (!take_word(options, *word, error))
			return false;
	return true;
}

/* Takes the command after "--". Returns false with error set if there is none. */
static bool take_command(LiveOptions *live, char **behind, GError **error)
{
	if (!behind)
		return true;
	if (live->request.command.words)
		return option_fail(error, "a command is given twice: with -c and after --");
	if (!*behind)
		return option_fail(error, "no command after --");
	live->request.command.words = g_strdupv(behind);
	live->is_given = true;
	return true;
}

static char *pid_list(const GArray *pids)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; i < pids->len; i++)
		g_string_append_printf(list, "%s%u", i ? "," : "", g_array_index(pids, guint32, i));
	return g_string_free(list, FALSE);
}

static void add_cell_filter(ChoiceOptions *choice, const CellFilterType *type, const void *argument,
			    const char *given)
{
	const CellFilter filter = { type, argument, given };

	if (given)
		g_array_append_val(choice->cells, filter);
}

/* Creates the conditions on single counters that are known by now. In a live run, the collector
   selects the processes of -p. */
static void add_cell_filters(Options *options)
{
	if (options_read_input(options) && options->live.pids->len)
		options->choice.pids = pid_list(options->live.pids);
	options->choice.processes = (ProcessChoice){
		.pids = options->live.pids,
		.globs = options->choice.process,
		.with_interrupts = options->live.request.whose.with_interrupts,
	};
	add_cell_filter(&options->choice, &cell_filter_cgroup, options->choice.cgroup,
			options->choice.cgroup);
	add_cell_filter(&options->choice, &cell_filter_pid, &options->choice.processes,
			options->choice.pids);
	add_cell_filter(&options->choice, &cell_filter_process, &options->choice.processes,
			options->choice.process);
}

/* A stream has no tables to count, so its duration is bounded to that of the requested tables. */
static void bound_stream(Options *options)
{
	const RateOptions *rate = &options->rate;

	if (rate->count && collect_request_streams(&options->live.request))
		options->live.request.bounds.duration_seconds =
			MIN(rate->interval_s * (double)rate->count, DURATION_SECONDS_MAX);
}

static bool is_overview(const Options *options)
{
	return options->tool->read_overview && !options->choice.caches &&
	       !options_read_input(options) && !options->check && !options->build_module;
}

/* Refuses options that only apply to a run, because nothing is traced. */
static bool check_overview(const Options *options, GError **error)
{
	if (!(options->output.renderer->reports & RENDERS(REPORT_SLAB_CACHES)))
		return option_fail(error, "--format=%s shows stacks: add a CACHE, or '*' for all",
				   options->output.renderer->name);
	if (options->sort_given && !options->output.slab_order) {
		g_autofree char *names = slab_order_names(" or ");

		return option_fail(error, "-s %s ranks what is traced: without a CACHE, use %s",
				   options->view.sort->name, names);
	}
	for (guint i = 0; i < options->given->len; i++) {
		const OptionRow *row = g_ptr_array_index(options->given, i);

		if (!g_strv_contains(options->tool->overview_options, row->long_name))
			return option_fail(error,
					   "--%s has no effect without a CACHE: add a name, or '*' "
					   "for all",
					   row->long_name);
	}
	return true;
}

/* What --by needs of the held objects, their default order, and the default events: memory is what
   is missed, and most leaks are of objects with a slab cache of their own. */
static void finish_held(Options *options)
{
	const bool by_freer = dimensions_have(options->view.by, "free-callsite");

	if (options->live.request.what.held && !options->live.events_replaced)
		options->live.request.what.events |= PROBE_CACHE;
	options->choice.held.by_age = dimensions_have(options->view.by, "age");
	options->choice.held.by_freer = by_freer;
	if (by_freer && options->view.sort == &metrics[METRIC_ALLOCATIONS])
		options->view.sort = &metrics[METRIC_FREED];
	else if (options->live.request.what.held && !options->sort_given)
		options->view.sort = &metrics[METRIC_HELD_BYTES];
}

/* Rows are compared: without --by, those that the format divides stacks into, or the stacks. */
static void compare_stacks(Options *options)
{
	const Renderer *renderer = options->output.renderer;
	const char *parts = renderer->parts && !(renderer->traits & RENDER_STACKS_COMPARED)
				    ? renderer->parts
				    : "stack";

	if (options->output.diff && !options->view.by[0])
		dimensions_choose(parts, options->tool->bit == TOOL_STACK_TOP, options->view.by);
}

static bool needs_lines(const Options *options)
{
	return options->lines.are_shown || options->lines.with_source ||
	       options->lines.missing_debuginfo || dimensions_have_lines(options->view.by);
}

/* Pieces that end by time share the bound of the recording. */
static bool share_record_max(LiveOptions *live, GError **error)
{
	CollectRequest *request = &live->request;

	request->record.bytes_max /= request->record.pieces;
	if (request->record.bytes_max >= OPTION_PIECE_BYTES_MIN)
		return true;
	return option_fail(error,
			   "--record-rotate: %u pieces share --record-max, and each needs 8M: use "
			   "--record-max=%" G_GUINT64_FORMAT "M or more",
			   request->record.pieces,
			   (uint64_t)request->record.pieces * (OPTION_PIECE_BYTES_MIN >> 20));
}

Options *options_parse(const Tool *tool, int argc, char **argv, GError **error)
{
	g_autoptr(Options) options = options_new(tool);
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	char **behind = NULL;

	for (int i = 0; i < argc && !behind; i++) {
		if (i && g_str_equal(argv[i], "--"))
			behind = argv + i + 1;
		else
			g_ptr_array_add(words, argv[i]);
	}
	g_ptr_array_add(words, NULL);
	options->live.request.labels.command_line = command_quote(argv);
	if (!parse_words(options, (char **)words->pdata, error))
		return NULL;
	if (options->help || options->version)
		return g_steal_pointer(&options);
	for (guint i = 0; i < options->input.kernel_files->len; i++)
		options->input.kernel.files[i] = options->input.kernel_files->pdata[i];
	options->lines.are_needed = needs_lines(options);
	if (!take_command(&options->live, behind, error) || !option_rules_check(options, error))
		return NULL;
	if (!options->live.request.record.bytes_max)
		options->live.request.record.bytes_max = RECORD_BYTES_DEFAULT;
	if (options->live.request.record.piece_ns && !share_record_max(&options->live, error))
		return NULL;
	bound_stream(options);
	option_rate_finish(options);
	options->overview = is_overview(options);
	if (options->overview && !check_overview(options, error))
		return NULL;
	if (!options->overview && options->output.slab_order) {
		option_fail(error,
			    "-s %s ranks all caches of the host: it goes with no CACHE and no -i",
			    options->output.slab_order->name);
		return NULL;
	}
	if (tool->by && !options->view.by[0] && !options->output.renderer->parts &&
	    !dimensions_parse(tool->by, false, options->view.by, error))
		return NULL;
	compare_stacks(options);
	g_ptr_array_sort(options->view.filters, compare_filters);
	finish_held(options);
	g_ptr_array_add(options->lines.debuginfo, NULL);
	add_cell_filters(options);
	options->live.request.whose.pids = options->live.pids;
	if (options->live.pids->len)
		options->live.request.whose.scope = COLLECT_SCOPE_PIDS;
	else if (options->live.only_command)
		options->live.request.whose.scope = COLLECT_SCOPE_COMMAND;
	if (tool->finish && !tool->finish(options, error))
		return NULL;
	return g_steal_pointer(&options);
}
