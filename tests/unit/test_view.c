/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "table/view.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "session/session.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(view);

enum { PLENTY = 64 << 20, CPU = 0 };

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 t __traceiter_kmalloc\n"
			       "ffffffff81000200 T __kmalloc\n"
			       "ffffffff81000300 T alpha\n"
			       "ffffffff81000400 T beta\n"
			       "ffffffff81000500 T gamma\n"
			       "ffffffff81001000 T _etext\n";

#define KMALLOC " 0xffffffff81000210 : __kmalloc+0x10/0x100 [kernel]\n"
#define ALPHA KMALLOC " 0xffffffff81000310 : alpha+0x10/0x100 [kernel]\n"
#define BETA KMALLOC " 0xffffffff81000410 : beta+0x10/0x100 [kernel]\n"
#define GAMMA KMALLOC " 0xffffffff81000510 : gamma+0x10/0xb00 [kernel]\n"

static const uint32_t alpha[] = { 0x81000210, 0x81000310 };
static const uint32_t traced_alpha[] = { 0x81000110, 0x81000210, 0x81000310 };
static const uint32_t beta[] = { 0x81000210, 0x81000410 };
static const uint32_t gamma_frames[] = { 0x81000210, 0x81000510 };

/* Returns the index of an origin whose stack reached the depth limit. */
static uint16_t truncated_origin(EventBatch *batch, const uint32_t *frames)
{
	guint at = batch->bytes->len;
	uint16_t origin = event_batch_origin(batch, frames, 2, 10, 16);

	((struct KmtStack *)(void *)(batch->bytes->data + at))->flags = KMT_STACK_TRUNCATED;
	return origin;
}

/*
 * alpha: 7 allocations of httpd (3, and 2 of softirqs that interrupted it), bash (1, with other
 * sizes) and an unnamed task while a second tracer is attached (1); 1 failed. beta: 2, cut.
 * gamma: 2. Some frees, and a stack with nothing but a failure.
 */
static void write_events(GByteArray *stream)
{
	static const uint32_t only_failed[] = { 0x81000210, 0x81000320 };
	EventBatch batch = event_batch_begin(stream, CPU, 0, 1000);
	uint16_t origin, other_sizes, traced, freed;

	event_batch_task(&batch, 10, "httpd");
	origin = event_batch_origin(&batch, alpha, 2, 100, 128);
	other_sizes = event_batch_origin(&batch, alpha, 2, 20, 32);
	traced = event_batch_origin(&batch, traced_alpha, 3, 100, 128);
	event_batch_allocate(&batch, origin, 3, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, origin, 2, KMT_CONTEXT_SOFTIRQ);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 9, KMT_CONTEXT_TASK, 0);
	event_batch_task(&batch, 11, "bash");
	event_batch_allocate(&batch, other_sizes, 1, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, traced, 1, KMT_CONTEXT_TASK);
	event_batch_allocate(&batch, event_batch_origin(&batch, gamma_frames, 2, 5000, 8192), 2,
			     KMT_CONTEXT_HARDIRQ);
	event_batch_allocate(&batch, truncated_origin(&batch, beta), 2, KMT_CONTEXT_TASK);
	freed = event_batch_origin(&batch, beta, 2, 0, 0);
	for (int i = 0; i < 5; i++)
		event_batch_event(&batch, KMT_RECORD_FREE, freed, i, KMT_CONTEXT_TASK, 0x1000);
	event_batch_event(&batch, KMT_RECORD_ALLOC,
			  event_batch_origin(&batch, only_failed, 2, 1, 8), 0, KMT_CONTEXT_TASK, 0);
	event_batch_end_only(&batch);
}

static Session *host_session(void)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();

	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	stream_add_text(stream, KMT_BATCH_MODULES, "");
	write_events(stream);
	return made_session_new(stream);
}

enum { ROWS_MAX = 4 };

/* Filters, key and top; and what remains: the allocations and the text of each row. */
typedef struct {
	const char *name;
	FilterWords filters[FILTERS_MAX];
	const char *sort;
	uint64_t top;
	const char *rows[ROWS_MAX];
} ViewCase;

