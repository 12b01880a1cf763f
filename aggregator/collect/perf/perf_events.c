/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens, enables, counts and closes the perf events of all CPUs: descriptors and ids by CPU and
 * point, and the features that this kernel has, which are dropped one by one when it refuses. Knows
 * the kernel's interface; decides nothing about a run.
 */
#include "collect/perf/perf_events.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/perf/perf_sample.h"
#include "collect/tasks/task_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	TASKS_RING_BYTES = 64 << 10, /* a fork takes about 50 */
	MAPS_RING_BYTES = 512 << 10, /* with mappings, too: about 5 of 120 bytes for an exec */
	HELPER_PERIOD = 20,          /* until another one is set */
	WAKE_PART = 4,               /* of a ring: wakes the reader when filled to this part */
};

/* Features that a kernel may lack, newest first. They are dropped one by one. */
enum {
	FEATURE_LOST = 1 << 0,      /* since 6.0 */
	FEATURE_CGROUP = 1 << 1,    /* since 5.7; also needs CONFIG_CGROUP_PERF */
	FEATURE_MAX_STACK = 1 << 2, /* since 4.8 */
	FEATURE_CLOCK = 1 << 3,     /* since 4.1 */
};

/* PERF_FORMAT_LOST; the header of an older distribution lacks it. */
#define READ_LOST (1U << 4)

/* Descriptors of one CPU. The first one of each kind has the ring. */
typedef struct {
	PerfCpu part;     /* first: the caller gets this pointer */
	GArray *points;   /* (element-type int): all events of the first point, then ... */
	GArray *ids;      /* (element-type uint64_t), of the points from live_from on, ascending */
	GArray *counters; /* (element-type int), by point; -1: see PerfPoint.counts_calls */
	GArray *helpers;  /* (element-type int), fill the ring of the points */
	GArray *dummies;  /* (element-type int) */
	GArray *slab_frees;   /* (element-type int), empty: none */
	guint live_from;      /* in points: earlier ones counted until the CPU went offline */
	uint64_t lost_before; /* by events that were closed since then: see perf_events_lost() */
} Cpu;

struct PerfEvents {
	const PerfRequest *request;
	unsigned features;
	bool is_filtered;
	bool with_build_ids; /* of mappings, since 5.12 */
	GPtrArray *cpus;     /* (element-type Cpu), owned */
};

static void close_from(GArray *descriptors, guint first)
{
	for (guint i = first; i < descriptors->len; i++)
		if (g_array_index(descriptors, int, i) >= 0)
			close(g_array_index(descriptors, int, i));
	g_array_set_size(descriptors, first);
}

static void close_all(GArray *descriptors)
{
	close_from(descriptors, 0);
	g_array_unref(descriptors);
}

static void cpu_free(gpointer data)
{
	Cpu *cpu = data;

	perf_ring_unmap(&cpu->part.samples);
	perf_ring_unmap(&cpu->part.tasks);
	perf_ring_unmap(&cpu->part.slab_frees);
	close_all(cpu->points);
	g_array_unref(cpu->ids);
	close_all(cpu->counters);
	close_all(cpu->helpers);
	close_all(cpu->dummies);
	close_all(cpu->slab_frees);
	g_free(cpu);
}

/* Returns the frames of both sides. */
static uint32_t depth_of(const PerfRequest *request)
{
	return request->stack_depth + request->user_depth;
}

PerfEvents *perf_events_new(const PerfRequest *request)
{
	PerfEvents *events = g_new0(PerfEvents, 1);

	events->request = request;
	events->features = FEATURE_LOST | (request->own_clock ? 0 : FEATURE_CLOCK) |
			   (depth_of(request) ? FEATURE_MAX_STACK : 0) |
			   (request->with_cgroups ? FEATURE_CGROUP : 0);
	events->with_build_ids = request->with_maps;
	events->cpus = g_ptr_array_new_with_free_func(cpu_free);
	return events;
}

void perf_events_free(PerfEvents *events)
{
	if (!events)
		return;
	g_ptr_array_unref(events->cpus);
	g_free(events);
}

