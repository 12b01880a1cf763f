/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the table of an interval from its profile: cells are added up by cache, and by cache and
 * process; then each row gets what is known of its net, its objects in use and what it holds. The
 * result owns all its texts, so it may go to another thread. rate_feed.c makes one for each
 * interval and adds them up for a whole run.
 */
#include "rates/rate_table.h"

#include "record/format.h"
#include "base/escape.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "names/cache_names.h"
#include "names/cgroup_names.h"
#include "table/cell_filter.h"
#include "table/task_name.h"
#include "table/group_table.h"
#include "table/process_sums.h"

/* The sums: cells by cache and, if required, by cache and process. */
typedef struct {
	ViewSource source;
	const RateRequest *request;
	CellFilters *filters; /* owned */
	GroupNaming naming;   /* for the indexes */
	GroupIndex *caches;   /* owned */
	GroupTable by_cache;
	GArray *lives;         /* (element-type LiveSums) by row of by_cache, owned */
	GroupIndex *processes; /* owned; NULL: not required */
	GroupTable by_process;
	bool collects_frees;
	bool collects_pages;
	bool kfree_is_blind;
	bool has_blind; /* a row has blind frees, which no filter dropped */
} Drafting;

static RateTable *rate_table_empty(void)
{
	RateTable *table = g_new0(RateTable, 1);

	table->rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	table->texts = text_pool_new();
	table->sum.label = "(all caches)";
	table->sum.lacks = NEEDS_SLABINFO | NEEDS_HELD;
	return table;
}

void rate_table_free(RateTable *table)
{
	if (!table)
		return;
	g_array_unref(table->rows);
	text_pool_free(table->texts);
	g_clear_pointer(&table->held_compared, g_array_unref);
	g_free(table->load_average);
	g_free(table);
}

static void begin_tables(Drafting *drafting)
{
	GroupIndex *indexes[DIMENSIONS_MAX + 1] = { NULL };

	drafting->naming = (GroupNaming){ .source = &drafting->source };
	indexes[0] = drafting->caches =
		group_index_new(dimension_lookup("cache"), &drafting->naming);
	group_table_init(&drafting->by_cache, &drafting->source, indexes);
	drafting->lives = g_array_new(FALSE, TRUE, sizeof(LiveSums));
	if (!(drafting->request->needs & NEEDS_PROCESSES))
		return;
	indexes[1] = drafting->processes =
		group_index_new(dimension_lookup("process"), &drafting->naming);
	group_table_init(&drafting->by_process, &drafting->source, indexes);
}

static void dispose_tables(Drafting *drafting)
{
	group_table_clear(&drafting->by_cache);
	g_array_unref(drafting->lives);
	group_index_free(drafting->caches);
	if (drafting->processes)
		group_table_clear(&drafting->by_process);
	group_index_free(drafting->processes);
}

static void add_cell(Drafting *drafting, const ProfileOrigin *origin, const ProfileCell *cell)
{
	uint32_t row = group_table_add(&drafting->by_cache, cell);

	if (row >= drafting->lives->len)
		g_array_set_size(drafting->lives, row + 1);
	if (origin->free)
		saturate_add(&g_array_index(drafting->lives, LiveSums, row).frees, cell->events);
	else if (origin->own)
		saturate_add(&g_array_index(drafting->lives, LiveSums, row).own, cell->events);
	else if (drafting->processes && cell->events)
		group_table_add(&drafting->by_process, cell);
}

/* Frees are shown only together with their allocations; frees of pages come with those of
   objects. */
static bool is_wanted(const Drafting *drafting, const ProfileOrigin *origin)
{
	if (origin->own)
		return drafting->request->needs & NEEDS_NET;
	return !origin->free || (drafting->request->needs & NEEDS_ANY_FREES &&
				 (origin->source != KMT_SOURCE_PAGE || drafting->collects_pages));
}

/* Adds up all cells, except those beyond the memory limit, which count as loss. */
static void add_cells(Drafting *drafting)
{
	const Profile *profile = drafting->source.profile;
	uint32_t count = profile_cell_count(profile);

	for (uint32_t i = 0; i < count; i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		bool blind = false;

		if (origin->beyond || !is_wanted(drafting, origin))
			continue;
		/* A free of kmalloc() memory may come without the cache. */
		if (origin->free && origin->source == KMT_SOURCE_KMALLOC)
			blind = cache_names_of(drafting->source.caches, origin).origin ==
				CACHE_UNKNOWN;
		drafting->kfree_is_blind |= blind;
		if (cell_filters_against(drafting->filters, cell) >= 0)
			continue;
		drafting->has_blind |= blind;
		add_cell(drafting, origin, cell);
	}
}

