/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two readings of slabinfo with what they are compared with: traced sums, memory, which caches the
 * kernel can shrink. The rows of caches that were asked for say how they grew, what of that was
 * traced, and whether the two contradict; those of the overview have all caches by growth, and how
 * much memory was taken outside of slab caches.
 */
#include "report/slab_readings.h"

#include "base/clock.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "names/kmalloc_class.h"
#include "record/format.h"
#include "session/losses.h"
#include "table/cell_filter.h"
#include "table/group_table.h"

#include <string.h>

static SlabSpan span_of(const SlabReadings *readings, const Session *session)
{
	uint64_t start_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END);

	return (SlabSpan){
		.start = readings->start,
		.end = readings->end,
		.span_ns = start_ns && end_ns > start_ns ? end_ns - start_ns : 0,
	};
}

/* If true, growth above the traced allocations must have other sources. */
static bool is_all_traced(const Session *session)
{
	const char *scope = run_info_text(session->info, KMT_FIELD_SCOPE);
	const char *events = run_info_text(session->info, KMT_FIELD_EVENTS);

	return scope_is_host(scope) && events && strstr(events, "kmalloc") &&
	       strstr(events, "cache") &&
	       run_info_number(session->info, KMT_FIELD_SAMPLING_PERIOD, 1) == 1 &&
	       loss_ledger_totals(session->loss).sampling_period_max <= 1 &&
	       !losses_make_incomplete(session, 0);
}

/* Whose allocations were traced, if not the whole host's; else NULL. */
static const char *traced_of_whom(const ReportSource *source)
{
	if (scope_picks_tasks(run_info_text(source->session->info, KMT_FIELD_SCOPE)))
		return "of the chosen processes";
	return cell_filters_pick_tasks(source->options->cells) ? "of what was asked for" : NULL;
}

/* Returns the sums of each matched cache in a view (element-type RowSums). */
static GArray *slab_growth_traced(const View *view, const CacheQuery *query)
{
	const ViewSource *source = view_source(view);
	const GroupNaming naming = { .source = source };
	g_autoptr(GroupIndex) caches = group_index_new(dimension_lookup("cache"), &naming);
	GArray *traced = g_array_new(FALSE, TRUE, sizeof(RowSums));
	GroupTable table;

	group_table_init(&table, source, (GroupIndex *[]){ caches, NULL });
	for (uint32_t i = 0; i < view_source_cells(source); i++)
		if (view_counts_cell(view, i))
			group_table_add(&table, view_source_cell(source, i));
	g_array_set_size(traced, cache_query_matched(query)->len);
	for (guint i = 0; i < table.rows->len; i++) {
		const GroupRow *row = group_table_row(&table, i);
		OriginId origin = group_index_member(caches, row->groups[0]);
		const char *name =
			cache_names_of(source->caches, profile_origin(source->profile, origin))
				.name;
		int index = name ? cache_query_index(query, name) : -1;

		if (index >= 0)
			row_sums_add(&g_array_index(traced, RowSums, index), &row->sums);
	}
	group_table_clear(&table);
	return traced;
}

/* Whether a profile has any allocation whose cache was named in this way. */
static bool slab_growth_any(const Profile *profile, CacheNames *names, CacheOrigin how)
{
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);

		if (cell->events && !origin->free && cache_names_of(names, origin).origin == how)
			return true;
	}
	return false;
}

