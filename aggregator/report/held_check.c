/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares held objects with /proc/slabinfo. Takes the cells of a view, or those held at a moment,
 * and the readings; the model, or a rate table, keeps the rows for the renderers.
 */
#include "report/held_check.h"

#include "record/format.h"
#include "base/saturate.h"
#include "names/kmalloc_class.h"
#include "rates/net_check.h"

#include <math.h>
#include <string.h>

enum {
	ERRORS_MAX = 4,          /* standard errors of an estimate */
	PAGE_BYTES_USUAL = 4096, /* if an overview has no facts about the host */
};

/* What is added up of a cache. */
typedef struct {
	HeldCheckRow row;
	uint64_t freed;       /* of those that were allocated */
	uint64_t frees_named; /* all frees that name the cache */
	uint64_t scale;
	bool is_kmalloc;
	uint64_t tolerance; /* objects by which readings of the growth may be off */
	bool is_read;       /* the last reading has the cache */
} Cache;

typedef struct {
	const ViewSource *source;
	const View *view;     /* which cells count: those of the view, or ... */
	CellFilters *filters; /* ... if it is NULL, those that pass */
	const Session *session;
	const GArray *before;   /* as in HeldCheckMoment */
	GHashTable *caches;     /* (element-type utf8 Cache), owned */
	Cache **by_origin;      /* owned, by OriginId: of those that are known */
	bool *is_known;         /* the same */
	uint64_t frees_unnamed; /* frees of an unknown cache: by kfree() */
	double lag; /* time between the readings and the events, as a share of the run */
} Check;

/* Returns the name under which a cache counts; the caller frees it. */
static char *name_of(const char *cache, bool *is_kmalloc)
{
	KmallocClass class;

	*is_kmalloc = kmalloc_class_parse(cache, &class);
	return *is_kmalloc ? g_strdup_printf("kmalloc-%" G_GUINT64_FORMAT, class.bytes)
			   : g_strndup(cache, cache_name_folded_bytes(cache));
}

/* Returns the cache of an origin; NULL: objects outside of slab caches, and those of unknown
   caches, are compared with nothing. Many cells have one origin. */
static Cache *cache_of_origin(Check *check, OriginId id)
{
	const ViewSource *source = check->source;
	g_autofree char *own = NULL;
	CacheLabel label;
	Cache *cache;
	bool is_kmalloc;

	if (check->is_known[id])
		return check->by_origin[id];
	check->is_known[id] = true;
	label = cache_names_of(source->caches, profile_origin(source->profile, id));
	if (!label.name || label.origin == CACHE_PAGES)
		return NULL;
	own = name_of(label.name, &is_kmalloc);
	cache = g_hash_table_lookup(check->caches, own);
	if (!cache) {
		cache = g_new0(Cache, 1);
		cache->is_kmalloc = is_kmalloc;
		cache->row.name = own;
		g_hash_table_insert(check->caches, g_steal_pointer(&own), cache);
	}
	return check->by_origin[id] = cache;
}

static void add_held(Check *check)
{
	const ViewSource *source = check->source;

	for (uint32_t i = 0; i < view_source_cells(source); i++) {
		const ProfileCell *cell = view_source_cell(source, i);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
		const HeldSums *sums = &held_cell_of(cell)->sums;
		Cache *cache = cache_of_origin(check, cell->origin);

		if (!cache || origin->free || origin->own)
			continue;
		cache->row.misses_frees |= sums->recycled > 0;
		if (check->view ? !view_counts_cell(check->view, i)
				: cell_filters_against(check->filters, cell) >= 0)
			continue;
		saturate_add(&cache->row.held, cell->events);
		saturate_add(&cache->row.allocated, sums->allocated);
		saturate_add(&cache->freed, sums->freed);
		cache->scale = MAX(cache->scale, sums->scale);
	}
}

/* Frees are in the profile, whatever a view selects: any task may free an object. */
static void add_frees(Check *check)
{
	const ViewSource *source = check->source;

	for (uint32_t i = 0; i < profile_cell_count(source->profile); i++) {
		const ProfileCell *cell = profile_cell(source->profile, i);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
		bool is_named = origin->cache > CACHE_ID_OVERFLOW;
		Cache *cache;

		if (!origin->free)
			continue;
		cache = is_named ? cache_of_origin(check, cell->origin) : NULL;
		saturate_add(cache ? &cache->frees_named : &check->frees_unnamed, cell->events);
	}
}

static void add_reading(Check *check, const Slabinfo *slabinfo, bool is_end)
{
	uint64_t cpus = run_info_number(check->session->info, KMT_FIELD_CPUS_ONLINE, 1);

	for (guint i = 0; i < slabinfo_count(slabinfo); i++) {
		const SlabinfoCache *reading = slabinfo_at(slabinfo, i);
		bool is_kmalloc;
		g_autofree char *name = name_of(reading->name, &is_kmalloc);
		Cache *cache = g_hash_table_lookup(check->caches, name);

		if (!cache)
			continue;
		saturate_add(is_end ? &cache->row.end : &cache->row.start, reading->objects_in_use);
		if (!is_end)
			continue;
		cache->is_read = true;
		saturate_add(&cache->tolerance,
			     (uint64_t)net_check_tolerance(reading, (unsigned)MIN(cpus, UINT_MAX)));
	}
}

/* Frees of objects that were allocated before the run, as far as they were seen. Those that name no
   cache may be of any kmalloc cache. */
