/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds the cells of one run after the other to a profile of names: frames, stacks, origins, tasks
 * and caches get new numbers, remembered for the run that is being added. What finds no room counts
 * in rows for others. Keeps what filters left out.
 */
#include "report/merged.h"

#include "base/saturate.h"
#include "symbols/frame_line.h"
#include "table/task_name.h"

#include <string.h>

enum { ADDRESS_DIGITS = 16 };

struct Merged {
	MemoryBudget *memory; /* owned, as all others but runs */
	MergedParts parts;
	const RunNames *runs;
	Profile *profile;
	FrameTable *frames;
	GStringChunk *sources; /* texts of source lines */
	size_t source_bytes;
	MergedCells *cells;
	CgroupNames *cgroups;
	PointList *points;
	GHashTable *point_of; /* (element-type utf8 uint), names owned */
	RunInfo *info;        /* empty: for the names of caches */
	RunText *text;
	CacheNames *caches;
	GArray *left_out;    /* (element-type ViewLeftOut) */
	GArray *left_out_of; /* (element-type guint): runs with a remark, by filter */
	guint added;
	ProfileTotals overflow;
	GString *line; /* being built */
};

static bool merged_has(const Dimension *const *keys, const char *more, const char *name)
{
	g_auto(GStrv) names = g_strsplit(more ? more : "", ",", -1);

	return dimensions_have(keys, name) || g_strv_contains((const char *const *)names, name);
}

MergedParts merged_parts_of(const Dimension *const *keys, const char *more)
{
	const bool threads = merged_has(keys, more, "thread"),
		   pids = threads || merged_has(keys, more, "pid");
	const bool hosts = merged_has(keys, more, "host") || merged_has(keys, more, "recording");

	return (MergedParts){
		.runs = pids || hosts,
		.hosts = hosts,
		.pids = pids,
		.threads = threads,
		.cgroups = merged_has(keys, more, "cgroup"),
		.caches = merged_has(keys, more, "cache"),
		.call_sites = merged_has(keys, more, "callsite") ||
			      merged_has(keys, more, "line") ||
			      merged_has(keys, more, "free-callsite"),
	};
}

static void left_out_clear(void *left_out)
{
	g_free(((ViewLeftOut *)left_out)->remark);
}

Merged *merged_new(size_t bytes_max, MergedParts parts, const RunNames *runs)
{
	Merged *merged = g_new0(Merged, 1);

	merged->memory = memory_budget_new(bytes_max);
	merged->parts = parts;
	merged->runs = runs;
	merged->profile = profile_new(bytes_max);
	profile_set_budget(merged->profile, merged->memory);
	merged->frames = frame_table_new(ADDRESS_DIGITS);
	merged->sources = g_string_chunk_new(1024);
	merged->cells = merged_cells_new();
	merged->cgroups = cgroup_names_new(NULL);
	merged->points = point_list_new();
	merged->point_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	merged->info = run_info_new();
	merged->text = run_text_new();
	merged->caches = cache_names_new(merged->profile, merged->info, merged->text);
	merged->left_out = g_array_new(FALSE, FALSE, sizeof(ViewLeftOut));
	g_array_set_clear_func(merged->left_out, left_out_clear);
	merged->left_out_of = g_array_new(FALSE, TRUE, sizeof(guint));
	merged->line = g_string_new(NULL);
	return merged;
}

void merged_free(Merged *merged)
{
	if (!merged)
		return;
	cache_names_free(merged->caches);
	run_text_free(merged->text);
	run_info_free(merged->info);
	g_hash_table_unref(merged->point_of);
	point_list_free(merged->points);
	cgroup_names_free(merged->cgroups);
	merged_cells_free(merged->cells);
	g_string_chunk_free(merged->sources);
	frame_table_free(merged->frames);
	profile_free(merged->profile);
	g_array_unref(merged->left_out);
	g_array_unref(merged->left_out_of);
	g_string_free(merged->line, TRUE);
	g_free(merged->memory);
	g_free(merged);
}

/* The run that is added. The arrays map its numbers to those of the result; MISSING: not yet. */
typedef struct {
	Merged *merged;
	const View *view;
	const ViewSource *source;
	GroupNaming naming;
	uint32_t run;
	GArray *frames;    /* (element-type FrameId) by FrameId */
	uint32_t *stacks;  /* (StackId) by row */
	uint32_t *origins; /* by OriginId */
	uint32_t *tasks;   /* by TaskId */
	TaskId other;      /* of what finds no room */
} Adding;

#define MISSING UINT32_MAX

static uint32_t *numbers_new(uint32_t count)
{
	uint32_t *numbers = g_new(uint32_t, MAX(count, 1));

	memset(numbers, 0xff, MAX(count, 1) * sizeof(*numbers));
	return numbers;
}