static void set_growth(SlabReadings *readings, const ReportSource *source, const GArray *check)
{
	const Session *session = source->session;
	const char *recorded = run_info_text(session->info, KMT_FIELD_CACHE_FILTER);
	CacheNames *names = view_source(source->view)->caches;

	readings->traced = slab_growth_traced(source->view, source->caches);
	readings->recorded = recorded ? g_strsplit(recorded, "\t", -1) : NULL;
	readings->growth = (SlabGrowth){
		.span = span_of(readings, session),
		.query = source->caches,
		.traced = readings->traced,
		.recorded = readings->recorded,
		.of_part = session->info->sliced,
		.all_traced = is_all_traced(session) && !session->info->sliced &&
			      !slab_growth_any(session->profile, names, CACHE_UNKNOWN),
		.some_by_size = slab_growth_any(session->profile, names, CACHE_BY_SIZE),
		.of_whom = traced_of_whom(source),
		.sampled = loss_ledger_totals(session->loss).sampling_period_max > 1,
		.is_held = session_is_held(session),
		.human = source->human,
		.cpus = run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 0),
		.frees_unseen = run_info_text(session->info, KMT_FIELD_FREES_NOT_SEEN),
		.check = check,
	};
}

static HostState memory_of(const Session *session, enum KmtReading reading)
{
	return host_state_parse(run_text_of(session->text, KMT_BATCH_MEMORY, reading));
}

