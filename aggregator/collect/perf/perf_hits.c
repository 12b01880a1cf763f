/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probe points in a perf run: requests what their samples need, measures what they cost, and takes
 * each sample: weight, task, formulas, user stack, then event_writer.c or, with copies of stacks,
 * perf_unwind.c. The data are in the PerfHits; this is the hot path of stack-top.
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

static PerfPoint point_request(const PerfHits *hits, const SetPoint *point)
{
	bool with_user = hits->reader->request->what.user_depth > 0;
	const PointEvent *event = point->event;
	PerfPoint request = {
		.filter = hits->plan->hits->has_pairs ? thread_filter(&hits->reader->addresses)
						      : g_strdup(point->filter),
		/* Spans are told apart by their begins. */
		.no_stack = !event->has_kernel_stack || point->role == POINT_ROLE_END,
		.no_user_stack =
			!with_user || !event->runs_in_user || point->role == POINT_ROLE_END,
	};

	return request;
}

bool perf_hits_init(PerfHits *hits, GError **error)
{
	const CollectRequest *request = hits->reader->request;

	if (!hits->plan->hits || !request->what.user_stack_bytes)
		return true;
	hits->unwind = perf_unwind_new(request->bounds.memory_bytes_max, error);
	if (hits->unwind)
		perf_unwind_set_objects(hits->unwind, hits->live->parts.session->user_objects);
	return hits->unwind;
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
static void request_user_stack(const PerfHits *hits, PerfRequest *events)
{
	const CollectRequest *asked = hits->reader->request;
	int top = point_register_of_return_address();

	if (hits->unwind) {
		events->user_registers = unwind_registers_mask();
		events->user_stack_bytes = asked->what.user_stack_bytes;
	} else if (asked->what.user_depth && top != POINT_REGISTER_NONE &&
		   has_entry(hits->plan->hits)) {
		/* The registers show whether the program has 64 bits. */
		events->user_registers = 1ULL << top;
		events->user_stack_bytes = sizeof(uint64_t);
	}
}

void perf_hits_request(PerfHits *hits, PerfRequest *events)
{
	const PointSet *set = hits->plan->hits;
	uint32_t user_depth = hits->reader->request->what.user_depth;
	unsigned count = set->points->len;
	struct perf_event_attr *attrs = g_new0(struct perf_event_attr, count);
	PerfPoint *points = g_new(PerfPoint, count);

	for (unsigned i = 0; i < count; i++) {
		const SetPoint *point = point_set_at(set, i);

		point_event_attr(point->event, &attrs[i]);
		points[i] = point_request(hits, point);
		points[i].event = &attrs[i];
		points[i].counts_calls = true;
	}
	hits->attrs = attrs;
	events->points = points;
	events->points_count = count;
	events->takes_hits = true;
	events->user_depth = hits->unwind ? 0 : user_depth;
	request_user_stack(hits, events);
	events->registers = set->registers;
	events->with_maps = user_depth > 0;
	events->with_data_maps = set->by_address;
}

bool perf_hits_hold(const PointSet *set, Child *holder, GError **error)
{
	g_autoptr(GPtrArray) events = g_ptr_array_new();

	for (unsigned i = 0; i < set->points->len; i++)
		g_ptr_array_add(events, point_set_at(set, i)->event);
	return point_events_hold(holder, events, error);
}

void perf_hits_clear(PerfHits *hits)
{
	g_clear_pointer(&hits->unwind, perf_unwind_free);
	g_clear_pointer(&hits->attrs, g_free);
	if (!hits->user_watch)
		return;
	user_watch_free(hits->user_watch);
	g_string_free(hits->columns, TRUE);
	g_free(hits->threads);
}

/* Writes the points. */
static void describe_points(PerfHits *hits)
{
	const PointSet *set = hits->plan->hits;
	g_autoptr(GString) lines = g_string_new(NULL);

	for (unsigned i = 0; i < set->points->len; i++) {
		const SetPoint *point = point_set_at(set, i);

		point_list_append_line(lines, (uint16_t)i, point->role, point->pair, point->name);
	}
	run_facts_write_points(hits->live->batches, lines, set->value_name, set->missing);
}

void perf_hits_begin(PerfHits *hits, const HitCost *costs)
{
	const PerfRequest *events = &hits->plan->events;

	hits->costs = costs;
	hits->form = (PerfHitForm){
		.sample_type = hits->reader->sample_type,
		.registers = (unsigned)__builtin_popcountll(events->registers),
		.user_registers = (unsigned)__builtin_popcountll(events->user_registers),
	};
	hits->user_watch = user_watch_new(hits->live, events->with_data_maps);
	if (hits->unwind)
		perf_unwind_set_opener(hits->unwind, user_watch_opener(hits->user_watch));
	hits->columns = g_string_new(NULL);
	hits->threads = hits->plan->hits->has_pairs ? g_new0(ThreadScatter, 1) : NULL;
	event_writer_take_points(hits->reader->writer);
	describe_points(hits);
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

static HitCost measure_hit(const PerfRunPlan *plan, const PerfEvents *events, unsigned point,
			   bool is_sampled)
{
	hot_assert(point < plan->events.points_count);
	const PointHost host = { .root = "", .kmem_folder_fd = plan->kmem_folder_fd };
	unsigned count = plan->events.points[point].filter ? VARIANTS : REJECTED;
	unsigned period = is_sampled ? COST_SPARSE_PERIOD : 1;
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
	point_cost_measure(&host, point_set_at(plan->hits, point)->event, variants, count, costs);
	return hit_cost_of(costs, period);
}

/* Returns an earlier point of the same kind: it costs the same. */
static unsigned like_point(const PerfRunPlan *plan, unsigned point)
{
	const PerfPoint *points = plan->events.points;
	const SetPoint *wanted = point_set_at(plan->hits, point);
	unsigned other = 0;

	hot_assert(point < plan->events.points_count);
	while (point_set_at(plan->hits, other)->event->probe != wanted->event->probe ||
	       !points[other].filter != !points[point].filter ||
	       (point_set_at(plan->hits, other)->role == POINT_ROLE_END) !=
		       (wanted->role == POINT_ROLE_END))
		other++;
	return other;
}

HitCost *perf_hits_measure(const PerfRunPlan *plan, bool is_sampled, PerfCost *cost)
{
	static const struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
						      .config = PERF_COUNT_SW_DUMMY };
	unsigned count = plan->events.points_count;
	g_autofree PerfPoint *points = g_memdup(plan->events.points, count * sizeof(PerfPoint));
	PerfRequest own = plan->events;
	g_autoptr(PerfEvents) events = perf_events_new(&own);
	HitCost *hit_costs = g_new0(HitCost, count);

	for (unsigned i = 0; i < count; i++) {
		points[i].event = &dummy;
		points[i].counts_calls = false;
	}
	own.points = points;
	own.own_thread = true;
	/* The same points, but of an event that never happens: which parts of the samples this
	   kernel has is known once it is open. */
	perf_events_open(events, UINT32_MAX, NULL);
	*cost = (PerfCost){ .is_known = true };
	for (unsigned i = 0; i < count; i++) {
		unsigned like = like_point(plan, i);
		HitCost *hit = &hit_costs[i];

		*hit = like < i ? hit_costs[like] : measure_hit(plan, events, i, is_sampled);
		cost->is_known &= hit->sample_ns + hit->hit_ns > 0;
		cost->every.event_ns =
			MAX(cost->every.event_ns, hit->sample_ns + hit->hit_ns + hit->user_ns);
		cost->every.frame_ns = MAX(cost->every.frame_ns, hit->frame_ns);
	}
	return hit_costs;
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

static PointSample point_sample(const PerfHits *hits, const PerfHit *hit)
{
	return (PointSample){
		.raw = hit->sample.raw,
		.raw_bytes = hit->sample.raw_bytes,
		.address = hit->address,
		.registers_abi = hit->registers_abi,
		.registers_mask = hits->plan->events.registers,
		.registers = hit->registers,
	};
}

static PointTask point_task(const PerfHits *hits, const Hit *hit)
{
	return (PointTask){
		.tgid = hit->hit.sample.tgid,
		.tid = hit->hit.sample.tid,
		.cpu = hits->reader->cpu->event_cpu.cpu,
		.comm = hit->task.comm,
		.comm_bytes = (uint32_t)strnlen(hit->task.comm, sizeof(hit->task.comm)),
	};
}

/* Appends a column of a list. Its text may not contain what separates columns. */
static void append_column(GString *out, const PresetValue *shown, ExpressionValue value)
{
	if (!value.text) {
		if (shown->show != PRESET_SHOW_DECIMAL)
			preset_value_append(shown, value.number, out);
		else if (value.is_unsigned)
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, (uint64_t)value.number);
		else
			g_string_append_printf(out, "%" G_GINT64_FORMAT, value.number);
		return;
	}
	for (uint32_t i = 0; i < value.text_bytes && value.text[i]; i++)
		g_string_append_c(out, value.text[i] == '\t' ? ' ' : value.text[i]);
}

static void format_columns(PerfHits *hits, const Hit *hit, const PointSample *sample,
			   const PointTask *task)
{
	const GPtrArray *columns = hit->point->columns;

	g_string_truncate(hits->columns, 0);
	for (guint i = 0; i < columns->len; i++) {
		if (i)
			g_string_append_c(hits->columns, '\t');
		if (columns->pdata[i])
			append_column(hits->columns, hit->point->shown->pdata[i],
				      point_formula_value(columns->pdata[i], sample, task));
	}
}

static void add_unwound(PerfHits *hits, const Hit *hit, const PointHit *written)
{
	const PerfUserStack stack = {
		.abi = hit->hit.user_registers_abi,
		.registers = hit->point->role == POINT_ROLE_END ? NULL : hit->hit.user_registers,
		.stack = hit->hit.user_stack,
		.stack_bytes = hit->hit.user_stack_bytes,
	};

	perf_unwind_add(hits->unwind, &hit->task, written, &stack);
}

/* Inserts an address as user frame number at, which is at most the number of user frames. */
static void put_frame(PerfHits *hits, PointHit *written, uint32_t at, uint64_t address)
{
	const size_t size = sizeof(hits->user_frames[0]);

	hot_assert(at < KMT_STACK_DEPTH_MAX);
	hot_assert(written->user_depth < KMT_STACK_DEPTH_MAX);
	written->user_depth = MIN(written->user_depth, KMT_STACK_DEPTH_MAX - 1);
	if (at)
		memcpy(hits->user_frames, written->user_frames, at * size);
	hits->user_frames[at] = address;
	if (written->user_depth > at)
		memcpy(&hits->user_frames[at + 1], written->user_frames + at,
		       (written->user_depth - at) * size);
	written->user_frames = hits->user_frames;
	written->user_depth++;
}

/* Puts the address of a fault before the user frames. */
static void put_address(PerfHits *hits, const Hit *hit, PointHit *written)
{
	put_frame(hits, written, 0, hit->hit.address);
	written->user_has_data = true;
}

/* Puts the caller of a function without a frame after it. */
static void put_caller(PerfHits *hits, const Hit *hit, PointHit *written)
{
	uint64_t caller = perf_hit_missing_caller(&hit->hit);

	if (!caller)
		return;
	put_frame(hits, written, 1, caller);
	if (written->user_depth <= hits->plan->events.user_depth)
		return;
	written->user_depth = hits->plan->events.user_depth;
	written->user_truncated = true;
}

static void write_hit(PerfHits *hits, const Hit *hit, const PointSample *sample,
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
		.depth = MIN(taken->depth, hits->reader->stack_depth),
		.truncated = taken->depth > hits->reader->stack_depth,
		.user_frames = hit->hit.user_frames,
		/* The program that an interrupt found running has nothing to do with it. */
		.user_depth =
			has_user ? MIN(hit->hit.user_depth, hits->plan->events.user_depth) : 0,
		.user_truncated = hit->hit.user_depth > hits->plan->events.user_depth,
	};

	if (hit->point->value)
		written.value =
			(uint64_t)point_formula_value(hit->point->value, sample, task).number;
	if (hit->point->columns) {
		format_columns(hits, hit, sample, task);
		written.columns = hits->columns->str;
		written.columns_bytes = (uint32_t)hits->columns->len;
	}
	if (hits->plan->hits->by_address && hit->hit.address && has_user)
		put_address(hits, hit, &written);
	else if (hit->point->event->is_entry && written.user_depth)
		put_caller(hits, hit, &written);
	if (hits->unwind && has_user)
		add_unwound(hits, hit, &written);
	else
		event_writer_add_hit(hits->reader->writer, &hit->task, &written);
}

