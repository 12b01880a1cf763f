/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * held_counts FILE: a second opinion on what a recording made with --held shows. It keeps all
 * events in memory, sorts them by time and pairs them one by one, so it needs no tables, no order
 * of batches and no bound. Prints lines of words between tabs:
 *
 *	held SOURCE CACHE COMM COUNT FRAME<FRAME...	objects that were not freed
 *	own CACHE COUNT		objects of the collector that were not freed
 *	allocated CACHE COUNT	objects of the cache
 *	recycled CACHE COUNT	allocations at the address of an object that was not freed
 *	free KIND COUNT		frees of known objects
 *	unknown KIND COUNT	frees of others
 *	period COUNT		objects that each object of the above stands for
 *	missed COUNT		hits of probes that the kernel missed
 *
 * A frame is the name of a function; kernel modules that were not known are "?".
 */
#include "record/batch.h"
#include "record/format.h"
#include "import/input.h"
#include "record/address_sample.h"
#include "record/event_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_BYTES = 256 << 20 };

/* The words of its line, with tabs; each text exists once. */
typedef struct {
	const char *label; /* of an allocation: SOURCE, CACHE, COMM and frames */
	const char *cache;
	uint8_t source;
	uint8_t kind;
} Origin;

typedef struct {
	uint64_t time_ns;
	uint64_t pointer;
	Origin origin;
	uint32_t number; /* in the order of the stream */
	uint32_t period;
	bool free;
} Taken;

typedef struct {
	Session *session;
	GArray *events;     /* (element-type Taken) */
	GHashTable *counts; /* line without its count: GUINT_TO_POINTER */
	GHashTable *live;   /* Taken, by source and pointer */
	GStringChunk *labels;
} Counting;

static const char *const kinds[] = { "none", "kfree", "cache", "rcu", "bulk", "page", "range" };
static const char *const sources[] = { "?", "kmalloc", "cache", "page", "?", "percpu", "vmalloc" };

static void append_frames(GString *label, const Counting *counting, const Events *events,
			  const EventOriginFacts *facts)
{
	for (uint32_t i = 0; i < facts->depth; i++) {
		Symbol symbol;
		/* A return address may be the start of the next function. */
		bool is_known = symbol_store_lookup(counting->session->symbols, events->epoch,
						    facts->frames[i] - (i > 0), &symbol);

		g_string_append_printf(label, "%s%s", i ? "<" : "", is_known ? symbol.name : "?");
	}
}

static Origin origin_of(const Counting *counting, const Events *events, const Event *event)
{
	EventOriginFacts facts;
	EventCache cache = { .name_bytes = 0 };
	EventTask task = { .tgid = 0 };
	g_autoptr(GString) label = g_string_new(NULL);
	g_autofree char *name = NULL;

	events_read_origin(events, event->origin, &facts);
	if (facts.cache != KMT_NONE)
		events_read_cache(events, facts.cache, &cache);
	if (event->task != KMT_NONE)
		events_read_task(events, event->task, &task);
	name = cache.name_bytes ? g_strndup(cache.name, cache.name_bytes) : g_strdup("-");
	g_string_append_printf(label, "%s\t%s\t%.*s\t", sources[MIN(facts.source, 6)], name,
			       KMT_COMM_BYTES, task.comm);
	if (!event->free)
		append_frames(label, counting, events, &facts);
	return (Origin){ g_string_chunk_insert_const(counting->labels, label->str),
			 g_string_chunk_insert_const(counting->labels, name), facts.source,
			 facts.kind };
}

/* An EventSink. */
static bool take(const Events *events, void *user_data)
{
	Counting *counting = user_data;

	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];
		const Taken taken = { event_time_ns(events, event),
				      event->pointer,
				      origin_of(counting, events, event),
				      counting->events->len,
				      MAX(events->header->sampling_period, 1),
				      event->free };

		if (event->pointer && event->pointer != EVENT_POINTER_UNKNOWN)
			g_array_append_val(counting->events, taken);
	}
	return true;
}

static int by_time(gconstpointer a, gconstpointer b)
{
	const Taken *one = a, *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->number < other->number ? -1 : 1;
}

static void count(Counting *counting, char *line)
{
	guint before = GPOINTER_TO_UINT(g_hash_table_lookup(counting->counts, line));

	g_hash_table_insert(counting->counts, line, GUINT_TO_POINTER(before + 1));
}

