/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program's side of the screen: gives tables and details, obeys the commands of the user (sort,
 * open a cache, record), and ends what it started beside. Belongs to the first thread.
 */
#include "record/format.h"
#include "tools/rate_run.h"

#include "base/clock.h"
#include "import/input.h"
#include "record/probe_kinds.h"
#include "screen/screen.h"
#include "tools/drill.h"
#include "tools/suite_child.h"
#include "tools/tool.h"

#include <unistd.h>

enum {
	POLL_US = 100000,
	KEPT_SHARE = 8, /* of --max-memory, for the earlier tables of a recording */
};

/* How often the details of a cache are updated from the stream: it takes as long as a report. */
#define DETAIL_NS 2000000000ULL
#define DIMENSION_DEFAULT "process"

struct RateScreen {
	Screen *screen;
	ScreenOptions shown; /* borrowed by the screen */
	Options *options;
	Session *session;
	char *covers;
	SuiteRequest beside;
	GArray *left_out;     /* (element-type guint32): parallel collecting processes */
	Drill *drill;         /* NULL: none */
	GPtrArray *left;      /* (element-type Drill), owned: drills that are ending */
	SuiteChild *recorder; /* NULL: no recording */
	/* The open cache, if its stacks are in the stream itself; NULL: none. */
	char *cache;
	const Dimension *key;
	uint64_t detail_ns; /* when it was last shown */
};

bool rate_screen_is_wanted(const Options *options)
{
	const RateOptions *rate = &options->rate;
	bool reads_stdin = options->input.path && g_str_equal(options->input.path, "-");
	const char *terminal = g_getenv("TERM");
	/* Else it only prints lines. */
	bool can_draw = terminal && *terminal && !g_str_equal(terminal, "dumb");

	return can_draw && isatty(STDOUT_FILENO) && (isatty(STDIN_FILENO) || reads_stdin) &&
	       !rate->batch && !rate->no_clear && options->output.renderer == &renderers[0] &&
	       !rate->count;
}

/* Returns the end of the part of the recording that is read, on its clock; 0: unknown. */
static uint64_t recorded_end_ns(const InputOptions *input)
{
	g_autoptr(RunInfo) info = run_info_new();

	if (input->is_sliced)
		run_info_set_slice(info, input->slice);
	input_read_info(input->path, info);
	return run_info_number(info, KMT_FIELD_WINDOW_END_NS,
			       run_info_number(info, KMT_FIELD_RUN_END_NS, 0));
}

RateScreen *rate_screen_new(Options *options, Session *session, GError **error)
{
	RateScreen *screen = g_new0(RateScreen, 1);
	const RateOptions *rate = &options->rate;
	g_autofree char *kinds = probe_kinds_names(options->live.request.what.events);
	g_auto(GStrv) events = g_strsplit(kinds, ",", -1);

	screen->options = options;
	screen->session = session;
	screen->shown = (ScreenOptions){
		.program = options->tool->name,
		.columns = rate->columns,
		.sort = rate->sort,
		.interval_s = rate->interval_s,
		.per_second = rate->per_second,
		.recorded = options->input.path,
		.recorded_end_ns = options->input.path ? recorded_end_ns(&options->input) : 0,
		.kept_bytes_max = options->memory_bytes_max / KEPT_SHARE,
		.stacks = options->live.request.what.stack_depth > 0,
		.behind_from_start =
			options->live.request.what.stack_depth > 0 || options->input.path,
		.collector = options->input.path ? "file" : options->live.collector->name,
	};

	screen->covers = g_strjoinv(", ", events);
	screen->left_out = g_array_new(FALSE, FALSE, sizeof(guint32));
	screen->left = g_ptr_array_new_with_free_func((GDestroyNotify)drill_stop);
	screen->key = rate_detail_key(DIMENSION_DEFAULT);
	screen->beside = (SuiteRequest){
		.like = &options->live.request,
		.collector = options->live.collector,
		.cgroup = options->choice.cgroup,
	};
	options->live.request.whose.left_out_pids = screen->left_out;
	screen->shown.covers = options->input.path ? "what was recorded" : screen->covers;
	screen->screen = screen_start(&screen->shown, error);
	if (screen->screen)
		return screen;
	rate_screen_free(screen);
	return NULL;
}

void rate_screen_give(RateScreen *screen, RateTable *table)
{
	screen_give_table(screen->screen, table);
}

static void close_cache(RateScreen *screen)
{
	g_clear_pointer(&screen->cache, g_free);
	if (!screen->drill)
		return;
	drill_leave(screen->drill);
	g_ptr_array_add(screen->left, g_steal_pointer(&screen->drill));
}

static void start_drill(RateScreen *screen, const char *cache)
{
	const DrillRequest request = {
		.beside = screen->beside,
		.cache = cache,
		.key = screen->key,
		.memory_bytes_max = screen->options->memory_bytes_max,
		.cells = screen->options->choice.cells,
	};
	g_autoptr(GError) error = NULL;
	guint32 pid;

	screen->drill = drill_start(&request, &error);
	if (!screen->drill) {
		screen_give_detail(screen->screen, rate_detail_empty(cache, error->message));
		return;
	}
	pid = drill_pid(screen->drill);
	g_array_append_val(screen->left_out, pid);
}

