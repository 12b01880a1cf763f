/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only a single run has. Its list of hits: indexes into the event list, filtered by the view's
 * stacks and sorted by time; a const table has the columns that need no formula, texts of the
 * others are cut out of the hit's own. Its files with code, for --info and pprof. Facts about hits:
 * sums over time spans, and how far user stacks reach. model.c calls it.
 */
#include "report/model.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "base/saturate.h"
#include "names/cgroup_names.h"
#include "record/format.h"
#include "symbols/user_frame.h"

#include <string.h>

enum { COLUMNS_MAX = 64 };

static const ListedHit *hit_at(const HitRows *rows, guint row)
{
	g_assert(row < rows->hits->len);
	return event_list_at(rows->session->list, g_array_index(rows->hits, uint32_t, row));
}

/* Returns the hit that has the stack: of a time span, its begin. */
static const ListedHit *stack_hit(const Session *session, const ListedHit *hit)
{
	return hit->latency_ns == LATENCY_UNKNOWN ? hit : event_list_at(session->list, hit->begin);
}

/* What every hit has. The other columns are in its text. */

static const ProfileCell *cell_of(const HitRows *rows, const ListedHit *hit)
{
	return profile_cell(rows->session->profile, hit->cell);
}

/* The time since the start of the run. */
static void append_when(const HitRows *rows, const ListedHit *hit, GString *out)
{
	uint64_t start_ns = run_info_start_ns(rows->session->info);
	uint64_t us = (hit->time_ns - MIN(start_ns, hit->time_ns)) / 1000;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%06u", us / 1000000,
			       (unsigned)(us % 1000000));
}

static void append_process(const HitRows *rows, const ListedHit *hit, GString *out)
{
	escape_append(out, profile_process_name(rows->session->profile, cell_of(rows, hit)->task));
}

static void append_pid(const HitRows *rows, const ListedHit *hit, GString *out)
{
	const ProfileTask *task = profile_task(rows->session->profile, cell_of(rows, hit)->task);

	g_string_append_printf(out, "%u", task->tgid);
}

static void append_tid(const HitRows *rows, const ListedHit *hit, GString *out)
{
	(void)rows;
	g_string_append_printf(out, "%u", hit->tid);
}

static void append_cpu(const HitRows *rows, const ListedHit *hit, GString *out)
{
	(void)rows;
	g_string_append_printf(out, "%u", hit->cpu);
}

static void append_cgroup(const HitRows *rows, const ListedHit *hit, GString *out)
{
	const ProfileTask *task = profile_task(rows->session->profile, cell_of(rows, hit)->task);
	const char *path = cgroup_names_path(view_source(rows->view)->cgroups, task->cgroup_id);

	if (path)
		cgroup_label_append(out, path, false);
}

static void append_point(const HitRows *rows, const ListedHit *hit, GString *out)
{
	const char *name = point_list_get(rows->session->points, hit->point).name;
	const char *colon = name ? strrchr(name, ':') : NULL;

	/* The group is the same for most points of a list. */
	if (name)
		escape_append(out, colon ? colon + 1 : name);
}

static void append_latency_of(const HitRows *rows, const ListedHit *hit, GString *out)
{
	(void)rows;
	if (hit->latency_ns != LATENCY_UNKNOWN)
		append_latency(out, hit->latency_ns);
}

/* The columns that need no formula; the names are those of preset_columns. */
static const struct {
	const char *name;
	void (*append)(const HitRows *rows, const ListedHit *hit, GString *out);
} common[] = {
	{ "time", append_when },   { "process", append_process },
	{ "pid", append_pid },     { "tid", append_tid },
	{ "cpu", append_cpu },     { "cgroup", append_cgroup },
	{ "point", append_point }, { "latency", append_latency_of },
};

static int common_of(const char *column)
{
	for (size_t i = 0; i < G_N_ELEMENTS(common); i++)
		if (g_str_equal(common[i].name, column))
			return (int)i;
	return -1;
}