void perf_hits_flush(PerfHits *hits)
{
	if (hits->unwind)
		perf_unwind_flush(hits->unwind, hits->reader->writer,
				  hits->reader->request->what.user_depth);
}

/* Returns what tells the places of a point apart, as call sites do for allocators. */
static uint64_t place_of(const PerfHit *hit)
{
	if (hit->user_depth)
		return hit->user_frames[0];
	return hit->sample.depth > 1 ? hit->sample.frames[1] : 0;
}

/* Time spans are taken with all others of their thread. */
static void add_to_scatter(PerfHits *hits, const Hit *hit)
{
	hot_assert(hit->number < hits->plan->events.points_count);
	if (!hits->threads && hit->weight > 1)
		perf_scatter_add(&hits->reader->cpu->scatters[hit->number],
				 scatter_row(hit->hit.sample.tgid), place_of(&hit->hit));
	else if (hits->threads && hit->weight && hit->point->role != POINT_ROLE_END)
		thread_scatter_add(hits->threads, hit->hit.sample.tid, hit->weight);
}

/* Writes a hit. Returns false if it does not count. */
static bool take_weighed(PerfHits *hits, Hit *hit)
{
	PerfReader *reader = hits->reader;
	PointSample sample = point_sample(hits, &hit->hit);
	PointTask task;
	bool is_counted;

	if (perf_read_is_own(reader, &hit->hit.sample, hit->context)) {
		reader->cpu->event_cpu.left_out_self += hit->weight;
		return false;
	}
	is_counted = perf_read_find_task(reader, &hit->hit.sample, &hit->task);
	task = point_task(hits, hit);
	if (hit->point->where && !point_formula_value(hit->point->where, &sample, &task).number) {
		/* The end of a time span that does not count is still its end. */
		if (hit->point->role == POINT_ROLE_HIT)
			return false;
		hit->weight = 0;
	}
	if (!perf_read_select(reader, is_counted, hit->context, hit->weight))
		return false;
	add_to_scatter(hits, hit);
	write_hit(hits, hit, &sample, &task);
	return true;
}