static void set_older_freed(Check *check)
{
	GHashTableIter iterator;
	gpointer value;
	uint64_t unnamed = check->frees_unnamed;

	g_hash_table_iter_init(&iterator, check->caches);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		const Cache *cache = value;

		if (cache->is_kmalloc)
			unnamed -=
				MIN(unnamed, cache->freed - MIN(cache->freed, cache->frees_named));
	}
	g_hash_table_iter_init(&iterator, check->caches);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		Cache *cache = value;

		cache->row.older_freed = cache->frees_named -
					 MIN(cache->frees_named, cache->freed) +
					 (cache->is_kmalloc ? unnamed : 0);
	}
}

/* More objects than are in use in the end; or more than the growth and all frees of older objects
   explain. */
static bool is_contradicted(const Check *check, const Cache *cache)
{
	const HeldCheckRow *before =
		check->before ? held_check_find(check->before, cache->row.name) : NULL;
	uint64_t allocated = cache->row.allocated;
	/* So many objects, at most, came after the reading. */
	uint64_t later =
		check->before ? allocated - (before ? MIN(before->allocated, allocated) : 0) : 0;
	double held = (double)cache->row.held;
	double error = ERRORS_MAX * sqrt(held * (double)(MAX(cache->scale, 1) - 1)) +
		       check->lag * (double)(allocated + cache->freed) + (double)later;
	double growth = (double)cache->row.end - (double)cache->row.start;

	return held > (double)cache->row.end + error ||
	       held > growth + (double)cache->row.older_freed + (double)cache->tolerance + error;
}

static double lag_of(const Check *check, double end_ns, double read_ns)
{
	const Session *session = check->session;
	double start_ns = (double)run_info_start_ns(session->info);
	double start_read_ns =
		(double)run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	double lag_ns = ABS(start_read_ns - start_ns);

	/* What came after an earlier reading is counted. */
	if (!check->before)
		lag_ns += ABS(read_ns - end_ns);
	return end_ns > start_ns ? MIN(lag_ns / (end_ns - start_ns), 1) : 1;
}

static gint held_check_compare(gconstpointer a, gconstpointer b)
{
	const HeldCheckRow *of_a = a, *of_b = b;

	if (of_a->left_out != of_b->left_out)
		return of_a->left_out ? 1 : -1;
	if (of_a->contradicted != of_b->contradicted)
		return of_a->contradicted ? -1 : 1;
	if (of_a->held != of_b->held)
		return of_a->held > of_b->held ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

static void row_clear(void *row)
{
	g_free(((HeldCheckRow *)row)->name);
}

static void cache_free(void *cache)
{
	row_clear(&((Cache *)cache)->row);
	g_free(cache);
}

/* Returns the caches that the last reading has, and that hold something or would do. */
static GArray *rows_of(const Check *check)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(HeldCheckRow));
	GHashTableIter iterator;
	gpointer value;

	g_array_set_clear_func(rows, row_clear);
	g_hash_table_iter_init(&iterator, check->caches);
	while (g_hash_table_iter_next(&iterator, NULL, &value)) {
		Cache *cache = value;
		HeldCheckRow row = cache->row;

		row.left_out = !row.allocated && row.misses_frees;
		if (!cache->is_read || (!row.held && !row.left_out))
			continue;
		row.contradicted = is_contradicted(check, cache);
		cache->row.name = NULL;
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, held_check_compare);
	return rows;
}

Slabinfo *slab_reading_of(const Session *session, uint32_t reading)
{
	uint64_t page_bytes =
		run_info_number(session->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_USUAL);

	return slabinfo_new(run_text_of(session->text, KMT_BATCH_SLABINFO, reading), page_bytes);
}

/* Compares with the reading at the start, and a later one. */
static GArray *compare_with(Check *check, const Slabinfo *end)
{
	g_autoptr(Slabinfo) start = slab_reading_of(check->session, KMT_READING_START);
	uint32_t origins = profile_origin_count(check->source->profile);
	GArray *rows;

	if (!slabinfo_count(start) || !slabinfo_count(end))
		return NULL;
	check->by_origin = g_new0(Cache *, origins);
	check->is_known = g_new0(bool, origins);
	check->caches = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, cache_free);
	add_held(check);
	add_frees(check);
	add_reading(check, start, false);
	add_reading(check, end, true);
	set_older_freed(check);
	rows = rows_of(check);
	g_hash_table_unref(check->caches);
	g_free(check->by_origin);
	g_free(check->is_known);
	return rows;
}

GArray *held_check_new(const View *view, const Session *session)
{
	Check check = { .source = view_source(view), .view = view, .session = session };
	const HeldCells *held = check.source->held_cells;
	bool is_held_at_end = session->pairing && held && !session->info->sliced &&
			      !held_cells_choice(held)->at_peak;
	g_autoptr(Slabinfo) end = NULL;

	if (!is_held_at_end)
		return NULL;
	end = slab_reading_of(session, KMT_READING_END);
	check.lag = lag_of(
		&check, (double)pairing_end_ns(session->pairing),
		(double)run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END));
	return compare_with(&check, end);
}

GArray *held_check_at(const Session *session, const HeldCheckMoment *moment)
{
	Check check = {
		.source = moment->source,
		.filters = moment->filters,
		.session = session,
		.before = moment->before,
	};

	check.lag = lag_of(&check, (double)moment->end_ns, (double)moment->read_ns);
	return compare_with(&check, moment->in_use);
}

bool held_check_fails(const GArray *rows)
{
	return rows && rows->len && g_array_index(rows, HeldCheckRow, 0).contradicted;
}

const HeldCheckRow *held_check_find(const GArray *rows, const char *name)
{
	bool is_kmalloc;
	g_autofree char *own = name_of(name, &is_kmalloc);

	for (guint i = 0; rows && i < rows->len; i++)
		if (g_str_equal(g_array_index(rows, HeldCheckRow, i).name, own))
			return &g_array_index(rows, HeldCheckRow, i);
	return NULL;
}