/* Appends one of the parts of a text that tabs separate. Returns false if it is empty. */
static bool append_part(const HitRows *rows, const ListedHit *hit, guint part, GString *out)
{
	uint32_t bytes;
	const char *text = event_list_text(rows->session->list, hit, &bytes);
	const char *end = text + bytes, *tab;

	for (; part; part--) {
		tab = memchr(text, '\t', (size_t)(end - text));
		if (!tab)
			return false;
		text = tab + 1;
	}
	tab = memchr(text, '\t', (size_t)(end - text));
	end = tab ? tab : end;
	escape_append_len(out, text, (size_t)(end - text));
	return text < end;
}

void hit_rows_append(const HitRows *rows, guint row, guint column, GString *out)
{
	const ListedHit *hit = hit_at(rows, row);
	int number = common_of(rows->columns[column]);

	hot_assert(column < g_strv_length(rows->columns));
	if (number >= 0)
		common[number].append(rows, hit, out);
	else if (!append_part(rows, hit, rows->value_of[column], out) &&
		 hit->latency_ns != LATENCY_UNKNOWN)
		append_part(rows, stack_hit(rows->session, hit), rows->value_of[column], out);
}

/* Which hits are rows. */

/* Returns by cell whether the view keeps its stack, NULL-terminated by the number of cells. */
static bool *kept_cells(const View *view, const Profile *profile)
{
	bool *kept = g_new0(bool, profile_cell_count(profile) + 1);

	for (guint i = 0; i < view->stacks->len; i++) {
		uint32_t count;
		const uint32_t *cells = view_cells(view, view->stacks->pdata[i], &count);

		for (uint32_t j = 0; j < count; j++)
			kept[cells[j]] = true;
	}
	return kept;
}