/* If the limit cannot be raised, opening events fails with an error. */
void perf_events_make_room(const PerfRequest *request, unsigned cpus)
{
	enum { OTHERS = 256 };
	/* Includes events of offline CPUs that hold the rings, and what BpfBeside asks with. */
	rlim_t needed = (rlim_t)(request->points_count * (perf_request_twins(request) + 1) +
				 request->helpers_count + 6) *
				cpus +
			request->points_count + OTHERS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed;
	limit.rlim_max = MAX(limit.rlim_max, needed);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static uint64_t sample_type(const PerfEvents *events)
{
	const PerfRequest *request = events->request;
	uint64_t type = PERF_SAMPLE_NEEDED | PERF_SAMPLE_READ;

	if (depth_of(request))
		type |= PERF_SAMPLE_CALLCHAIN;
	if (events->features & FEATURE_CGROUP)
		type |= PERF_SAMPLE_CGROUP_BIT;
	if (!request->takes_hits)
		return type;
	/* What samples of probe points have in addition. */
	type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR;
	if (request->registers)
		type |= PERF_SAMPLE_REGS_INTR;
	if (request->user_stack_bytes)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return type;
}

PerfLayout perf_events_layout(const PerfEvents *events)
{
	return (PerfLayout){
		.sample_type = sample_type(events) | PERF_SAMPLE_READ_ID_BIT |
			       (events->features & FEATURE_LOST ? PERF_SAMPLE_READ_LOST_BIT : 0),
		.monotonic_clock = events->features & FEATURE_CLOCK,
	};
}

/* Attributes of both kinds of events. */
static struct perf_event_attr common_attr(const PerfEvents *events)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.watermark = 1,
	};

	if (events->features & FEATURE_CLOCK) {
		attr.use_clockid = 1;
		attr.clockid = CLOCK_MONOTONIC;
	}
	return attr;
}

static struct perf_event_attr point_attr(const PerfEvents *events, const PerfPoint *point)
{
	const PerfRequest *request = events->request;
	struct perf_event_attr attr = common_attr(events);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = point->id;
	if (point->event) {
		attr.type = point->event->type;
		attr.config = point->event->config;
		attr.config1 = point->event->config1;
		attr.config2 = point->event->config2;
	}
	attr.sample_period = point->is_helper ? HELPER_PERIOD : request->sampling_period;
	attr.sample_type = sample_type(events);
	attr.read_format =
		PERF_FORMAT_ID | (events->features & FEATURE_LOST ? (uint64_t)READ_LOST : 0);
	attr.wakeup_watermark = (uint32_t)(request->ring_bytes / WAKE_PART);
	/* All samples of a ring have one layout. With both parts excluded, a chain is empty. */
	attr.exclude_callchain_user = !request->user_depth || point->no_user_stack;
	attr.exclude_callchain_kernel = point->is_free || point->no_stack || !request->stack_depth;
	/* One more frame than requested shows whether there are more; one may come twice. Both
	   sides share the limit. */
	if (events->features & FEATURE_MAX_STACK)
		attr.sample_max_stack = (uint16_t)MIN(depth_of(request) + 2, request->depth_max);
	attr.sample_regs_intr = request->registers;
	if (request->user_stack_bytes) {
		attr.sample_regs_user = request->user_registers;
		attr.sample_stack_user = request->user_stack_bytes;
	}
	return attr;
}

struct perf_event_attr perf_events_attr(const PerfEvents *events, unsigned point)
{
	hot_assert(point < events->request->points_count);
	return point_attr(events, &events->request->points[point]);
}

static size_t tasks_ring_bytes(const PerfRequest *request)
{
	return request->with_maps ? MAPS_RING_BYTES : TASKS_RING_BYTES;
}

/* Requests build ids in records of mappings: bit 34 of the flags, which older headers lack. */
static void request_build_ids(struct perf_event_attr *attr)
{
	enum { BUILD_ID_BIT = 34 };
	uint64_t flags;
	void *at = (char *)attr + offsetof(struct perf_event_attr, read_format) + sizeof(flags);

	memcpy(&flags, at, sizeof(flags));
	flags |= G_BYTE_ORDER == G_LITTLE_ENDIAN ? 1ULL << BUILD_ID_BIT
						 : 1ULL << (63 - BUILD_ID_BIT);
	memcpy(at, &flags, sizeof(flags));
}

