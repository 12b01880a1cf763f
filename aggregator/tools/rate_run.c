/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run of slabratetop: its feed, and one of three outlets: screen, writer or file. Also judges a
 * recording's frees by reading it twice. A ToolStream that tool.c drives.
 */
#include "tools/rate_run.h"

#include "record/format.h"
#include "collect/run/collector_types.h"
#include "base/number_text.h"
#include "base/text_stream.h"
#include "import/input.h"
#include "names/cache_names.h"
#include "render/text/render_text.h"
#include "render/formats/renderers.h"
#include "session/losses.h"
#include "session/session.h"
#include "rates/net_check.h"
#include "tools/tool_input.h"
#include "tools/warnings.h"
#include "tools/rate_feed.h"
#include "tools/report_input.h"
#include "tools/text_writer.h"

#include <unistd.h>

enum { PAGE_BYTES = 4096 }; /* pages of slabs are not checked */

static void count_cells(const Session *session, NetCheck *check)
{
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);

	for (uint32_t i = 0; i < profile_cell_count(session->profile); i++) {
		const ProfileCell *cell = profile_cell(session->profile, i);
		const ProfileOrigin *origin = profile_origin(session->profile, cell->origin);
		const char *name = cache_names_of(caches, origin).name;

		if (name)
			net_check_count(check, name, origin->free ? 0 : cell->events,
					origin->free ? cell->events : 0);
	}
}

static Slabinfo *reading_of(const Session *session, enum KmtReading reading)
{
	const GString *text = run_text_of(session->text, KMT_BATCH_SLABINFO, reading);

	return text ? slabinfo_new(text, PAGE_BYTES) : NULL;
}

/* Reads a whole recording, and compares each cache's total (allocations minus frees) with the
   readings of /proc/slabinfo at its start and end. Returns the verdicts, or NULL if the file cannot
   be read twice. The caller frees them. */
static NetCheck *judge_recording(const char *path, size_t memory_bytes_max)
{
	g_autoptr(Session) session = NULL;
	g_autoptr(NetCheck) check = NULL;
	g_autoptr(Slabinfo) end = NULL;
	NetReading reading;
	Losses losses;

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return NULL;
	session = session_new(memory_bytes_max);
	if (!input_read(path, session, NULL))
		return NULL;
	check = net_check_new((unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1));
	end = reading_of(session, KMT_READING_END);
	losses = losses_of(session);
	reading = (NetReading){ .slabinfo = end, .events_lost = losses_all(&losses).high };
	net_check_set_start(check, reading_of(session, KMT_READING_START));
	count_cells(session, check);
	net_check_judge(check, &reading);
	return g_steal_pointer(&check);
}

typedef struct {
	Options *options;
	Session *session;
	RateFeed *feed;
	/* The output of tables: one of these. */
	RateScreen *screen;
	TextWriter *writer;
	TextFile *file;
	RateLayout layout;
	RateTotals *totals;   /* owned; NULL: the output does not show them */
	NetCheck *net_judged; /* owned; of a recording that can be read twice; NULL: none */
	bool any;             /* at least one table was delivered */
	bool has_rows;        /* at least one table was not empty */
	bool headed;          /* the lines before the first table were printed */
	uint64_t left;        /* number of tables still to print */
	GError *error;
} RateRun;

static void add_to_totals(RateRun *run, const RateTable *table)
{
	const Losses losses = losses_of(run->session);
	const LossTotals counted = loss_ledger_totals(run->session->loss);

	rate_totals_add(run->totals, table,
			&(RateRunCounters){
				.events_received = losses_received(run->session),
				.events_lost = losses_all(&losses),
				.untraced_ns = losses.untraced_ns,
				.probe_ns = MIN(counted.probe_ns, counted.probe_span_ns),
				.slabinfo = rate_feed_slabinfo(run->feed),
			});
}

static void give_text(RateRun *run, char *text)
{
	if (run->file) {
		text_file_give(run->file, text);
		return;
	}
	run->headed = true;
	text_writer_give(run->writer, text);
}

