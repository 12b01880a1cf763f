/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "table/group_rows.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "table/task_name.h"
#include "record/batch_writer.h"
#include "session/session.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(group_rows);

enum { PLENTY = 64 << 20, CPU = 0 };

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000200 T __kmalloc\n"
			       "ffffffff81000300 T alpha\n"
			       "ffffffff81000400 T beta\n"
			       "ffffffff81001000 T _etext\n"
			       "ffffffffc0000100 t ext4_\033[7m\t[ext4]\n";

static const char modules[] = "ext4 4096 0xffffffffc0000000 -\n";

static const uint32_t alpha[] = { 0x81000210, 0x81000310 };
static const uint32_t alpha_elsewhere[] = { 0x81000210, 0x81000350 };
static const uint32_t in_ext4[] = { 0x81000210, 0xc0000110, 0x81000410 };

/* An origin with a stack and a call site, as kernels record them. */
static uint16_t origin_of(EventBatch *batch, const uint32_t *frames, uint16_t depth,
			  uint16_t caller, uint64_t bytes)
{
	uint16_t origin = event_batch_origin(batch, frames, depth, bytes, bytes);
	guint at = batch->bytes->len - sizeof(struct KmtOrigin);

	((struct KmtOrigin *)(void *)(batch->bytes->data + at))->call_site =
		0xffffffff00000000ULL + frames[caller];
	return origin;
}

/* Puts a task in force, whose process began at start. */
static void task(EventBatch *batch, uint32_t tgid, const char *comm, uint64_t start,
		 uint64_t cgroup)
{
	guint at = batch->bytes->len;
	struct KmtTask *record;

	event_batch_task(batch, tgid, comm);
	record = (struct KmtTask *)(void *)(batch->bytes->data + at);
	record->start_time_ns = start;
	record->cgroup_id = cgroup;
}

/*
 * pid 10 begins as sh and becomes httpd; later another httpd has that pid. Two kworkers, and a
 * name that a terminal would obey. alpha is called by all but that one, from dentry and
 * kmalloc-64; one allocation fails.
 */
static void write_events(GByteArray *stream)
{
	EventBatch batch = event_batch_begin(stream, CPU, 0, 1000);
	uint16_t dentry, kmalloc, elsewhere, ext4;

	event_batch_cache(&batch, "dentry(7:x)", 192, 192);
	dentry = origin_of(&batch, alpha, 2, 1, 192);
	event_batch_cache(&batch, "kmalloc-64", 64, 64);
	kmalloc = origin_of(&batch, alpha, 2, 1, 64);
	elsewhere = origin_of(&batch, alpha_elsewhere, 2, 1, 64);
	ext4 = origin_of(&batch, in_ext4, 3, 1, 64);

	task(&batch, 10, "sh", 5, 1);
	event_batch_allocate(&batch, dentry, 1, KMT_CONTEXT_TASK);
	task(&batch, 10, "httpd", 5, 1);
	event_batch_allocate(&batch, dentry, 3, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, kmalloc, 2, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, kmalloc, 4, KMT_CONTEXT_SOFTIRQ);
	task(&batch, 10, "httpd", 9, 2);
	event_batch_allocate(&batch, kmalloc, 4, KMT_CONTEXT_TASK);
	event_batch_event(&batch, KMT_RECORD_ALLOC, kmalloc, 0, KMT_CONTEXT_TASK, 0);
	task(&batch, 20, "kworker/0:1", 1, 0);
	event_batch_allocate(&batch, elsewhere, 1, KMT_CONTEXT_TASK);
	task(&batch, 21, "kworker/u8:2-ev", 1, 0);
	event_batch_allocate(&batch, elsewhere, 1, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, kmalloc, 1, KMT_CONTEXT_HARDIRQ);
	task(&batch, 30, "\033[31m", 1, 0);
	event_batch_allocate(&batch, ext4, 1, KMT_CONTEXT_TASK);
	event_batch_end_only(&batch);
}

