/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of perf script's output. State: the sample that is being read, its stack, and a few
 * large kmallocs that wait, because only the next event shows whether they were inner ones. Events
 * go to the session like those of a stream; loss, times and the header's facts, too.
 */
#include "config.h"

#include "record/format.h"
#include "import/import.h"
#include "import/import_perf_line.h"
#include "import/import_types.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "record/probe_kinds.h"
#include "symbols/known_functions.h"

#include <string.h>

/*
 * The output of `perf script` for kmem samples:
 *
 *	find 22899 [000]  1341.391415: kmem:kmalloc: call_site=... bytes_req=32 bytes_alloc=32 ...
 *		ffffffff813cee01 __x64_sys_sched_setaffinity+0x61 ([kernel.kallsyms])
 *
 * Kernel frames are converted to our format. Frames of user space are left out: the report shows
 * paths in the kernel, and user frames differ between processes. Samples of other events are
 * skipped. The run lasts from the first to the last sample of any event.
 *
 * Frees are only needed to pair them with their allocations. perf script sorts samples by time, so
 * there is nothing to wait for but a little disorder.
 */

enum {
	SMALL_BYTES_MAX = 8192, /* largest kmalloc from a slab cache, with the smallest pages */
	DISORDER_NS_MAX = NS_PER_SECOND,  /* an event may be this much earlier than one before it */
	RELEASE_NS = DISORDER_NS_MAX / 4, /* how often events are released for pairing */
	OUTER_AWAITED_MAX = 16,
};

/* Lines of `perf script --header` that the report of a run shows. */
static const struct {
	const char *label;
	enum KmtFieldId id;
} header_lines[] = {
	{ "# hostname : ", KMT_FIELD_HOST },
	{ "# os release : ", KMT_FIELD_RELEASE },
	{ "# arch : ", KMT_FIELD_ARCH },
	{ "# nrcpus online : ", KMT_FIELD_CPUS_ONLINE },
	{ "# cmdline : ", KMT_FIELD_COMMAND_LINE },
};

/* Frees of slab objects that the tracepoints of kmem do not show. */
static const char never_seen[] = "kfree_rcu, kmem_cache_free_bulk (no tracepoint)";

/* A sample with its call site instead of a stack. */
typedef struct {
	PerfSample sample;
	char *call_site; /* owned */
} Awaiting;

typedef struct {
	Import in;
	PerfSample sample;
	uint64_t first_ns; /* of the samples; 0: none so far */
	uint64_t last_ns;
	uint64_t printed_ns;  /* time of the previous sample, as printed */
	uint64_t given_ns;    /* ... and as passed on */
	uint64_t released_ns; /* all samples before this time were released for pairing */
	unsigned events;      /* observed: bits of ProbeKindBit */
	unsigned frees;       /* observed: bits by number in free_points() */
	bool is_sampled;      /* samples stand for several events */
	bool is_unsorted;
	bool in_sample;
	bool in_user;       /* the last frame of the sample was the program's */
	GString *call_site; /* " NAME+0xOFFSET\n": used if no stack was recorded */
	Awaiting awaiting[OUTER_AWAITED_MAX]; /* oldest first: may be inner events of kvmalloc() */
	unsigned awaiting_count;
	uint64_t lost; /* as the records of the text say */
} PerfState;
G_STATIC_ASSERT(offsetof(PerfState, in) == 0);

static const ProbePoint *free_points(void)
{
	const ProbeKind *kind = probe_kinds;

	while (kind->bit != PROBE_FREE)
		kind++;
	return kind->points;
}

/* Records which kinds of events were observed, as far as the text shows them. */
static void note_point(PerfState *state, const ProbePoint *point)
{
	unsigned bit = KMT_EVENTS_OF(point->source);
	g_autofree char *names = NULL;

	if (point->is_free) {
		state->frees |= 1U << (point - free_points());
		return;
	}
	if (state->events & bit)
		return;
	state->events |= bit;
	names = probe_kinds_names(state->events);
	run_info_set_text(state->in.session->info, KMT_FIELD_EVENTS, names, strlen(names));
}

/* The first sample begins the run. In a text that is not sorted by time, earlier samples count at
   the run's start. Times are printed in microseconds: equal ones become different, so that the
   events of all CPUs keep their order. */
static void note_time(PerfState *state, PerfSample *sample)
{
	uint64_t printed_ns = sample->time_ns;

	if (!state->first_ns) {
		state->first_ns = MAX(sample->time_ns, 1);
		session_set_number(state->in.session, KMT_FIELD_RUN_START_NS, state->first_ns);
		session_set_number(state->in.session, KMT_FIELD_WINDOW_START_NS, state->first_ns);
	}
	state->is_unsorted |= printed_ns + DISORDER_NS_MAX < state->last_ns;
	sample->time_ns = MAX(sample->time_ns, state->first_ns);
	if (printed_ns == state->printed_ns)
		sample->time_ns = MAX(sample->time_ns, state->given_ns + 1);
	state->printed_ns = printed_ns;
	state->given_ns = sample->time_ns;
	state->last_ns = MAX(state->last_ns, sample->time_ns);
}