static struct perf_event_attr dummy_attr(const PerfEvents *events)
{
	struct perf_event_attr attr = common_attr(events);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.comm = 1;
	attr.task = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.wakeup_watermark = (uint32_t)(tasks_ring_bytes(events->request) / WAKE_PART);
	if (events->request->with_maps)
		attr.mmap = attr.mmap2 = 1;
	attr.mmap_data = events->request->with_data_maps;
	if (events->with_build_ids)
		request_build_ids(&attr);
	return attr;
}

/* A tracepoint of which every event is recorded. */
static struct perf_event_attr plain_attr(const PerfEvents *events, uint16_t id, size_t ring_bytes)
{
	struct perf_event_attr attr = common_attr(events);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_NEEDED;
	attr.wakeup_watermark = (uint32_t)(ring_bytes / WAKE_PART);
	return attr;
}

static int open_event(const struct perf_event_attr *attr, bool own_thread, uint32_t cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, own_thread ? 0 : -1, (int)cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* Drops the newest feature that is still requested. Returns false if there is none. */
static bool drop_feature(PerfEvents *events)
{
	unsigned youngest = events->features & -events->features;

	events->features &= ~youngest;
	return youngest;
}

static char *read_setting(const char *name)
{
	g_autofree char *path = g_strconcat("/proc/sys/kernel/", name, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : g_strdup("?");
}

/* Sets the error for a failure to open or map. Returns false. */
static bool perf_events_fail(int problem, GError **error)
{
	g_autofree char *paranoid = NULL;

	switch (problem) {
	case ENODEV:
	case ENXIO:
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
				    "the CPU is not online");
		break;
	case ENOSYS:
	case ENOENT:
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
				    "this kernel has no perf events (CONFIG_PERF_EVENTS): use "
				    "--collector=stap");
		break;
	case EACCES:
	case EPERM:
		paranoid = read_setting("perf_event_paranoid");
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
			    "the kernel refuses perf events of the whole host "
			    "(kernel.perf_event_paranoid=%s): run it as root with CAP_SYS_ADMIN, "
			    "outside of containers, on a kernel that is not locked down for "
			    "confidentiality",
			    paranoid);
		break;
	case EMFILE:
	case ENFILE:
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES,
				    "too many open files for perf events: raise the limit "
				    "(ulimit -n)");
		break;
	case ENOMEM:
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
				    "no memory for the buffers: use a smaller --buffer");
		break;
	default:
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "perf_event_open: %s",
			    g_strerror(problem));
	}
	return false;
}

/* Requests about events, which the kernel fulfils on their CPU: it interrupts the CPU, and this
   thread waits and takes CPU time. From there the interrupt is about half (doc/PERFORMANCE.md). */

static uint64_t own_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void note_interrupt(Cpu *cpu, uint64_t from_ns)
{
	cpu->part.interrupted_ns += (own_ns() - from_ns) / 2;
}

static void perf_events_control(Cpu *cpu, int fd, unsigned long request, void *argument)
{
	uint64_t from_ns = own_ns();

	ioctl(fd, request, argument);
	note_interrupt(cpu, from_ns);
}

/* Returns the bytes read, as read(). */
static ssize_t perf_events_ask(Cpu *cpu, int fd, void *buffer, size_t bytes)
{
	uint64_t from_ns = own_ns();
	ssize_t got = read(fd, buffer, bytes);

	note_interrupt(cpu, from_ns);
	return got;
}

static void control_all(Cpu *cpu, const GArray *descriptors, unsigned long request, void *argument)
{
	for (guint i = 0; i < descriptors->len; i++)
		perf_events_control(cpu, g_array_index(descriptors, int, i), request, argument);
}

