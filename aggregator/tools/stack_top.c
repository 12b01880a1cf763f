/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command stack-top: presets and probe points from its words, what a recording takes over of
 * its live view, --list, and main().
 */
#include "record/format.h"
#include "collect/tracefs/tracefs.h"
#include "collect/points/point_set.h"
#include "collect/run/collect_live.h"
#include "collect/run/collector_types.h"
#include "options/option_values.h"
#include "probes/preset_list.h"
#include "tools/tool.h"

#include <string.h>
#include <unistd.h>

static bool take_probe(Options *options, const char *word, GError **error)
{
	(void)error;
	g_ptr_array_add(options->points.words, g_strdup(word));
	return true;
}

/* Whether the first word is a preset: its name has no ':', which all probe points have. */
static bool names_preset(const PointOptions *points)
{
	const char *word = points->words->len ? points->words->pdata[0] : ":";

	return strchr(word, '/') ? g_str_has_suffix(word, ".preset") && !strchr(word, ':')
				 : !strpbrk(word, ":(");
}

static bool preset_and_more(const Options *options)
{
	return names_preset(&options->points) && options->points.words->len > 1;
}

static const OptionRule rules[] = {
	{ "input PROBES|begin|end|weight|where|print|user-stacks", NULL,
	  "a recording has its probe points: use -i without PRESET, PROBE, "
	  "--weight, --where, --print, --begin, --end and --user-stacks" },
	{ "begin|end !begin|!end", NULL, "--begin and --end belong together: give both" },
	{ "begin PROBES", NULL,
	  "--begin and --end are the probe points: leave out PRESET and PROBE" },
	{ "PROBES", preset_and_more,
	  "a preset stands alone: leave out the other words, or name probe points "
	  "only" },
	{ "!input !list !PROBES !begin !end", NULL,
	  "name a preset or a probe point; --list shows the presets" },
	{ "kernel-only user-only", NULL, "-K and -U leave nothing: use one of them" },
	{ NULL, NULL, NULL },
};

static Preset *preset_of_words(Options *options, GError **error)
{
	const char *const ends[] = { options->points.end, NULL };

	if (options->points.begin)
		return preset_of_probes(ends, options->points.begin, error);
	if (names_preset(&options->points))
		return preset_find(NULL, options->points.words->pdata[0], error);
	g_ptr_array_add(options->points.words, NULL);
	return preset_of_probes((const char *const *)options->points.words->pdata, NULL, error);
}

/* How user stacks are walked: "dwarf,16384". */
static bool choose_user_walk(LiveOptions *live, const char *asked, GError **error)
{
	enum { BYTES_DEFAULT = 16384, BYTES_MIN = 512, BYTES_MAX = 61440, UNIT = 8 };
	guint64 bytes = BYTES_DEFAULT;

	if (!asked || g_str_equal(asked, "fp") || g_str_equal(asked, "none"))
		return true;
	if (!g_str_has_prefix(asked, "dwarf") || (asked[5] && asked[5] != ','))
		return option_fail(error,
				   "--user-stacks: '%s' is not known; valid: fp, dwarf, "
				   "dwarf,BYTES, none",
				   asked);
	if (asked[5] &&
	    (!g_ascii_string_to_unsigned(asked + 6, 10, BYTES_MIN, BYTES_MAX, &bytes, NULL) ||
	     bytes % UNIT))
		return option_fail(error,
				   "--user-stacks: '%s': copies of stacks have %d to %d bytes, "
				   "a multiple of %d",
				   asked, BYTES_MIN, BYTES_MAX, UNIT);
	live->request.what.user_stack_bytes = (uint32_t)bytes;
	return true;
}

/* Which sides of stacks are recorded. */
static bool choose_stacks(Options *options, GError **error)
{
	const Preset *preset = options->points.preset;
	const char *asked =
		options->points.user_stacks ? options->points.user_stacks : preset->user_stacks;
	PresetStacks sides = preset->stacks;
	bool kernel = sides == PRESET_STACKS_BOTH || sides == PRESET_STACKS_KERNEL;
	bool user = sides == PRESET_STACKS_BOTH || sides == PRESET_STACKS_USER;

	if (!choose_user_walk(&options->live, asked, error))
		return false;
	if (options->points.kernel_only || options->points.user_only) {
		kernel = options->points.kernel_only;
		user = options->points.user_only;
	}
	user &= !asked || !g_str_equal(asked, "none");
	options->live.request.what.user_depth = user ? STACK_DEPTH_DEFAULT : 0;
	if (!user)
		options->live.request.what.user_stack_bytes = 0;
	if (!kernel)
		options->live.request.what.stack_depth = 0;
	return true;
}