static void open_cache(RateScreen *screen, const char *cache)
{
	close_cache(screen);
	screen->key = rate_detail_key(DIMENSION_DEFAULT);
	/* Without stacks in the stream itself. */
	if (!screen->options->input.path && !screen->options->live.request.what.stack_depth) {
		start_drill(screen, cache);
		return;
	}
	screen->cache = g_strdup(cache);
	screen->detail_ns = 0;
}

static void set_group(RateScreen *screen, const char *key)
{
	screen->key = rate_detail_key(key);
	screen->detail_ns = 0;
	if (screen->drill)
		drill_set_group(screen->drill, key);
}

static void show_detail(RateScreen *screen)
{
	uint64_t now_ns = clock_monotonic_ns();
	RateDetail *detail = NULL;

	if (screen->drill) {
		detail = drill_poll(screen->drill);
	} else if (screen->cache && now_ns - screen->detail_ns >= DETAIL_NS) {
		screen->detail_ns = now_ns;
		detail = session_detail_new(screen->session, screen->cache, screen->key,
					    screen->options->choice.cells);
	}
	if (detail)
		screen_give_detail(screen->screen, detail);
}

static void forget_pid(RateScreen *screen, guint32 pid)
{
	for (guint i = screen->left_out->len; i-- > 0;)
		if (g_array_index(screen->left_out, guint32, i) == pid)
			g_array_remove_index_fast(screen->left_out, i);
}

static void start_recording(RateScreen *screen, const char *path)
{
	g_autoptr(GError) error = NULL;
	guint32 pid;

	if (screen->options->input.path)
		g_set_error_literal(&error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
				    "this is already a recording");
	else
		screen->recorder = suite_recording_start(path, &screen->beside, &error);
	if (!screen->recorder) {
		screen_set_recording(screen->screen, NULL);
		screen_say(screen->screen, error->message);
		return;
	}
	screen_set_recording(screen->screen, path);
	pid = suite_child_pid(screen->recorder);
	g_array_append_val(screen->left_out, pid);
}

/* The recorder may have ended on its own: at its bound, or on failure. */
static void end_recorder(RateScreen *screen)
{
	g_autoptr(GError) error = NULL;

	if (!screen->recorder || !suite_child_wait(screen->recorder, 0))
		return;
	forget_pid(screen, suite_child_pid(screen->recorder));
	screen_set_recording(screen->screen, NULL);
	if (suite_recording_stop(g_steal_pointer(&screen->recorder), &error))
		screen_say(screen->screen, "the recording has ended");
	else
		screen_say(screen->screen, error->message);
}

/* Executes a command of the user. Returns false to quit. */
static bool rate_screen_obey(RateScreen *screen, RateFeed *feed, const ScreenCommand *command)
{
	switch (command->kind) {
	case SCREEN_QUIT:
		return false;
	case SCREEN_INTERVAL:
		rate_feed_set_interval(feed, command->seconds);
		break;
	case SCREEN_OPEN:
		open_cache(screen, command->text);
		break;
	case SCREEN_CLOSE:
		close_cache(screen);
		break;
	case SCREEN_GROUP:
		set_group(screen, command->text);
		break;
	case SCREEN_RECORD:
		if (!screen->recorder)
			start_recording(screen, command->text);
		break;
	case SCREEN_STOP_RECORDING:
		if (screen->recorder)
			suite_recording_leave(screen->recorder);
		break;
	case SCREEN_HOLD:
		rate_feed_set_pace(feed, RATE_FEED_HELD);
		break;
	case SCREEN_PLAY:
		rate_feed_set_pace(feed, RATE_FEED_PACED);
		break;
	case SCREEN_STEP:
		rate_feed_set_pace(feed, RATE_FEED_STEP);
		break;
	case SCREEN_TO_END:
		rate_feed_set_pace(feed, RATE_FEED_FAST);
		break;
	case SCREEN_NOTHING:
		break;
	}
	return true;
}

bool rate_screen_poll(RateScreen *screen, RateFeed *feed)
{
	ScreenCommand command;
	bool goes_on = true;

	while (goes_on && screen_next_command(screen->screen, &command)) {
		goes_on = rate_screen_obey(screen, feed, &command);
		g_free(command.text);
	}
	for (guint i = screen->left->len; i-- > 0;) {
		Drill *drill = g_ptr_array_index(screen->left, i);

		if (!drill_is_over(drill))
			continue;
		forget_pid(screen, drill_pid(drill));
		g_ptr_array_remove_index_fast(screen->left, i);
	}
	end_recorder(screen);
	show_detail(screen);
	return goes_on;
}

void rate_screen_linger(RateScreen *screen, RateFeed *feed)
{
	screen_end_recorded(screen->screen);
	while (rate_screen_poll(screen, feed))
		g_usleep(POLL_US);
}

void rate_screen_free(RateScreen *screen)
{
	g_autoptr(GError) error = NULL;

	if (screen->screen)
		screen_end(screen->screen);
	close_cache(screen);
	g_ptr_array_unref(screen->left);
	if (screen->recorder && !suite_recording_stop(screen->recorder, &error))
		g_printerr("%s: %s\n", g_get_prgname(), error->message);
	screen->options->live.request.whose.left_out_pids = NULL;
	g_array_unref(screen->left_out);
	g_free(screen->covers);
	g_free(screen);
}