static const ViewCase cases[] = {
	{ "all, ties by text", { { NULL } }, "count", UINT64_MAX, { ALPHA, BETA, GAMMA } },
	{ "by bytes", { { NULL } }, "bytes", UINT64_MAX, { GAMMA, ALPHA, BETA } },
	{ "by bytes requested", { { NULL } }, "requested", UINT64_MAX, { GAMMA, ALPHA, BETA } },
	{ "by waste", { { NULL } }, "waste", UINT64_MAX, { GAMMA, ALPHA, BETA } },
	{ "top", { { NULL } }, "count", 2, { ALPHA, BETA } },
	{ "top 0", { { NULL } }, "count", 0, { NULL } },
	{ "minimum", { { "min-count", "3" } }, "count", UINT64_MAX, { ALPHA } },
	{ "exclude", { { "exclude", "alpha+0x10" } }, "count", UINT64_MAX, { BETA, GAMMA } },
	{ "exclude, then top", { { "exclude", "alpha" } }, "bytes", 1, { GAMMA } },
	{ "include", { { "include", "beta,gamma" } }, "count", UINT64_MAX, { BETA, GAMMA } },
	{ "regex", { { "exclude-regex", ": (alpha|beta)" } }, "count", UINT64_MAX, { GAMMA } },
	{ "all filters",
	  { { "include", "a" }, { "exclude", "beta" }, { "min-bytes", "512" } },
	  "count",
	  UINT64_MAX,
	  { ALPHA, GAMMA } },
};

static void expect_row(const View *view, guint index, const char *wanted, const char *name)
{
	g_autoptr(GString) text = g_string_new(NULL);

	view_append_text(view, g_ptr_array_index(view->stacks, index), text);
	cr_expect_str_eq(text->str, wanted, "%s, row %u:\n%s", name, index, text->str);
}

static void expect_view(const Session *session, const ViewCase *row)
{
	g_autoptr(GPtrArray) filters = made_filters(row->filters);
	const ViewOptions options = { .filters = filters,
				      .sort = metric_lookup(row->sort, METRIC_RANKS),
				      .top = row->top };
	g_autoptr(View) view = made_view(session, &options);
	guint rows = 0;

	for (; rows < ROWS_MAX && row->rows[rows]; rows++)
		if (rows < view->stacks->len)
			expect_row(view, rows, row->rows[rows], row->name);
	cr_expect_eq(view->stacks->len, rows, "%s: %u rows", row->name, view->stacks->len);
	cr_expect_eq(view->stacks_after, rows, "%s", row->name);
	cr_expect_eq(view->stacks_before, 3, "%s", row->name);
	cr_expect_eq(view->before.summary.allocations, 11, "%s", row->name);
}

Test(view, rows_are_filtered_ranked_and_cut)
{
	g_autoptr(Session) session = host_session();

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		expect_view(session, &cases[i]);
}

static View *full_view(const Session *session)
{
	const ViewOptions options = { .sort = metric_lookup("count", METRIC_RANKS),
				      .top = UINT64_MAX };

	return made_view(session, &options);
}

Test(view, stacks_that_print_the_same_are_one_row)
{
	g_autoptr(Session) session = host_session();
	g_autoptr(View) view = full_view(session);
	const ViewStack *row = g_ptr_array_index(view->stacks, 0);

	cr_expect_eq(row->sums.summary.allocations, 7);
	cr_expect_eq(row->sums.summary.bytes_requested, 6 * 100 + 20);
	cr_expect_eq(row->sums.summary.bytes_allocated, 6 * 128 + 32);
	cr_expect_eq(row->sums.summary.failed, 1);
	cr_expect_not(row->truncated);
}

Test(view, failures_and_frees_are_no_rows)
{
	g_autoptr(Session) session = host_session();
	g_autoptr(View) view = full_view(session);

	cr_expect_eq(view->frees, 5);
	cr_expect_eq(view->failed_before, 2);
	cr_expect_eq(view->stacks_before, 3);
	cr_expect_eq(view->stacks_truncated, 1);
}

Test(view, sums_are_those_of_the_rows)
{
	static const ViewCase top_two = { .filters = { { NULL } } };
	g_autoptr(Session) session = host_session();
	g_autoptr(GPtrArray) filters = made_filters(top_two.filters);
	const ViewOptions options = { .filters = filters,
				      .sort = metric_lookup("count", METRIC_RANKS),
				      .top = 2 };
	g_autoptr(View) view = made_view(session, &options);

	cr_expect_eq(view->before.summary.allocations, 7 + 2 + 2);
	cr_expect_eq(view->before.summary.bytes_allocated, 800 + 2 * 16 + 2 * 8192);
	cr_expect_eq(view->after.summary.allocations, 7 + 2);
	cr_expect_eq(view->after.summary.bytes_requested, 620 + 2 * 10);
	cr_expect_eq(view->after.summary.bytes_allocated, 800 + 2 * 16);
}

