/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tap and sink of a session that makes a table for each interval: intervals in count/, readings
 * of slabinfo, losses and cost since the table before, pace of a recording. Tables go to a function
 * of its user.
 */
#include "tools/rate_feed.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/clock.h"
#include "collect/facts/memory_facts.h"
#include "count/intervals.h"
#include "report/held_check.h"
#include "rates/rate_table.h"
#include "session/losses.h"

#include <unistd.h>

enum { NS_PER_S = 1000000000, WAIT_US = 100000 };

/* How long a live table waits for a CPU that sends nothing. A recording needs no wait. */
#define LATE_NS (NS_PER_S / 2)
#define RECORDED_LATE_NS (10ULL * NS_PER_S)
#define TEXT_LATE_NS (NS_PER_S / 5)
#define SLABINFO_AGE_NS (5ULL * NS_PER_S)
#define SLABINFO_LATE_NS (1ULL * NS_PER_S)
#define SLABINFO_AGE_OF_NET_NS (1ULL * NS_PER_S)

struct RateFeed {
	RateFeedOptions options;
	Session *session;
	Intervals *intervals; /* owned */
	bool begun;           /* at least one table was delivered */
	bool kfree_is_blind;  /* as in RateTable */
	uint64_t start_ns;    /* of the intervals; UINT64_MAX: not begun */
	uint64_t latest_ns;   /* the newest time in a batch */
	/* At the previous table. */
	LossRange events_lost;
	uint64_t probe_ns;
	uint64_t probe_span_ns;
	RateFeedPace pace;
	/* Reference points of a paced recording's clock; paced_at_ns 0: none yet. */
	uint64_t paced_from_ns;
	uint64_t paced_at_ns;
	Slabinfo *slabinfo;    /* owned; NULL: none */
	const Slabinfo *shown; /* what the newest table shows of it; NULL: nothing */
	uint64_t slabinfo_ns;
	GArray *held_before; /* (element-type HeldCheckRow), owned: before that reading; or NULL */
	NetCheck *net;       /* owned; NULL: not requested, or already judged */
};

/* A recording may be from another host. */
static Slabinfo *slabinfo_of_run(const RateFeed *feed, const GString *text)
{
	uint64_t own = (uint64_t)sysconf(_SC_PAGESIZE);

	return slabinfo_new(text, run_info_number(feed->session->info, KMT_FIELD_PAGE_BYTES, own));
}

static void set_slabinfo(RateFeed *feed, const GString *text, uint64_t time_ns)
{
	slabinfo_free(feed->slabinfo);
	feed->slabinfo = slabinfo_of_run(feed, text);
	feed->slabinfo_ns = time_ns;
}

/* Reads the number of objects in use, unless the last reading is new enough. */
static void read_slabinfo(RateFeed *feed)
{
	uint64_t now_ns = clock_monotonic_ns();
	uint64_t age_max_ns = feed->net ? SLABINFO_AGE_OF_NET_NS : SLABINFO_AGE_NS;
	GString *text;

	if (feed->slabinfo_ns && now_ns - feed->slabinfo_ns < age_max_ns)
		return;
	text = slab_facts_slabinfo("");
	if (!text)
		return;
	set_slabinfo(feed, text, now_ns);
	g_string_free(text, TRUE);
}

/* Uses the reading that a live run made when its window began. */
static void begin_net(RateFeed *feed)
{
	const Session *session = feed->session;
	const GString *start = run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);

	if (!(feed->options.needs & NEEDS_NET) || feed->options.net_judged)
		return;
	feed->net =
		net_check_new((unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1));
	if (start)
		net_check_set_start(feed->net, slabinfo_of_run(feed, start));
}

/* Returns the delay between an interval's end and the count of its objects, as a share of the
   interval. */
static double lag_of(const RateFeed *feed, const Interval *interval)
{
	uint64_t lag_ns = feed->slabinfo_ns - MIN(feed->slabinfo_ns, interval->end_ns);
	uint64_t span_ns = interval->end_ns - MIN(interval->start_ns, interval->end_ns);

	return span_ns ? (double)lag_ns / (double)span_ns : 0;
}

/* Uses a recording's reading from shortly before the interval's end. The reading of the end is made
   right after the last interval. */
static void find_slabinfo(RateFeed *feed, const Interval *interval)
{
	const RunInfo *info = feed->session->info;
	const RunText *texts = feed->session->text;

	for (uint32_t reading = KMT_READING_START; reading <= KMT_READING_END; reading++) {
		const GString *text = run_text_of(texts, KMT_BATCH_SLABINFO, reading);
		uint64_t time_ns = run_text_time_ns(texts, KMT_BATCH_SLABINFO, reading);
		bool is_last = reading == KMT_READING_END &&
			       interval->end_ns >=
				       run_info_number(info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX);
		uint64_t late_ns = is_last ? SLABINFO_LATE_NS : 0;

		if (!text || time_ns <= feed->slabinfo_ns || time_ns > interval->end_ns + late_ns)
			continue;
		set_slabinfo(feed, text, time_ns);
	}
}

