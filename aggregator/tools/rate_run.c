/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/rate_run.h"

#include "report/rate_json.h"
#include "report/rate_text.h"
#include "tools/cache_choice.h"
#include "tools/rate_feed.h"
#include "tools/text_writer.h"

#include <sys/ioctl.h>
#include <unistd.h>

/* Of the bound of all tables: two or three intervals are open at a time. */
enum { INTERVALS_AT_ONCE = 4 };

typedef struct {
	Options *options;
	Session *session;
	RateFeed *feed;
	TextWriter *writer;
	RateLayout layout;
	bool any;      /* table was given */
	uint64_t left; /* tables that are still to be printed */
	uint64_t lost; /* of all tables */
	GError *error;
} RateRun;

/* Returns the columns of the terminal; 0: stdout is none. */
static unsigned terminal_width(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

static void print_table(RateRun *run, const RateTable *table)
{
	const RateOptions *rate = &run->options->rate;
	const RunInfo *info = run->session->info;
	g_autoptr(GString) text = g_string_new(NULL);

	run->layout.width = terminal_width();
	if (rate->json) {
		rate_json_append(text, table, info, &run->layout);
	} else {
		if (!run->any && !run->options->quiet)
			rate_text_append_head(text, info, &run->layout);
		rate_text_append(text, table, &run->layout);
	}
	text_writer_give(run->writer, g_string_free(g_steal_pointer(&text), FALSE));
}

static void take_table(RateTable *given, void *user_data)
{
	RateRun *run = user_data;
	g_autoptr(RateTable) table = given;

	if (!run->left)
		return;
	print_table(run, table);
	run->any = true;
	run->lost += table->events_lost;
	run->left--;
	if (text_writer_has_ended(run->writer))
		run->left = 0;
	/* What a live run has begun is read to its end. */
	run->session->enough = !run->left && run->options->input;
}

/* What the caches asked for are called in this stream is known when its first interval ends. */
static bool choose_caches(RateRun *run)
{
	if (!run->options->input || run->any ||
	    cache_choice_of_stream(run->options, run->session, CACHES_SO_FAR, &run->error))
		return true;
	run->left = 0;
	run->session->enough = true;
	return false;
}

static void take_first_table(void *user_data)
{
	choose_caches(user_data);
}

static void want_column(RateFeedOptions *feed, const RateColumn *column)
{
	feed->wants_frees |= column->needs_frees;
	feed->wants_processes |= column->needs_processes;
	feed->wants_slabinfo |= column->needs_slabinfo;
}

static void *begin(Options *options, Session *session, GError **error)
{
	RateRun *run = g_new0(RateRun, 1);
	const RateOptions *rate = &options->rate;
	RateFeedOptions feed = {
		.interval_s = rate->interval_s,
		.sort = rate->sort,
		.cells = options->cells,
		.bytes_max = options->memory_bytes_max / INTERVALS_AT_ONCE,
		.paced = options->input && rate->recorded_speed,
		.before_first = take_first_table,
		.sink = take_table,
		.user_data = run,
	};

	(void)error;
	want_column(&feed, rate->sort);
	for (guint i = 0; rate->columns[i]; i++)
		want_column(&feed, rate->columns[i]);
	run->options = options;
	run->session = session;
	run->left = rate->count ? rate->count : UINT64_MAX;
	run->layout = (RateLayout){
		.columns = rate->columns,
		.rows_max = rate->rows_max,
		.per_second = rate->per_second,
		.interval_s = rate->interval_s,
	};
	run->writer = text_writer_new(options->input != NULL);
	run->feed = rate_feed_new(session, &feed);
	return run;
}

static bool tick(Session *session, void *state)
{
	RateRun *run = state;

	(void)session;
	rate_feed_tick(run->feed);
	return run->left && !text_writer_has_ended(run->writer);
}

static bool end(void *state, bool *complete, GError **error)
{
	RateRun *run = state;
	bool written;

	rate_feed_finish(run->feed);
	*complete = !run->lost;
	written = text_writer_finish(run->writer, run->error ? NULL : error);
	rate_feed_free(run->feed);
	if (run->error)
		g_propagate_error(error, g_steal_pointer(&run->error));
	written &= !*error;
	g_free(run);
	return written;
}

const ToolStream rate_run_stream = {
	.begin = begin,
	.tick = tick,
	.end = end,
};
