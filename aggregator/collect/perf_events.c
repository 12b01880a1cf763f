/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_events.h"

#include "collect/perf_sample.h"

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
	WAKE_PART = 4,               /* of a ring: so full it wakes its reader */
};

/* Bits of newer kernels than the oldest headers that this is built with. */
#if G_BYTE_ORDER == G_BIG_ENDIAN
#define INHERIT_THREAD_BIT (1ULL << (63 - 35))
#else
#define INHERIT_THREAD_BIT (1ULL << 35) /* perf_event_attr.inherit_thread, since 5.13 */
#endif

/* What a kernel may not have; dropped one by one, the youngest first. */
enum {
	FEATURE_INHERIT_THREAD = 1 << 0,
	FEATURE_CGROUP = 1 << 1,    /* needs CONFIG_CGROUP_PERF, too */
	FEATURE_MAX_STACK = 1 << 2, /* since 4.8 */
	FEATURE_CLOCK = 1 << 3,     /* since 4.1 */
	FEATURES = 4,
};

/* Descriptors of one CPU; the first of each kind has the ring. */
typedef struct {
	PerfCpu part;    /* first: it is what the caller gets */
	GArray *points;  /* (element-type int) */
	GArray *dummies; /* (element-type int) */
	guint live_from; /* in points: those before counted until the CPU went away */
	uint32_t sampling_period;
	uint64_t
		samples_before; /* those that the events had come to when it was last changed ... */
	GArray *counts_before;  /* (element-type guint64) ... and their counts then, by index */
} Cpu;

struct PerfEvents {
	const PerfRequest *request;
	unsigned features;
	GPtrArray *cpus; /* (element-type Cpu), owned */
};

static void close_from(GArray *descriptors, guint first)
{
	for (guint i = first; i < descriptors->len; i++)
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
	close_all(cpu->points);
	close_all(cpu->dummies);
	g_array_unref(cpu->counts_before);
	g_free(cpu);
}

PerfEvents *perf_events_new(const PerfRequest *request)
{
	PerfEvents *events = g_new0(PerfEvents, 1);

	events->request = request;
	events->features = (request->own_clock ? 0 : FEATURE_CLOCK) |
			   (request->stack_depth ? FEATURE_MAX_STACK : 0) |
			   (request->with_cgroups ? FEATURE_CGROUP : 0) |
			   (request->inherit_threads ? FEATURE_INHERIT_THREAD : 0);
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

/* Where it is not granted, opening fails and says so. */
void perf_events_make_room(const PerfRequest *request, unsigned cpus)
{
	enum { OTHERS = 256 };
	uint64_t whose = request->threads ? request->threads->len + 1 : 1;
	rlim_t needed = whose * (request->points_count + 1) * cpus + OTHERS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed;
	limit.rlim_max = MAX(limit.rlim_max, needed);
	setrlimit(RLIMIT_NOFILE, &limit);
}

static uint64_t sample_type(const PerfEvents *events)
{
	return PERF_SAMPLE_NEEDED |
	       (events->request->stack_depth ? (uint64_t)PERF_SAMPLE_CALLCHAIN : 0) |
	       (events->features & FEATURE_CGROUP ? PERF_SAMPLE_CGROUP_BIT : 0);
}

PerfLayout perf_events_layout(const PerfEvents *events)
{
	return (PerfLayout){
		.sample_type = sample_type(events),
		.monotonic_clock = events->features & FEATURE_CLOCK,
	};
}

/* What events of either kind have in common. */
static struct perf_event_attr common_attr(const PerfEvents *events, bool of_threads)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.disabled = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.watermark = 1,
		.inherit = of_threads && events->request->inherit,
	};

	if (events->features & FEATURE_CLOCK) {
		attr.use_clockid = 1;
		attr.clockid = CLOCK_MONOTONIC;
	}
	return attr;
}

/* The flags' bits are a word of their own; older headers do not name all of them. */
static void set_flag(struct perf_event_attr *attr, uint64_t bit)
{
	uint8_t *flags = (uint8_t *)attr + offsetof(struct perf_event_attr, read_format) +
			 sizeof(attr->read_format);
	uint64_t word;

	memcpy(&word, flags, sizeof(word));
	word |= bit;
	memcpy(flags, &word, sizeof(word));
}

static struct perf_event_attr point_attr(const PerfEvents *events, const Cpu *cpu,
					 const PerfPoint *point, bool of_threads)
{
	const PerfRequest *request = events->request;
	struct perf_event_attr attr = common_attr(events, of_threads);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = point->id;
	attr.sample_period = cpu->sampling_period;
	attr.sample_type = sample_type(events);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.wakeup_watermark = (uint32_t)(request->ring_bytes / WAKE_PART);
	attr.exclude_callchain_user = 1;
	/* All samples of a ring have one layout: without either part a chain is empty. */
	attr.exclude_callchain_kernel = point->is_free;
	/* One more than asked for tells that there is more. */
	if (events->features & FEATURE_MAX_STACK)
		attr.sample_max_stack = (uint16_t)(request->stack_depth + 1);
	if (of_threads && events->features & FEATURE_INHERIT_THREAD)
		set_flag(&attr, INHERIT_THREAD_BIT);
	return attr;
}