/* Returns the newest reading of the objects in use at the end of an interval, or NULL. */
static const Slabinfo *slabinfo_of(RateFeed *feed, const Interval *interval)
{
	const bool live = !feed->options.recorded;

	if (!(feed->options.needs & NEEDS_SLABINFO) &&
	    !(live && (feed->net || feed->session->pairing)))
		return NULL;
	if (live) {
		read_slabinfo(feed);
		return feed->slabinfo;
	}
	find_slabinfo(feed, interval);
	return interval->end_ns - MIN(interval->end_ns, feed->slabinfo_ns) <= SLABINFO_AGE_NS
		       ? feed->slabinfo
		       : NULL;
}

/* Returns the probes' share of the CPUs' time since the previous table, in percent. */
static double cost_since(RateFeed *feed, const LossTotals *totals)
{
	uint64_t span_ns = totals->probe_span_ns - MIN(feed->probe_span_ns, totals->probe_span_ns);
	uint64_t probe_ns = totals->probe_ns - MIN(feed->probe_ns, totals->probe_ns);

	feed->probe_span_ns = totals->probe_span_ns;
	feed->probe_ns = totals->probe_ns;
	return span_ns ? (double)probe_ns * 100 / (double)span_ns : -1;
}

static LossRange lost_since(RateFeed *feed, const ProfileTotals *interval)
{
	Losses losses = losses_of(feed->session);
	LossRange lost = losses_uncounted(&losses);
	LossRange since = loss_without(lost, feed->events_lost);

	feed->events_lost = lost;
	return loss_add(since, loss_exactly(interval->over_bound));
}

/* Returns the reading that was made right after the last interval, or NULL. */
static Slabinfo *reading_after(const RateFeed *feed, uint64_t end_ns, uint64_t *read_ns)
{
	const Session *session = feed->session;
	const GString *text = run_text_of(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);
	uint64_t window_end_ns =
		run_info_number(session->info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX);

	*read_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);
	if (!text || end_ns < window_end_ns || *read_ns > end_ns + SLABINFO_LATE_NS ||
	    *read_ns + SLABINFO_LATE_NS < end_ns)
		return NULL;
	return slabinfo_of_run(feed, text);
}

/* Compares what is held with a reading that was made during the interval or before, or with that at
   the end of the run. What is freed between an interval and a reading after it is not known yet, so
   such a reading waits for the next interval. Returns the rows for the table. */
static GArray *compare_held(RateFeed *feed, const ViewSource *source, CellFilters *filters,
			    uint64_t end_ns)
{
	HeldCheckMoment moment = {
		.source = source,
		.filters = filters,
		.end_ns = end_ns,
		.in_use = feed->slabinfo,
		.read_ns = feed->slabinfo_ns,
		.before = feed->held_before,
	};
	uint64_t read_ns;
	g_autoptr(Slabinfo) last = reading_after(feed, end_ns, &read_ns);

	if (last) {
		moment.in_use = last;
		moment.read_ns = read_ns;
		moment.before = NULL;
	} else if (!moment.before || moment.read_ns > end_ns) {
		return NULL;
	}
	return held_check_at(feed->session, &moment);
}

/* Keeps what is held at the end of the last interval before a new reading. compared: the rows of
   that moment, beside another reading; NULL: there are none. */
static void note_held(RateFeed *feed, const ViewSource *source, CellFilters *filters,
		      uint64_t end_ns, GArray *compared)
{
	const HeldCheckMoment moment = {
		.source = source,
		.filters = filters,
		.end_ns = end_ns,
		.in_use = feed->slabinfo,
		.read_ns = feed->slabinfo_ns,
	};

	g_clear_pointer(&feed->held_before, g_array_unref);
	if (feed->slabinfo_ns > end_ns)
		feed->held_before =
			compared ? g_array_ref(compared) : held_check_at(feed->session, &moment);
}

/* Sets what the table shows of the moment at its end: what is held, with names of caches, and
   objects in use. Returns the rows of what is held, which the caller unrefs. */