/* Returns the process, or interrupt context, of a group with these allocations. */
static ViewProcess process_of(const Drafting *drafting, uint32_t group, uint64_t allocations)
{
	unsigned context = group_index_context(drafting->processes, group);
	TaskId task = group_index_member(drafting->processes, group);
	bool is_task = context == KMT_CONTEXT_TASK;

	return (ViewProcess){
		.context = (uint8_t)context,
		.comm = is_task ? profile_process_name(drafting->source.profile, task) : "",
		.allocations = allocations,
	};
}

static void rate_table_offer(ViewProcess *best, const ViewProcess *offered)
{
	if (offered->allocations && (!best->allocations || view_process_compare(offered, best) < 0))
		*best = *offered;
}

/* Returns the busiest process of each cache group (element-type ViewProcess; without allocations if
   there is none), and in *all that of all caches together. */
static GArray *find_busiest(const Drafting *drafting, ViewProcess *all)
{
	guint caches = group_index_count(drafting->caches);
	guint processes = group_index_count(drafting->processes);
	g_autofree uint64_t *sums = g_new0(uint64_t, processes);
	GArray *best = g_array_sized_new(FALSE, TRUE, sizeof(ViewProcess), caches);

	g_array_set_size(best, caches);
	for (guint i = 0; i < drafting->by_process.rows->len; i++) {
		const GroupRow *row = group_table_row(&drafting->by_process, i);
		const ViewProcess offered =
			process_of(drafting, row->groups[1], row->sums.summary.allocations);

		saturate_add(&sums[row->groups[1]], offered.allocations);
		rate_table_offer(&g_array_index(best, ViewProcess, row->groups[0]), &offered);
	}
	for (guint i = 0; i < processes; i++) {
		const ViewProcess offered = process_of(drafting, i, sums[i]);

		rate_table_offer(all, &offered);
	}
	return best;
}

static void set_busiest(RateTable *table, RateRow *row, const ViewProcess *busiest)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!busiest->allocations)
		return;
	if (busiest->context != KMT_CONTEXT_TASK)
		g_string_append_printf(text, "(%s)", context_name(busiest->context));
	else
		escape_append_len(text, busiest->comm, comm_folded_length(busiest->comm));
	row->busiest_name = text_pool_keep(table->texts, text->str);
	row->busiest_percent =
		(double)busiest->allocations * 100 / (double)row->sums.summary.allocations;
	g_string_append_printf(text, " %.0f %%", row->busiest_percent);
	row->busiest = text_pool_keep(table->texts, text->str);
}

/* Returns the state that applies to all rows. */
static RateNet net_of_all(const Drafting *drafting)
{
	const RateRequest *request = drafting->request;

	if (!drafting->collects_frees)
		return RATE_NET_NOT_COLLECTED;
	if (request->sampling_period > 1)
		return RATE_NET_SAMPLED;
	/* Others, such as interrupts, may free what the selected processes allocated. */
	if (cell_filters_pick_tasks(request->cells) ||
	    scope_picks_tasks(run_info_text(request->info, KMT_FIELD_SCOPE)))
		return RATE_NET_FILTERED;
	return RATE_NET_KNOWN;
}

static RateNet net_of_row(const Drafting *drafting, const RateRow *row)
{
	static const RateNet states[] = {
		[NET_CONFIRMED] = RATE_NET_KNOWN,
		[NET_CONTRADICTED] = RATE_NET_CONTRADICTED,
		[NET_UNCONFIRMED] = RATE_NET_UNCONFIRMED,
	};
	const RateRequest *request = drafting->request;
	const NetCheck *check = request->net_judged ? request->net_judged : request->net;
	RateNet of_all = net_of_all(drafting);

	if (of_all != RATE_NET_KNOWN)
		return of_all;
	if (drafting->kfree_is_blind && (!row->name || rate_row_is_of_kmalloc(row)))
		return RATE_NET_UNNAMED;
	return check && row->name ? states[net_check_verdict(check, row->name)] : RATE_NET_KNOWN;
}

