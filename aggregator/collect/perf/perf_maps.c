/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes map, for SystemTap: perf events that count nothing, with rings of task records, on
 * each CPU. user_watch.c takes the records. When records may be missing, it scans /proc again, at
 * most once a second.
 */
#include "collect/perf/perf_maps.h"

#include "base/clock.h"
#include "base/cpu_list.h"
#include "collect/perf/perf_ring.h"
#include "collect/perf/perf_events.h"
#include "collect/perf/user_watch.h"

#include <gio/gio.h>
#include <glib-unix.h>

enum { SCAN_NS = 1000 * 1000 * 1000 };

typedef struct {
	PerfMaps *maps;
	PerfCpu *perf;
	PerfEnabled enabled; /* at the last check */
	GSource *source;     /* wakes the program when the ring fills; borrowed from the context */
} MapsCpu;

struct PerfMaps {
	LiveRun *live;
	UserWatch *watch;
	PerfRequest request;
	PerfEvents *events;
	GPtrArray *cpus;         /* (element-type MapsCpu), owned */
	int64_t clock_offset_ns; /* add to the records' times to get the stream's */
	uint64_t scanned_ns;
	bool scan_is_due; /* records may be missing */
};

static void cpu_free(gpointer data)
{
	MapsCpu *cpu = data;

	if (cpu->source) {
		g_source_destroy(cpu->source);
		g_source_unref(cpu->source);
	}
	g_free(cpu);
}

/* A PerfRecordVisitor. */
static void take_record(const struct perf_event_header *record, void *user_data)
{
	PerfMaps *maps = user_data;
	struct PerfTaskRecord task;

	if (record->type == PERF_RECORD_MMAP2) {
		user_watch_take_mapping(maps->watch, record, maps->clock_offset_ns);
		return;
	}
	if (!perf_task_record_parse(record, record + 1, record->size - sizeof(*record), &task))
		return;
	task.time_ns += (uint64_t)maps->clock_offset_ns;
	maps->scan_is_due |= task.kind == PERF_TASK_LOST;
	user_watch_take_task(maps->watch, &task);
}

static void write_lines(void *user_data)
{
	const PerfMaps *maps = user_data;

	user_watch_write(maps->watch);
}

void perf_maps_read(PerfMaps *maps)
{
	uint64_t now_ns;

	for (guint i = 0; i < maps->cpus->len; i++) {
		PerfRing *ring = &((MapsCpu *)maps->cpus->pdata[i])->perf->tasks;

		perf_ring_read(ring, perf_ring_head(ring), take_record, maps);
	}
	now_ns = clock_monotonic_ns();
	/* A scan takes time, so there is at most one a second. The first one finds what was mapped
	   at the start. A later one cannot know since when a mapping exists: the process may have
	   executed another program meanwhile. */
	if (maps->scan_is_due && now_ns >= maps->scanned_ns + SCAN_NS) {
		user_watch_scan(maps->watch, maps->scanned_ns ? now_ns : maps->live->start_ns,
				write_lines, maps);
		maps->scan_is_due = false;
		maps->scanned_ns = now_ns;
	}
	user_watch_write(maps->watch);
}

static gboolean ring_is_filling(int fd, GIOCondition condition, gpointer user_data)
{
	MapsCpu *cpu = user_data;

	(void)fd;
	perf_maps_read(cpu->maps);
	/* The end of an event, when its CPU goes offline, ends this source. */
	return condition & (G_IO_HUP | G_IO_ERR | G_IO_NVAL) ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void watch_ring(MapsCpu *cpu)
{
	if (cpu->source) {
		g_source_destroy(cpu->source);
		g_source_unref(cpu->source);
	}
	cpu->source = g_unix_fd_source_new(cpu->perf->tasks_fd, G_IO_IN);
	g_source_set_callback(cpu->source, (GSourceFunc)(void (*)(void))ring_is_filling, cpu, NULL);
	g_source_attach(cpu->source, cpu->maps->live->context);
}

/* Opens the events of a CPU, also again. */
static bool open_cpu(PerfMaps *maps, uint32_t number, GError **error)
{
	PerfCpu *perf = perf_events_open(maps->events, number, error);
	MapsCpu *cpu;

	if (!perf)
		return false;
	if (!perf->owner) {
		cpu = perf->owner = g_new0(MapsCpu, 1);
		cpu->maps = maps;
		cpu->perf = perf;
		g_ptr_array_add(maps->cpus, cpu);
	}
	cpu = perf->owner;
	cpu->enabled = (PerfEnabled){ 0 };
	watch_ring(cpu);
	perf_events_enable_tasks(maps->events, perf);
	return true;
}

/* Skips CPUs that are not online any more. */
static bool open_all(PerfMaps *maps, const GArray *online, GError **error)
{
	GError *problem = NULL;

	perf_events_make_room(&maps->request, online->len);
	for (guint i = 0; i < online->len; i++) {
		if (open_cpu(maps, g_array_index(online, guint32, i), &problem))
			continue;
		if (!g_error_matches(problem, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) {
			g_propagate_error(error, problem);
			return false;
		}
		g_clear_error(&problem);
	}
	return true;
}

void perf_maps_look(PerfMaps *maps)
{
	g_autoptr(GArray) online = cpu_list_read("", "online");

	if (maps->clock_offset_ns)
		perf_clock_offset(&maps->clock_offset_ns);
	for (guint i = 0; online && i < online->len; i++) {
		uint32_t number = g_array_index(online, guint32, i);
		PerfCpu *perf = perf_events_cpu(maps->events, number);
		MapsCpu *cpu = perf ? perf->owner : NULL;

		if (cpu && perf_events_are_counting(maps->events, perf, &cpu->enabled))
			continue;
		maps->scan_is_due |= open_cpu(maps, number, NULL);
	}
	perf_maps_read(maps);
}

void perf_maps_name(PerfMaps *maps)
{
	perf_maps_read(maps);
	user_watch_name(maps->watch);
}

/* Kernels before 4.1 time perf events by another clock. */
static bool adopt_clock(PerfMaps *maps, GError **error)
{
	if (perf_events_layout(maps->events).monotonic_clock ||
	    perf_clock_offset(&maps->clock_offset_ns))
		return true;
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "perf events have no clock that can be compared");
	return false;
}

PerfMaps *perf_maps_new(LiveRun *live, GError **error)
{
	PerfMaps *maps = g_new0(PerfMaps, 1);
	g_autoptr(GArray) online = cpu_list_read("", "online");
	bool is_open = false;

	maps->live = live;
	maps->request = (PerfRequest){ .with_maps = true, .sampling_period = 1 };
	maps->events = perf_events_new(&maps->request);
	maps->cpus = g_ptr_array_new_with_free_func(cpu_free);
	maps->watch = user_watch_new(live, false);
	if (!online)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED,
				    "the list of online CPUs cannot be read: mount /sys");
	else
		is_open = open_all(maps, online, error) && adopt_clock(maps, error);
	if (!is_open) {
		perf_maps_free(maps);
		return NULL;
	}
	/* After the events: nothing is missed in between. */
	maps->scan_is_due = true;
	perf_maps_read(maps);
	return maps;
}

void perf_maps_free(PerfMaps *maps)
{
	if (!maps)
		return;
	g_ptr_array_unref(maps->cpus);
	perf_events_free(maps->events);
	user_watch_free(maps->watch);
	g_free(maps);
}
