/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "report/stack_paths.h"

#include "event_batch.h"
#include "made_session.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "report/weights.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(frame_tree);

enum { PLENTY = 64 << 20, ALL_PARTS = 1000000 };

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000200 T __kmalloc\n"
			       "ffffffff81000300 T alpha\n"
			       "ffffffff81000400 T beta\n"
			       "ffffffff81000500 T entry\n"
			       "ffffffff81001000 T _etext\n";

static const uint32_t by_alpha[] = { 0x81000210, 0x81000310, 0x81000510 };
static const uint32_t by_alpha_elsewhere[] = { 0x81000210, 0x81000350, 0x81000520 };
static const uint32_t by_beta[] = { 0x81000210, 0x81000410, 0x81000510 };

static void allocate(EventBatch *batch, const uint32_t *stack, uint16_t bytes, unsigned times)
{
	uint16_t origin = event_batch_origin(batch, stack, 3, bytes, bytes);

	event_batch_allocate(batch, origin, times, KMT_CONTEXT_TASK);
}

/* sh: 10 of 64 bytes by beta; httpd: 50 of 8 bytes by alpha from two addresses, 39 by beta; awk: 1.
 */
static Session *session_of(bool has_events)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	EventBatch batch;

	stream_add_text(stream, KMT_BATCH_SYMBOLS, kallsyms);
	batch = event_batch_begin(stream, 0, 0, 1000);
	if (has_events) {
		event_batch_task(&batch, 10, "sh");
		allocate(&batch, by_beta, 64, 10);
		event_batch_task(&batch, 20, "httpd");
		allocate(&batch, by_alpha, 8, 20);
		allocate(&batch, by_alpha_elsewhere, 8, 30);
		allocate(&batch, by_beta, 8, 39);
		event_batch_task(&batch, 30, "awk");
		allocate(&batch, by_beta, 8, 1);
	}
	event_batch_end_only(&batch);
	return made_session_new(stream);
}

/* A report with its tree, as "depth name figure before", a line for each node. */
typedef struct {
	Session *session;
	ViewOptions options;
	View *view;
	ReportSource source;
	ReportModel *model;
	StackPaths *paths;
	FrameTree *tree;
	GString *lines;
} Report;

static void append_node(Report *report, const FrameTreeNode *node)
{
	const char *name =
		node->frame == FRAME_TREE_ALL
			? "all"
			: g_array_index(stack_paths_frames(report->paths), PathFrame, node->frame)
				  .name;

	g_string_append_printf(report->lines,
			       "%" G_GUINT32_FORMAT " %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
			       "\n",
			       node->depth, name, node->figure, node->before);
}

static Report *report_new(bool has_events, MetricId metric, uint64_t parts_max)
{
	Report *report = g_new0(Report, 1);

	report->session = session_of(has_events);
	report->options = (ViewOptions){ .filters = g_ptr_array_new(),
					 .sort = &metrics[metric],
					 .top = UINT64_MAX };
	report->view = made_view(report->session, &report->options);
	report->source = (ReportSource){ .session = report->session,
					 .options = &report->options,
					 .view = report->view,
					 .parts = "process,stack" };
	report->model = report_model_new(REPORT_STACKS, &report->source);
	report->paths = stack_paths_new(report->model, false);
	report->tree = frame_tree_new(report->paths, &metrics[metric], parts_max);
	report->lines = g_string_new(NULL);
	for (guint i = 0; i < report->tree->nodes->len; i++)
		append_node(report, &g_array_index(report->tree->nodes, FrameTreeNode, i));
	return report;
}

static void report_free(Report *report)
{
	g_string_free(report->lines, TRUE);
	frame_tree_free(report->tree);
	stack_paths_free(report->paths);
	report_model_free(report->model);
	view_free(report->view);
	g_ptr_array_unref(report->options.filters);
	session_free(report->session);
	g_free(report);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Report, report_free)

