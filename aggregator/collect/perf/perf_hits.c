/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe points in a perf run: requests what their samples need, measures what they cost, and takes
 * each sample: weight, task, formulas, user stack, then event_writer.c or, with copies of stacks,
 * perf_unwind.c. The data are in the PerfRun; this is the hot path of stack-top.
 */
#include "collect/perf/perf_hits.h"

#include "record/format.h"
#include "base/hot_assert.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/points/point_cost.h"
#include "collect/points/point_registers.h"
#include "code/elf/elf_symbols.h"
#include "record/batch_writer.h"
#include "code/user/user_map_line.h"

#include <string.h>
#include <unistd.h>

enum {
	COMMON_FLAGS_AT = 2, /* in every record of a trace event, after common_type */
	RAW_BYTES_MIN = 4,
};

/* What is requested. */

/* Returns a filter of the kernel for the threads whose time spans are taken, or NULL: all are. */
static char *thread_filter(const AddressSample *sample)
{
	GString *filter = g_string_new(NULL);

	for (unsigned bit = 0; bit < sample->level; bit++)
		g_string_append_printf(filter, "%s%s(common_pid & %u)", bit ? " && " : "",
				       sample->seed >> bit & 1 ? "" : "!", 1U << bit);
	return g_string_free(filter, !filter->len);
}

/* The same for a thread of a sample: the kernel cannot filter all kinds of events. */
static bool is_taken(const AddressSample *sample, uint32_t tid)
{
	return !((tid ^ sample->seed) & ((1ULL << sample->level) - 1));
}

static PerfPoint point_request(const PerfRun *run, const SetPoint *point)
{
	bool with_user = run->live.parts.request->user_depth > 0;
	const PointEvent *event = point->event;
	PerfPoint request = {
		.filter = run->plan->hits->has_pairs ? thread_filter(&run->addresses)
						     : g_strdup(point->filter),
		/* Spans are told apart by their begins. */
		.no_stack = !event->has_kernel_stack || point->role == POINT_ROLE_END,
		.no_user_stack =
			!with_user || !event->runs_in_user || point->role == POINT_ROLE_END,
	};

	return request;
}

bool perf_hits_init(PerfRun *run, GError **error)
{
	if (!run->plan->hits || !run->live.parts.request->user_stack_bytes)
		return true;
	run->unwind = perf_unwind_new(run->live.parts.request->memory_bytes_max, error);
	if (run->unwind)
		perf_unwind_set_objects(run->unwind, run->live.parts.session->user_objects);
	return run->unwind;
}

static bool has_entry(const PointSet *set)
{
	for (unsigned i = 0; i < set->points->len; i++)
		if (point_set_at(set, i)->event->is_entry)
			return true;
	return false;
}

/* Requests a copy of the stack to unwind it, or of its first word to find the callers of functions
   that have no frame yet. */
static void request_user_stack(PerfRun *run, const CollectRequest *asked)
{
	int top = point_register_of_return_address();

	if (run->unwind) {
		run->request.user_registers = unwind_registers_mask();
		run->request.user_stack_bytes = asked->user_stack_bytes;
	} else if (asked->user_depth && top != POINT_REGISTER_NONE && has_entry(run->plan->hits)) {
		/* The registers show whether the program has 64 bits. */
		run->request.user_registers = 1ULL << top;
		run->request.user_stack_bytes = sizeof(uint64_t);
	}
}

void perf_hits_request(PerfRun *run)
{
	const PointSet *set = run->plan->hits;
	const CollectRequest *asked = run->live.parts.request;
	unsigned count = set->points->len;
	struct perf_event_attr *attrs = g_new0(struct perf_event_attr, count);
	PerfPoint *points = g_new(PerfPoint, count);

	for (unsigned i = 0; i < count; i++) {
		const SetPoint *point = point_set_at(set, i);

		point_event_attr(point->event, &attrs[i]);
		points[i] = point_request(run, point);
		points[i].event = &attrs[i];
		points[i].counts_calls = true;
	}
	run->hit_attrs = attrs;
	run->request.points = points;
	run->request.points_count = count;
	run->request.takes_hits = true;
	run->request.user_depth = run->unwind ? 0 : asked->user_depth;
	request_user_stack(run, asked);
	run->request.registers = set->registers;
	run->request.with_maps = asked->user_depth > 0;
	run->request.with_data_maps = set->by_address;
}