/* Frames. */

/* Whether there is room for more cells, and for more names. */
static bool has_room(Merged *merged)
{
	size_t bytes = merged_cells_memory(merged->cells) + frame_table_memory(merged->frames) +
		       merged->source_bytes + cgroup_names_memory(merged->cgroups);

	if (bytes >= memory_budget_limit(merged->memory, MEMORY_TEXTS))
		return false;
	return memory_budget_set(merged->memory, MEMORY_TEXTS, bytes);
}

static FrameId add_frame(Adding *adding, const Frame *frame)
{
	Merged *merged = adding->merged;
	FrameId id;

	g_string_truncate(merged->line, 0);
	frame_line_append_plain(merged->line, frame);
	id = frame_table_intern_line(merged->frames, merged->line->str, merged->line->len);
	if (frame->address_digits)
		frame_table_set_kernel(merged->frames, id);
	if (frame->source && !frame_table_get(merged->frames, id).source) {
		merged->source_bytes += strlen(frame->source) + 1;
		frame_table_set_source(merged->frames, id,
				       g_string_chunk_insert(merged->sources, frame->source));
	}
	return id;
}

static FrameId frame_of(Adding *adding, FrameId id)
{
	const FrameId missing = MISSING;
	Frame frame;

	while (adding->frames->len <= id)
		g_array_append_val(adding->frames, missing);
	if (g_array_index(adding->frames, FrameId, id) == MISSING) {
		frame = stack_rows_frame(view_stack_rows(adding->view), id);
		g_array_index(adding->frames, FrameId, id) = add_frame(adding, &frame);
	}
	return g_array_index(adding->frames, FrameId, id);
}

/* STACK_ID_NONE is tried again: it costs little, and happens only if memory is full. */
static StackId stack_of(Adding *adding, StackId stack)
{
	const StackRows *rows = view_stack_rows(adding->view);
	uint32_t row = stack_rows_row(rows, stack);
	FrameId frames[4 * KMT_STACK_DEPTH_MAX];
	uint32_t count;
	const FrameId *ids;

	if (adding->stacks[row] != MISSING)
		return adding->stacks[row];
	if (!has_room(adding->merged))
		return adding->stacks[row] = STACK_ID_NONE;
	ids = stack_rows_frames(rows, row, &count);
	count = MIN(count, G_N_ELEMENTS(frames));
	for (uint32_t i = 0; i < count; i++)
		frames[i] = frame_of(adding, ids[i]);
	return adding->stacks[row] = profile_add_stack(adding->merged->profile, frames, count);
}

/* Origins. */

static CacheId cache_of(Adding *adding, const ProfileOrigin *origin)
{
	const CacheLabel label = cache_names_of(adding->source->caches, origin);
	ProfileCache cache;
	const char *recorded;

	memset(&cache, 0, sizeof(cache));
	if (!adding->merged->parts.caches || !label.name)
		return CACHE_ID_UNKNOWN;
	cache.by_size = label.origin == CACHE_BY_SIZE;
	recorded = profile_cache(adding->source->profile, origin->cache)->name;
	g_strlcpy(cache.name, cache.by_size ? label.name : recorded, sizeof(cache.name));
	return profile_add_cache(adding->merged->profile, &cache);
}

static uint16_t point_of(Adding *adding, uint16_t number)
{
	Merged *merged = adding->merged;
	const char *name =
		adding->source->points ? point_list_get(adding->source->points, number).name : NULL;
	g_autoptr(GString) line = g_string_new(NULL);
	gpointer known;

	if (!name)
		return POINTS_MAX;
	if (g_hash_table_lookup_extended(merged->point_of, name, NULL, &known))
		return (uint16_t)GPOINTER_TO_UINT(known);
	/* Many streams can have more points than a list takes. */
	if (g_hash_table_size(merged->point_of) >= POINTS_MAX)
		return POINTS_MAX;
	number = (uint16_t)g_hash_table_size(merged->point_of);
	point_list_append_line(line, number, POINT_ROLE_HIT, 0, name);
	point_list_parse(merged->points, (TextPart){ line->str, line->len });
	g_hash_table_insert(merged->point_of, g_strdup(name), GUINT_TO_POINTER(number));
	return number;
}

static uint64_t call_site_of(Adding *adding, OriginId id)
{
	Frame frame;

	if (!adding->merged->parts.call_sites || id == ORIGIN_ID_OVERFLOW ||
	    !has_room(adding->merged))
		return 0;
	frame = dimension_call_site(&adding->naming, id);
	return (uint64_t)add_frame(adding, &frame) + 1;
}