static uint64_t hit_sample_ns(const HitCost *cost, const PerfHit *hit)
{
	return cost->sample_ns + cost->frame_ns * hit->sample.depth +
	       (hit->user_depth ? cost->user_ns : 0);
}

static bool parse_hit(const PerfHits *hits, const struct perf_event_header *record, Hit *hit)
{
	const PerfReader *reader = hits->reader;

	return perf_hit_parse(record + 1, record->size - sizeof(*record), &hits->form, &hit->hit) &&
	       perf_events_find(reader->events, reader->cpu->perf, hit->hit.id, &hit->event);
}

static void take_hit(PerfHits *hits, const struct perf_event_header *record)
{
	PerfReader *reader = hits->reader;
	const AddressSample *threads = &reader->addresses;
	PerfRunCpu *cpu = reader->cpu;
	Hit hit;

	/* Unreadable samples are lost: lost = counted by the kernel − read. */
	if (!parse_hit(hits, record, &hit)) {
		cpu->has_unreadable = true;
		return;
	}
	hit.number = hit.event.point;
	hot_assert(hit.number < hits->plan->hits->points->len);
	hit.point = point_set_at(hits->plan->hits, hit.number);
	cpu->read++;
	hit.hit.sample.time_ns += (uint64_t)reader->clock_offset_ns;
	cpu->cost.samples_ns += hit_sample_ns(&hits->costs[hit.number], &hit.hit);
	hit.weight = perf_read_weigh(reader, hit.event, &hit.hit.sample);
	if (!hit.weight || (threads->level && !is_taken(threads, hit.hit.sample.tid)))
		return;
	hit.weight <<= threads->level;
	hit.context = context_of(&hit.hit.sample);
	perf_sample_drop_double(&hit.hit.sample);
	if (!take_weighed(hits, &hit))
		cpu->event_cpu.passed_over += hit.weight;
}