static Session *host_session(void)
{
	static const char cgroups[] = "1 /system.slice/httpd.service\n"
				      "2 /\033[32m\n";
	g_autoptr(GByteArray) stream = g_byte_array_new();

	stream_add_text(stream, KMT_BATCH_MODULES, modules);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	stream_add_text(stream, KMT_BATCH_CGROUPS, cgroups);
	write_events(stream);
	return made_session_new(stream);
}

/* A ranking, and what names its rows. */
typedef struct {
	GPtrArray *filters;
	ViewOptions options;
	MadeView of;
	GroupRows *rows;
} Ranking;

enum { ROWS_MAX = 10 };

static Ranking *ranking_new(const Session *session, const char *by, const FilterWords *filters,
			    uint64_t top, const CallsiteSkip *skip)
{
	Ranking *ranking = g_new0(Ranking, 1);

	ranking->options.top = top ? top : UINT64_MAX;
	ranking->options.callsite_skip = skip;
	ranking->options.filters = ranking->filters = made_filters(filters);
	cr_assert(dimensions_parse(by, false, ranking->options.by, NULL), "%s", by);
	ranking->of = made_view_named(session, &ranking->options);
	ranking->rows = group_rows_new(ranking->of.view, &ranking->options, false);
	return ranking;
}

static void ranking_free(Ranking *ranking)
{
	group_rows_free(ranking->rows);
	made_view_clear(&ranking->of);
	g_ptr_array_unref(ranking->filters);
	g_free(ranking);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Ranking, ranking_free)

/* Returns "7 httpd | dentry"; the caller frees it. */
static char *row_text(const GroupRows *rows, guint index)
{
	const GroupRow *row = &g_array_index(rows->rows, GroupRow, index);
	GString *text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT, row->sums.summary.allocations);
	for (guint i = 0; rows->keys[i]; i++) {
		g_string_append(text, i ? " | " : " ");
		group_rows_append_label(rows, row, i, text);
	}
	return g_string_free(text, FALSE);
}

/* Keys, filters and top; and the rows. */
typedef struct {
	const char *by;
	FilterWords filters[FILTERS_MAX];
	uint64_t top; /* 0: all */
	const char *rows[ROWS_MAX + 1];
} RowsCase;

#define KMALLOC " 0xffffffff81000210 : __kmalloc+0x10/0x100 [kernel]\n"

static const RowsCase cases[] = {
	/* sh is what the process was called at the time; ties are ordered by name. */
	{ "process",
	  { { NULL } },
	  0,
	  { "9 httpd", "4 [softirq]", "2 kworker", "1 [hardirq]", "1 \\x1b[31m", "1 sh" } },
	/* A pid that was used again is another process; each has its last name. */
	{ "pid",
	  { { NULL } },
	  0,
	  { "6 httpd[10]", "4 [softirq]", "4 httpd[10]", "1 [hardirq]", "1 \\x1b[31m[30]",
	    "1 kworker/0:1[20]", "1 kworker/u8:2-ev[21]" } },
	{ "cgroup",
	  { { "include", "alpha" } },
	  0,
	  { "6 httpd.service", "4 /\\x1b[32m", "4 [softirq]", "2 (unknown cgroup)",
	    "1 [hardirq]" } },
	{ "cache", { { NULL } }, 0, { "14 kmalloc-64", "4 dentry" } },
	/* Two places in one function are one row. */
	{ "callsite", { { NULL } }, 0, { "17 alpha [kernel]", "1 ext4_\\x1b[7m [ext4]" } },
	{ "module", { { NULL } }, 0, { "17 (kernel)", "1 ext4" } },
	{ "context", { { NULL } }, 0, { "13 task", "4 softirq", "1 hardirq" } },
	{ "stack",
	  { { NULL } },
	  1,
	  { "15 " KMALLOC " 0xffffffff81000310 : alpha+0x10/0x100 [kernel]\n" } },
	{ "process,cache",
	  { { "min-count", "2" } },
	  0,
	  { "6 httpd | kmalloc-64", "4 [softirq] | kmalloc-64", "3 httpd | dentry",
	    "2 kworker | kmalloc-64" } },
	{ "cache,context", { { NULL } }, 2, { "9 kmalloc-64 | task", "4 dentry | task" } },
	/* Text chooses stacks, numbers choose rows. */
	{ "process", { { "exclude", "alpha+0x10" }, { "min-count", "2" } }, 0, { "2 kworker" } },
	{ "module", { { "min-bytes", "65" } }, 0, { "17 (kernel)" } },
	{ "module", { { "exclude", "kmalloc" } }, 0, { NULL } },
};