static GArray *set_held(RateFeed *feed, const Interval *interval, CacheNames *caches,
			RateRequest *request)
{
	static const HeldChoice all;
	Session *session = feed->session;
	uint64_t end_ns = interval->end_ns, read_ns = feed->slabinfo_ns;
	const HeldMoment moment = { .end_ns = end_ns, .last_loss_ns = losses_last_ns(session) };
	g_autoptr(CgroupNames) cgroups = cgroup_names_new(session->text);
	g_autoptr(HeldCells) cells = NULL;
	g_autoptr(CellFilters) filters = NULL;
	GArray *held;
	ViewSource source = {
		.profile = session->profile,
		.caches = caches,
		.cgroups = cgroups,
	};

	session_pair_until(session, end_ns);
	source.held_cells = cells = held_cells_new(session->pairing, all, moment);
	filters = cell_filters_new(feed->options.cells, &source);
	request->held = held = rate_held_rows(&source, feed->options.cells, filters);
	request->held_compared = compare_held(feed, &source, filters, end_ns);
	request->slabinfo = slabinfo_of(feed, interval);
	if (feed->slabinfo_ns != read_ns)
		note_held(feed, &source, filters, end_ns, request->held_compared);
	return held;
}

static bool samples_addresses(const Session *session, const LossTotals *totals)
{
	return run_info_text(session->info, KMT_FIELD_SAMPLED_BY) &&
	       totals->sampling_period_max > 1;
}

static void give_table(const Interval *interval, void *user_data)
{
	RateFeed *feed = user_data;
	const Session *session = feed->session;
	g_autoptr(CacheNames) caches = NULL;
	g_autoptr(GArray) held = NULL, compared = NULL;
	LossTotals totals = loss_ledger_totals(feed->session->loss);
	ProfileTotals counted = profile_totals(interval->profile);
	RateRequest request = {
		.info = feed->session->info,
		.text = feed->session->text,
		.cells = feed->options.cells,
		.sort = feed->options.sort,
		.needs = feed->options.needs,
		.kfree_is_blind = feed->kfree_is_blind,
		.net_judged = feed->options.net_judged,
		.events_lost = lost_since(feed, &counted),
		.sampling_period = MAX(totals.sampling_period_max, 1),
		.cost_percent = cost_since(feed, &totals),
	};
	NetReading reading;
	RateTable *table;
	uint64_t read_ns = feed->slabinfo_ns;

	session_add_counted(feed->session, &counted);
	if (!feed->begun)
		begin_net(feed);
	if (!feed->begun && feed->options.before_first)
		feed->options.before_first(feed->options.user_data);
	feed->begun = true;
	if (session->pairing) {
		caches = cache_names_new(session->profile, session->info, session->text);
		held = set_held(feed, interval, caches, &request);
		compared = request.held_compared;
	} else {
		request.slabinfo = slabinfo_of(feed, interval);
	}
	feed->shown = request.slabinfo;
	/* A recording's reading at its start has no earlier one to compare with. */
	reading = (NetReading){
		.slabinfo = feed->options.recorded ? NULL : feed->slabinfo,
		.lag = lag_of(feed, interval),
		.events_lost = feed->events_lost.high,
	};
	request.net = feed->net;
	request.net_reading = feed->slabinfo_ns != read_ns || !reading.slabinfo ? &reading : NULL;
	request.samples_addresses = samples_addresses(session, &totals);
	table = rate_table_new(interval, &request);
	feed->kfree_is_blind = table->kfree_is_blind;
	feed->options.sink(table, feed->options.user_data);
	if (feed->pace == RATE_FEED_STEP)
		feed->pace = RATE_FEED_HELD;
}

static void take_info(RateFeed *feed, const struct KmtBatchHeader *header)
{
	const RunInfo *info = feed->session->info;
	const bool *known = info->known;

	if (feed->start_ns == UINT64_MAX)
		feed->start_ns = run_info_number(info, KMT_FIELD_WINDOW_START_NS, UINT64_MAX);
	/* A stream of the probe module alone has no facts of a run: it begins with its first
	   batch. */
	if (feed->start_ns == UINT64_MAX && !known[KMT_FIELD_WINDOW_START_NS] &&
	    !known[KMT_FIELD_PROGRAM] && !known[KMT_FIELD_COLLECTOR] &&
	    batch_kind_has_events(header->kind))
		feed->start_ns = header->base_time_ns;
	intervals_set_window(feed->intervals, feed->start_ns,
			     run_info_number(info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX));
}

/* Returns how long to wait until that time of the stream's clock; 0: no longer. */
static uint64_t wait_until(RateFeed *feed, uint64_t time_ns)
{
	uint64_t passed_ns, due_ns;

	if (feed->pace == RATE_FEED_HELD)
		return UINT64_MAX;
	if (feed->pace != RATE_FEED_PACED || feed->start_ns == UINT64_MAX)
		return 0;
	if (!feed->paced_at_ns) {
		feed->paced_from_ns = MAX(feed->start_ns, feed->latest_ns);
		feed->paced_at_ns = clock_monotonic_ns();
	}
	passed_ns = clock_monotonic_ns() - feed->paced_at_ns;
	due_ns = time_ns - MIN(feed->paced_from_ns, time_ns);
	return due_ns - MIN(passed_ns, due_ns);
}