/* kmalloc and slab caches share their objects. */
static unsigned family(uint8_t source)
{
	return source == KMT_SOURCE_CACHE ? KMT_SOURCE_KMALLOC : source;
}

static guint hash_of(gconstpointer key)
{
	const Taken *taken = key;

	return (guint)(taken->pointer >> 3 ^ taken->pointer >> 35 ^ family(taken->origin.source));
}

static gboolean is_same(gconstpointer a, gconstpointer b)
{
	const Taken *one = a, *other = b;

	return one->pointer == other->pointer &&
	       family(one->origin.source) == family(other->origin.source);
}

static void pair(Counting *counting, Taken *event)
{
	Taken *before = g_hash_table_lookup(counting->live, event);
	const char *kind = kinds[event->origin.kind < G_N_ELEMENTS(kinds) ? event->origin.kind : 0];

	if (event->free) {
		count(counting, g_strdup_printf("%s\t%s", before ? "free" : "unknown", kind));
		g_hash_table_remove(counting->live, event);
		return;
	}
	count(counting, g_strdup_printf("allocated\t%s", event->origin.cache));
	if (before)
		count(counting, g_strdup_printf("recycled\t%s", before->origin.cache));
	g_hash_table_replace(counting->live, event, event);
}

/* What is allocated before or after the run does not count; frees do. */
static bool is_in_window(const Counting *counting, const Taken *event)
{
	const RunInfo *info = counting->session->info;

	return event->time_ns >= run_info_number(info, KMT_FIELD_WINDOW_START_NS, 0) &&
	       event->time_ns <= run_info_number(info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX);
}

static void pair_all(Counting *counting)
{
	const RunInfo *info = counting->session->info;
	uint64_t seed = run_info_number(info, KMT_FIELD_SAMPLE_SEED, 0);
	bool by_bits = !g_strcmp0(run_info_text(info, KMT_FIELD_SAMPLED_BY), KMT_SAMPLED_BY_BITS);
	uint32_t period = 1;
	unsigned level;

	g_array_sort(counting->events, by_time);
	for (guint i = 0; i < counting->events->len; i++)
		period = MAX(period, g_array_index(counting->events, Taken, i).period);
	level = period > 1 ? g_bit_storage(period - 1) : 0;
	for (guint i = 0; i < counting->events->len; i++) {
		Taken *event = &g_array_index(counting->events, Taken, i);

		if ((by_bits ? kmt_address_is_taken_by_bits(event->pointer, seed, level)
			     : kmt_address_is_taken(event->pointer, seed, level)) &&
		    (event->free || is_in_window(counting, event)))
			pair(counting, event);
	}
	printf("period\t%u\n", period);
	printf("missed\t%" PRIu64 "\n",
	       run_info_number(counting->session->info, KMT_FIELD_PROBES_MISSED, 0));
}

static void count_held(Counting *counting)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, counting->live);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const Taken *object = value;

		if (object->origin.kind == KMT_KIND_OWN)
			count(counting, g_strdup_printf("own\t%s", object->origin.cache));
		else
			count(counting, g_strdup_printf("held\t%s", object->origin.label));
	}
}

/* The count comes before the frames, which are the last word of a line of held objects. */
static void print_line(gpointer key, gpointer value, gpointer user_data)
{
	const char *line = key;
	const char *frames = g_str_has_prefix(line, "held\t") ? strrchr(line, '\t') : NULL;

	(void)user_data;
	if (frames)
		printf("%.*s\t%u\t%s\n", (int)(frames - line), line, GPOINTER_TO_UINT(value),
		       frames + 1);
	else
		printf("%s\t%u\n", line, GPOINTER_TO_UINT(value));
}

static void clear(Counting *counting)
{
	g_hash_table_unref(counting->counts);
	g_hash_table_unref(counting->live);
	g_array_unref(counting->events);
	g_string_chunk_free(counting->labels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Counting, clear)

int main(int argc, char **argv)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;
	g_auto(Counting)
		counting = { session, g_array_new(FALSE, FALSE, sizeof(Taken)),
			     g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
			     g_hash_table_new(hash_of, is_same), g_string_chunk_new(1 << 16) };

	session_add_sink(session, take, &counting);
	if (argc != 2 || !input_read(argv[1], session, &error)) {
		fprintf(stderr, "held_counts: %s\n", error ? error->message : "name one file");
		return 1;
	}
	pair_all(&counting);
	count_held(&counting);
	g_hash_table_foreach(counting.counts, print_line, NULL);
	return 0;
}