static void expect_rows(const Session *session, const RowsCase *wanted)
{
	g_autoptr(Ranking) ranking =
		ranking_new(session, wanted->by, wanted->filters, wanted->top, NULL);
	const GroupRows *rows = ranking->rows;
	guint count = 0;

	for (; wanted->rows[count]; count++) {
		g_autofree char *text = NULL;

		if (count >= rows->rows->len)
			continue;
		text = row_text(rows, count);
		cr_expect_str_eq(text, wanted->rows[count], "--by=%s, row %u: %s", wanted->by,
				 count, text);
	}
	cr_expect_eq(rows->rows->len, count, "--by=%s: %u rows", wanted->by, rows->rows->len);
	cr_expect_eq(rows->after.summary.allocations + rows->others.summary.allocations,
		     rows->before.summary.allocations, "--by=%s: sums", wanted->by);
}

Test(group_rows, counters_are_grouped_named_and_ranked)
{
	g_autoptr(Session) session = host_session();

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_rows(session, &cases[i]);
}

Test(group_rows, figures_are_sums_of_the_counters)
{
	static const FilterWords none[FILTERS_MAX];
	g_autoptr(Session) session = host_session();
	g_autoptr(Ranking) ranking = ranking_new(session, "process", none, 1, NULL);
	const GroupRow *httpd = &g_array_index(ranking->rows->rows, GroupRow, 0);

	cr_expect_eq(httpd->sums.summary.bytes_requested, 3 * 192 + 6 * 64);
	cr_expect_eq(httpd->sums.summary.failed, 1);
	cr_expect_eq(ranking->rows->rows_before, 6);
	cr_expect_eq(ranking->rows->before.summary.allocations, 18);
	cr_expect_eq(ranking->rows->before.summary.failed, 1);
	cr_expect_eq(ranking->rows->others.summary.allocations, 9);
	cr_expect_eq(ranking->rows->others.summary.failed, 0);
}

Test(group_rows, each_condition_has_its_account)
{
	static const FilterWords words[FILTERS_MAX] = { { "min-count", "3" },
							{ "exclude", "ext4" } };
	g_autoptr(Session) session = host_session();
	g_autoptr(Ranking) ranking = ranking_new(session, "process", words, 1, NULL);
	const FilterDrop *drop = &g_array_index(ranking->of.view->drops, FilterDrop, 0);

	cr_assert_eq(ranking->of.view->drops->len, 1, "conditions on numbers are not the stacks'");
	cr_expect_str_eq(drop->option, "exclude");
	cr_expect_eq(drop->rows, 1);
	cr_assert_eq(ranking->rows->drops->len, 2);
	drop = &g_array_index(ranking->rows->drops, FilterDrop, 0);
	cr_expect_str_eq(drop->option, "min-count");
	cr_expect_eq(drop->rows, 3, "kworker, [hardirq], sh: %u", (unsigned)drop->rows);
	cr_expect_eq(drop->allocations, 4);
	drop = &g_array_index(ranking->rows->drops, FilterDrop, 1);
	cr_expect_str_eq(drop->option, "top");
	cr_expect_eq(drop->rows, 1);
	cr_expect_eq(drop->allocations, 4);
}

/* A stack that came as text, and what is read from its lines. */
typedef struct {
	const char *skip; /* --callsite-skip; NULL: not given */
	const char *stack;
	const char *row;
} TextCase;

#define NOPROF " 0x1 : __kmalloc_noprof+0x10/0x100 [kernel]\n"
#define KSTRDUP " 0x2 : kstrdup.part.0+0x10/0x100 [kernel]\n"
#define CONST " 0x3 : kstrdup_const_noprof+0x3/0x10 [kernel]\n"
#define OPEN " 0x4 : do_open+0x9/0x80 [kernel]\n"
#define EXT4 " 0x5 : ext4_find+0x9/0x80 [ext4]\n"