/* Sizes above this depend on the page size: smaller ones are in slab caches on every kernel. */
static bool needs_page_bytes(const PerfSample *sample)
{
	return sample->point->source == KMT_SOURCE_PAGE ||
	       (sample->bytes_requested > SMALL_BYTES_MAX && !sample->cache.name_bytes);
}

static void pass_on(PerfState *state, const PerfSample *sample, const char *stack, size_t length)
{
	uint64_t page_bytes = needs_page_bytes(sample) ? import_page_bytes(state->in.session) : 0;
	bool is_page = sample->point->source == KMT_SOURCE_PAGE;

	import_count(state->in.session,
		     &(EventText){
			     .text = stack,
			     .length = (uint32_t)length,
			     .weight = sample->period,
			     .task = sample->has_task ? &sample->task : NULL,
			     .cache = sample->cache.name_bytes ? &sample->cache : NULL,
			     .bytes_requested = is_page ? page_bytes << sample->order
							: sample->bytes_requested,
			     .bytes_allocated = is_page ? page_bytes << sample->order
							: sample->bytes_allocated,
			     .time_ns = sample->time_ns,
			     .pointer = is_page ? sample->page * page_bytes : sample->pointer,
			     .failed = sample->failed,
			     .cpu = sample->cpu,
			     .gfp_flags = sample->gfp_flags,
			     .source = sample->point->source,
			     .kind = sample->point->kind,
			     .free = sample->point->is_free,
		     });
	state->is_sampled |= sample->period > 1;
}

/* Removes a waiting sample, which counts unless it was an inner event. */
static void end_wait(PerfState *state, unsigned index, bool counts)
{
	Awaiting *awaiting = &state->awaiting[index];

	if (counts)
		pass_on(state, &awaiting->sample, awaiting->call_site, strlen(awaiting->call_site));
	g_free(awaiting->call_site);
	state->awaiting_count--;
	memmove(awaiting, awaiting + 1, (state->awaiting_count - index) * sizeof(*awaiting));
}

static void end_waits_before(PerfState *state, uint64_t time_ns)
{
	while (state->awaiting_count && state->awaiting[0].sample.time_ns < time_ns)
		end_wait(state, 0, true);
}

static void await_outer(PerfState *state)
{
	if (state->awaiting_count == OUTER_AWAITED_MAX)
		end_wait(state, 0, true);
	state->awaiting[state->awaiting_count++] = (Awaiting){
		.sample = state->sample,
		.call_site = g_strndup(state->call_site->str, state->call_site->len),
	};
}

static bool is_same_kmalloc(const PerfSample *inner, const PerfSample *outer)
{
	return inner->pointer == outer->pointer && inner->failed == outer->failed &&
	       inner->bytes_requested == outer->bytes_requested &&
	       (outer->pointer || inner->task.tid == outer->task.tid);
}

/* The next event with this address says what a waiting sample was: an allocation of the same
   size is its outer event. */
static void settle_waits(PerfState *state)
{
	const PerfSample *sample = &state->sample;

	for (unsigned i = 0; i < state->awaiting_count; i++) {
		const PerfSample *inner = &state->awaiting[i].sample;

		if (!sample->point->is_free && is_same_kmalloc(inner, sample))
			end_wait(state, i, false);
		else if (sample->pointer && sample->pointer == inner->pointer)
			end_wait(state, i, true);
		else
			continue;
		return;
	}
}

static TextPart call_site_function(const PerfState *state)
{
	const char *name = state->call_site->str + 1;

	return (TextPart){ name, strcspn(name, "+\n") };
}

static void take_sample(PerfState *state)
{
	const GString *stack = state->in.stack->len > 0 ? state->in.stack : state->call_site;
	/* Without a stack, the call site alone decides. */
	bool is_large = !state->in.stack->len && state->call_site->len &&
			state->sample.bytes_requested > SMALL_BYTES_MAX;

	settle_waits(state);
	if (is_large && inner_kmallocs_have_function(call_site_function(state)))
		return;
	if (is_large && inner_kmallocs_may_have_function(call_site_function(state)))
		await_outer(state);
	else
		pass_on(state, &state->sample, stack->str, stack->len);
	if (state->last_ns < state->released_ns + DISORDER_NS_MAX + RELEASE_NS)
		return;
	/* Memory for events that wait would not last for a whole file. */
	state->released_ns = state->last_ns - DISORDER_NS_MAX;
	end_waits_before(state, state->released_ns);
	session_release(state->in.session, state->released_ns);
}

static void end_sample(PerfState *state)
{
	const ProbePoint *point = state->sample.point;

	/* Frees are only counted if they are paired. */
	if (state->in_sample && point && (!point->is_free || state->in.session->pairing))
		take_sample(state);
	state->in_sample = state->in_user = false;
	g_string_truncate(state->in.stack, 0);
}