/* Reads the cgroups of a stream, which may lack them. */
static CgroupSpan cgroups_of(SlabReadings *readings, const RunText *text)
{
	const uint8_t kind = KMT_BATCH_CGROUP_MEMORY;
	uint64_t start_ns = run_text_time_ns(text, kind, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(text, kind, KMT_READING_END);

	if (!end_ns)
		return (CgroupSpan){ .end = NULL };
	readings->cgroups_start = cgroup_reading_new(run_text_of(text, kind, KMT_READING_START));
	readings->cgroups_end = cgroup_reading_new(run_text_of(text, kind, KMT_READING_END));
	return (CgroupSpan){ readings->cgroups_start, readings->cgroups_end,
			     start_ns && end_ns > start_ns ? end_ns - start_ns : 0 };
}

static void set_table(SlabReadings *readings, const ReportSource *source)
{
	const Session *session = source->session;
	SlabSpan span = span_of(readings, session);
	uint64_t top = source->options->top;
	bool has_bound = source->all || top < UINT32_MAX;
	const TerminalSize none = { 0 };

	readings->reclaimable =
		reclaimable_new(run_text_of(session->text, KMT_BATCH_RECLAIMABLE, 0));
	readings->list = cache_list_new(run_text_of(session->text, KMT_BATCH_CACHE_NAMES, 0), NULL);
	readings->table = (SlabTable){
		.span = span,
		.memory = { memory_of(session, KMT_READING_START),
			    memory_of(session, KMT_READING_END), span.span_ns },
		.cgroups = cgroups_of(readings, session->text),
		.reclaimable = readings->reclaimable,
		.order = source->slab_order,
		.list = readings->list,
		.rows_max = source->all        ? UINT32_MAX
			    : top < UINT32_MAX ? (guint)top
					       : SLAB_TABLE_ROWS,
		.cpus = (unsigned)run_info_number(session->info, KMT_FIELD_CPUS_ONLINE, 1),
		.terminal = has_bound ? none : source->terminal,
		.human = source->human || source->terminal.columns,
	};
}

SlabReadings *slab_readings_new(const ReportSource *source, const GArray *check)
{
	SlabReadings *readings = g_new0(SlabReadings, 1);

	readings->start = slab_reading_of(source->session, KMT_READING_START);
	readings->end = slab_reading_of(source->session, KMT_READING_END);
	if (source->caches)
		set_growth(readings, source, check);
	set_table(readings, source);
	if (source->session->watch)
		readings->watch = watch_log_span(source->session->watch);
	return readings;
}

void slab_readings_free(SlabReadings *readings)
{
	if (!readings)
		return;
	slabinfo_free(readings->start);
	slabinfo_free(readings->end);
	reclaimable_free(readings->reclaimable);
	cache_list_free(readings->list);
	cgroup_reading_free(readings->cgroups_start);
	cgroup_reading_free(readings->cgroups_end);
	g_strfreev(readings->recorded);
	if (readings->traced)
		g_array_unref(readings->traced);
	g_free(readings);
}

/* A CPU may hold a slab of its own, some half-used slabs, and sheaves. Their free objects count as
   in use. */
static uint64_t objects_ready(const SlabGrowth *growth, const SlabinfoCache *cache,
			      uint64_t sheaves)
{
	enum { SLABS_OF_A_CPU = 8 };

	return saturate_sum(cache->objects_of_a_slab * SLABS_OF_A_CPU * MAX(growth->cpus, 1),
			    sheaves);
}

/* Whether no traced allocation of this cache can have been attributed to another cache. */
static bool has_all_traced(const SlabGrowth *growth, const char *name)
{
	KmallocClass class;

	return growth->all_traced && !(growth->some_by_size && kmalloc_class_parse(name, &class));
}

static bool is_contradicted(const SlabGrowth *growth, const char *name)
{
	const HeldCheckRow *row = held_check_find(growth->check, name);

	return row && (row->contradicted || row->left_out);
}

static SlabGrowthRow growth_row_of(const SlabGrowth *growth, guint index)
{
	const char *name = g_ptr_array_index(cache_query_matched(growth->query), index);
	const SlabinfoCache *start = slabinfo_find(growth->span.start, name);
	const SlabinfoCache *end = slabinfo_find(growth->span.end, name);
	const SlabinfoCache *any = end ? end : start;
	SlabGrowthRow result = {
		.name = name,
		.alias = cache_query_alias(growth->query, index),
		.start = start ? start->objects_in_use : 0,
		.end = end ? end->objects_in_use : 0,
		.traced = g_array_index(growth->traced, RowSums, index),
		.is_known = any && slabinfo_count(growth->span.start) &&
			    slabinfo_count(growth->span.end),
		.is_recorded = !growth->recorded ||
			       g_strv_contains((const char *const *)growth->recorded, name),
		.is_of_part = growth->of_part,
		.is_contradicted = is_contradicted(growth, name),
	};

	if (!result.is_known)
		return result;
	result.bytes = ((double)result.end - (double)result.start) * (double)any->object_bytes;
	result.sheaves = start ? start->sheaf_objects : 0;
	result.ready = objects_ready(growth, any, result.sheaves);
	if (!growth->is_held && has_all_traced(growth, name) && result.is_recorded &&
	    result.end > result.start + result.traced.summary.allocations)
		result.unseen = result.end - result.start - result.traced.summary.allocations;
	return result;
}

/* Largest change in bytes first, then most allocations. */
static int slab_growth_compare(const void *a, const void *b)
{
	const SlabGrowthRow *of_a = a, *of_b = b;
	double bytes_a = ABS(of_a->bytes), bytes_b = ABS(of_b->bytes);

	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	if (of_a->traced.summary.allocations != of_b->traced.summary.allocations)
		return of_a->traced.summary.allocations > of_b->traced.summary.allocations ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

GArray *slab_growth_rows(const SlabGrowth *growth, SlabGrowthRow *sum)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabGrowthRow));

	*sum = (SlabGrowthRow){ .is_recorded = true, .is_of_part = growth->of_part };
	for (guint i = 0; i < cache_query_matched(growth->query)->len; i++) {
		const SlabGrowthRow row = growth_row_of(growth, i);

		sum->start += row.start;
		sum->end += row.end;
		sum->bytes += row.bytes;
		row_sums_add(&sum->traced, &row.traced);
		saturate_add(&sum->sheaves, row.sheaves);
		sum->is_known |= row.is_known;
		sum->is_recorded &= row.is_recorded;
		sum->is_contradicted |= row.is_contradicted;
		/* A deficit of one cache does not hide the excess of another. */
		if (row.unseen > row.ready)
			sum->unseen += row.unseen;
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, slab_growth_compare);
	return rows;
}

static Value read_margin(Table *table, const TableColumn *column, guint row)
{
	const SlabGrowthRow *growth =
		row == TABLE_ALL ? table->all : &g_array_index(table->rows, SlabGrowthRow, row);

	return (Value){ .known = true, .percent = metric_margin(column->of, &growth->traced) };
}

