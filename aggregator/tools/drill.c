/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The details of a cache: from a session so far, which takes as long as a report; and a second
 * collection for them: a child process, a thread that counts its stream into its own session, and
 * the newest detail behind a lock. rate_screen.c polls it.
 */
#include "tools/drill.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/words.h"
#include "names/cgroup_names.h"
#include "record/format.h"
#include "session/losses.h"
#include "session/session.h"
#include "session/symbols_choose.h"

#include <errno.h>
#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

/* Returns the counted time; < 0: not begun. A running stream ends at its newest event. */
static double seconds_of(const Session *session)
{
	const RunInfo *info = session->info;
	uint64_t run_ns = run_info_number(info, KMT_FIELD_RUN_START_NS, 0);
	uint64_t start_ns =
		info->sliced ? run_info_number(info, KMT_FIELD_WINDOW_START_NS, run_ns) : run_ns;
	uint64_t newest_ns = MAX(loss_ledger_complete_until(session->loss),
				 run_info_number(info, KMT_FIELD_MONOTONIC_NS, start_ns));
	uint64_t end_ns = run_info_number(info, KMT_FIELD_RUN_END_NS, newest_ns);

	if (info->sliced)
		end_ns = MIN(end_ns, run_info_number(info, KMT_FIELD_WINDOW_END_NS, end_ns));
	return start_ns ? (double)(MAX(end_ns, start_ns) - start_ns) / 1e9 : -1;
}

RateDetail *session_detail_new(Session *session, const char *cache, const Dimension *key,
			       const GArray *cells)
{
	g_autoptr(CacheNames) caches =
		cache_names_new(session->profile, session->info, session->text);
	g_autoptr(CgroupNames) cgroups = cgroup_names_new(session->text);
	Losses losses = losses_of(session);
	const RateDetailRequest request = {
		.cache = cache,
		.key = key,
		.cells = cells,
		.seconds = seconds_of(session),
		.events_lost = losses_all(&losses).high,
		.walks_different = losses_walks_different(session),
		.names_different = losses_names_different(session),
		.estimated = loss_ledger_totals(session->loss).sampling_period_max > 1,
	};
	ViewSource source = { .caches = caches, .cgroups = cgroups };

	symbols_choose(session, NULL);
	source.profile = session->profile;
	source.symbols = session->symbols;
	source.memory = session->memory;
	source.sampling = sampling_of(session->profile, session->info);
	return rate_detail_new(&source, &request);
}

enum {
	CHUNK_BYTES = 256 << 10,
	LOOK_EVERY_MS = 100,
	DETAIL_EVERY_MS = 1000,
	SHARE_OF_TIME = 10,     /* naming takes at most one part in this many */
	LEAVE_WITHIN_MS = 8000, /* unloading a module takes time */
	EXIT_WITHIN_MS = 3000,  /* after its stream has ended */
};

struct Drill {
	GThread *thread;
	SuiteChild *child; /* used by the thread once drained, by the first thread once over */
	char *cache;
	guint32 parent;   /* this program: its own allocations are excluded */
	GArray *cells;    /* (element-type CellFilter), excludes the parent */
	GMutex lock;      /* protects the fields below */
	RateDetail *news; /* NULL: none */
	const Dimension *key;
	bool key_is_new;
	bool drained;     /* no more data will arrive */
	bool over;        /* the thread has finished */
	uint64_t left_ns; /* when it was asked to end; 0: not asked */
	/* Used by the thread only. */
	Session *session;
	uint8_t *chunk;
	uint64_t next_ns; /* earliest time of the next detail */
};

/* The condition that excludes counters of this program. Counters of interrupts have no process. */

typedef struct {
	guint32 parent;
	const Profile *profile;
} Others;

static void *others_prepare(const void *argument, const ViewSource *source)
{
	Others *others = g_new(Others, 1);

	others->parent = *(const guint32 *)argument;
	others->profile = source->profile;
	return others;
}

static bool others_keeps(void *state, const ProfileCell *cell)
{
	const Others *others = state;

	return cell->context != KMT_CONTEXT_TASK ||
	       profile_task(others->profile, cell->task)->tgid != others->parent;
}

static const CellFilterType others_only = {
	.option = "include-self",
	.prepare = others_prepare,
	.keeps = others_keeps,
	.dispose = g_free,
};

/* In the thread. */

static RateDetail *detail_of(Drill *drill, const Dimension *key)
{
	return session_detail_new(drill->session, drill->cache, key, drill->cells);
}

static void drill_give(Drill *drill, RateDetail *detail)
{
	g_mutex_lock(&drill->lock);
	rate_detail_free(drill->news);
	drill->news = detail;
	g_mutex_unlock(&drill->lock);
}

static void give_when_due(Drill *drill)
{
	const Dimension *key;
	uint64_t start_ns, end_ns;
	bool key_is_new;

	g_mutex_lock(&drill->lock);
	key_is_new = drill->key_is_new;
	key = drill->key;
	drill->key_is_new = false;
	g_mutex_unlock(&drill->lock);
	start_ns = clock_monotonic_ns();
	if (!key_is_new && start_ns < drill->next_ns)
		return;
	drill_give(drill, detail_of(drill, key));
	end_ns = clock_monotonic_ns();
	drill->next_ns = MAX(start_ns + DETAIL_EVERY_MS * NS_PER_MS,
			     end_ns + (end_ns - start_ns) * SHARE_OF_TIME);
}

/* Returns when the end was requested; 0: not requested. */
static uint64_t left_ns(Drill *drill)
{
	uint64_t left;

	g_mutex_lock(&drill->lock);
	left = drill->left_ns;
	g_mutex_unlock(&drill->lock);
	return left;
}