void perf_events_disable(PerfEvents *events, PerfCpu *part)
{
	Cpu *cpu = (Cpu *)part;

	(void)events;
	control_all(cpu, cpu->points, PERF_EVENT_IOC_DISABLE, NULL);
	control_all(cpu, cpu->counters, PERF_EVENT_IOC_DISABLE, NULL);
	control_all(cpu, cpu->helpers, PERF_EVENT_IOC_DISABLE, NULL);
	control_all(cpu, cpu->dummies, PERF_EVENT_IOC_DISABLE, NULL);
}

/* The result of read() for a point. */
typedef struct {
	uint64_t count;
	uint64_t id;
	uint64_t lost; /* 0: unknown */
} Reading;

/* Returns the descriptor of an event of a point; -1: it is not open. */
static int descriptor_of(const PerfEvents *events, const Cpu *cpu, PerfEventId event)
{
	guint index =
		cpu->live_from + event.point * perf_request_twins(events->request) + event.twin;

	return index < cpu->points->len ? g_array_index(cpu->points, int, index) : -1;
}

uint64_t perf_events_count(const PerfEvents *events, PerfCpu *part, PerfEventId event)
{
	Cpu *cpu = (Cpu *)part;
	int fd = descriptor_of(events, cpu, event);
	uint64_t values[3] = { 0 };

	return fd >= 0 && perf_events_ask(cpu, fd, values, sizeof(values)) > 0 ? values[0] : 0;
}

uint64_t perf_events_calls(const PerfEvents *events, PerfCpu *part, unsigned point)
{
	Cpu *cpu = (Cpu *)part;
	const GArray *counters = cpu->counters;
	uint64_t count = 0;

	(void)events;
	if (point >= counters->len || g_array_index(counters, int, point) < 0 ||
	    perf_events_ask(cpu, g_array_index(counters, int, point), &count, sizeof(count)) < 0)
		return 0;
	return count;
}

static uint64_t lost_from(const Cpu *cpu, guint first)
{
	uint64_t lost = 0;

	for (guint i = first; i < cpu->points->len; i++) {
		Reading reading = { 0 };

		if (read(g_array_index(cpu->points, int, i), &reading, sizeof(reading)) >=
		    (ssize_t)offsetof(Reading, lost))
			lost += reading.lost;
	}
	return lost;
}

bool perf_events_lost(const PerfEvents *events, const PerfCpu *part, uint64_t *lost)
{
	const Cpu *cpu = (const Cpu *)part;

	*lost = cpu->lost_before + lost_from(cpu, 0);
	return events->features & FEATURE_LOST;
}

static bool fail_mapping(int problem, GError **error)
{
	if (problem != EPERM)
		return perf_events_fail(problem, error);
	g_set_error_literal(
		error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
		"this user's limit of locked memory is reached "
		"(kernel.perf_event_mlock_kb): use a smaller --buffer, or run it as root "
		"with CAP_IPC_LOCK");
	return false;
}

/* Makes the event fill the ring of another event. */
static bool share_ring(int fd, int ring_fd, GError **error)
{
	return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) || fail_mapping(errno, error);
}

/* Opens one more event of a CPU. The first event gets its ring here; the others fill that ring. */
static bool add_event(GArray *descriptors, PerfRing *ring, size_t ring_bytes, int fd,
		      GError **error)
{
	int ring_fd;

	g_array_append_val(descriptors, fd);
	ring_fd = g_array_index(descriptors, int, 0);
	if (ring_fd != fd)
		return share_ring(fd, ring_fd, error);
	return perf_ring_map(ring, fd, ring_bytes) || fail_mapping(errno, error);
}

/* Build ids are the only feature that the points lack. Returns false if they were not requested. */
static bool drop_build_ids(PerfEvents *events)
{
	bool had = events->with_build_ids;

	events->with_build_ids = false;
	return had;
}

/* Opens a tracepoint, or the event of task records if point is NULL. If the kernel does not know a
   feature, no event uses it; only the first event can detect that. */
static int open_one(PerfEvents *events, const Cpu *cpu, const PerfPoint *point)
{
	int fd;

	do {
		struct perf_event_attr attr =
			point ? point_attr(events, point) : dummy_attr(events);

		fd = open_event(&attr, events->request->own_thread, cpu->part.cpu);
	} while (fd < 0 && (errno == EINVAL || errno == E2BIG) &&
		 ((!point && drop_build_ids(events)) || drop_feature(events)));
	return fd;
}