bool perf_hits_hold(const PerfRun *run, Child *holder, GError **error)
{
	const PointSet *set = run->plan->hits;
	g_autoptr(GPtrArray) events = g_ptr_array_new();

	for (unsigned i = 0; i < set->points->len; i++)
		g_ptr_array_add(events, point_set_at(set, i)->event);
	return point_events_hold(holder, events, error);
}

void perf_hits_clear(PerfRun *run)
{
	g_clear_pointer(&run->unwind, perf_unwind_free);
	g_clear_pointer(&run->hit_attrs, g_free);
	g_clear_pointer(&run->hit_costs, g_free);
	if (!run->user_watch)
		return;
	user_watch_free(run->user_watch);
	g_string_free(run->columns, TRUE);
	g_free(run->threads);
}

void perf_hits_begin(PerfRun *run)
{
	run->hit_form = (PerfHitForm){
		.sample_type = perf_events_layout(run->events).sample_type,
		.registers = (unsigned)__builtin_popcountll(run->request.registers),
		.user_registers = (unsigned)__builtin_popcountll(run->request.user_registers),
	};
	run->user_watch = user_watch_new(&run->live, run->request.with_data_maps);
	if (run->unwind)
		perf_unwind_set_opener(run->unwind, user_watch_opener(run->user_watch));
	run->columns = g_string_new(NULL);
	run->threads = run->plan->hits->has_pairs ? g_new0(ThreadScatter, 1) : NULL;
	event_writer_take_points(run->writer);
}

void perf_hits_describe(PerfRun *run)
{
	const PointSet *set = run->plan->hits;
	g_autoptr(GString) lines = g_string_new(NULL);

	for (unsigned i = 0; i < set->points->len; i++) {
		const SetPoint *point = point_set_at(set, i);

		point_list_append_line(lines, (uint16_t)i, point->role, point->pair, point->name);
	}
	run_facts_write_points(run->live.batches, lines, set->value_name, set->missing);
}

/* The cost. */

/* Returns the cost of each frame of the kernel. A mark precedes them. */
static uint64_t frame_ns(const PointCost *with, const PointCost *without)
{
	uint64_t words = (with->bytes - MIN(without->bytes, with->bytes)) / sizeof(uint64_t);

	if (words < 2 || with->event_ns <= without->event_ns)
		return 0;
	return (with->event_ns - without->event_ns) / (words - 1);
}

/* What is measured, in this order. Each has less than the one before. */
enum { WITH_ALL, WITH_KERNEL_FRAMES, WITHOUT_FRAMES, NOT_SAMPLED, REJECTED, VARIANTS };

/* Returns what a hit without a sample costs. On a busy host it may not be known: then it is a
   fourth of a sample without stacks, as of a tracepoint (doc/PERFORMANCE.md). */
static uint64_t unsampled_ns(const PointCost *cost, const PointCost *bare)
{
	enum { PART = 4 };

	return cost->is_known ? MIN(cost->event_ns, bare->event_ns) : bare->event_ns / PART;
}

static const PointCost *known_or(const PointCost *cost, const PointCost *other)
{
	return cost->is_known ? cost : other;
}

/* Returns the cost of a hit that is sampled, from the average of all hits. */
static PointCost sampled_cost(const PointCost *average, uint64_t hit_ns, unsigned period)
{
	PointCost cost = *average;

	cost.event_ns = hit_ns + (MAX(average->event_ns, hit_ns) - hit_ns) * period;
	return cost;
}