void perf_hits_take(const struct perf_event_header *record, void *user_data)
{
	PerfHits *hits = user_data;

	if (G_LIKELY(record->type == PERF_RECORD_SAMPLE))
		take_hit(hits, record);
	else
		perf_read_take_other(hits->reader, record);
	perf_read_pass(hits->reader, record);
}

/* Mappings. */

void perf_hits_take_mapping(PerfHits *hits, const struct perf_event_header *record)
{
	if (hits->user_watch)
		user_watch_take_mapping(hits->user_watch, record, hits->reader->clock_offset_ns);
}

void perf_hits_take_task(PerfHits *hits, const struct PerfTaskRecord *record)
{
	if (hits->user_watch)
		user_watch_take_task(hits->user_watch, record);
}

/* Gives the files of new objects to the unwinder. */
static void add_files(PerfHits *hits)
{
	const UserObjects *objects = hits->live->parts.session->user_objects;
	const ObjectFiles *files = user_watch_files(hits->user_watch);

	for (uint32_t i = hits->files_given + 1; i <= user_objects_count(objects); i++) {
		int fd = object_files_descriptor(files, i);
		int vdso = user_objects_get(objects, i)->type == USER_OBJECT_SPECIAL
				   ? vdso_image_open()
				   : -1;

		if (fd >= 0 || vdso >= 0)
			perf_unwind_add_file(hits->unwind, i, fd >= 0 ? fd : vdso);
		if (vdso >= 0)
			close(vdso);
	}
	hits->files_given = user_objects_count(objects);
}