/* On a terminal, the default is as many rows as fit. */
static void fit_rows(RateRun *run, const RateTable *table, TerminalSize terminal)
{
	static const char *const rows[] = { "rows", NULL };
	/* Notes and titles, the sum, a prompt; notes of a run that takes fewer events. */
	enum { OTHER_LINES = 14, LINES_OF_SAMPLES = 4, ROWS_MIN = 3 };
	const uint64_t others = OTHER_LINES + (table->sampling_period > 1 ? LINES_OF_SAMPLES : 0);

	run->layout.width = terminal.columns;
	if (terminal.lines && !options_are_given(run->options, rows))
		run->layout.rows_max = CLAMP((uint64_t)terminal.lines, others + ROWS_MIN,
					     others + run->options->rate.rows_max) -
				       others;
}

static void print_table(RateRun *run, const RateTable *table)
{
	const Options *options = run->options;
	const IntervalSource interval = {
		.table = table,
		.layout = &run->layout,
		.totals = run->totals,
		.is_first = !run->headed,
	};
	const ReportSource source = {
		.command = options->tool->name,
		.session = run->session,
		.quiet = options->output.quiet,
		.show_host = true,
		.interval = &interval,
	};
	g_autoptr(ReportModel) model = report_model_new(REPORT_INTERVAL, &source);
	TextStream stream;

	fit_rows(run, table, terminal_size());
	text_stream_open(&stream);
	options->output.renderer->render(model, stream.out);
	give_text(run, text_stream_close(&stream));
}

/* Whether the reader of the output has left. */
static bool nobody_reads(const RateRun *run)
{
	return run->writer && text_writer_has_ended(run->writer);
}

/* No more tables are printed, and no more of the stream is read. */
static void stop_reading(RateRun *run)
{
	run->left = 0;
	run->session->enough = true;
}

static void take_table(RateTable *given, void *user_data)
{
	RateRun *run = user_data;
	g_autoptr(RateTable) table = given;

	if (!run->left)
		return;
	/* A recording's sampling may begin in its middle. */
	if (!tool_can_show(run->options, run->session, &run->error)) {
		stop_reading(run);
		return;
	}
	run->any = true;
	run->has_rows |= table->rows->len > 0;
	if (run->screen) {
		rate_screen_give(run->screen, g_steal_pointer(&table));
		return;
	}
	if (run->totals)
		add_to_totals(run, table);
	print_table(run, table);
	run->left--;
	if (nobody_reads(run))
		run->left = 0;
	/* A live run is always read to its end. */
	run->session->enough = !run->left && run->options->input.path;
}

/* The stream's names of the requested caches are known when its first interval ends. */
static void take_first_table(void *user_data)
{
	RateRun *run = user_data;

	if (run->options->input.path && !run->any &&
	    !cache_choice_of_stream(run->options, run->session, CACHES_SO_FAR, &run->error))
		stop_reading(run);
}

/* The user decides when the run ends. */
static bool poll_screen(void *user_data)
{
	RateRun *run = user_data;

	const bool was_interrupted = run->options->input.path && input_is_interrupted();

	if (run->left && (was_interrupted || !rate_screen_poll(run->screen, run->feed))) {
		run->left = 0;
		run->session->enough = run->options->input.path;
	}
	return run->left;
}

/* Opens the output of tables. Returns false with error set on failure. */
static bool open_outlet(RateRun *run, GError **error)
{
	if (run->options->rate.textfile) {
		run->file = text_file_new(run->options->rate.textfile, error);
		return run->file;
	}
	if (!rate_screen_is_wanted(run->options)) {
		run->writer = text_writer_new(run->options->input.path != NULL, "table");
		return true;
	}
	run->options->output.quiet = run->options->live.request.terminal.quiet = true;
	run->options->live.request.terminal.prompt = false;
	run->options->live.request.terminal.reads_keys = true;
	run->screen = rate_screen_new(run->options, run->session, error);
	return run->screen;
}

/* Only sums are shown, so one record may stand for several events. A recording keeps each event. */
static uint32_t repeat_ns(const LiveOptions *live)
{
	return live->collector != &stap_collector || live->request.what.stack_depth ||
			       live->request.record.path || live->request.what.held
		       ? 0
		       : RATE_GRAIN_NS;
}

/* Whether the counts are used beyond tables: for stacks. */
static bool looks_behind(const Options *options)
{
	return options->input.path || options->live.request.what.stack_depth;
}

/* Returns what the tables need. Counters are of all that is known. */
static unsigned needs_of(const Options *options)
{
	const RateOptions *rate = &options->rate;
	unsigned needs = rate->sort->needs;

	if (options->output.renderer->traits & RENDER_TOTALS)
		needs |= NEEDS_FREES | NEEDS_SLABINFO;
	for (guint i = 0; rate->columns[i]; i++)
		needs |= rate->columns[i]->needs;
	return needs;
}