static HitCost hit_cost_of(const PointCost costs[VARIANTS], unsigned period)
{
	const PointCost *kernel = known_or(&costs[WITH_KERNEL_FRAMES], &costs[WITH_ALL]);
	const PointCost *bare = known_or(&costs[WITHOUT_FRAMES], kernel);
	uint64_t hit_ns = unsampled_ns(&costs[NOT_SAMPLED], bare);
	PointCost sampled[] = {
		sampled_cost(&costs[WITH_ALL], hit_ns, period),
		sampled_cost(kernel, hit_ns, period),
		sampled_cost(bare, hit_ns, period),
	};

	if (!costs[WITH_ALL].is_known)
		return (HitCost){ 0 };
	return (HitCost){
		.sample_ns = sampled[2].event_ns - hit_ns,
		.hit_ns = hit_ns,
		.rejected_ns = unsampled_ns(&costs[REJECTED], bare),
		.frame_ns = frame_ns(&sampled[1], &sampled[2]),
		.user_ns = sampled[0].event_ns - MIN(sampled[1].event_ns, sampled[0].event_ns),
	};
}

static HitCost measure_hit(const PerfRun *run, const PerfEvents *events, unsigned point)
{
	hot_assert(point < run->request.points_count);
	const PointHost host = { .root = "", .kmem_folder_fd = run->plan->kmem_folder_fd };
	unsigned count = run->request.points[point].filter ? VARIANTS : REJECTED;
	unsigned period = run->live.parts.request->sampling_period > 1 ? COST_SPARSE_PERIOD : 1;
	PointVariant variants[VARIANTS] = { 0 };
	PointCost costs[VARIANTS] = { 0 };

	for (unsigned i = 0; i < VARIANTS; i++) {
		variants[i].attr = perf_events_attr(events, point);
		variants[i].period = period;
	}
	variants[NOT_SAMPLED].kind = POINT_HIT_COUNTED;
	variants[REJECTED].kind = POINT_HIT_REJECTED;
	variants[WITHOUT_FRAMES].attr.exclude_callchain_kernel = 1;
	variants[WITHOUT_FRAMES].attr.exclude_callchain_user = 1;
	variants[WITH_KERNEL_FRAMES].attr.exclude_callchain_user = 1;
	point_cost_measure(&host, point_set_at(run->plan->hits, point)->event, variants, count,
			   costs);
	return hit_cost_of(costs, period);
}

/* Returns an earlier point of the same kind: it costs the same. */
static unsigned like_point(const PerfRun *run, unsigned point)
{
	const PointSet *set = run->plan->hits;
	const SetPoint *wanted = point_set_at(set, point);
	unsigned other = 0;

	hot_assert(point < run->request.points_count);
	while (point_set_at(set, other)->event->probe != wanted->event->probe ||
	       !run->request.points[other].filter != !run->request.points[point].filter ||
	       (point_set_at(set, other)->role == POINT_ROLE_END) !=
		       (wanted->role == POINT_ROLE_END))
		other++;
	return other;
}

static void measure_hits(PerfRun *run, const PerfEvents *events)
{
	run->cost.is_known = true;
	for (unsigned i = 0; i < run->request.points_count; i++) {
		unsigned like = like_point(run, i);
		HitCost *cost = &run->hit_costs[i];

		*cost = like < i ? run->hit_costs[like] : measure_hit(run, events, i);
		run->cost.is_known &= cost->sample_ns + cost->hit_ns > 0;
		run->cost.every.event_ns = MAX(run->cost.every.event_ns,
					       cost->sample_ns + cost->hit_ns + cost->user_ns);
		run->cost.every.frame_ns = MAX(run->cost.every.frame_ns, cost->frame_ns);
	}
}

void perf_hits_measure(PerfRun *run)
{
	static const struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
						      .config = PERF_COUNT_SW_DUMMY };
	unsigned count = run->request.points_count;
	g_autofree PerfPoint *points = g_memdup(run->request.points, count * sizeof(PerfPoint));
	PerfRequest own = run->request;
	g_autoptr(PerfEvents) events = perf_events_new(&own);

	for (unsigned i = 0; i < count; i++) {
		points[i].event = &dummy;
		points[i].counts_calls = false;
	}
	own.points = points;
	own.own_thread = true;
	run->hit_costs = g_new0(HitCost, count);
	/* The same points, but of an event that never happens: which parts of the samples this
	   kernel has is known once it is open. */
	perf_events_open(events, UINT32_MAX, NULL);
	measure_hits(run, events);
}