/* Frees contain those of the collector's objects: a free in an interrupt does not show whose. */
static uint64_t allocated_with_own(const RateRow *row)
{
	uint64_t allocated = row->sums.summary.allocations;

	saturate_add(&allocated, row->live.own);
	return allocated;
}

/* Passes the rows' counts to the check, and runs it. */
static void check_net(const RateRequest *request, const RateTable *table)
{
	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		if (row->name)
			net_check_count(request->net, row->name, allocated_with_own(row),
					row->live.frees);
	}
	if (request->net_reading)
		net_check_judge(request->net, request->net_reading);
}

/* The net of the sum adds up the rows with a known net. */
static void sum_net(RateTable *table, RateNet of_all)
{
	RateRow *sum = &table->sum;

	sum->net_state = table->rows->len ? RATE_NETS : of_all;
	sum->live.net = 0;
	table->net_unknown = 0;
	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		table->net_unknown += row->net_state != RATE_NET_KNOWN;
		sum->net_state = MIN(sum->net_state, row->net_state);
		if (row->net_state == RATE_NET_KNOWN)
			sum->live.net = saturate_signed_sum(sum->live.net, row->live.net);
	}
}

/* The sum includes all frees, unless a filter dropped the unnamed ones. */
static void judge_all_frees(const Drafting *drafting, RateTable *table)
{
	const bool collects = drafting->collects_frees, is_blind = drafting->kfree_is_blind;

	if (!collects || (is_blind && !drafting->has_blind))
		table->sum.lacks |= NEEDS_FREES;
	for (guint i = 0; i < table->rows->len; i++) {
		RateRow *row = &g_array_index(table->rows, RateRow, i);

		if (!collects || (is_blind && rate_row_is_of_kmalloc(row)))
			row->lacks |= NEEDS_FREES;
		row->net_state = net_of_row(drafting, row);
		row->live.net = saturate_difference(allocated_with_own(row), row->live.frees);
	}
	sum_net(table, net_of_all(drafting));
}

static void set_objects_in_use(RateRow *row, const Slabinfo *slabinfo)
{
	const SlabinfoCache *cache =
		slabinfo && row->name ? slabinfo_find(slabinfo, row->name) : NULL;

	if (cache)
		row->live.objects_in_use = cache->objects_in_use;
	else
		row->lacks |= NEEDS_SLABINFO;
}

/* Returns what no row of this table knows. */
static unsigned lacks_of_all(const RateRequest *request)
{
	return (request->held ? 0 : NEEDS_HELD) | (request->samples_addresses ? NEEDS_CHURN : 0);
}

/* Returns the row of that number, with texts owned by the table. */
static RateRow row_of(RateTable *table, const Drafting *drafting, guint number)
{
	const GroupRow *group = group_table_row(&drafting->by_cache, number);
	OriginId origin = group_index_member(drafting->caches, group->groups[0]);
	CacheLabel cache = cache_names_of(drafting->source.caches,
					  profile_origin(drafting->source.profile, origin));
	RateRow row = {
		.sums = group->sums,
		.live = g_array_index(drafting->lives, LiveSums, number),
		.lacks = lacks_of_all(drafting->request),
	};

	g_assert(number < drafting->lives->len);
	rate_row_set_cache(&row, &cache);
	row.label = text_pool_keep(table->texts, row.label);
	row.name = text_pool_keep(table->texts, row.name);
	set_objects_in_use(&row, drafting->request->slabinfo);
	return row;
}

/* Returns the indexes of the rows. Equal labels have equal pointers: the chunk stores each text
   once. */
static GHashTable *rows_by_label(const RateTable *table)
{
	GHashTable *known = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < table->rows->len; i++)
		g_hash_table_insert(known, unconst(g_array_index(table->rows, RateRow, i).label),
				    GUINT_TO_POINTER(i));
	return known;
}

/* Returns the row of that label, which may be new. */
static RateRow *row_intern(RateTable *table, GHashTable *known, const RateRow *wanted)
{
	RateRow row = { .label = text_pool_keep(table->texts, wanted->label),
			.name = text_pool_keep(table->texts, wanted->name),
			.by_size = wanted->by_size };
	gpointer index;

	if (g_hash_table_lookup_extended(known, row.label, NULL, &index))
		return &g_array_index(table->rows, RateRow, GPOINTER_TO_UINT(index));
	g_hash_table_insert(known, unconst(row.label), GUINT_TO_POINTER(table->rows->len));
	g_array_append_val(table->rows, row);
	return &g_array_index(table->rows, RateRow, table->rows->len - 1);
}