/* Waits until that time of the stream's clock, as the pace demands. */
static void pace(RateFeed *feed, uint64_t time_ns)
{
	for (;;) {
		uint64_t wait_ns;

		if (feed->options.waiting && !feed->options.waiting(feed->options.user_data))
			return;
		wait_ns = wait_until(feed, time_ns);
		if (!wait_ns)
			return;
		g_usleep((gulong)MIN(wait_ns / 1000 + 1, WAIT_US));
	}
}

/* An EventSink. */
static bool take_events(const Events *events, void *user_data)
{
	RateFeed *feed = user_data;
	uint64_t time_ns = events->text ? events->text->time_ns : 0;

	if (events->text && !time_ns)
		return true;
	if (feed->start_ns == UINT64_MAX)
		take_info(feed, events->header);
	/* Texts are in time order, except those that are printed late. */
	if (events->text) {
		if (feed->options.recorded)
			pace(feed, time_ns);
		feed->latest_ns = MAX(feed->latest_ns, time_ns);
		intervals_complete(feed->intervals,
				   feed->latest_ns - MIN(feed->latest_ns, TEXT_LATE_NS));
	}
	return intervals_take(feed->intervals, events);
}

static void take_batch(const Batch *batch, void *user_data)
{
	RateFeed *feed = user_data;
	uint64_t late_ns = feed->latest_ns - MIN(feed->latest_ns, RECORDED_LATE_NS);

	switch (batch->header.kind) {
	case KMT_BATCH_INFO:
		take_info(feed, &batch->header);
		break;
	case KMT_BATCH_EVENTS:
	case KMT_BATCH_POINT_EVENTS:
		if (feed->options.recorded)
			pace(feed, batch->header.base_time_ns);
		feed->latest_ns = MAX(feed->latest_ns, batch->header.base_time_ns);
		intervals_complete(feed->intervals,
				   loss_ledger_complete_until(feed->session->loss));
		intervals_expire(feed->intervals, late_ns);
		session_pair_until(feed->session, UINT64_MAX);
		break;
	default:
		break;
	}
}

static uint64_t whole_grains_ns(double interval_s)
{
	return (uint64_t)(interval_s * NS_PER_S / RATE_GRAIN_NS + 0.5) * RATE_GRAIN_NS;
}

RateFeed *rate_feed_new(Session *session, const RateFeedOptions *options)
{
	RateFeed *feed = g_new0(RateFeed, 1);

	feed->options = *options;
	feed->session = session;
	feed->start_ns = UINT64_MAX;
	feed->pace = options->pace;
	feed->intervals = intervals_new(whole_grains_ns(options->interval_s), options->bytes_max,
					give_table, feed);
	session_count_elsewhere(session, options->counts_all);
	session_add_sink(session, take_events, feed);
	session_add_tap(session, take_batch, feed);
	return feed;
}

void rate_feed_free(RateFeed *feed)
{
	if (!feed)
		return;
	session_remove_tap(feed->session, take_batch);
	session_remove_sink(feed->session, take_events);
	intervals_free(feed->intervals);
	slabinfo_free(feed->slabinfo);
	g_clear_pointer(&feed->held_before, g_array_unref);
	net_check_free(feed->net);
	g_free(feed);
}

void rate_feed_tick(RateFeed *feed)
{
	intervals_expire(feed->intervals, clock_monotonic_ns() - LATE_NS);
}

void rate_feed_set_interval(RateFeed *feed, double interval_s)
{
	intervals_set_length(feed->intervals, whole_grains_ns(interval_s), RATE_GRAIN_NS);
}

void rate_feed_set_pace(RateFeed *feed, RateFeedPace pace)
{
	feed->pace = pace;
	feed->paced_at_ns = 0;
}

const Slabinfo *rate_feed_slabinfo(const RateFeed *feed)
{
	return feed->shown;
}

void rate_feed_finish(RateFeed *feed)
{
	const RunInfo *info = feed->session->info;
	uint64_t known_ns = MAX(feed->latest_ns, loss_ledger_complete_until(feed->session->loss));
	uint64_t end_ns = run_info_number(info, KMT_FIELD_RUN_END_NS, known_ns);

	intervals_finish(feed->intervals, run_info_number(info, KMT_FIELD_WINDOW_END_NS, end_ns));
}