static OriginId add_origin(Adding *adding, OriginId id)
{
	const ProfileOrigin *origin = profile_origin(adding->source->profile, id);
	ProfileOrigin added;
	OriginId added_id;

	memset(&added, 0, sizeof(added));
	if (origin->beyond && !origin->free)
		return ORIGIN_ID_OVERFLOW;
	added.free = origin->free;
	added.stack = origin->free ? STACK_ID_NONE : stack_of(adding, origin->stack);
	if (added.stack == STACK_ID_NONE && !origin->free)
		return ORIGIN_ID_OVERFLOW;
	added.call_site = call_site_of(adding, id);
	added.source = origin->source;
	added.truncated = origin->truncated;
	if (origin->source == KMT_SOURCE_POINT)
		added.point = point_of(adding, origin->point);
	if (!origin->free)
		added.cache = cache_of(adding, origin);
	added_id = profile_add_origin(adding->merged->profile, &added);
	return profile_origin(adding->merged->profile, added_id)->beyond ? ORIGIN_ID_OVERFLOW
									 : added_id;
}

static OriginId origin_of(Adding *adding, OriginId id)
{
	if (adding->origins[id] == MISSING)
		adding->origins[id] = add_origin(adding, id);
	return adding->origins[id];
}

/* Tasks. */

static uint64_t cgroup_of(Adding *adding, uint64_t id)
{
	const char *path = cgroup_names_path(adding->source->cgroups, id);

	return path && adding->merged->parts.cgroups && has_room(adding->merged)
		       ? cgroup_names_add(adding->merged->cgroups, path)
		       : 0;
}

static ProfileTask task_without_name(const Adding *adding)
{
	ProfileTask task;

	memset(&task, 0, sizeof(task));
	task.run = adding->merged->parts.runs ? adding->run : 0;
	return task;
}

static TaskId add_task(Adding *adding, TaskId id)
{
	const MergedParts *parts = &adding->merged->parts;
	const Profile *profile = adding->source->profile;
	const ProfileTask *task = profile_task(profile, id);
	const char *name = profile_process_name(profile, id);
	ProfileTask added = task_without_name(adding);
	TaskId known;

	memcpy(added.comm, name, parts->pids ? strlen(name) : comm_folded_length(name));
	added.cgroup_id = cgroup_of(adding, task->cgroup_id);
	if (parts->pids) {
		added.tgid = task->tgid;
		added.start_time_ns = task->start_time_ns;
	}
	if (parts->threads) {
		memcpy(added.thread_comm, task->thread_comm, sizeof(added.thread_comm));
		added.tid = task->tid;
	}
	known = profile_add_task(adding->merged->profile, &added,
				 profile_task_seen_ns(profile, id));
	return known == TASK_ID_OVERFLOW ? adding->other : known;
}

static TaskId task_of(Adding *adding, TaskId id)
{
	if (adding->tasks[id] == MISSING)
		adding->tasks[id] = add_task(adding, id);
	return adding->tasks[id];
}

/* Always finds room if hosts are shown, so that the host of what finds none is known. Then stacks
   find less. */
static TaskId add_other_task(Adding *adding)
{
	Merged *merged = adding->merged;
	ProfileTask task = task_without_name(adding);

	g_strlcpy(task.comm, "[other tasks]", sizeof(task.comm));
	return merged->parts.hosts ? profile_add_other_task(merged->profile, &task)
				   : profile_add_task(merged->profile, &task, 0);
}

/* Cells. */

static void add_to_other(Adding *adding, const MergedCell *cell, const RowSums *sums)
{
	const MergedCell other = {
		.cell = { .origin = ORIGIN_ID_OVERFLOW, .task = adding->other & TASK_ID_MAX },
		.freer = ORIGIN_ID_NONE,
		.age_class = cell->age_class,
	};

	merged_cells_add(adding->merged->cells, &other, sums, true);
	saturate_add(&adding->merged->overflow.over_bound,
		     saturate_sum(sums->summary.allocations, sums->summary.failed));
}

static void add_cell(Adding *adding, const ProfileCell *cell)
{
	OriginId freer = cell_freer(cell);
	MergedCell key = { .cell = { .context = cell->context },
			   .freer = freer == ORIGIN_ID_NONE ? freer : origin_of(adding, freer),
			   .age_class = cell_age_class(cell) };
	RowSums sums = { .summary = { 0 } };
	bool was_overflow = profile_origin(adding->source->profile, cell->origin)->beyond;

	if (profile_origin(adding->source->profile, cell->origin)->own)
		return;
	cell_add_sums(adding->source, cell, &sums);
	key.cell.origin = origin_of(adding, cell->origin);
	key.cell.task = task_of(adding, cell->task) & TASK_ID_MAX;
	if (key.cell.task == adding->other && cell->task != TASK_ID_OVERFLOW)
		saturate_add(&adding->merged->overflow.of_other_tasks, sums.summary.allocations);
	if (!was_overflow && key.cell.origin == ORIGIN_ID_OVERFLOW)
		add_to_other(adding, &key, &sums);
	else if (!merged_cells_add(adding->merged->cells, &key, &sums, has_room(adding->merged)))
		add_to_other(adding, &key, &sums);
}