static void set_held(RateRow *row, const RateRow *from)
{
	row->live.held = from->live.held;
	row->live.held_bytes = from->live.held_bytes;
	row->live.held_variance = from->live.held_variance;
}

/* A cache may hold objects without events in this interval. */
static void take_held(RateTable *table, const RateRequest *request)
{
	g_autoptr(GHashTable) known = rows_by_label(table);
	LiveSums *sum = &table->sum.live;

	table->sum.lacks = NEEDS_SLABINFO | lacks_of_all(request);
	for (guint i = 0; request->held && i < request->held->len; i++) {
		const RateRow *held = &g_array_index(request->held, RateRow, i);
		guint count = table->rows->len;
		RateRow *row = row_intern(table, known, held);

		if (table->rows->len > count) {
			row->lacks = lacks_of_all(request);
			set_objects_in_use(row, request->slabinfo);
		}
		row->lacks |= held->lacks;
		set_held(row, held);
		if (row->lacks & NEEDS_HELD)
			continue;
		saturate_add(&sum->held, held->live.held);
		saturate_add(&sum->held_bytes, held->live.held_bytes);
		sum->held_variance += held->live.held_variance;
	}
}

static void take_rows(RateTable *table, Drafting *drafting)
{
	const RateRequest *request = drafting->request;

	for (guint i = 0; i < drafting->by_cache.rows->len; i++) {
		const RateRow row = row_of(table, drafting, i);

		g_array_append_val(table->rows, row);
		row_sums_add(&table->sum.sums, &row.sums);
		saturate_add(&table->sum.live.frees, row.live.frees);
	}
	if (drafting->processes && !request->samples_addresses) {
		ViewProcess all = { .allocations = 0 };
		g_autoptr(GArray) best = find_busiest(drafting, &all);

		for (guint i = 0; i < table->rows->len; i++) {
			uint32_t cache = group_table_row(&drafting->by_cache, i)->groups[0];

			set_busiest(table, &g_array_index(table->rows, RateRow, i),
				    &g_array_index(best, ViewProcess, cache));
		}
		set_busiest(table, &table->sum, &all);
	}
	take_held(table, request);
	if (request->net)
		check_net(request, table);
	judge_all_frees(drafting, table);
}

/* A stream without the field may contain all kinds. */
static bool rate_table_collects(const RunInfo *info, const char *kind)
{
	const char *kinds = run_info_text(info, KMT_FIELD_EVENTS);
	g_auto(GStrv) words = g_strsplit(kinds ? kinds : kind, ",", -1);

	return g_strv_contains((const gchar *const *)words, kind);
}

static void add_up(RateTable *table, const Interval *interval, const RateRequest *request)
{
	g_autoptr(CacheNames) caches =
		cache_names_new(interval->profile, request->info, request->text);
	g_autoptr(CgroupNames) cgroups = cgroup_names_new(request->text);
	Drafting drafting = {
		.source = {
			.profile = interval->profile,
			.caches = caches,
			.cgroups = cgroups,
			.sampling = sampling_of(interval->profile, request->info),
		},
		.request = request,
		.collects_frees = rate_table_collects(request->info, "free"),
		.collects_pages = rate_table_collects(request->info, "page"),
		.kfree_is_blind = request->kfree_is_blind,
	};

	begin_tables(&drafting);
	drafting.filters = cell_filters_new(request->cells, &drafting.source);
	add_cells(&drafting);
	take_rows(table, &drafting);
	table->kfree_is_blind = drafting.kfree_is_blind;
	cell_filters_free(drafting.filters);
	dispose_tables(&drafting);
}

static char *load_average_of(const RunInfo *info)
{
	const char *line = run_info_text(info, KMT_FIELD_LOAD_AVERAGE);
	g_autoptr(GString) escaped = g_string_new(NULL);

	if (!line)
		return NULL;
	escape_append(escaped, line);
	return g_string_free(g_steal_pointer(&escaped), FALSE);
}