static struct perf_event_attr dummy_attr(const PerfEvents *events, bool of_threads)
{
	struct perf_event_attr attr = common_attr(events, of_threads);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.comm = 1;
	attr.task = 1;
	attr.wakeup_watermark = TASKS_RING_BYTES / WAKE_PART;
	if (of_threads && events->features & FEATURE_INHERIT_THREAD)
		set_flag(&attr, INHERIT_THREAD_BIT);
	return attr;
}

static int open_event(const struct perf_event_attr *attr, pid_t thread, uint32_t cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, thread, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Drops the youngest feature that is still asked for. Returns false when there is none. */
static bool drop_feature(PerfEvents *events)
{
	unsigned youngest = events->features & -events->features;

	events->features &= ~youngest;
	return youngest;
}

static bool is_refusal_of_feature(int problem)
{
	return problem == EINVAL || problem == E2BIG;
}

static char *read_setting(const char *name)
{
	g_autofree char *path = g_strconcat("/proc/sys/kernel/", name, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : g_strdup("?");
}

/* Returns false, with an error that says what this failure to open or map means. */
static bool fail(int problem, GError **error)
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
			    "(kernel.perf_event_paranoid=%s): run it as root outside of "
			    "containers, on a kernel that is not locked down for confidentiality",
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

/* Opens one more event of a CPU: it fills the ring of the first one, which gets its ring here. */
static bool add_event(GArray *descriptors, PerfRing *ring, size_t ring_bytes, int fd,
		      GError **error)
{
	int ring_fd;

	g_array_append_val(descriptors, fd);
	ring_fd = g_array_index(descriptors, int, 0);
	if (ring_fd == fd ? perf_ring_map(ring, fd, ring_bytes)
			  : !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd))
		return true;
	return fail(errno == EPERM ? ENOMEM : errno, error);
}

/* Opens a tracepoint, or with NULL what tells of tasks. Where the kernel does not know a feature,
   none of the events has it: only the first one can meet that. */
static int open_one(PerfEvents *events, const Cpu *cpu, const PerfPoint *point, pid_t thread)
{
	bool of_threads = thread >= 0;
	int fd;

	do {
		struct perf_event_attr attr = point ? point_attr(events, cpu, point, of_threads)
						    : dummy_attr(events, of_threads);

		fd = open_event(&attr, thread, cpu->part.cpu);
	} while (fd < 0 && is_refusal_of_feature(errno) && drop_feature(events));
	return fd;
}

static bool open_tasks(PerfEvents *events, Cpu *cpu, pid_t thread, GError **error)
{
	int fd = open_one(events, cpu, NULL, thread);

	if (fd < 0)
		return errno == ESRCH || fail(errno, error);
	return add_event(cpu->dummies, &cpu->part.tasks, TASKS_RING_BYTES, fd, error);
}

static bool open_point(PerfEvents *events, Cpu *cpu, const PerfPoint *point, pid_t thread,
		       GError **error)
{
	int fd = open_one(events, cpu, point, thread);

	if (fd < 0)
		return errno == ESRCH || fail(errno, error);
	return add_event(cpu->points, &cpu->part.samples, events->request->ring_bytes, fd, error);
}

/* thread -1: everybody. The tracepoints come first: they have every feature there is. */
static bool open_thread(PerfEvents *events, Cpu *cpu, pid_t thread, GError **error)
{
	const PerfRequest *request = events->request;

	for (unsigned i = 0; i < request->points_count; i++) {
		const PerfPoint *point = &request->points[i];
		bool of_everybody = !request->threads || point->is_free;

		if (of_everybody == (thread < 0) && !open_point(events, cpu, point, thread, error))
			return false;
	}
	return (request->threads && thread < 0) || open_tasks(events, cpu, thread, error);
}

static bool open_threads(PerfEvents *events, Cpu *cpu, GError **error)
{
	const GArray *threads = events->request->threads;

	for (guint i = 0; threads && i < threads->len; i++)
		if (!open_thread(events, cpu, g_array_index(threads, pid_t, i), error))
			return false;
	return open_thread(events, cpu, -1, error);
}

/* All of them, or none more than before. */
static bool open_all(PerfEvents *events, Cpu *cpu, GError **error)
{
	guint points = cpu->points->len, dummies = cpu->dummies->len;

	if (!open_threads(events, cpu, error)) {
		close_from(cpu->points, points);
		close_from(cpu->dummies, dummies);
		return false;
	}
	cpu->live_from = points;
	return true;
}

static Cpu *find_cpu(PerfEvents *events, uint32_t number)
{
	for (guint i = 0; i < events->cpus->len; i++) {
		Cpu *cpu = g_ptr_array_index(events->cpus, i);

		if (cpu->part.cpu == number)
			return cpu;
	}
	return NULL;
}

static Cpu *cpu_new(uint32_t number, uint32_t sampling_period)
{
	Cpu *cpu = g_new0(Cpu, 1);

	cpu->part.cpu = number;
	cpu->sampling_period = sampling_period;
	cpu->points = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->dummies = g_array_new(FALSE, FALSE, sizeof(int));
	cpu->counts_before = g_array_new(FALSE, TRUE, sizeof(guint64));
	return cpu;
}

PerfCpu *perf_events_open(PerfEvents *events, uint32_t number, GError **error)
{
	Cpu *known = find_cpu(events, number);
	Cpu *cpu = known ? known : cpu_new(number, events->request->sampling_period);

	if (!open_all(events, cpu, error)) {
		if (!known)
			cpu_free(cpu);
		return NULL;
	}
	if (known)
		return &cpu->part;
	if (!cpu->part.samples.control || !cpu->part.tasks.control) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED,
				    "the processes to trace have ended");
		cpu_free(cpu);
		return NULL;
	}
	cpu->part.samples_fd = g_array_index(cpu->points, int, 0);
	cpu->part.tasks_fd = g_array_index(cpu->dummies, int, 0);
	g_ptr_array_add(events->cpus, cpu);
	return &cpu->part;
}