static void expect_processes(const GArray *processes, const ViewProcess *wanted, guint count)
{
	cr_assert_eq(processes->len, count, "%u processes", processes->len);
	for (guint i = 0; i < count; i++) {
		const ViewProcess *process = &g_array_index(processes, ViewProcess, i);

		cr_expect_eq(process->tgid, wanted[i].tgid, "%u", i);
		cr_expect_eq(process->context, wanted[i].context, "%u", i);
		cr_expect_str_eq(process->comm, wanted[i].comm, "%u", i);
		cr_expect_eq(process->allocations, wanted[i].allocations, "%u", i);
		cr_expect_eq(process->processes, wanted[i].processes, "%u", i);
	}
}

Test(view, interrupts_are_not_charged_to_processes)
{
	static const ViewProcess of_row[] = {
		{ 10, KMT_CONTEXT_TASK, "httpd", 3, 1 },
		{ 0, KMT_CONTEXT_SOFTIRQ, "", 2, 1 },
		{ 11, KMT_CONTEXT_TASK, "bash", 2, 1 },
	};
	static const ViewProcess of_all[] = {
		{ 11, KMT_CONTEXT_TASK, "bash", 4, 1 },
		{ 10, KMT_CONTEXT_TASK, "httpd", 3, 1 },
		{ 0, KMT_CONTEXT_HARDIRQ, "", 2, 1 },
		{ 0, KMT_CONTEXT_SOFTIRQ, "", 2, 1 },
	};
	g_autoptr(Session) session = host_session();
	g_autoptr(View) view = full_view(session);
	g_autoptr(GArray) processes = view_processes(view, g_ptr_array_index(view->stacks, 0));

	expect_processes(processes, of_row, G_N_ELEMENTS(of_row));
	expect_processes(view->processes, of_all, G_N_ELEMENTS(of_all));
}

typedef struct {
	const char *option;
	const char *argument;
	uint64_t stacks;
	uint64_t allocations;
} DropCase;

Test(view, the_first_filter_that_drops_a_stack_is_charged)
{
	static const DropCase wanted[] = {
		{ "min-bytes", "33", 1, 2 },
		{ "exclude", "beta,gamma", 1, 2 },
		{ "include", "alpha", 0, 0 },
		{ "top", "0", 1, 7 },
	};
	static const FilterWords words[] = { { "include", "alpha" },
					     { "exclude", "beta,gamma" },
					     { "min-bytes", "33" } };
	g_autoptr(Session) session = host_session();
	g_autoptr(GPtrArray) filters = made_filters(words);
	const ViewOptions options = { .filters = filters };
	g_autoptr(View) view = made_view(session, &options);

	cr_assert_eq(view->drops->len, G_N_ELEMENTS(wanted));
	for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
		const FilterDrop *drop = &g_array_index(view->drops, FilterDrop, i);

		cr_expect_str_eq(drop->option, wanted[i].option);
		cr_expect_str_eq(drop->argument, wanted[i].argument);
		cr_expect_eq(drop->rows, wanted[i].stacks, "%s", drop->option);
		cr_expect_eq(drop->allocations, wanted[i].allocations, "%s", drop->option);
	}
}

Test(view, imported_text_stays_as_it_came)
{
	static const char stack[] = " 0x01 : a+0x1/0x2 [kernel]\n\033[31m caf\303\251";
	static const char again[] = " 0x01 : a+0x1/0x2 [kernel]\n\033[31m caf\303\251\n";
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(View) view = NULL;

	session_take_text(session, &(EventText){ stack, strlen(stack), .weight = 3 });
	session_take_text(session, &(EventText){ again, strlen(again), .weight = 4 });
	view = full_view(session);
	cr_assert_eq(view->stacks->len, 1);
	cr_expect_eq(view->before.summary.allocations, 7);
	expect_row(view, 0, " 0x01 : a+0x1/0x2 [kernel]\n\\x1b[31m caf\303\251\n", "imported");
}