RateTable *rate_table_new(const Interval *interval, const RateRequest *request)
{
	RateTable *table = rate_table_empty();

	table->number = interval->number;
	table->start_ns = interval->start_ns;
	table->end_ns = MAX(interval->end_ns, interval->start_ns);
	table->partial = interval->partial;
	table->realtime_ns = run_info_realtime_ns(request->info, table->end_ns);
	table->load_average = load_average_of(request->info);
	if (request->held_compared)
		table->held_compared = g_array_ref(request->held_compared);
	table->events_lost = request->events_lost;
	table->sampling_period = request->sampling_period;
	table->cost_percent = request->cost_percent;
	table->walks_different = run_info_number(request->info, KMT_FIELD_WALKS_DIFFERENT, 0);
	table->names_different = run_info_number(request->info, KMT_FIELD_NAMES_DIFFERENT, 0);
	add_up(table, interval, request);
	rate_rows_sort(table->rows, request->sort);
	return table;
}

static void add_row(RateTable *sum, RateRow *to, const RateRow *from)
{
	if (from->sums.summary.allocations) {
		bool is_first = !to->sums.summary.allocations;

		to->busiest = is_first ? text_pool_keep(sum->texts, from->busiest) : NULL;
		to->busiest_name = is_first ? text_pool_keep(sum->texts, from->busiest_name) : NULL;
		to->busiest_percent = from->busiest_percent;
	}
	row_sums_add(&to->sums, &from->sums);
	saturate_add(&to->live.frees, from->live.frees);
	to->live.net = saturate_signed_sum(to->live.net, from->live.net);
	to->live.objects_in_use = from->live.objects_in_use;
	set_held(to, from);
	to->lacks = (to->lacks & NEEDS_FREES) | from->lacks;
	/* The state is about everything counted so far. */
	to->net_state = from->net_state;
}

static void add_rows(RateTable *sum, const RateTable *later)
{
	static const RateRow nothing;
	g_autoptr(GHashTable) known = rows_by_label(sum);

	/* The later table has a row for each cache that still holds something. */
	for (guint i = 0; i < sum->rows->len; i++)
		set_held(&g_array_index(sum->rows, RateRow, i), &nothing);
	for (guint i = 0; i < later->rows->len; i++) {
		const RateRow *row = &g_array_index(later->rows, RateRow, i);

		add_row(sum, row_intern(sum, known, row), row);
	}
	add_row(sum, &sum->sum, &later->sum);
	sum_net(sum, later->sum.net_state);
}

/* Weighted by the duration of each table. */
static double cost_of_both(const RateTable *sum, const RateTable *later)
{
	double before_ns = (double)(sum->end_ns - sum->start_ns);
	double after_ns = (double)(later->end_ns - later->start_ns);

	if (sum->cost_percent < 0 || later->cost_percent < 0 || before_ns + after_ns <= 0)
		return later->cost_percent;
	return (sum->cost_percent * before_ns + later->cost_percent * after_ns) /
	       (before_ns + after_ns);
}

void rate_table_add(RateTable *sum, const RateTable *later, const Metric *sort)
{
	sum->cost_percent = cost_of_both(sum, later);
	sum->number = later->number;
	sum->end_ns = later->end_ns;
	sum->partial = later->partial;
	sum->realtime_ns = later->realtime_ns;
	g_clear_pointer(&sum->held_compared, g_array_unref);
	if (later->held_compared)
		sum->held_compared = g_array_ref(later->held_compared);
	g_free(sum->load_average);
	sum->load_average = g_strdup(later->load_average);
	sum->events_lost = loss_add(sum->events_lost, later->events_lost);
	sum->kfree_is_blind = later->kfree_is_blind;
	sum->sampling_period = later->sampling_period;
	sum->walks_different = later->walks_different;
	sum->names_different = later->names_different;
	add_rows(sum, later);
	rate_rows_sort(sum->rows, sort);
}

RateTable *rate_table_copy(const RateTable *table)
{
	RateTable *copy = rate_table_empty();

	copy->start_ns = copy->end_ns = table->start_ns;
	rate_table_add(copy, table, rate_sort_default);
	/* Copies the order, too. */
	for (guint i = 0; i < table->rows->len; i++) {
		RateRow row = g_array_index(table->rows, RateRow, i);

		row.label = text_pool_keep(copy->texts, row.label);
		row.name = text_pool_keep(copy->texts, row.name);
		row.busiest = text_pool_keep(copy->texts, row.busiest);
		row.busiest_name = text_pool_keep(copy->texts, row.busiest_name);
		g_array_index(copy->rows, RateRow, i) = row;
	}
	return copy;
}
