/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/bpf_beside.h"

#include "collect/host/kmem_points.h"
#include "collect/perf/perf_cost.h"

#include <linux/perf_event.h>
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
	const KmemPoint *point;
	int fd; /* counts events of the calling thread */
	bool is_blind;
	GArray *programs; /* (element-type guint32), owned: program ids */
} Watched;

struct BpfBeside {
	GArray *points; /* (element-type Watched), owned */
};

static int open_counter(const KmemPoint *point)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = point->format->id,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

BpfBeside *bpf_beside_new(const GPtrArray *points)
{
	BpfBeside *beside = g_new0(BpfBeside, 1);

	beside->points = g_array_new(FALSE, TRUE, sizeof(Watched));
	for (guint i = 0; i < points->len; i++) {
		Watched watched = { .point = points->pdata[i] };

		watched.fd = open_counter(watched.point);
		if (watched.fd < 0)
			continue;
		watched.programs = g_array_new(FALSE, FALSE, sizeof(guint32));
		g_array_append_val(beside->points, watched);
	}
	return beside;
}

void bpf_beside_free(BpfBeside *beside)
{
	if (!beside)
		return;
	for (guint i = 0; i < beside->points->len; i++) {
		const Watched *watched = &g_array_index(beside->points, Watched, i);

		close(watched->fd);
		g_array_unref(watched->programs);
	}
	g_array_unref(beside->points);
	g_free(beside);
}

static uint64_t count_of(const Watched *watched)
{
	uint64_t count;

	return read(watched->fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

static bool is_known(const Watched *watched, uint32_t id)
{
	for (guint i = 0; i < watched->programs->len; i++)
		if (g_array_index(watched->programs, guint32, i) == id)
			return true;
	return false;
}

/* Returns whether programs are attached now. Sets *is_new if one of them is new. */
static bool look_at_programs(Watched *watched, bool *is_new)
{
	BpfQuery query = { .ids_len = IDS_MAX };

	if (ioctl(watched->fd, IOC_QUERY_BPF, &query))
		return false;
	for (uint32_t i = 0; i < MIN(query.prog_cnt, IDS_MAX); i++) {
		if (is_known(watched, query.ids[i]))
			continue;
		g_array_append_val(watched->programs, query.ids[i]);
		*is_new = true;
	}
	return query.prog_cnt;
}

/* A known allocation may also miss a tracepoint because it takes another path in this kernel. Only
   with an attached program does that mean that perf is blind. */
static bool look_at(Watched *watched, uint64_t counted_before)
{
	bool arrives = count_of(watched) > counted_before;
	bool is_new = false;
	bool is_blind = look_at_programs(watched, &is_new) && !arrives && !watched->is_blind;

	watched->is_blind |= is_blind;
	return is_new || is_blind;
}

bool bpf_beside_look(BpfBeside *beside)
{
	g_autofree uint64_t *before = g_new(uint64_t, beside->points->len + 1);
	bool is_more = false;

	for (guint i = 0; i < beside->points->len; i++)
		before[i] = count_of(&g_array_index(beside->points, Watched, i));
	if (!perf_cost_make_pipe())
		return false;
	for (guint i = 0; i < beside->points->len; i++)
		is_more |= look_at(&g_array_index(beside->points, Watched, i), before[i]);
	return is_more;
}

static void append_point(GString *out, const Watched *watched)
{
	const GArray *programs = watched->programs;

	g_string_append_printf(out, "%s%s (BPF program%s ", out->len ? ", " : "",
			       watched->point->type->name, programs->len == 1 ? "" : "s");
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

		if (watched->programs->len && watched->is_blind == blind)
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
