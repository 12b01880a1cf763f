/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs beside our events: for each tracepoint a descriptor to ask with, the programs
 * attached at the last look, and counters that show whether events happen unseen. Instructions of a
 * program are read to know whether it can hide events. perf_run.c looks at each tick; --check looks
 * once.
 */
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
	int fd;              /* to ask about programs */
	GArray *counters;    /* (element-type int), owned: of all CPUs, once there was a program */
	GArray *programs;    /* (element-type guint32), owned: ids of all that were ever attached */
	BpfQuery attached;   /* at the last look */
	uint64_t counted;    /* when these were first seen */
	bool has_arrived;    /* an event since then */
	bool is_open;        /* these let all events pass */
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

void bpf_beside_free(BpfBeside *beside)
{
	if (!beside)
		return;
	for (guint i = 0; i < beside->points->len; i++) {
		const Watched *watched = &g_array_index(beside->points, Watched, i);

		close(watched->fd);
		for (guint j = 0; j < watched->counters->len; j++)
			close(g_array_index(watched->counters, int, j));
		g_array_unref(watched->counters);
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

static BpfQuery bpf_beside_query(const Watched *watched)
{
	BpfQuery found = { .ids_len = IDS_MAX };

	if (ioctl(watched->fd, IOC_QUERY_BPF, &found))
		return (BpfQuery){ .ids_len = IDS_MAX };
	found.prog_cnt = MIN(found.prog_cnt, IDS_MAX);
	return found;
}

/* Returns which instructions a jump leads to. Jumps are relative to the following instruction. The
   caller frees them. */
static bool *targets_of(const struct bpf_insn *program, uint32_t count)
{
	bool *targets = g_new0(bool, count);

	for (uint32_t i = 0; i < count; i++) {
		unsigned class = BPF_CLASS(program[i].code), kind = BPF_OP(program[i].code);
		int64_t target = (int64_t)i + 1;

		if ((class != BPF_JMP && class != BPF_JMP32) || kind == BPF_CALL ||
		    kind == BPF_EXIT)
			continue;
		target += class == BPF_JMP32 && kind == BPF_JA ? program[i].imm : program[i].off;
		if (target >= 0 && target < count)
			targets[target] = true;
	}
	return targets;
}

static bool sets_result(const struct bpf_insn *at)
{
	return (at->code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		at->code == (BPF_ALU | BPF_MOV | BPF_K)) &&
	       at->dst_reg == BPF_REG_0 && at->imm;
}

bool bpf_beside_lets_pass(const struct bpf_insn *program, uint32_t count)
{
	g_autofree bool *targets = targets_of(program, count);
	bool has_exit = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct bpf_insn *at = &program[i];

		/* A tail call: another program's result is not known. */
		if (at->code == (BPF_JMP | BPF_CALL) && !at->src_reg &&
		    at->imm == BPF_FUNC_tail_call)
			return false;
		if (at->code != (BPF_JMP | BPF_EXIT))
			continue;
		has_exit = true;
		if (!i || !sets_result(at - 1) || targets[i])
			return false;
	}
	return has_exit;
}

/* The kernel refuses an attribute whose other bytes are not 0, and initialising a part of a union
   does not clear the rest (GCC 15). */
static union bpf_attr no_attribute(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	return attr;
}

static int call_bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* Asks the kernel for the instructions of a program; NULL: it does not tell. Count: at most so
   many, then the number of them. The caller frees them. */
static struct bpf_insn *read_program(int fd, uint32_t *count)
{
	g_autofree struct bpf_insn *program = g_new0(struct bpf_insn, *count);
	struct bpf_prog_info info = {
		.xlated_prog_len = *count * sizeof(*program),
		.xlated_prog_insns = (uintptr_t)program,
	};
	union bpf_attr attr = no_attribute();

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) || !info.xlated_prog_insns ||
	    info.xlated_prog_len > *count * sizeof(*program))
		return NULL;
	*count = info.xlated_prog_len / sizeof(*program);
	return g_steal_pointer(&program);
}

/* Returns whether a program is known to hide nothing. */
static bool lets_pass(uint32_t id)
{
	uint32_t count = 1 << 16; /* larger ones may hide events */
	union bpf_attr attr = no_attribute();
	g_autofree struct bpf_insn *program = NULL;
	int fd;

	attr.prog_id = id;
	fd = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	if (fd < 0)
		return false;
	program = read_program(fd, &count);
	close(fd);
	return program && bpf_beside_lets_pass(program, count);
}

static bool is_blind(const Watched *watched)
{
	return watched->had_been_blind ||
	       (watched->attached.prog_cnt && !watched->has_arrived && !watched->is_open);
}

static void bpf_beside_begin(Watched *watched, const BpfQuery *attached)
{
	watched->had_been_blind = is_blind(watched);
	watched->attached = *attached;
	watched->has_arrived = false;
	watched->is_open = true;
	for (uint32_t i = 0; i < attached->prog_cnt; i++) {
		watched->is_open = watched->is_open && lets_pass(attached->ids[i]);
		if (!is_known(watched, attached->ids[i]))
			g_array_append_val(watched->programs, attached->ids[i]);
	}
	if (attached->prog_cnt)
		open_counters(watched);
	watched->counted = count_of(watched);
}

static void look_at_all(BpfBeside *beside)
{
	for (guint i = 0; i < beside->points->len; i++) {
		Watched *watched = &g_array_index(beside->points, Watched, i);
		uint64_t count = count_of(watched);
		BpfQuery attached = bpf_beside_query(watched);

		/* What was counted until now arrived beside the programs only if they are still
		   attached. */
		if (memcmp(&attached, &watched->attached, sizeof(attached)))
			bpf_beside_begin(watched, &attached);
		else
			watched->has_arrived |= count > watched->counted;
	}
}

void bpf_beside_look(BpfBeside *beside)
{
	look_at_all(beside);
	if (perf_cost_make_pipe())
		look_at_all(beside);
}

static char *points_text(const BpfBeside *beside, bool blind)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < beside->points->len; i++) {
		const Watched *watched = &g_array_index(beside->points, Watched, i);
		const GArray *programs = watched->programs;

		if (!programs->len || is_blind(watched) != blind)
			continue;
		g_string_append_printf(text, "%s%s (BPF program%s ", text->len ? ", " : "",
				       watched->name, programs->len == 1 ? "" : "s");
		for (guint j = 0; j < programs->len; j++)
			g_string_append_printf(text, "%s%u", j ? ", " : "",
					       g_array_index(programs, guint32, j));
		g_string_append_c(text, ')');
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