/* The hot path. */

/* A sample, and what is known about it. */
typedef struct {
	PerfHit hit;
	const SetPoint *point;
	unsigned number; /* of the point */
	PerfEventId event;
	uint8_t context;
	uint32_t weight;
	EventTask task;
} Hit;

/* Faults have no record; they are of tasks. */
static uint8_t context_of(const PerfSample *sample)
{
	return sample->raw_bytes < RAW_BYTES_MIN
		       ? KMT_CONTEXT_TASK
		       : kmem_context_of_probe(sample->raw[COMMON_FLAGS_AT]);
}

static PointSample point_sample(const PerfRun *run, const PerfHit *hit)
{
	return (PointSample){
		.raw = hit->sample.raw,
		.raw_bytes = hit->sample.raw_bytes,
		.address = hit->address,
		.registers_abi = hit->registers_abi,
		.registers_mask = run->request.registers,
		.registers = hit->registers,
	};
}

static PointTask point_task(const PerfRun *run, const Hit *hit)
{
	return (PointTask){
		.tgid = hit->hit.sample.tgid,
		.tid = hit->hit.sample.tid,
		.cpu = run->reading->event_cpu.cpu,
		.comm = hit->task.comm,
		.comm_bytes = (uint32_t)strnlen(hit->task.comm, sizeof(hit->task.comm)),
	};
}

/* Appends a column of a list. Its text may not contain what separates columns. */
static void append_column(GString *out, ExpressionValue value)
{
	if (!value.text) {
		if (value.is_unsigned)
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, (uint64_t)value.number);
		else
			g_string_append_printf(out, "%" G_GINT64_FORMAT, value.number);
		return;
	}
	for (uint32_t i = 0; i < value.text_bytes && value.text[i]; i++)
		g_string_append_c(out, value.text[i] == '\t' ? ' ' : value.text[i]);
}

static void format_columns(PerfRun *run, const Hit *hit, const PointSample *sample,
			   const PointTask *task)
{
	const GPtrArray *columns = hit->point->columns;

	g_string_truncate(run->columns, 0);
	for (guint i = 0; i < columns->len; i++) {
		if (i)
			g_string_append_c(run->columns, '\t');
		if (columns->pdata[i])
			append_column(run->columns,
				      point_formula_value(columns->pdata[i], sample, task));
	}
}

static void add_unwound(PerfRun *run, const Hit *hit, const PointHit *written)
{
	const PerfUserStack stack = {
		.abi = hit->hit.user_registers_abi,
		.registers = hit->point->role == POINT_ROLE_END ? NULL : hit->hit.user_registers,
		.stack = hit->hit.user_stack,
		.stack_bytes = hit->hit.user_stack_bytes,
	};

	perf_unwind_add(run->unwind, &hit->task, written, &stack);
}

/* Inserts an address as user frame number at, which is at most the number of user frames. */
static void put_frame(PerfRun *run, PointHit *written, uint32_t at, uint64_t address)
{
	const size_t size = sizeof(run->user_frames[0]);

	hot_assert(at < KMT_STACK_DEPTH_MAX);
	hot_assert(written->user_depth < KMT_STACK_DEPTH_MAX);
	written->user_depth = MIN(written->user_depth, KMT_STACK_DEPTH_MAX - 1);
	if (at)
		memcpy(run->user_frames, written->user_frames, at * size);
	run->user_frames[at] = address;
	if (written->user_depth > at)
		memcpy(&run->user_frames[at + 1], written->user_frames + at,
		       (written->user_depth - at) * size);
	written->user_frames = run->user_frames;
	written->user_depth++;
}

/* Puts the address of a fault before the user frames. */
static void put_address(PerfRun *run, const Hit *hit, PointHit *written)
{
	put_frame(run, written, 0, hit->hit.address);
	written->user_has_data = true;
}

