/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cgroup_stream.h"

#include "record/batch.h"
#include "record/format.h"

#include "event_batch.h"
#include "record/batch_writer.h"

#include <string.h>

static const char symbols[] = "ffffffff81000000 T _stext\n"
			      "ffffffff81000200 T __kmalloc_noprof\n"
			      "ffffffff81000300 T kstrdup\n"
			      "ffffffff81000400 T alloc_pipe_info\n"
			      "ffffffff81000500 T getname_flags\n"
			      "ffffffff81001000 T _etext\n";

/* The last ones: a hostile name, and an id that no line is for. */
static const char cgroups[] =
	"11 /system.slice/sshd.service\n"
	"12 /system.slice/docker-"
	"1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809.scope\n"
	"13 /user.slice/user-1000.slice/session-3.scope\n"
	"14 /\033[31mred\n"
	"0 /none\n"
	"x\n";

/* What one process allocates. */
typedef struct {
	uint32_t tgid;
	const char *comm;
	uint64_t cgroup_id;
	uint16_t origin; /* 0: a pipe, 1: a copied text */
	unsigned allocations;
	enum KmtContext context;
} Load;

static const Load loads[] = {
	{ 100, "sshd", 11, 0, 4, KMT_CONTEXT_TASK },
	{ 101, "sshd", 11, 1, 1, KMT_CONTEXT_TASK },
	{ 101, "sshd", 11, 1, 3, KMT_CONTEXT_SOFTIRQ },
	{ 200, "nginx", 12, 0, 7, KMT_CONTEXT_TASK },
	{ 300, "bash", 13, 1, 2, KMT_CONTEXT_TASK },
	{ 400, "odd", 14, 0, 1, KMT_CONTEXT_TASK },
	{ 500, "gone", 15, 1, 6, KMT_CONTEXT_TASK },
};

static void add_load(EventBatch *batch, const Load *load)
{
	guint at = batch->bytes->len;

	event_batch_task(batch, load->tgid, load->comm);
	((struct KmtTask *)(void *)(batch->bytes->data + at))->cgroup_id = load->cgroup_id;
	event_batch_allocate(batch, load->origin, load->allocations, load->context);
}

static void add_events(GByteArray *stream)
{
	static const uint32_t pipe[] = { 0x81000210, 0x81000420 };
	static const uint32_t text[] = { 0x81000210, 0x81000310, 0x81000510 };
	EventBatch batch = event_batch_begin(stream, 0, 0, 2000000000);

	event_batch_cache(&batch, "kmalloc-cg-192", 192, 192);
	event_batch_origin(&batch, pipe, G_N_ELEMENTS(pipe), 168, 192);
	event_batch_cache(&batch, "kmalloc-16", 16, 16);
	event_batch_origin(&batch, text, G_N_ELEMENTS(text), 9, 16);
	for (gsize i = 0; i < G_N_ELEMENTS(loads); i++)
		add_load(&batch, &loads[i]);
	event_batch_heartbeat(&batch, 3000000000, 0, 500000);
	event_batch_end_only(&batch);
}

void cgroup_stream(GByteArray *stream)
{
	stream_add_text(stream, KMT_BATCH_SYMBOLS, symbols);
	stream_add_text(stream, KMT_BATCH_MODULES, "");
	add_events(stream);
	stream_add_text(stream, KMT_BATCH_CGROUPS, cgroups);
}
