/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/bpf_beside.h"

#include "base/cpu_list.h"
#include "collect/perf/perf_cost.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { IDS_MAX = 64 }; /* the kernel's own bound for one tracepoint */

/* struct perf_event_query_bpf and its ioctl, which older headers lack. */
typedef struct {
	uint32_t ids_len;
	uint32_t prog_cnt;
	uint32_t ids[IDS_MAX];
} BpfQuery;
#define IOC_QUERY_BPF _IOWR('$', 10, void *)

typedef struct {
	const char *name;
	uint16_t id;
	int fd;             /* to ask about programs */
	GArray *counters;   /* (element-type int), owned: of all CPUs, once there was a program */
	GArray *programs;   /* (element-type guint32), owned: ids of all that were ever attached */
	BpfQuery attached;  /* at the last look */
	uint64_t counted;   /* when these were first seen */
	bool has_arrived;   /* an event since then */
	bool had_been_blind; /* while others were attached */
} Watched;

struct BpfBeside {
	GArray *points; /* (element-type Watched), owned */
};

/* A counter of this thread on all CPUs, or of all threads on one CPU. */
static int open_counter(uint16_t id, int thread, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = id,
	};

	return (int)syscall(SYS_perf_event_open, &attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

BpfBeside *bpf_beside_new(void)
{
	BpfBeside *beside = g_new0(BpfBeside, 1);

	beside->points = g_array_new(FALSE, TRUE, sizeof(Watched));
	return beside;
}

static void close_counters(GArray *counters)
{
	for (guint i = 0; i < counters->len; i++)
		close(g_array_index(counters, int, i));
	g_array_unref(counters);
}

void bpf_beside_free(BpfBeside *beside)
{
	if (!beside)
		return;
	for (guint i = 0; i < beside->points->len; i++) {
		const Watched *watched = &g_array_index(beside->points, Watched, i);

		close(watched->fd);
		close_counters(watched->counters);
		g_array_unref(watched->programs);
	}
	g_array_unref(beside->points);
	g_free(beside);
}

void bpf_beside_watch(BpfBeside *beside, const char *name, uint16_t id)
{
	Watched watched = { .name = name, .id = id };

	for (guint i = 0; i < beside->points->len; i++)
		if (g_array_index(beside->points, Watched, i).id == id)
			return;
	watched.fd = open_counter(id, 0, -1);
	if (watched.fd < 0)
		return;
	ioctl(watched.fd, PERF_EVENT_IOC_DISABLE, 0);
	watched.counters = g_array_new(FALSE, FALSE, sizeof(int));
	watched.programs = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_array_append_val(beside->points, watched);
}

void bpf_beside_watch_point(BpfBeside *beside, const PointEvent *event)
{
	if (event->type == PERF_TYPE_TRACEPOINT)
		bpf_beside_watch(beside, event->name, (uint16_t)event->config);
}

static uint64_t count_of(const Watched *watched)
{
	uint64_t sum = 0, count;

	for (guint i = 0; i < watched->counters->len; i++)
		if (read(g_array_index(watched->counters, int, i), &count, sizeof(count)) ==
		    sizeof(count))
			sum += count;
	return sum;
}

/* The kernel's filters reject events of the run without counting them, so it has no such count. */
static void open_counters(Watched *watched)
{
	g_autoptr(GArray) online = cpu_list_read("", "online");

	for (guint i = 0; online && !watched->counters->len && i < online->len; i++) {
		int fd = open_counter(watched->id, -1, (int)g_array_index(online, guint32, i));

		if (fd >= 0)
			g_array_append_val(watched->counters, fd);
	}
}

static bool is_known(const Watched *watched, uint32_t id)
{
	for (guint i = 0; i < watched->programs->len; i++)
		if (g_array_index(watched->programs, guint32, i) == id)
			return true;
	return false;
}

static BpfQuery query(const Watched *watched)
{
	BpfQuery found = { .ids_len = IDS_MAX };

	if (ioctl(watched->fd, IOC_QUERY_BPF, &found))
		return (BpfQuery){ .ids_len = IDS_MAX };
	found.prog_cnt = MIN(found.prog_cnt, IDS_MAX);
	return found;
}

static bool is_blind(const Watched *watched)
{
	return watched->had_been_blind || (watched->attached.prog_cnt && !watched->has_arrived);
}

static void begin(Watched *watched, const BpfQuery *attached)
{
	watched->had_been_blind = is_blind(watched);
	watched->attached = *attached;
	watched->has_arrived = false;
	for (uint32_t i = 0; i < attached->prog_cnt; i++)
		if (!is_known(watched, attached->ids[i]))
			g_array_append_val(watched->programs, attached->ids[i]);
	if (attached->prog_cnt)
		open_counters(watched);
	watched->counted = count_of(watched);
}

/* What was counted until now arrived beside the programs only if they are still attached. */
static void look_at(Watched *watched)
{
	uint64_t count = count_of(watched);
	BpfQuery attached = query(watched);

	if (memcmp(&attached, &watched->attached, sizeof(attached)))
		begin(watched, &attached);
	else
		watched->has_arrived |= count > watched->counted;
}

static void look_at_all(BpfBeside *beside)
{
	for (guint i = 0; i < beside->points->len; i++)
		look_at(&g_array_index(beside->points, Watched, i));
}

void bpf_beside_look(BpfBeside *beside)
{
	look_at_all(beside);
	if (perf_cost_make_pipe())
		look_at_all(beside);
}

static void append_point(GString *out, const Watched *watched)
{
	const GArray *programs = watched->programs;

	g_string_append_printf(out, "%s%s (BPF program%s ", out->len ? ", " : "", watched->name,
			       programs->len == 1 ? "" : "s");
	for (guint i = 0; i < programs->len; i++)
		g_string_append_printf(out, "%s%u", i ? ", " : "",
				       g_array_index(programs, guint32, i));
	g_string_append_c(out, ')');
}

static char *points_text(const BpfBeside *beside, bool blind)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < beside->points->len; i++) {
		const Watched *watched = &g_array_index(beside->points, Watched, i);

		if (watched->programs->len && is_blind(watched) == blind)
			append_point(text, watched);
	}
	return g_string_free(text, !text->len);
}

char *bpf_beside_blind(const BpfBeside *beside)
{
	return points_text(beside, true);
}

char *bpf_beside_attached(const BpfBeside *beside)
{
	return points_text(beside, false);
}