/* Puts the caller of a function without a frame after it. */
static void put_caller(PerfRun *run, const Hit *hit, PointHit *written)
{
	uint64_t caller = perf_hit_missing_caller(&hit->hit);

	if (!caller)
		return;
	put_frame(run, written, 1, caller);
	if (written->user_depth <= run->request.user_depth)
		return;
	written->user_depth = run->request.user_depth;
	written->user_truncated = true;
}

static void write_hit(PerfRun *run, const Hit *hit, const PointSample *sample,
		      const PointTask *task)
{
	const PerfSample *taken = &hit->hit.sample;
	bool has_user = hit->context == KMT_CONTEXT_TASK;
	PointHit written = {
		.time_ns = taken->time_ns,
		.value = 1,
		.weight = hit->weight,
		.point = (uint16_t)hit->number,
		.context = hit->context,
		.frames = taken->frames,
		.depth = MIN(taken->depth, run->stack_depth),
		.truncated = taken->depth > run->stack_depth,
		.user_frames = hit->hit.user_frames,
		/* The program that an interrupt found running has nothing to do with it. */
		.user_depth = has_user ? MIN(hit->hit.user_depth, run->request.user_depth) : 0,
		.user_truncated = hit->hit.user_depth > run->request.user_depth,
	};

	if (hit->point->value)
		written.value =
			(uint64_t)point_formula_value(hit->point->value, sample, task).number;
	if (hit->point->columns) {
		format_columns(run, hit, sample, task);
		written.columns = run->columns->str;
		written.columns_bytes = (uint32_t)run->columns->len;
	}
	if (run->plan->hits->by_address && hit->hit.address && has_user)
		put_address(run, hit, &written);
	else if (hit->point->event->is_entry && written.user_depth)
		put_caller(run, hit, &written);
	if (run->unwind && has_user)
		add_unwound(run, hit, &written);
	else
		event_writer_add_hit(run->writer, &hit->task, &written);
}

void perf_hits_flush(PerfRun *run)
{
	if (run->unwind)
		perf_unwind_flush(run->unwind, run->writer, run->live.parts.request->user_depth);
}

/* Returns what tells the places of a point apart, as call sites do for allocators. */
static uint64_t place_of(const PerfHit *hit)
{
	if (hit->user_depth)
		return hit->user_frames[0];
	return hit->sample.depth > 1 ? hit->sample.frames[1] : 0;
}

/* Time spans are taken with all others of their thread. */
static void add_to_scatter(PerfRun *run, const Hit *hit)
{
	hot_assert(hit->number < run->request.points_count);
	if (!run->threads && hit->weight > 1)
		perf_scatter_add(&run->reading->scatters[hit->number],
				 scatter_row(hit->hit.sample.tgid), place_of(&hit->hit));
	else if (run->threads && hit->weight && hit->point->role != POINT_ROLE_END)
		thread_scatter_add(run->threads, hit->hit.sample.tid, hit->weight);
}

/* Writes a hit. Returns false if it does not count. */
static bool take_weighed(PerfRun *run, Hit *hit)
{
	PointSample sample = point_sample(run, &hit->hit);
	PointTask task;
	bool is_counted;

	if (perf_read_is_own(run, &hit->hit.sample, hit->context)) {
		run->reading->event_cpu.left_out_self += hit->weight;
		return false;
	}
	is_counted = perf_read_find_task(run, &hit->hit.sample, &hit->task);
	task = point_task(run, hit);
	if (hit->point->where && !point_formula_value(hit->point->where, &sample, &task).number) {
		/* The end of a time span that does not count is still its end. */
		if (hit->point->role == POINT_ROLE_HIT)
			return false;
		hit->weight = 0;
	}
	if (!perf_read_is_wanted(run, is_counted, hit->context, hit->weight))
		return false;
	add_to_scatter(run, hit);
	write_hit(run, hit, &sample, &task);
	return true;
}