static void *rate_run_begin(Options *options, Session *session, GError **error)
{
	RateRun *run = g_new0(RateRun, 1);
	const RateOptions *rate = &options->rate;
	RateFeedOptions feed = {
		.interval_s = rate->interval_s,
		.sort = rate->sort,
		.cells = options->choice.cells,
		.counts_all = looks_behind(options),
		.bytes_max = memory_budget_floor(session->memory, MEMORY_INTERVALS),
		.pace = options->input.path && rate->recorded_speed ? RATE_FEED_PACED
								    : RATE_FEED_FAST,
		.recorded = options->input.path != NULL,
		.before_first = take_first_table,
		.sink = take_table,
		.user_data = run,
	};

	feed.needs = needs_of(options);
	options->live.request.what.repeat_ns = repeat_ns(&options->live);
	run->options = options;
	run->session = session;
	run->left = rate->count ? rate->count : UINT64_MAX;
	run->layout = (RateLayout){
		.columns = rate->columns,
		.rows_max = rate->rows_max,
		.per_second = rate->per_second,
		.human = options->output.human,
		.interval_s = rate->interval_s,
	};
	if (!open_outlet(run, error)) {
		g_free(run);
		return NULL;
	}
	if (options->output.renderer->traits & RENDER_TOTALS)
		run->totals = rate_totals_new();
	/* A recording at full speed would be over before the user can read it. */
	if (options->input.path && run->screen && !rate->speed_given)
		feed.pace = RATE_FEED_PACED;
	if (feed.needs & NEEDS_NET && options->input.path)
		run->net_judged = judge_recording(options->input.path, options->memory_bytes_max);
	feed.net_judged = run->net_judged;
	feed.waiting = run->screen ? poll_screen : NULL;
	run->feed = rate_feed_new(session, &feed);
	return run;
}

static bool rate_run_tick(Session *session, void *state)
{
	RateRun *run = state;

	(void)session;
	rate_feed_tick(run->feed);
	if (run->screen)
		return poll_screen(run);
	return run->left && !nobody_reads(run);
}

static bool close_outlet(RateRun *run, GError **error)
{
	if (run->file)
		return text_file_finish(run->file, run->error ? NULL : error);
	if (run->writer)
		return text_writer_finish(run->writer, run->error ? NULL : error);
	if (run->left && run->options->input.path && run->any)
		rate_screen_linger(run->screen, run->feed);
	rate_screen_free(run->screen);
	return true;
}

/* Empty tables look like a quiet host, so the reports' words explain them. */
static void say_nothing_left(const RateRun *run)
{
	uint64_t events = session_totals(run->session).events;
	g_autoptr(GString) line = g_string_new("Nothing to show: ");

	if (!run->any || run->has_rows)
		return;
	if (events) {
		append_count(line, events);
		g_string_append(line, events == 1 ? " event" : " events");
		g_string_append(line, " seen, but all left out");
	} else {
		g_string_append(line, "no event matched; a longer run or a wider scope would "
				      "show more");
	}
	g_printerr("%s: %s\n", g_get_prgname(), line->str);
}

static bool rate_run_end(void *state, GError **error)
{
	RateRun *run = state;
	const CollectRequest *request = &run->options->live.request;
	g_autoptr(Facts) facts = NULL;
	bool written;

	rate_feed_finish(run->feed);
	written = close_outlet(run, error);
	say_nothing_left(run);
	/* Some reasons are known only after the last table, when the screen is closed. */
	fact_lines_print_incomplete(run->session, run->options);
	/* The tables do not show the result of comparing. */
	facts = facts_new(run->session, false);
	if (request->stap.walk == STACK_WALK_COMPARE)
		fact_line_print(facts, append_walks_line);
	if (request->what.cache_names == CACHE_NAMES_COMPARE)
		fact_line_print(facts, append_compared_names_line);
	rate_feed_free(run->feed);
	net_check_free(run->net_judged);
	rate_totals_free(run->totals);
	if (run->error)
		g_propagate_error(error, g_steal_pointer(&run->error));
	written &= !*error;
	g_free(run);
	return written;
}

const ToolStream rate_run_stream = {
	.begin = rate_run_begin,
	.tick = rate_run_tick,
	.end = rate_run_end,
};