#define IS_KNOWN MEMBER_AT(bool, SlabGrowthRow, is_known)
#define GROWTH(name, type, member) TABLE_MEMBER(name, type, SlabGrowthRow, member)

static const TableColumn growth_columns[] = {
	{ GROWTH("cache", VALUE_TEXT, name), .is_key = true },
	{ GROWTH("asked_as", VALUE_TEXT, alias), .is_key = true },
	{ GROWTH("objects_in_use_start", VALUE_COUNT, start), .known_at = IS_KNOWN },
	{ GROWTH("objects_in_use_end", VALUE_COUNT, end), .known_at = IS_KNOWN },
	{ GROWTH("growth_bytes", VALUE_CHANGE, bytes), .known_at = IS_KNOWN },
	{ GROWTH("allocations", VALUE_COUNT, traced.summary.allocations) },
	{ .id = "allocations_margin_percent",
	  .type = VALUE_PERCENT,
	  .read = read_margin,
	  .of = &metrics[METRIC_ALLOCATIONS] },
	{ GROWTH("all_recorded", VALUE_FLAG, is_recorded) },
	{ GROWTH("objects_unseen", VALUE_COUNT, unseen) },
	{ GROWTH("objects_ready", VALUE_COUNT, ready) },
	{ GROWTH("held_is_contradicted", VALUE_FLAG, is_contradicted) },
};

Table *slab_growth_table_new(const SlabGrowth *growth)
{
	SlabGrowthRow sum;
	Table *table = table_new(growth, slab_growth_rows(growth, &sum));

	table->all = table_keep(table, &sum, sizeof(sum));
	table_add(table, growth_columns, G_N_ELEMENTS(growth_columns), TABLE_JSON);
	return table;
}

static double grown_of(const SlabSpan *span, const SlabinfoCache *end)
{
	const SlabinfoCache *start = slabinfo_find(span->start, end->name);
	double objects = (double)end->objects_in_use - (double)(start ? start->objects_in_use : 0);

	return span->span_ns ? objects * (double)end->object_bytes : 0;
}

/* Shrinking caches are not sorted to the end. */
static double growth_figure(const SlabTableRow *row)
{
	return MAX(row->change_bytes, 0);
}

static double size_figure(const SlabTableRow *row)
{
	return (double)row->slab_bytes;
}

static double in_use_figure(const SlabTableRow *row)
{
	return (double)row->objects_in_use;
}

static double use_figure(const SlabTableRow *row)
{
	return (double)row->objects_in_use / (double)MAX(row->objects, 1);
}

static double object_figure(const SlabTableRow *row)
{
	return (double)row->object_bytes;
}

const SlabOrder slab_orders[] = {
	{ "growth", "growth of the objects in use", growth_figure },
	{ "size", "memory of all slabs", size_figure },
	{ "in-use", "number of objects in use", in_use_figure },
	{ "use", "share of the slabs that is used", use_figure },
	{ "object", "size of an object", object_figure },
	{ "name", "name of the cache", NULL },
	{ NULL, NULL, NULL },
};

/* Of equal ones, the larger cache comes first. */
static int compare_rows(const void *a, const void *b, void *user_data)
{
	const SlabTableRow *of_a = a, *of_b = b;
	const SlabOrder *order = user_data;

	if (order->figure) {
		double figure_a = order->figure(of_a), figure_b = order->figure(of_b);

		if (figure_a != figure_b)
			return figure_a > figure_b ? -1 : 1;
		if (of_a->slab_bytes != of_b->slab_bytes)
			return of_a->slab_bytes > of_b->slab_bytes ? -1 : 1;
	}
	return strcmp(of_a->name, of_b->name);
}