static uint64_t hit_sample_ns(const HitCost *cost, const PerfHit *hit)
{
	return cost->sample_ns + cost->frame_ns * hit->sample.depth +
	       (hit->user_depth ? cost->user_ns : 0);
}

static bool parse_hit(const PerfRun *run, const struct perf_event_header *record, Hit *hit)
{
	return perf_hit_parse(record + 1, record->size - sizeof(*record), &run->hit_form,
			      &hit->hit) &&
	       perf_events_find(run->events, run->reading->perf, hit->hit.id, &hit->event);
}

void perf_hits_take(PerfRun *run, const struct perf_event_header *record)
{
	Hit hit;

	/* Unreadable samples are lost: lost = counted by the kernel − read. */
	if (!parse_hit(run, record, &hit)) {
		run->reading->has_unreadable = true;
		return;
	}
	hit.number = hit.event.point;
	hit.point = point_set_at(run->plan->hits, hit.number);
	run->reading->read++;
	hit.hit.sample.time_ns += (uint64_t)run->clock_offset_ns;
	run->reading->cost.samples_ns += hit_sample_ns(&run->hit_costs[hit.number], &hit.hit);
	hit.weight = perf_read_weigh(run, hit.event, &hit.hit.sample);
	if (!hit.weight || (run->addresses.level && !is_taken(&run->addresses, hit.hit.sample.tid)))
		return;
	hit.weight <<= run->addresses.level;
	hit.context = context_of(&hit.hit.sample);
	perf_sample_drop_double(&hit.hit.sample);
	if (!take_weighed(run, &hit))
		run->reading->event_cpu.passed_over += hit.weight;
}

/* Mappings. */

void perf_hits_take_mapping(PerfRun *run, const struct perf_event_header *record)
{
	if (run->user_watch)
		user_watch_take_mapping(run->user_watch, record, run->clock_offset_ns);
}

void perf_hits_take_task(PerfRun *run, const struct PerfTaskRecord *record)
{
	if (run->user_watch)
		user_watch_take_task(run->user_watch, record);
}

/* Gives the files of new objects to the unwinder. */
static void add_files(PerfRun *run)
{
	const UserObjects *objects = run->live.parts.session->user_objects;
	const ObjectFiles *files = user_watch_files(run->user_watch);

	for (uint32_t i = run->files_given + 1; i <= user_objects_count(objects); i++) {
		int fd = object_files_descriptor(files, i);
		int vdso = user_objects_get(objects, i)->type == USER_OBJECT_SPECIAL
				   ? vdso_image_open()
				   : -1;

		if (fd >= 0 || vdso >= 0)
			perf_unwind_add_file(run->unwind, i, fd >= 0 ? fd : vdso);
		if (vdso >= 0)
			close(vdso);
	}
	run->files_given = user_objects_count(objects);
}

void perf_hits_write_maps(PerfRun *run)
{
	TextPart lines, text;
	UserMapLine line;

	if (!run->user_watch)
		return;
	lines = user_watch_write(run->user_watch);
	if (!run->unwind || !lines.length)
		return;
	add_files(run);
	while (text_part_next_line(&lines, &text))
		if (user_map_line_parse(text, &line))
			perf_unwind_see(run->unwind, &line);
}

static void write_maps(void *user_data)
{
	perf_hits_write_maps(user_data);
}

void perf_hits_scan(PerfRun *run)
{
	if (!run->user_watch || !run->request.with_maps)
		return;
	user_watch_scan(run->user_watch, run->live.start_ns, write_maps, run);
	perf_hits_write_maps(run);
}

void perf_hits_settle(PerfRun *run, uint64_t until_ns)
{
	if (run->unwind)
		perf_unwind_settle(run->unwind, until_ns - MIN(until_ns, USER_MAPS_KEPT_NS));
}

void perf_hits_name(PerfRun *run)
{
	if (run->user_watch)
		user_watch_name(run->user_watch);
}

void perf_hits_write_unwound(PerfRun *run)
{
	if (run->unwind)
		run_facts_write_number(run->live.batches, KMT_FIELD_NOT_UNWOUND,
				       perf_unwind_missing(run->unwind));
}