static bool begin_sample(PerfState *state, const char *line, size_t length)
{
	PerfSample *sample = &state->sample;

	if (!perf_sample_read(line, length, sample))
		return false;
	if (sample->is_record) {
		saturate_add(&state->lost, sample->lost);
		return true;
	}
	g_string_truncate(state->call_site, 0);
	if (sample->call_site_bytes > 0) {
		g_string_append_c(state->call_site, ' ');
		g_string_append_len(state->call_site, sample->call_site,
				    (gssize)sample->call_site_bytes);
		g_string_append_c(state->call_site, '\n');
	}
	sample->call_site = NULL;
	note_time(state, sample);
	if (sample->point)
		note_point(state, sample->point);
	return true;
}

/* `perf script --header` begins with comment lines. */
static void read_comment(PerfState *state, const char *line, size_t length)
{
	for (size_t i = 0; i < G_N_ELEMENTS(header_lines); i++) {
		enum KmtFieldId id = header_lines[i].id;
		Cursor at = cursor_over(line, length);
		uint64_t number;

		if (!cursor_take(&at, header_lines[i].label))
			continue;
		if (!run_info_is_number((uint16_t)id))
			run_info_set_text(state->in.session->info, id, at.at,
					  (size_t)(at.end - at.at));
		else if (cursor_take_decimal(&at, &number))
			session_set_number(state->in.session, id, number);
	}
}

static void read_line(void *data, const char *line, size_t length)
{
	PerfState *state = data;

	if (length == 0) {
		end_sample(state);
		return;
	}
	if (state->in_sample && perf_frame_read(state->in.stack, line, length, &state->in_user))
		return;
	if (line[0] == '#') {
		read_comment(state, line, length);
		return;
	}
	end_sample(state);
	state->in_sample = begin_sample(state, line, length);
	if (!state->in_sample)
		state->in.unreadable++;
}

static void perf_begin(void *data)
{
	static const char collector[] = "perf record";
	PerfState *state = data;
	Session *session = state->in.session;

	run_info_set_text(session->info, KMT_FIELD_COLLECTOR, collector, strlen(collector));
	session_set_number(session, KMT_FIELD_GFP_DMA, GFP_BIT_DMA);
	session_set_number(session, KMT_FIELD_GFP_RECLAIMABLE, GFP_BIT_RECLAIMABLE);
	session_set_number(session, KMT_FIELD_GFP_ACCOUNT, GFP_BIT_ACCOUNT);
	state->call_site = g_string_new(NULL);
}

/* Returns why the events cannot be paired, or NULL. The caller frees the text. */
static char *why_not_paired(const PerfState *state)
{
	if (state->is_sampled)
		return g_strdup("its samples stand for several events: record all, with perf "
				"record -c 1");
	if (state->is_unsorted)
		return g_strdup("its events are not in the order of their times, as perf script "
				"prints those of one file");
	for (unsigned i = 0; free_points()[i].name; i++) {
		const ProbePoint *point = &free_points()[i];

		if (state->events & KMT_EVENTS_OF(point->source) && !(state->frees >> i & 1))
			return g_strdup_printf("it does not have all frees: record %s:%s, too",
					       point->group, point->name);
	}
	return NULL;
}

static void set_text(Session *session, enum KmtFieldId id, const char *text)
{
	run_info_set_text(session->info, id, text, strlen(text));
}

/* Says whether and how far the events can be paired. */
static void note_pairing(PerfState *state)
{
	Session *session = state->in.session;
	g_autoptr(GString) seen = g_string_new(NULL);

	if (!session->pairing)
		return;
	session->cannot_pair = why_not_paired(state);
	if (session->cannot_pair)
		return;
	for (unsigned i = 0; free_points()[i].name; i++)
		if (state->frees >> i & 1)
			g_string_append_printf(seen, "%s%s", seen->len ? "," : "",
					       free_points()[i].name);
	session_set_number(session, KMT_FIELD_HELD, 1);
	set_text(session, KMT_FIELD_FREES_SEEN_BY, seen->str);
	if (state->events & probe_kinds_of_caches())
		set_text(session, KMT_FIELD_FREES_NOT_SEEN, never_seen);
}

static void perf_end(void *data)
{
	PerfState *state = data;
	Session *session = state->in.session;

	end_sample(state);
	end_waits_before(state, UINT64_MAX);
	if (state->first_ns)
		session_set_number(session, KMT_FIELD_RUN_END_NS, state->last_ns);
	if (state->lost)
		session_set_number(session, KMT_FIELD_TRANSPORT_LOST, state->lost);
	session->source_is_silent &= !state->lost;
	note_pairing(state);
	g_string_free(state->call_site, TRUE);
}

/* The header line of one sample of an allocator is unique enough. */
static bool is_kmem_sample(const char *line, size_t length)
{
	PerfSample sample;

	return length && *line != '\t' && perf_sample_read(line, length, &sample) && sample.point;
}

static bool perf_recognises(const char *text, size_t length)
{
	return import_any_line(text, length, IMPORT_ALL_LINES, is_kmem_sample);
}

const ImportType import_perf_script = {
	.name = "the output of perf script",
	.is_silent_of_loss = true,
	.recognises = perf_recognises,
	.state_bytes = sizeof(PerfState),
	.begin = perf_begin,
	.line = read_line,
	.end = perf_end,
};