static GArray *overview_rows_of(const SlabTable *slabs, bool reclaimable)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabTableRow));

	for (guint i = 0; i < slabinfo_count(slabs->span.end); i++) {
		const SlabinfoCache *cache = slabinfo_at(slabs->span.end, i);
		SlabTableRow row = {
			.name = cache->name,
			.reclaimable = reclaimable,
			.objects_in_use = cache->objects_in_use,
			.objects = cache->objects,
			.object_bytes = cache->object_bytes,
			.slab_bytes = cache->slab_bytes,
			.grown_bytes = grown_of(&slabs->span, cache),
			.names = slabs->list ? cache_list_find(slabs->list, cache->name) : NULL,
		};

		row.change_bytes =
			row.grown_bytes * NS_PER_SECOND / (double)MAX(slabs->span.span_ns, 1);
		if ((cache->slab_bytes || cache->objects_in_use) &&
		    reclaimable_has(slabs->reclaimable, cache->name) == reclaimable)
			g_array_append_val(rows, row);
	}
	g_array_sort_with_data(rows, compare_rows,
			       unconst(slabs->order ? slabs->order : slab_orders));
	return rows;
}

static Value use_of(Table *table, const TableColumn *column, guint row)
{
	const SlabTableRow *cache = &g_array_index(table->rows, SlabTableRow, row);

	(void)column;
	return (Value){ .known = cache->objects > 0,
			.number = cache->objects_in_use,
			.other = cache->objects };
}

/* Returns the other names of a merged cache, for people the first of them. */
static Value other_names_of(Table *table, const TableColumn *column, guint row)
{
	enum { NAMES_SHOWN_MAX = 2 };
	const SlabTableRow *cache = &g_array_index(table->rows, SlabTableRow, row);
	guint count = cache->names ? cache->names->names->len : 0, others = 0;

	g_string_truncate(table->text, 0);
	g_strfreev(table->list);
	table->list = g_new0(char *, count + 1);
	for (guint i = 0; i < count; i++) {
		const char *name = cache->names->names->pdata[i];

		if (g_str_equal(name, cache->name))
			continue;
		table->list[others++] = g_strdup(name);
		if (others <= NAMES_SHOWN_MAX)
			g_string_append_printf(table->text, "%s%s", others > 1 ? ", " : "", name);
	}
	if (others > NAMES_SHOWN_MAX)
		g_string_append_printf(table->text, ", %u more", others - NAMES_SHOWN_MAX);
	return (Value){ .known = others || column->type == VALUE_LIST,
			.text = table->text->str,
			.list = table->list };
}

#define OVERVIEW(name, type, member) TABLE_MEMBER(name, type, SlabTableRow, member)

#define IN_DATA (TABLE_JSON | TABLE_FLAT)

/* In data, later columns are behind those that were there before. */
static const TableColumn overview_columns[] = {
	{ OVERVIEW("cache", VALUE_TEXT, name), .title = "CACHE" },
	{ OVERVIEW("reclaimable", VALUE_FLAG, reclaimable), .uses = IN_DATA },
	{ OVERVIEW("objects_in_use", VALUE_COUNT, objects_in_use), .title = "IN-USE" },
	{ .title = "USE%", .type = VALUE_SHARE, .uses = TABLE_TEXT, .read = use_of },
	{ OVERVIEW(NULL, VALUE_BYTES, object_bytes), .title = "OBJECT-BYTES",
	  .title_human = "OBJECT", .uses = TABLE_TEXT },
	{ OVERVIEW("slab_bytes", VALUE_BYTES, slab_bytes), .title = "SIZE-BYTES",
	  .title_human = "SIZE" },
	{ OVERVIEW("change_bytes_per_second", VALUE_CHANGE, change_bytes),
	  .title = "CHANGE-BYTES/s", .title_human = "CHANGE/s" },
};

static const TableColumn overview_grown = { OVERVIEW(NULL, VALUE_CHANGE, grown_bytes),
					    .title = "CHANGE" };