/* Reads the available data, waiting for a moment if there is none. Returns false at the end. */
static bool read_some(Drill *drill, bool count)
{
	struct pollfd wait = { .fd = suite_child_stdout(drill->child), .events = POLLIN };
	ssize_t length;

	if (poll(&wait, 1, LOOK_EVERY_MS) <= 0)
		return true;
	length = read(wait.fd, drill->chunk, CHUNK_BYTES);
	if (length > 0 && count)
		session_feed(drill->session, drill->chunk, (size_t)length);
	return length > 0 || (length < 0 && errno == EINTR);
}

/* Reads to the end of the stream, or until the timeout. */
static void drill_drain(Drill *drill)
{
	uint64_t left = 0;

	while (read_some(drill, !left)) {
		left = left_ns(drill);
		if (!left)
			give_when_due(drill);
		else if (clock_monotonic_ns() > left + (uint64_t)LEAVE_WITHIN_MS * NS_PER_MS)
			break;
	}
	g_mutex_lock(&drill->lock);
	drill->drained = true;
	g_mutex_unlock(&drill->lock);
}

/* Provides the last detail: the data so far, and why there is no more. */
static void give_last(Drill *drill)
{
	const char *bound = run_info_text(drill->session->info, KMT_FIELD_BOUND);
	bool has_exited = suite_child_wait(drill->child, EXIT_WITHIN_MS);
	g_autofree char *problem = has_exited ? suite_child_problem(drill->child) : NULL;
	g_autoptr(GString) escaped = g_string_new(NULL);
	RateDetail *detail;

	if (!problem)
		problem = g_strdup_printf("the second collection has ended%s%s",
					  !has_exited ? " its stream"
					  : bound     ? ": "
						      : "",
					  has_exited && bound ? bound : "");
	escape_append(escaped, problem);
	session_finish(drill->session);
	detail = detail_of(drill, drill->key);
	detail->problem = g_strdup(escaped->str);
	drill_give(drill, detail);
}

static gpointer drill_run(gpointer data)
{
	Drill *drill = data;

	drill_drain(drill);
	if (!left_ns(drill))
		give_last(drill);
	g_mutex_lock(&drill->lock);
	drill->over = true;
	g_mutex_unlock(&drill->lock);
	return NULL;
}

/* The first thread handles all signals. */
static GThread *thread_start(Drill *drill, GError **error)
{
	sigset_t all, before;
	GThread *thread;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	thread = g_thread_try_new("drill", drill_run, drill, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return thread;
}

/* In the first thread. */

static SuiteChild *child_start(const DrillRequest *request, GError **error)
{
	g_autoptr(GPtrArray) words = suite_arguments_new(&request->beside, error);

	if (!words)
		return NULL;
	words_add(words, "--cache=%s", request->cache);
	words_add(words, "--stacks");
	words_add(words, "--record=-");
	g_ptr_array_add(words, NULL);
	return suite_child_start(&request->beside, (char **)words->pdata, true, error);
}

static Drill *drill_new(const DrillRequest *request, SuiteChild *child)
{
	Drill *drill = g_new0(Drill, 1);
	const CellFilter others = { &others_only, &drill->parent, NULL };

	drill->child = child;
	drill->cache = g_strdup(request->cache);
	drill->parent = (guint32)getpid();
	drill->cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	if (!request->beside.like->whose.include_self)
		g_array_append_val(drill->cells, others);
	if (request->cells)
		g_array_append_vals(drill->cells, request->cells->data, request->cells->len);
	drill->key = request->key;
	drill->session = session_new(request->memory_bytes_max);
	drill->chunk = g_malloc(CHUNK_BYTES);
	drill->news = rate_detail_empty(request->cache, NULL);
	g_mutex_init(&drill->lock);
	return drill;
}

static void drill_free(Drill *drill)
{
	suite_child_free(drill->child);
	session_free(drill->session);
	rate_detail_free(drill->news);
	g_array_unref(drill->cells);
	g_mutex_clear(&drill->lock);
	g_free(drill->chunk);
	g_free(drill->cache);
	g_free(drill);
}

Drill *drill_start(const DrillRequest *request, GError **error)
{
	SuiteChild *child;
	Drill *drill;

	if (!request->cache) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "the caches of these allocations are not known: kmalloc-top "
				    "shows their stacks");
		return NULL;
	}
	child = child_start(request, error);
	if (!child)
		return NULL;
	drill = drill_new(request, child);
	drill->thread = thread_start(drill, error);
	if (drill->thread)
		return drill;
	drill_free(drill);
	return NULL;
}

RateDetail *drill_poll(Drill *drill)
{
	RateDetail *news;

	g_mutex_lock(&drill->lock);
	news = g_steal_pointer(&drill->news);
	g_mutex_unlock(&drill->lock);
	return news;
}

guint32 drill_pid(const Drill *drill)
{
	return suite_child_pid(drill->child);
}

void drill_set_group(Drill *drill, const char *name)
{
	const Dimension *key = rate_detail_key(name);

	if (!key)
		return;
	g_mutex_lock(&drill->lock);
	drill->key = key;
	drill->key_is_new = true;
	g_mutex_unlock(&drill->lock);
}

void drill_leave(Drill *drill)
{
	g_mutex_lock(&drill->lock);
	if (!drill->left_ns && !drill->drained)
		suite_child_interrupt(drill->child);
	if (!drill->left_ns)
		drill->left_ns = clock_monotonic_ns();
	g_mutex_unlock(&drill->lock);
}

bool drill_is_over(Drill *drill)
{
	bool over;

	g_mutex_lock(&drill->lock);
	over = drill->over;
	g_mutex_unlock(&drill->lock);
	return over;
}

void drill_stop(Drill *drill)
{
	if (!drill)
		return;
	drill_leave(drill);
	g_thread_join(drill->thread);
	drill_free(drill);
}