static void tell_all(const GArray *descriptors, unsigned long request)
{
	for (guint i = 0; i < descriptors->len; i++)
		ioctl(g_array_index(descriptors, int, i), request, 0);
}

void perf_events_enable_tasks(PerfEvents *events, PerfCpu *part)
{
	(void)events;
	tell_all(((const Cpu *)part)->dummies, PERF_EVENT_IOC_ENABLE);
}

/* Those that have ended keep their counts, and are not enabled again. */
static void tell_live(const Cpu *cpu, unsigned long request, void *argument)
{
	for (guint i = cpu->live_from; i < cpu->points->len; i++)
		ioctl(g_array_index(cpu->points, int, i), request, argument);
}

void perf_events_enable_samples(PerfEvents *events, PerfCpu *part)
{
	(void)events;
	tell_live((const Cpu *)part, PERF_EVENT_IOC_ENABLE, NULL);
}

void perf_events_disable(PerfEvents *events, PerfCpu *part)
{
	const Cpu *cpu = (const Cpu *)part;

	(void)events;
	tell_all(cpu->points, PERF_EVENT_IOC_DISABLE);
	tell_all(cpu->dummies, PERF_EVENT_IOC_DISABLE);
}

/* What read() gives for these events. */
typedef struct {
	uint64_t count;
	uint64_t enabled_ns;
} Reading;

static Reading read_event(const Cpu *cpu, guint index)
{
	Reading reading;
	int fd = g_array_index(cpu->points, int, index);

	if (read(fd, &reading, sizeof(reading)) != (ssize_t)sizeof(reading))
		return (Reading){ 0, 0 };
	return reading;
}

uint64_t perf_events_count(const PerfEvents *events, const PerfCpu *part)
{
	const Cpu *cpu = (const Cpu *)part;
	uint64_t samples = cpu->samples_before;

	(void)events;
	for (guint i = 0; i < cpu->points->len; i++) {
		uint64_t count = read_event(cpu, i).count;

		if (i < cpu->counts_before->len)
			count -= g_array_index(cpu->counts_before, guint64, i);
		samples += count / cpu->sampling_period;
	}
	return samples;
}

/* What the events have come to until now, which from here on has another period. */
static void settle_counts(PerfEvents *events, Cpu *cpu)
{
	cpu->samples_before = perf_events_count(events, &cpu->part);
	g_array_set_size(cpu->counts_before, cpu->points->len);
	for (guint i = 0; i < cpu->points->len; i++)
		g_array_index(cpu->counts_before, guint64, i) = read_event(cpu, i).count;
}

uint64_t perf_events_set_period(PerfEvents *events, PerfCpu *part, uint32_t sampling_period)
{
	Cpu *cpu = (Cpu *)part;
	uint64_t period = sampling_period;
	uint64_t head;

	tell_live(cpu, PERF_EVENT_IOC_DISABLE, NULL);
	head = perf_ring_head(&part->samples);
	settle_counts(events, cpu);
	cpu->sampling_period = sampling_period;
	tell_live(cpu, PERF_EVENT_IOC_PERIOD, &period);
	tell_live(cpu, PERF_EVENT_IOC_ENABLE, NULL);
	return head;
}

bool perf_events_are_counting(const PerfEvents *events, const PerfCpu *part, uint64_t *last_ns)
{
	const Cpu *cpu = (const Cpu *)part;
	uint64_t before_ns = *last_ns;

	(void)events;
	*last_ns = read_event(cpu, cpu->live_from).enabled_ns;
	return *last_ns > before_ns;
}