bool perf_events_find(const PerfEvents *events, const PerfCpu *part, uint64_t id,
		      PerfEventId *event)
{
	const Cpu *cpu = (const Cpu *)part;
	unsigned twins = perf_request_twins(events->request);
	guint from = 0, to = cpu->ids->len;

	while (from < to) {
		guint middle = from + (to - from) / 2;
		uint64_t found = g_array_index(cpu->ids, uint64_t, middle);

		if (found == id) {
			*event = (PerfEventId){ middle / twins, middle % twins };
			return true;
		}
		if (found < id)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

bool perf_events_are_filtered(const PerfEvents *events)
{
	return events->is_filtered;
}

static bool open_helpers(PerfEvents *events, Cpu *cpu, GError **error)
{
	const PerfRequest *request = events->request;

	for (unsigned i = 0; i < request->helpers_count; i++) {
		/* Without stacks, like samples of frees. */
		const PerfPoint helper = { .id = request->helpers[i],
					   .is_free = true,
					   .is_helper = true };
		int fd = open_one(events, cpu, &helper);

		if (fd < 0)
			return perf_events_fail(errno, error);
		g_array_append_val(cpu->helpers, fd);
		if (!share_ring(fd, g_array_index(cpu->points, int, 0), error))
			return false;
	}
	return true;
}

/* If this is refused, names are found in another way. */
static void open_births(PerfEvents *events, Cpu *cpu)
{
	struct perf_event_attr attr =
		plain_attr(events, events->request->births_id, TASKS_RING_BYTES);
	int fd;

	if (!events->request->births_id || events->request->own_thread)
		return;
	fd = open_event(&attr, false, cpu->part.cpu);
	if (fd < 0)
		return;
	if (ioctl(fd, PERF_EVENT_IOC_SET_FILTER, TASK_BIRTHS_FILTER) ||
	    !share_ring(fd, g_array_index(cpu->dummies, int, 0), NULL)) {
		close(fd);
		return;
	}
	g_array_append_val(cpu->dummies, fd);
}

static bool open_slab_frees(PerfEvents *events, Cpu *cpu, GError **error)
{
	const PerfRequest *request = events->request;
	struct perf_event_attr attr =
		plain_attr(events, request->slab_frees_id, request->slab_frees_ring_bytes);
	int fd;

	if (!request->slab_frees_id || request->own_thread)
		return true;
	fd = open_event(&attr, false, cpu->part.cpu);
	if (fd < 0)
		return perf_events_fail(errno, error);
	return add_event(cpu->slab_frees, &cpu->part.slab_frees, request->slab_frees_ring_bytes, fd,
			 error);
}

/* The filter of an event cannot be changed. */
static void set_filter(PerfEvents *events, const PerfPoint *point, int fd)
{
	if (point->filter && !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, point->filter))
		events->is_filtered |= point->filters_caches;
}

static bool open_point(PerfEvents *events, Cpu *cpu, const PerfPoint *point, bool is_later,
		       GError **error)
{
	uint64_t period = events->request->sampling_period, id;
	int fd = open_one(events, cpu, point);

	if (fd < 0)
		return perf_events_fail(errno, error);
	if (!add_event(cpu->points, &cpu->part.samples, events->request->ring_bytes, fd, error))
		return false;
	/* The samples of the point have this id. */
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return perf_events_fail(errno, error);
	g_array_append_val(cpu->ids, id);
	/* Before 6.13 and its stable updates, the kernel takes the first event twice if the event
	   was opened with a period, because a whole period already lies behind it. Setting the same
	   period again prevents this. */
	if (period > 1)
		ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
	if (!is_later)
		set_filter(events, point, fd);
	return true;
}

/* Opens an event of a point that only counts, if it needs one. */
static bool open_counter(PerfEvents *events, Cpu *cpu, const PerfPoint *point, GError **error)
{
	const struct perf_event_attr like = point_attr(events, point);
	const struct perf_event_attr attr = {
		.size = sizeof(like),
		.type = like.type,
		.config = like.config,
		.config1 = like.config1,
		.config2 = like.config2,
		.disabled = 1,
	};
	bool is_needed = point->filter && point->counts_calls;
	int fd = is_needed ? open_event(&attr, events->request->own_thread, cpu->part.cpu) : -1;

	g_array_append_val(cpu->counters, fd);
	return !is_needed || fd >= 0 || perf_events_fail(errno, error);
}

/* The tracepoints come first: they use every feature. */
static bool open_all(PerfEvents *events, Cpu *cpu, GError **error)
{
	const PerfRequest *request = events->request;
	unsigned twins = perf_request_twins(request);
	int fd;

	for (unsigned i = 0; i < request->points_count * twins; i++)
		if (!open_point(events, cpu, &request->points[i / twins],
				request->selects_later && i % twins, error))
			return false;
	for (unsigned i = 0; i < request->points_count; i++)
		if (!open_counter(events, cpu, &request->points[i], error))
			return false;
	if (!open_helpers(events, cpu, error))
		return false;
	fd = open_one(events, cpu, NULL);
	if (fd < 0)
		return perf_events_fail(errno, error);
	if (!add_event(cpu->dummies, &cpu->part.tasks, tasks_ring_bytes(request), fd, error))
		return false;
	open_births(events, cpu);
	return open_slab_frees(events, cpu, error);
}

PerfCpu *perf_events_cpu(const PerfEvents *events, uint32_t number)
{
	for (guint i = 0; i < events->cpus->len; i++) {
		PerfCpu *part = g_ptr_array_index(events->cpus, i);

		if (part->cpu == number)
			return part;
	}
	return NULL;
}

static Cpu *cpu_new(PerfEvents *events, uint32_t number)
{
	Cpu *cpu = g_new0(Cpu, 1);

	cpu->part.cpu = number;
	cpu->points = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	cpu->counters = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->helpers = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->dummies = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->slab_frees = g_array_new(FALSE, FALSE, sizeof(int));
	g_ptr_array_add(events->cpus, cpu);
	return cpu;
}

/* Closes the events that have ended, except the first ones, which own the rings. */
static void close_ended(PerfEvents *events, Cpu *cpu)
{
	perf_events_disable(events, &cpu->part);
	control_all(cpu, cpu->slab_frees, PERF_EVENT_IOC_DISABLE, NULL);
	cpu->lost_before += lost_from(cpu, 1);
	close_from(cpu->points, MIN(cpu->points->len, 1));
	g_array_set_size(cpu->ids, 0);
	close_from(cpu->counters, 0);
	close_from(cpu->helpers, 0);
	close_from(cpu->dummies, 1);
	close_from(cpu->slab_frees, 1);
	cpu->live_from = 1;
}

PerfCpu *perf_events_open(PerfEvents *events, uint32_t number, GError **error)
{
	Cpu *known = (Cpu *)perf_events_cpu(events, number);
	Cpu *cpu = known ? known : cpu_new(events, number);

	if (known)
		close_ended(events, cpu);
	if (!open_all(events, cpu, error)) {
		if (known)
			close_ended(events, cpu);
		else
			g_ptr_array_remove(events->cpus, cpu);
		return NULL;
	}
	cpu->part.samples_fd = cpu->live_from < cpu->points->len
				       ? g_array_index(cpu->points, int, cpu->live_from)
				       : -1;
	cpu->part.tasks_fd = g_array_index(cpu->dummies, int, cpu->live_from);
	cpu->part.slab_frees_fd = cpu->live_from < cpu->slab_frees->len
					  ? g_array_index(cpu->slab_frees, int, cpu->live_from)
					  : -1;
	return &cpu->part;
}

void perf_events_enable_tasks(PerfEvents *events, PerfCpu *part)
{
	Cpu *cpu = (Cpu *)part;

	(void)events;
	control_all(cpu, cpu->dummies, PERF_EVENT_IOC_ENABLE, NULL);
	control_all(cpu, cpu->slab_frees, PERF_EVENT_IOC_ENABLE, NULL);
}

/* Events that have ended keep their counts and are not enabled again. */
static void enable_points(const PerfEvents *events, Cpu *cpu, bool frees)
{
	const PerfRequest *request = events->request;

	for (unsigned i = 0; i < request->points_count; i++) {
		if (request->points[i].is_free != frees)
			continue;
		if (i < cpu->counters->len)
			perf_events_control(cpu, g_array_index(cpu->counters, int, i),
					    PERF_EVENT_IOC_ENABLE, NULL);
		perf_events_control(cpu, descriptor_of(events, cpu, (PerfEventId){ i, 0 }),
				    PERF_EVENT_IOC_ENABLE, NULL);
	}
}

void perf_events_switch(PerfEvents *events, PerfCpu *part, PerfEventId event, bool on)
{
	Cpu *cpu = (Cpu *)part;

	perf_events_control(cpu, descriptor_of(events, cpu, event),
			    on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, NULL);
}

bool perf_events_select(PerfEvents *events, PerfCpu *part, unsigned point, const char *filter,
			uint64_t *before)
{
	const PerfEventId first = { point, 0 }, second = { point, 1 };

	if (ioctl(descriptor_of(events, (Cpu *)part, second), PERF_EVENT_IOC_SET_FILTER, filter))
		return false;
	perf_events_switch(events, part, second, true);
	perf_events_switch(events, part, first, false);
	*before = perf_events_count(events, part, first);
	return true;
}

void perf_events_enable_frees(PerfEvents *events, PerfCpu *part)
{
	enable_points(events, (Cpu *)part, true);
}

/* The helpers come first: a call recorded in vain, while only they are enabled, is better than a
   missing call. */
void perf_events_enable_samples(PerfEvents *events, PerfCpu *part)
{
	Cpu *cpu = (Cpu *)part;

	control_all(cpu, cpu->helpers, PERF_EVENT_IOC_ENABLE, NULL);
	enable_points(events, cpu, true);
	enable_points(events, cpu, false);
}

void perf_events_set_period(PerfEvents *events, PerfCpu *part, PerfEventId event,
			    uint32_t sampling_period)
{
	Cpu *cpu = (Cpu *)part;
	uint64_t period = sampling_period;

	perf_events_control(cpu, descriptor_of(events, cpu, event), PERF_EVENT_IOC_PERIOD, &period);
}

void perf_events_set_helpers_period(PerfEvents *events, PerfCpu *part, uint32_t sampling_period)
{
	Cpu *cpu = (Cpu *)part;
	uint64_t period = sampling_period;

	(void)events;
	control_all(cpu, cpu->helpers, PERF_EVENT_IOC_PERIOD, &period);
}

/* Returns how long the CPU's dummy was enabled; 0: unknown. */
static uint64_t enabled_ns(Cpu *cpu)
{
	uint64_t values[2] = { 0 };
	int fd = g_array_index(cpu->dummies, int, cpu->live_from);

	hot_assert(cpu->live_from < cpu->dummies->len);
	return perf_events_ask(cpu, fd, values, sizeof(values)) > 0 ? values[1] : 0;
}

bool perf_events_are_counting(const PerfEvents *events, PerfCpu *part, PerfEnabled *last)
{
	Cpu *cpu = (Cpu *)part;
	PerfEnabled before = *last;
	uint64_t now_ns = clock_monotonic_ns(), counted_ns, elapsed_ns;

	(void)events;
	if (cpu->live_from >= cpu->dummies->len)
		return false;
	last->enabled_ns = enabled_ns(cpu);
	last->asked_ns = clock_monotonic_ns();
	counted_ns = last->enabled_ns - before.enabled_ns;
	elapsed_ns = before.asked_ns ? now_ns - before.asked_ns : 0;
	/* One of the two clocks may be slewed, and may advance only with the ticks of a sleeping
	   CPU. */
	return last->enabled_ns > before.enabled_ns &&
	       counted_ns + PERF_ENABLED_GRAIN_NS + elapsed_ns / 256 >= elapsed_ns;
}
