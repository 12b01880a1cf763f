/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array by CPU: online, traced, and since when online without being traced. live_run.c polls it
 * at each tick and writes the sum into the stream; the engines tell it which CPUs they trace.
 */
#include "collect/run/cpu_watch.h"

#include "record/format.h"
#include "base/cpu_list.h"
#include "record/batch_writer.h"

enum { TEXT_BYTES_MAX = 100 }; /* length of the list of CPUs in the report */

typedef struct {
	bool online; /* at the newest poll */
	bool traced;
	uint64_t traced_ns;   /* start of the newest span of tracing */
	uint64_t since_ns;    /* while untraced: since when */
	uint64_t untraced_ns; /* sum of the spans that have ended */
} WatchedCpu;

struct CpuWatch {
	char *root;
	GArray *cpus; /* (element-type WatchedCpu), by number; owned */
	bool looked;
	uint64_t looked_ns;  /* time of the newest poll */
	uint64_t written_ns; /* written by cpu_watch_write() */
};

CpuWatch *cpu_watch_new(const char *root)
{
	CpuWatch *watch = g_new0(CpuWatch, 1);

	watch->root = g_strdup(root);
	watch->cpus = g_array_new(FALSE, TRUE, sizeof(WatchedCpu));
	return watch;
}

void cpu_watch_free(CpuWatch *watch)
{
	if (!watch)
		return;
	g_free(watch->root);
	g_array_unref(watch->cpus);
	g_free(watch);
}

static WatchedCpu *cpu_at(const CpuWatch *watch, unsigned cpu)
{
	g_assert(cpu < watch->cpus->len);
	return &g_array_index(watch->cpus, WatchedCpu, cpu);
}

static void make_room(CpuWatch *watch, unsigned cpus)
{
	if (cpus > watch->cpus->len)
		g_array_set_size(watch->cpus, cpus);
}

static bool is_untraced(const WatchedCpu *cpu)
{
	return cpu->online && !cpu->traced;
}

static uint64_t untraced_until(const WatchedCpu *cpu, uint64_t now_ns)
{
	bool lasts = is_untraced(cpu) && now_ns > cpu->since_ns;

	return cpu->untraced_ns + (lasts ? now_ns - cpu->since_ns : 0);
}

/* begin_ns: start of the untraced span, if one begins now. */
static void cpu_watch_become(WatchedCpu *cpu, bool online, bool traced, uint64_t begin_ns,
			     uint64_t now_ns)
{
	bool was_untraced = is_untraced(cpu);

	cpu->untraced_ns = untraced_until(cpu, now_ns);
	cpu->online = online;
	cpu->traced = traced;
	cpu->since_ns = was_untraced ? now_ns : begin_ns;
}

void cpu_watch_set_traced(CpuWatch *watch, unsigned number, bool traced, uint64_t now_ns)
{
	WatchedCpu *cpu;

	if (number >= CPU_LIST_CPUS_MAX)
		return;
	make_room(watch, number + 1);
	cpu = cpu_at(watch, number);
	if (traced && !cpu->traced)
		cpu->traced_ns = now_ns;
	cpu_watch_become(cpu, cpu->online, traced, MAX(now_ns, cpu->traced_ns), now_ns);
}

void cpu_watch_set_online_traced(CpuWatch *watch, uint64_t now_ns)
{
	g_autoptr(GArray) online = cpu_list_read(watch->root, "online");

	for (guint i = 0; online && i < online->len; i++)
		cpu_watch_set_traced(watch, g_array_index(online, guint32, i), true, now_ns);
}

void cpu_watch_look(CpuWatch *watch, uint64_t now_ns)
{
	g_autoptr(GArray) online = cpu_list_read(watch->root, "online");
	uint64_t begin_ns = watch->looked ? watch->looked_ns : now_ns;
	guint next = 0; /* of those online, which are in ascending order */

	if (!online)
		return;
	make_room(watch, g_array_index(online, guint32, online->len - 1) + 1);
	for (unsigned i = 0; i < watch->cpus->len; i++) {
		WatchedCpu *cpu = cpu_at(watch, i);
		bool is_online = next < online->len && g_array_index(online, guint32, next) == i;

		cpu_watch_become(cpu, is_online, cpu->traced, begin_ns, now_ns);
		next += is_online;
	}
	watch->looked = true;
	watch->looked_ns = now_ns;
}

GArray *cpu_watch_untraced_now(const CpuWatch *watch)
{
	GArray *untraced = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (guint32 i = 0; i < watch->cpus->len; i++)
		if (is_untraced(cpu_at(watch, i)))
			g_array_append_val(untraced, i);
	return untraced;
}

uint64_t cpu_watch_untraced_ns(const CpuWatch *watch, uint64_t now_ns)
{
	uint64_t sum_ns = 0;

	for (unsigned i = 0; i < watch->cpus->len; i++)
		sum_ns += untraced_until(cpu_at(watch, i), now_ns);
	return sum_ns;
}

char *cpu_watch_untraced_cpus(const CpuWatch *watch, uint64_t now_ns)
{
	g_autoptr(GArray) concerned = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (guint32 i = 0; i < watch->cpus->len; i++)
		if (untraced_until(cpu_at(watch, i), now_ns))
			g_array_append_val(concerned, i);
	return cpu_list_text(concerned, TEXT_BYTES_MAX);
}

bool cpu_watch_write(CpuWatch *watch, GByteArray *out, uint64_t now_ns)
{
	uint64_t untraced_ns = cpu_watch_untraced_ns(watch, now_ns);
	g_autofree char *cpus = cpu_watch_untraced_cpus(watch, now_ns);
	const InfoField fields[] = {
		{ KMT_FIELD_UNTRACED_NS, untraced_ns, NULL },
		{ KMT_FIELD_UNTRACED_CPUS, 0, cpus },
	};

	if (untraced_ns <= watch->written_ns)
		return false;
	batch_write_info(out, fields, G_N_ELEMENTS(fields));
	watch->written_ns = untraced_ns;
	return true;
}