static const TextCase texts[] = {
	{ NULL, NOPROF OPEN EXT4, "do_open [kernel] | ext4" },
	{ NULL, NOPROF KSTRDUP OPEN, "kstrdup.part.0 [kernel] | (kernel)" },
	{ "default", NOPROF KSTRDUP CONST OPEN, "do_open [kernel] | (kernel)" },
	{ "kstrdup_noprof", NOPROF KSTRDUP CONST OPEN, "kstrdup_const_noprof [kernel] | (kernel)" },
	{ "do_open", NOPROF KSTRDUP OPEN, "kstrdup.part.0 [kernel] | (kernel)" },
	{ "default,do_open", NOPROF KSTRDUP OPEN EXT4, "ext4_find [ext4] | ext4" },
	/* Only what leads to the call site is skipped. */
	{ "default", NOPROF OPEN KSTRDUP, "do_open [kernel] | (kernel)" },
	/* Nothing is outside: somebody must be named. */
	{ "default", NOPROF KSTRDUP CONST, "kstrdup_const_noprof [kernel] | (kernel)" },
	{ "default", KSTRDUP, "kstrdup.part.0 [kernel] | (kernel)" },
	/* Without a symbol nothing says that it is a wrapper. */
	{ "default", NOPROF " 0x9\n" OPEN, "0x9 | (kernel)" },
	{ "default", NOPROF " 0x9 [ext4+0x999/0x1000]\n" OPEN, "[ext4] | ext4" },
	/* What others print. */
	{ NULL, " 0x01 : __kmalloc+0x0/0x9f [kernel]\n 0x02 : foo+0x1/0x2 [ext3] (inexact)\n",
	  "foo [ext3] | ext3" },
	{ NULL, " 0x01 : __kmalloc+0x0/0x9f\n 0x02 : bar+0x1 at fs/x.c:12 [ext4]\n",
	  "bar [ext4] | ext4" },
	{ NULL,
	  "Returning from:  0x1 : __kmalloc+0x0/0x9f [kernel]\n"
	  "Returning to  :  0x2 : skb+0x6d/0x14a [kernel]\n",
	  "skb [kernel] | (kernel)" },
	{ NULL, "__kmalloc+0x1/0x2\ntcp_sendmsg\n", "tcp_sendmsg [kernel] | (kernel)" },
	{ NULL, " 0x01\n 0x02\n 0x03\n", "0x02 | (unknown module)" },
	{ NULL, "", "[no stack recorded] | (unknown module)" },
};

static void expect_text(const TextCase *wanted)
{
	static const FilterWords none[FILTERS_MAX];
	g_autoptr(CallsiteSkip) skip = wanted->skip ? callsite_skip_new(wanted->skip, NULL) : NULL;
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(Ranking) ranking = NULL;
	g_autofree char *row = NULL;

	session_take_text(session,
			  &(EventText){ wanted->stack, strlen(wanted->stack), .weight = 1 });
	ranking = ranking_new(session, "callsite,module", none, 0, skip);
	cr_assert_eq(ranking->rows->rows->len, 1);
	row = row_text(ranking->rows, 0);
	cr_expect_str_eq(row + strlen("1 "), wanted->row, "%s: %s", wanted->stack, row);
}

Test(group_rows, imported_stacks_have_callsites_and_modules)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		expect_text(&texts[i]);
}