static bool set_formulas(PointOptions *points, GError **error)
{
	const struct {
		const char *option, *text;
		bool (*set)(Preset *preset, const char *text, GError **error);
	} given[] = {
		{ "--weight", points->weight, preset_set_weight },
		{ "--where", points->where, preset_set_where },
		{ "--print", points->columns, preset_set_columns },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(given); i++) {
		if (!given[i].text || given[i].set(points->preset, given[i].text, error))
			continue;
		g_prefix_error(error, "%s: ", given[i].option);
		return false;
	}
	return true;
}

/* Some presets observe a command or some processes only: the host has too many hits. */
static bool choose_scope(Options *options, GError **error)
{
	const Preset *preset = options->points.preset;
	CollectRequest *request = &options->live.request;

	if (!preset->needs || options->live.pids->len)
		return true;
	if (!request->command.words || !(preset->needs & PRESET_NEEDS_COMMAND))
		return option_fail(error, "%s is for single processes: add -p PID%s", preset->name,
				   preset->needs & PRESET_NEEDS_COMMAND ? " or -c CMD" : "");
	request->whose.scope = COLLECT_SCOPE_COMMAND;
	return true;
}

/* What the preset shows unless the user asks for something else. */
static bool choose_view(Options *options, GError **error)
{
	const Preset *preset = options->points.preset;
	const PresetPoint *first = preset->points->pdata[0];

	if (!options->sort_given && preset->view == PRESET_DURATIONS)
		options->view.sort = &metrics[METRIC_TIME];
	else if (!options->sort_given && first->weight.expression)
		options->view.sort = &metrics[METRIC_VALUE];
	return options->view.by[0] || !preset->by ||
	       dimensions_parse(preset->by, true, options->view.by, error);
}

/* Lets a recording know what its live run shows: the keys of the report, as of --by, and the rank.
   The keys of a comparison are not those of the run. */
static bool note_view(Options *options)
{
	GString *names = g_string_new(NULL);

	if (options->output.diff && dimensions_have(options->view.by, "stack"))
		g_string_append(names,
				options->points.preset->by ? options->points.preset->by : "");
	else
		for (const Dimension *const *key = options->view.by; *key; key++)
			g_string_append_printf(names, "%s%s", names->len ? "," : "", (*key)->name);
	options->points.keys = g_string_free(names, FALSE);
	options->live.request.labels.keys = options->points.keys;
	options->live.request.labels.rank = options->view.sort->name;
	return true;
}

/* Returns the metric that ranked the live report. Recordings up to 0.2.0 do not say so: it was the
   default. */
static const Metric *live_rank(const Session *session)
{
	const char *name = run_info_text(session->info, KMT_FIELD_RANK);
	const bool has_values = run_info_text(session->info, KMT_FIELD_VALUE_NAME);

	const Metric *rank = name ? metric_lookup(name, METRIC_OF_HITS) : NULL;
	const unsigned lacks =
		(has_values ? 0 : NEEDS_VALUES) | (session->durations ? 0 : NEEDS_TIMES);

	if (rank && metric_is_known(rank, lacks))
		return rank;
	return &metrics[session->durations ? METRIC_TIME
			: has_values       ? METRIC_VALUE
					   : METRIC_ALLOCATIONS];
}

static void take_live_view(Options *options, const Session *session)
{
	const char *names = run_info_text(session->info, KMT_FIELD_KEYS);
	const Metric *rank = live_rank(session);
	bool shows_stacks = options->output.renderer->traits & RENDER_STACKS;

	if (options->points.preset || options->view_is_chosen)
		return;
	if (!options->sort_given && (metric_adds_up(rank) || !shows_stacks))
		options->view.sort = rank;
	if (!names || !*names || options->view.by[0] || shows_stacks)
		return;
	if (!dimensions_parse(names, true, options->view.by, NULL))
		options->view.by[0] = NULL;
	options->lines.are_needed |= dimensions_have_lines(options->view.by);
}