static void add_frees(Adding *adding)
{
	ProfileOrigin origin;
	MergedCell key = { .freer = ORIGIN_ID_NONE, .age_class = AGE_CLASS_NONE };
	const RowSums sums = { .summary = { .allocations = adding->view->frees } };

	if (!adding->view->frees)
		return;
	memset(&origin, 0, sizeof(origin));
	origin.stack = STACK_ID_NONE;
	origin.free = true;
	key.cell.origin = profile_add_origin(adding->merged->profile, &origin);
	key.cell.task = adding->other & TASK_ID_MAX;
	merged_cells_add(adding->merged->cells, &key, &sums, true);
}

/* What the filters of cells left out. A remark is about one run. */
static void add_left_out(Merged *merged, const View *view)
{
	for (guint i = 0; i < view->left_out_by->len; i++) {
		const ViewLeftOut *one = &g_array_index(view->left_out_by, ViewLeftOut, i);
		ViewLeftOut first = { one->option, one->given, 0, NULL }, *sum;

		if (i >= merged->left_out->len)
			g_array_append_val(merged->left_out, first);
		if (i >= merged->left_out_of->len)
			g_array_set_size(merged->left_out_of, i + 1);
		sum = &g_array_index(merged->left_out, ViewLeftOut, i);
		saturate_add(&sum->allocations, one->allocations);
		if (!one->remark)
			continue;
		g_array_index(merged->left_out_of, guint, i)++;
		if (!sum->remark)
			sum->remark = g_strdup(one->remark);
	}
}

static Adding adding_new(Merged *merged, const View *view, uint32_t run, const CallsiteSkip *skip)
{
	const ViewSource *source = view_source(view);

	return (Adding){
		.merged = merged,
		.view = view,
		.source = source,
		.naming = { .source = source, .stacks = view_stack_rows(view), .skip = skip },
		.run = run,
		.frames = g_array_new(FALSE, FALSE, sizeof(FrameId)),
		.stacks = numbers_new(stack_rows_count(view_stack_rows(view))),
		.origins = numbers_new(profile_origin_count(source->profile)),
		.tasks = numbers_new(profile_task_count(source->profile)),
	};
}

void merged_add(Merged *merged, const View *view, uint32_t run, const CallsiteSkip *skip)
{
	Adding adding = adding_new(merged, view, run, skip);

	if (adding.source->held_cells)
		merged_cells_set_held(merged->cells, held_cells_choice(adding.source->held_cells));
	adding.other = add_other_task(&adding);
	/* A name may come from an event of a stack that does not count. */
	for (TaskId id = 0; merged->parts.pids && id < profile_task_count(adding.source->profile);
	     id++)
		task_of(&adding, id);
	for (uint32_t i = 0; i < view_source_cells(adding.source); i++)
		if (view_counts_cell(view, i))
			add_cell(&adding, view_source_cell(adding.source, i));
	add_frees(&adding);
	add_left_out(merged, view);
	merged->added++;
	g_array_unref(adding.frames);
	g_free(adding.stacks);
	g_free(adding.origins);
	g_free(adding.tasks);
}

ViewSource merged_source(const Merged *merged)
{
	return (ViewSource){
		.profile = merged->profile,
		.points = merged->points,
		.caches = merged->caches,
		.cgroups = merged->cgroups,
		.memory = merged->memory,
		.runs = merged->runs,
		.merged = merged->cells,
		.frames = merged->frames,
	};
}

const GArray *merged_left_out(const Merged *merged)
{
	for (guint i = 0; i < merged->left_out->len; i++) {
		ViewLeftOut *one = &g_array_index(merged->left_out, ViewLeftOut, i);
		guint *runs = &g_array_index(merged->left_out_of, guint, i);
		char *remark = one->remark;

		if (!remark || !*runs || merged->added == 1)
			continue;
		one->remark = g_strdup_printf("%u of %u recordings: %s%s", *runs, merged->added,
					      *runs > 1 ? "first: " : "", remark);
		*runs = 0;
		g_free(remark);
	}
	return merged->left_out;
}

ProfileTotals merged_overflow(const Merged *merged)
{
	return merged->overflow;
}

uint32_t merged_stacks(const Merged *merged)
{
	return stack_table_count(profile_stacks(merged->profile));
}

MemoryBudget *merged_memory(const Merged *merged)
{
	return merged->memory;
}