static const TableColumn overview_more[] = {
	{ .title = "ALSO",
	  .type = VALUE_TEXT,
	  .uses = TABLE_TEXT,
	  .is_cut = true,
	  .blank = "",
	  .read = other_names_of },
	{ .id = "use_percent", .type = VALUE_SHARE, .uses = IN_DATA, .read = use_of },
	{ OVERVIEW("object_bytes", VALUE_BYTES, object_bytes), .uses = IN_DATA },
	{ .id = "other_names", .type = VALUE_LIST, .uses = TABLE_JSON, .read = other_names_of },
	{ OVERVIEW("change_bytes", VALUE_CHANGE, grown_bytes), .uses = IN_DATA },
};

bool slab_table_shows_grown(const SlabTable *slabs, unsigned columns_needed)
{
	return slabs->terminal.columns >= columns_needed &&
	       slabs->span.span_ns >= 2 * (uint64_t)NS_PER_SECOND;
}

void slab_table_add(Table *table, const SlabTable *slabs, SlabKinds kinds, TableUse use)
{
	enum { WIDE_COLUMNS = 100 };

	table->rows = g_array_new(FALSE, FALSE, sizeof(SlabTableRow));
	for (int reclaimable = 0; reclaimable < 2; reclaimable++) {
		g_autoptr(GArray) rows = NULL;
		guint shown;

		if (!(kinds & (reclaimable ? SLABS_RECLAIMABLE : SLABS_KEPT)))
			continue;
		rows = overview_rows_of(slabs, reclaimable);
		shown = MIN(rows->len, slabs->rows_max);
		g_array_append_vals(table->rows, rows->data, shown);
		table->more += rows->len - shown;
	}
	table->count = table->rows->len;
	table_add(table, overview_columns, G_N_ELEMENTS(overview_columns), use);
	if (use == TABLE_TEXT && slab_table_shows_grown(slabs, WIDE_COLUMNS))
		table_add(table, &overview_grown, 1, use);
	table_add(table, overview_more, G_N_ELEMENTS(overview_more), use);
}

bool slab_table_grown_most(const SlabTable *slabs, bool reclaimable, SlabTableRow *most)
{
	enum { NOISE_BYTES = 64 << 10, NOISE_BYTES_OF_A_CPU = 16 << 10 };
	double seconds = (double)slabs->span.span_ns / NS_PER_SECOND;
	double noise = NOISE_BYTES + slabs->cpus * (double)NOISE_BYTES_OF_A_CPU;
	g_autoptr(GArray) rows = NULL;
	SlabTable by_growth = *slabs;

	by_growth.order = slab_orders;
	rows = overview_rows_of(&by_growth, reclaimable);
	if (!rows->len)
		return false;
	*most = g_array_index(rows, SlabTableRow, 0);
	return most->change_bytes * seconds > noise;
}

char *slab_order_names(const char *last)
{
	GString *names = g_string_new(NULL);

	for (const SlabOrder *order = slab_orders; order->name; order++)
		g_string_append_printf(names, "%s%s",
				       order == slab_orders ? ""
				       : order[1].name      ? ", "
							    : last,
				       order->name);
	return g_string_free(names, FALSE);
}

uint64_t slab_table_noise(const SlabTable *table)
{
	enum { NOISE_BYTES = 1 << 20, NOISE_BYTES_OF_A_CPU = 128 << 10 };

	return NOISE_BYTES + table->cpus * (uint64_t)NOISE_BYTES_OF_A_CPU;
}

int64_t slab_table_taken_outside(const SlabTable *table)
{
	const HostState *start = &table->memory.start, *end = &table->memory.end;
	int64_t outside = host_state_taken_outside_slab(start, end);
	int64_t in_slab = (int64_t)(end->numbers[HOST_SLAB_UNRECLAIMABLE] -
				    start->numbers[HOST_SLAB_UNRECLAIMABLE]);

	return outside > MAX(in_slab, (int64_t)slab_table_noise(table)) ? outside : 0;
}