void perf_hits_write_maps(PerfHits *hits)
{
	TextPart lines, text;
	UserMapLine line;

	if (!hits->user_watch)
		return;
	lines = user_watch_write(hits->user_watch);
	if (!hits->unwind || !lines.length)
		return;
	add_files(hits);
	while (text_part_next_line(&lines, &text))
		if (user_map_line_parse(text, &line))
			perf_unwind_see(hits->unwind, &line);
}

static void write_maps(void *user_data)
{
	perf_hits_write_maps(user_data);
}

void perf_hits_scan(PerfHits *hits)
{
	if (!hits->user_watch || !hits->plan->events.with_maps)
		return;
	user_watch_scan(hits->user_watch, hits->live->start_ns, write_maps, hits);
	perf_hits_write_maps(hits);
}

void perf_hits_settle(PerfHits *hits, uint64_t until_ns)
{
	if (hits->unwind)
		perf_unwind_settle(hits->unwind, until_ns - MIN(until_ns, USER_MAPS_KEPT_NS));
}

void perf_hits_name(PerfHits *hits)
{
	if (hits->user_watch)
		user_watch_name(hits->user_watch);
}

void perf_hits_write_unwound(PerfHits *hits)
{
	if (hits->unwind)
		run_facts_write_number(hits->live->batches, KMT_FIELD_NOT_UNWOUND,
				       perf_unwind_missing(hits->unwind));
}