/* What only perf events can do. */
static bool check_collector(Options *options, GError **error)
{
	const Preset *preset = options->points.preset;
	bool uses_stap = options->live.collector ? options->live.collector == &stap_collector
						 : !(preset->collectors & PRESET_BY_PERF);

	if (!uses_stap)
		return true;
	if (preset->view == PRESET_LIST)
		return option_fail(error, "SystemTap makes no lists of events: use "
					  "--collector=perf, or leave out --print");
	if (options->points.user_stacks && options->live.request.what.user_stack_bytes)
		return option_fail(error,
				   "--user-stacks=%s is for perf events: use --collector=perf, or "
				   "--user-stacks=fp",
				   options->points.user_stacks);
	if (preset->view == PRESET_DURATIONS && options->live.request.what.sampling_period > 1)
		return option_fail(error, "SystemTap samples no time spans: use --collector=perf, "
					  "or leave out --sample");
	/* The preset's own wish: frame pointers are the next best. */
	options->live.request.what.user_stack_bytes = 0;
	return true;
}

static bool stack_top_finish(Options *options, GError **error)
{
	if (options->input.path || options->points.list)
		return true;
	options->points.preset = preset_of_words(options, error);
	options->live.request.what.preset = options->points.preset;
	return options->points.preset && set_formulas(&options->points, error) &&
	       choose_stacks(options, error) && check_collector(options, error) &&
	       choose_scope(options, error) && choose_view(options, error) && note_view(options);
}

/* Appends whether this kernel has the points of a preset; else what is missing. */
static void append_availability(const Preset *preset, int kmem_folder_fd, GString *out)
{
	const PointHost host = { .root = "", .kmem_folder_fd = kmem_folder_fd };
	g_autoptr(GError) error = NULL;
	g_autoptr(PointSet) set = point_set_find(&host, preset, &error);

	if (error)
		g_string_append_printf(out, "not here: %s", error->message);
	else if (set->missing)
		g_string_append_printf(out, "in part: %s", set->missing);
}

/* A line for each preset; what this kernel lacks has a line below. Returns whether all could be
   read. */
static bool list_presets(FILE *out)
{
	enum { NAME_WIDTH = 12 };
	g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) presets = preset_list(NULL, problems);
	g_autoptr(GString) missing = g_string_new(NULL);
	int kmem_folder_fd = tracefs_open_kmem("", NULL);

	for (guint i = 0; i < presets->len; i++) {
		const Preset *preset = presets->pdata[i];

		g_string_truncate(missing, 0);
		append_availability(preset, kmem_folder_fd, missing);
		fprintf(out, "%-*s %s\n", NAME_WIDTH, preset->name, preset->title);
		if (missing->len)
			fprintf(out, "%-*s   %s\n", NAME_WIDTH, "", missing->str);
	}
	for (guint i = 0; i < problems->len; i++)
		fprintf(stderr, "%s: %s\n", g_get_prgname(), (const char *)problems->pdata[i]);
	if (kmem_folder_fd >= 0)
		close(kmem_folder_fd);
	return !problems->len;
}

static const ToolExample examples[] = {
	{ "Who waits for memory to be reclaimed, and for how long", "stack-top reclaim -d 60" },
	{ "Which code of a program causes page faults", "stack-top faults -p 1234 -d 10" },
	{ "Pages allocated in ten seconds, by call path",
	  "stack-top t:kmem:mm_page_alloc --weight='pages(order)' -K -d 10" },
	{ "What may be observed with a short name", "stack-top --list" },
	{ NULL, NULL },
};

static const Tool stack_top = {
	.name = "stack-top",
	.usage = "PRESET|PROBE... [OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose = "Ranks the kernel and user stacks that reach any probe point:\n"
		   "t:GROUP:NAME, sw:NAME, k:FUNCTION, kr:FUNCTION, u:FILE:SYMBOL,\n"
		   "ur:FILE:SYMBOL, usdt:FILE:PROVIDER:NAME, or a preset with a short name.",
	.examples = examples,
	.bit = TOOL_STACK_TOP,
	.take_word = take_probe,
	.rules = rules,
	.finish = stack_top_finish,
	.take_live_view = take_live_view,
	.list = list_presets,
	.report = REPORT_STACKS,
	.shows_memory = true,
};

int main(int argc, char **argv)
{
	return tool_main(&stack_top, argc, argv);
}