Test(frame_tree, areas_lie_inside_of_those_of_callers_and_larger_ones_come_first)
{
	g_autoptr(Report) report = report_new(true, METRIC_ALLOCATIONS, ALL_PARTS);

	cr_expect_str_eq(report->lines->str,
			 "0 all 100 0\n"
			 "1 httpd 89 0\n"
			 "2 entry 89 0\n"
			 "3 beta 39 50\n"
			 "4 __kmalloc 39 50\n"
			 "3 alpha 50 0\n"
			 "4 __kmalloc 50 0\n"
			 "1 sh 10 89\n"
			 "2 entry 10 89\n"
			 "3 beta 10 89\n"
			 "4 __kmalloc 10 89\n"
			 "1 awk 1 99\n"
			 "2 entry 1 99\n"
			 "3 beta 1 99\n"
			 "4 __kmalloc 1 99\n",
			 "%s", report->lines->str);
	cr_expect_eq(report->tree->left_out, 0);
	cr_expect_eq(report->tree->depth_max, 4);
}

Test(frame_tree, another_metric_gives_other_areas)
{
	g_autoptr(Report) report = report_new(true, METRIC_BYTES_ALLOCATED, 3);

	/* 640 of 1360 bytes are those of sh, 712 those of httpd, in two halves. */
	cr_expect_str_eq(report->lines->str,
			 "0 all 1360 0\n"
			 "1 sh 640 712\n"
			 "2 entry 640 712\n"
			 "3 beta 640 712\n"
			 "4 __kmalloc 640 712\n"
			 "1 httpd 712 0\n"
			 "2 entry 712 0\n",
			 "%s", report->lines->str);
}

Test(frame_tree, what_is_left_out_counts_once)
{
	g_autoptr(Report) report = report_new(true, METRIC_ALLOCATIONS, 20);

	cr_expect_null(strstr(report->lines->str, "awk"), "%s", report->lines->str);
	cr_expect_not_null(strstr(report->lines->str, "sh 10"), "%s", report->lines->str);
	cr_expect_eq(report->tree->left_out, 1);
}

Test(frame_tree, the_tree_of_nothing_is_its_root)
{
	g_autoptr(Report) report = report_new(false, METRIC_ALLOCATIONS, ALL_PARTS);

	cr_expect_str_eq(report->lines->str, "0 all 0 0\n", "%s", report->lines->str);
	cr_expect_eq(report->tree->depth_max, 0);
}

/* Returns NULL if there is none. */
static const Weight *weight_of(const GArray *weights, const char *id)
{
	for (guint i = 0; i < weights->len; i++)
		if (g_str_equal(g_array_index(weights, Weight, i).id, id))
			return &g_array_index(weights, Weight, i);
	return NULL;
}

Test(frame_tree, weights_are_what_adds_up_and_is_not_0)
{
	g_autoptr(Report) report = report_new(true, METRIC_BYTES_ALLOCATED, ALL_PARTS);
	g_autoptr(GArray) weights = weights_new(report->model);
	const Weight *requested = weight_of(weights, "bytes_requested");
	const Weight *allocated = weight_of(weights, "bytes_allocated");

	cr_assert(requested && allocated && weight_of(weights, "allocations"));
	cr_expect_str_eq(requested->title, "bytes requested");
	cr_expect_null(weight_of(weights, "bytes_wasted"));
	cr_expect_null(weight_of(weights, "age_max_seconds"));
	cr_expect_eq(&g_array_index(weights, Weight, weights_rank(weights, report->model)),
		     allocated);
	cr_expect_eq(allocated->total, 1360);
	cr_expect_eq(allocated->type, VALUE_BYTES);
}

Test(frame_tree, what_ranks_is_a_weight_even_if_it_is_0)
{
	g_autoptr(Report) report = report_new(true, METRIC_BYTES_WASTED, ALL_PARTS);
	g_autoptr(GArray) weights = weights_new(report->model);

	cr_expect_str_eq(g_array_index(weights, Weight, weights_rank(weights, report->model)).id,
			 "bytes_wasted");
}