/* The call site of the kernel is further out than the frames after the allocator. */
Test(group_rows, a_recorded_callsite_is_left_outwards)
{
	static const uint32_t frames[] = { 0x81000210, 0x81000310, 0xc0000110, 0x81000410 };
	static const FilterWords none[FILTERS_MAX];
	static const char *const rows[][2] = {
		{ "alpha", "1 ext4_\\x1b[7m [ext4]" },
		{ "alpha,ext4_\\x1b[7m", "1 beta [kernel]" },
		{ "beta", "1 ext4_\\x1b[7m [ext4]" },
	};
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch;

	stream_add_text(stream, KMT_BATCH_MODULES, modules);
	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	batch = event_batch_begin(stream, CPU, 0, 1000);
	event_batch_allocate(&batch, origin_of(&batch, frames, 4, 2, 64), 1, KMT_CONTEXT_TASK);
	event_batch_end(&batch, 1);
	made_session_feed(session, stream);
	session_finish(session);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(CallsiteSkip) skip = callsite_skip_new(rows[i][0], NULL);
		g_autoptr(Ranking) ranking = ranking_new(session, "callsite", none, 0, skip);
		g_autofree char *row = row_text(ranking->rows, 0);

		cr_expect_str_eq(row, rows[i][1], "%s: %s", rows[i][0], row);
	}
}

Test(group_rows, what_found_no_room_is_a_row_under_any_key)
{
	static const FilterWords none[FILTERS_MAX];
	g_autofree char *stack = g_strnfill(4 << 20, 'x');

	for (const Dimension *key = dimensions; key->name; key++) {
		g_autoptr(Session) session = session_new(1);
		g_autoptr(Ranking) ranking = NULL;

		/* Nothing is paired here, and there are no probe points. */
		if (key->of_held || key->of_hits)
			continue;
		session_take_text(session, &(EventText){ stack, 4 << 20, .weight = 3 });
		ranking = ranking_new(session, key->name, none, 0, NULL);
		cr_expect_eq(ranking->rows->rows->len, 1, "%s", key->name);
		cr_expect_eq(ranking->rows->before.summary.allocations, 3, "%s", key->name);
	}
}

Test(group_rows, an_empty_profile_has_no_rows)
{
	static const FilterWords none[FILTERS_MAX];
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(Ranking) ranking = ranking_new(session, "pid,stack", none, 0, NULL);

	cr_expect_eq(ranking->rows->rows->len, 0);
	cr_expect_eq(ranking->rows->rows_before, 0);
}

Test(group_rows, threads_of_the_kernel_are_folded)
{
	static const char *const names[][2] = {
		{ "kworker/0:1", "kworker" },
		{ "kworker/0:1-events", "kworker" },
		{ "kworker/u16:0-ev", "kworker" },
		{ "kworker/1:0H", "kworker" },
		{ "ksoftirqd/0", "ksoftirqd" },
		{ "migration/127", "migration" },
		{ "cpuhp/3", "cpuhp" },
		{ "rcuop/12", "rcuop" },
		{ "swapper/1", "swapper" },
		{ "ksoftirqd/", "ksoftirqd/" },
		{ "ksoftirqd/0x", "ksoftirqd/0x" },
		{ "kworker", "kworker" },
		{ "kworkers/0:1", "kworkers/0:1" },
		{ "jbd2/sda1-8", "jbd2/sda1-8" },
		{ "irq/24-nvme0q1", "irq/24-nvme0q1" },
		{ "/", "/" },
		{ "", "" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *folded = g_strndup(names[i][0], comm_folded_length(names[i][0]));

		cr_expect_str_eq(folded, names[i][1]);
	}
}

Test(group_rows, keys_are_a_few_of_those_there_are)
{
	static const char *const wrong[][2] = {
		{ "", "''" },
		{ "process,", "''" },
		{ "Process", "'Process'" },
		{ "pid,comm", "unknown key 'comm'; valid: process, pid, thread" },
		{ "pid,pid", "'pid' is named twice" },
		{ "pid,cache,stack,module", "4 keys: at most 3" },
	};
	const Dimension *keys[DIMENSIONS_MAX + 1];

	cr_assert(dimensions_parse("cache,pid", false, keys, NULL));
	cr_expect_str_eq(keys[0]->name, "cache");
	cr_expect_str_eq(keys[1]->name, "pid");
	cr_expect_null(keys[2]);
	cr_expect(dimensions_have(keys, "pid"));
	cr_expect_not(dimensions_have(keys, "process"));
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;

		cr_assert_not(dimensions_parse(wrong[i][0], false, keys, &error), "%s",
			      wrong[i][0]);
		cr_expect_not_null(strstr(error->message, wrong[i][1]), "%s", error->message);
	}
}