static gint compare_times(gconstpointer left, gconstpointer right, gpointer list)
{
	const ListedHit *a = event_list_at(list, *(const uint32_t *)left);
	const ListedHit *b = event_list_at(list, *(const uint32_t *)right);

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static void hit_rows_choose(HitRows *rows, uint64_t rows_max)
{
	const Session *session = rows->session;
	g_autofree bool *kept = kept_cells(rows->view, session->profile);

	for (uint32_t i = 0; i < event_list_count(session->list); i++) {
		const ListedHit *hit = event_list_at(session->list, i);
		PointRole role = point_list_get(session->points, hit->point).role;
		bool is_alone = role == POINT_ROLE_END && hit->latency_ns == LATENCY_UNKNOWN;

		/* Begins belong to the row of their end. */
		if (role != POINT_ROLE_BEGIN && !is_alone && kept[stack_hit(session, hit)->cell])
			g_array_append_val(rows->hits, i);
	}
	g_array_sort_with_data(rows->hits, compare_times, session->list);
	if (rows->hits->len <= rows_max)
		return;
	rows->more = rows->hits->len - rows_max;
	g_array_set_size(rows->hits, (guint)rows_max);
}

HitRows *hit_rows_new(const Session *session, const View *view, uint64_t rows_max)
{
	const char *names = run_info_text(session->info, KMT_FIELD_COLUMNS);
	HitRows *rows;
	guint values = 0;

	if (!session->list || !names)
		return NULL;
	rows = g_new0(HitRows, 1);
	rows->session = session;
	rows->view = view;
	rows->hits = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	rows->dropped = event_list_dropped(session->list);
	rows->columns = g_strsplit(names, "\t", COLUMNS_MAX);
	rows->value_of = g_new0(guint, g_strv_length(rows->columns) + 1);
	for (guint i = 0; rows->columns[i]; i++) {
		/* Formats write names as they are. A preset has no others, a recording might. */
		g_strcanon(rows->columns[i], G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_", '_');
		if (common_of(rows->columns[i]) < 0)
			rows->value_of[i] = values++;
	}
	hit_rows_choose(rows, rows_max);
	return rows;
}

void hit_rows_free(HitRows *rows)
{
	if (!rows)
		return;
	g_array_unref(rows->hits);
	g_strfreev(rows->columns);
	g_free(rows->value_of);
	g_free(rows);
}

void hit_rows_append_stack(const HitRows *rows, guint row, GString *out)
{
	const ListedHit *hit = stack_hit(rows->session, hit_at(rows, row));
	const ProfileOrigin *origin =
		profile_origin(rows->session->profile, cell_of(rows, hit)->origin);
	const StackRows *stacks = view_stack_rows(rows->view);

	stack_rows_append_text(stacks, stack_rows_row(stacks, origin->stack), out);
}

static void code_row_clear(gpointer data)
{
	CodeRow *row = data;

	g_free(row->name);
	g_free(row->build_id);
}

static void add_load(GArray *rows, const CodeLoad *load)
{
	const CodeObject *object = load->object;
	const CodeRow row = {
		.name = g_strdup(object->section ? object->section : object->name),
		.build_id = object->section ? NULL : g_strdup(object->build_id),
		.address = load->address,
		.is_section = object->section,
	};

	g_array_append_val(rows, row);
}

GArray *code_rows_new(const Session *session)
{
	g_autoptr(GArray) loads = code_objects_loads(session->code);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(CodeRow));

	g_array_set_clear_func(rows, code_row_clear);
	for (guint i = 0; i < loads->len; i++)
		add_load(rows, &g_array_index(loads, CodeLoad, i));
	for (uint32_t i = 1; i <= user_objects_count(session->user_objects); i++) {
		const UserObject *object = user_objects_get(session->user_objects, i);

		CodeRow row = { .address = 0 };

		if (object->type != USER_OBJECT_FILE)
			continue;
		row.name = g_strdup(object->path);
		row.build_id = user_build_id_text(&object->file);
		g_array_append_val(rows, row);
	}
	return rows;
}

/* How far the user's part of a stack reaches. */
typedef enum { USER_NONE, USER_CUT, USER_WHOLE } UserReach;

static UserReach reach_of(const Session *session, StackId stack)
{
	UserPlace places[KMT_STACK_DEPTH_MAX];
	uint32_t count;

	if (stack == STACK_ID_NONE)
		return USER_NONE;
	count = profile_stack_places(session->profile, stack, places);
	if (!count)
		return USER_NONE;
	return user_places_reach_start(session->user_names, places, count) ? USER_WHOLE : USER_CUT;
}

/* The share is one of all hits that should have a user stack, also of those that lack it. */
static void set_user_stacks(Facts *facts, const Session *session)
{
	const Profile *profile = session->profile;
	uint64_t all = 0, whole = 0, without = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		UserReach reach = reach_of(session, origin->stack);

		if (reach != USER_NONE || origin->unplaced)
			saturate_add(&all, cell->events);
		else if (cell->context == KMT_CONTEXT_TASK)
			saturate_add(&without, cell->events);
		if (reach == USER_WHOLE)
			saturate_add(&whole, cell->events);
	}
	/* A kernel thread has no user stack. Those that were not unwound are known of the whole
	   run. */
	saturate_add(&all, MIN(without, fact_number(facts, FACT_NOT_UNWOUND)));
	fact_set_number(facts, FACT_USER_STACKS, all);
	fact_set_number(facts, FACT_USER_STACKS_WHOLE, whole);
}

void facts_set_hits(Facts *facts, const Session *session, const RowSums *kept)
{
	/* The spans that filters on processes and the like keep. What has no begin or no end
	   belongs to no stack. */
	if (session->durations) {
		const DurationTotals totals = durations_totals(session->durations);

		fact_set_number(facts, FACT_SPANS, kept->summary.allocations);
		fact_set_number(facts, FACT_SPANS_TIME, kept->hits.time_ns);
		fact_set_number(facts, FACT_SPANS_TIME_MAX, kept->hits.time_max_ns);
		fact_set_number(facts, FACT_SPANS_OPEN, totals.open);
		fact_set_number(facts, FACT_SPANS_NOT_BEGUN, totals.not_begun);
		fact_set_number(facts, FACT_SPANS_NOT_ENDED, totals.not_ended);
	}
	if (fact_number(facts, FACT_USER_DEPTH))
		set_user_stacks(facts, session);
}