/* A process is another one than that of the same pid which began at another time; in two cgroups
   it is one; of a single one the pid is known. Pools of the kernel's threads are one name. */
Test(view, processes_of_a_name_are_one_entry_that_says_how_many)
{
	static const char stack[] = "a\n";
	static const EventTask tasks[] = {
		{ .tgid = 5, .start_time_ns = 100, .comm = "old" },
		{ .tgid = 5, .start_time_ns = 100, .cgroup_id = 7, .comm = "old" },
		{ .tgid = 5, .start_time_ns = 200, .comm = "old" },
		{ .tgid = 6, .start_time_ns = 200, .comm = "old" },
		{ .tgid = 5, .start_time_ns = 200, .comm = "new" },
		{ .tgid = 8, .start_time_ns = 1, .comm = "kworker/0:1" },
		{ .tgid = 9, .start_time_ns = 1, .comm = "kworker/u8:3" },
	};
	static const ViewProcess wanted[] = {
		{ 0, KMT_CONTEXT_TASK, "old", 4, 3 },
		{ 0, KMT_CONTEXT_TASK, "kworker/0:1", 2, 2 },
		{ 5, KMT_CONTEXT_TASK, "new", 1, 1 },
	};
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(View) view = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(tasks); i++)
		session_take_text(session, &(EventText){ stack, 2, 1, .task = &tasks[i] });
	view = full_view(session);
	expect_processes(view->processes, wanted, G_N_ELEMENTS(wanted));
}

Test(view, what_found_no_room_is_a_named_row)
{
	g_autoptr(Session) session = session_new(1);
	g_autoptr(View) view = NULL;
	g_autofree char *stack = g_strnfill(4 << 20, 'x');

	session_take_text(session, &(EventText){ stack, 4 << 20, .weight = 3 });
	view = full_view(session);
	cr_assert_eq(view->stacks->len, 1);
	expect_row(view, 0, "[stacks beyond the memory bound]\n", "overflow");
}

Test(view, an_empty_profile_has_no_rows)
{
	g_autoptr(Session) session = session_new(PLENTY);
	g_autoptr(View) view = full_view(session);

	cr_expect_eq(view->stacks->len, 0);
	cr_expect_eq(view->stacks_before, 0);
	cr_expect_eq(view->processes->len, 0);
}

static void *prepare_number(const void *argument, const ViewSource *source)
{
	(void)source;
	return (void *)argument;
}

/* Keeps what is not of the process. */
static bool keeps_others(void *state, const ProfileCell *cell)
{
	const TaskId *task = state;

	return cell->task != *task;
}

static bool keeps_tasks(void *state, const ProfileCell *cell)
{
	(void)state;
	return cell->context == KMT_CONTEXT_TASK;
}

static void say_so(const void *state, GString *out)
{
	(void)state;
	g_string_append(out, "so");
}

static void dispose_nothing(void *state)
{
	(void)state;
}

Test(view, what_is_left_out_is_charged_to_the_first_that_does)
{
	static const CellFilterType others = { "others", prepare_number, keeps_others, NULL,
					       dispose_nothing };
	static const CellFilterType tasks = { "tasks", prepare_number, keeps_tasks, say_so,
					      dispose_nothing };
	/* The first task of the stream is httpd. */
	static const TaskId httpd = TASK_ID_OVERFLOW + 1;
	const CellFilter filters[] = { { &others, &httpd, "x" }, { &tasks, NULL, NULL } };
	g_autoptr(Session) session = host_session();
	g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	const ViewOptions options = { .top = UINT64_MAX, .cells = cells };
	const ViewLeftOut *left_out;

	g_array_append_vals(cells, filters, G_N_ELEMENTS(filters));
	g_autoptr(View) view = made_view(session, &options);
	left_out = &g_array_index(view->left_out_by, ViewLeftOut, 0);
	cr_expect_str_eq(left_out[0].option, "others");
	cr_expect_str_eq(left_out[0].given, "x");
	cr_expect_null(left_out[0].remark);
	/* httpd's, and of the softirqs those that interrupted it. */
	cr_expect_eq(left_out[0].allocations, 5);
	cr_expect_eq(left_out[1].allocations, 2);
	cr_expect_str_eq(left_out[1].remark, "so");
	cr_expect_eq(view->left_out, 7);
	cr_expect_eq(view->before.summary.allocations, 4);
	cr_expect_eq(view->failed_before, 1);
}
