/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a model as paths of numbered functions, sorted, so that equal beginnings are
 * neighbours; frames get their numbers by figure. For pictures, pprof and speedscope. The tree of a
 * flame graph is built of them: nodes are opened and closed along a path, small ones are left out,
 * then children get their places; render_svg.c draws it.
 */
#include "report/stack_paths.h"

#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "symbols/frame_line.h"

enum { NONE = UINT32_MAX, NAMES_CHUNK_BYTES = 64 << 10 };

struct StackPaths {
	const ReportModel *model;
	bool by_line;
	guint process_key;
	guint stack_key;
	GArray *frames;      /* (element-type PathFrame) */
	GHashTable *numbers; /* (element-type utf8 uint) by the identity of a frame */
	GStringChunk *texts; /* names and identities */
	GArray *of_frame_id; /* (element-type uint32_t) by FrameId; NONE: not used */
	GArray *process_of;  /* (element-type uint32_t) by part */
	GArray *order;       /* (element-type uint32_t) parts in the order of their paths */
	GArray *path;        /* (element-type uint32_t) of the last call */
};

/* Returns the number of a frame, adding it if it is new. Its name is copied. */
static uint32_t stack_paths_intern(StackPaths *paths, PathFrame *frame, GString *identity)
{
	gpointer number;

	/* Names are escaped, so they have no line ends. */
	g_string_printf(identity, "%s\n%s\n%s\n%" G_GUINT32_FORMAT "\n%d", frame->name,
			frame->module ? frame->module : "", frame->file ? frame->file : "",
			frame->line, frame->kind == PATH_PROCESS);
	if (g_hash_table_lookup_extended(paths->numbers, identity->str, NULL, &number))
		return GPOINTER_TO_UINT(number);
	frame->name = g_string_chunk_insert(paths->texts, frame->name);
	g_array_append_val(paths->frames, *frame);
	g_hash_table_insert(
		paths->numbers,
		g_string_chunk_insert_len(paths->texts, identity->str, (gssize)identity->len),
		GUINT_TO_POINTER(paths->frames->len - 1));
	return paths->frames->len - 1;
}

/* Addresses are recorded of kernel code only. */
PathKind path_kind_of_frame(const Frame *frame)
{
	if (frame_is_of_program(frame))
		return PATH_USER;
	return !frame->module || g_str_equal(frame->module, "kernel") ? PATH_KERNEL : PATH_MODULE;
}

static const FrameId *frames_of_part(const StackPaths *paths, guint part, uint32_t *count)
{
	const GroupRows *parts = paths->model->parts;
	const GroupRow *row = &g_array_index(parts->rows, GroupRow, part);

	g_assert(part < parts->rows->len);
	return stack_rows_frames(view_stack_rows(paths->model->view),
				 group_rows_member(parts, row, paths->stack_key), count);
}

static inline uint32_t number_of(const StackPaths *paths, FrameId id)
{
	g_assert(id < paths->of_frame_id->len);
	return g_array_index(paths->of_frame_id, uint32_t, id);
}

static void number_frames(StackPaths *paths, guint part, GString *name, GString *identity)
{
	uint32_t count;
	const FrameId *ids = frames_of_part(paths, part, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame;
		PathFrame found;

		if (number_of(paths, ids[i]) != NONE)
			continue;
		frame = stack_rows_frame(view_stack_rows(paths->model->view), ids[i]);
		g_string_truncate(name, 0);
		frame_line_append_name(name, &frame);
		found = (PathFrame){
			.name = name->str,
			.module = frame.module,
			.file = paths->by_line ? frame.file : NULL,
			.line = paths->by_line ? frame.line : 0,
			.kind = path_kind_of_frame(&frame),
		};
		g_array_index(paths->of_frame_id, uint32_t, ids[i]) =
			stack_paths_intern(paths, &found, identity);
	}
}

static void number_process(StackPaths *paths, guint part, GString *name, GString *identity)
{
	const GroupRows *parts = paths->model->parts;
	PathFrame process = { .kind = PATH_PROCESS };
	uint32_t number;

	g_assert(part < parts->rows->len);
	g_string_truncate(name, 0);
	group_rows_append_label(parts, &g_array_index(parts->rows, GroupRow, part),
				paths->process_key, name);
	process.name = name->str;
	number = stack_paths_intern(paths, &process, identity);
	g_array_append_val(paths->process_of, number);
}

/* Frames have their numbers in the order of their first use: the larger figures come first. */
static int compare_parts(gconstpointer a, gconstpointer b, gpointer data)
{
	const StackPaths *paths = data;
	uint32_t part = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint32_t process = g_array_index(paths->process_of, uint32_t, part);
	uint32_t other_process = g_array_index(paths->process_of, uint32_t, other);
	uint32_t count, other_count;
	const FrameId *ids = frames_of_part(paths, part, &count);
	const FrameId *other_ids = frames_of_part(paths, other, &other_count);

	if (process != other_process)
		return process < other_process ? -1 : 1;
	while (count && other_count) {
		uint32_t number = number_of(paths, ids[--count]);
		uint32_t other_number = number_of(paths, other_ids[--other_count]);

		if (number != other_number)
			return number < other_number ? -1 : 1;
	}
	if (count || other_count)
		return count ? 1 : -1;
	return (part > other) - (part < other);
}

static GArray *numbers_new(uint32_t count)
{
	GArray *numbers = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), count);

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t none = NONE;

		g_array_append_val(numbers, none);
	}
	return numbers;
}

StackPaths *stack_paths_new(const ReportModel *model, bool by_line)
{
	g_autoptr(GString) name = g_string_new(NULL);
	g_autoptr(GString) identity = g_string_new(NULL);
	StackPaths *paths = g_new0(StackPaths, 1);

	paths->model = model;
	paths->by_line = by_line;
	paths->process_key = dimensions_position(model->parts->keys, "process");
	paths->stack_key = dimensions_position(model->parts->keys, "stack");
	paths->frames = g_array_new(FALSE, FALSE, sizeof(PathFrame));
	paths->numbers = g_hash_table_new(keyed_hash_text, g_str_equal);
	paths->texts = g_string_chunk_new(NAMES_CHUNK_BYTES);
	paths->of_frame_id = numbers_new(stack_rows_frame_ids_end(view_stack_rows(model->view)));
	paths->process_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	paths->order = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	paths->path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (guint part = 0; part < model->parts->rows->len; part++) {
		number_process(paths, part, name, identity);
		number_frames(paths, part, name, identity);
		g_array_append_val(paths->order, part);
	}
	g_array_sort_with_data(paths->order, compare_parts, paths);
	return paths;
}

void stack_paths_free(StackPaths *paths)
{
	if (!paths)
		return;
	g_array_unref(paths->frames);
	g_hash_table_unref(paths->numbers);
	g_string_chunk_free(paths->texts);
	g_array_unref(paths->of_frame_id);
	g_array_unref(paths->process_of);
	g_array_unref(paths->order);
	g_array_unref(paths->path);
	g_free(paths);
}

const GArray *stack_paths_frames(const StackPaths *paths)
{
	return paths->frames;
}

guint stack_paths_count(const StackPaths *paths)
{
	return paths->order->len;
}

const GroupRow *stack_paths_part(const StackPaths *paths, guint position)
{
	g_assert(position < paths->order->len);
	return &g_array_index(paths->model->parts->rows, GroupRow,
			      g_array_index(paths->order, uint32_t, position));
}

const uint32_t *stack_paths_get(const StackPaths *paths, guint position, guint *count)
{
	uint32_t part = g_array_index(paths->order, uint32_t, position);
	uint32_t depth;
	const FrameId *ids = frames_of_part(paths, part, &depth);

	g_assert(position < paths->order->len);
	g_array_set_size(paths->path, 0);
	g_array_append_val(paths->path, g_array_index(paths->process_of, uint32_t, part));
	while (depth--) {
		uint32_t number = number_of(paths, ids[depth]);

		g_array_append_val(paths->path, number);
	}
	*count = paths->path->len;
	return (const uint32_t *)paths->path->data;
}

/* A node whose path is being read. */
typedef struct {
	uint32_t node;
	uint64_t left_out; /* of what is below it */
} OpenNode;

typedef struct {
	FrameTree *tree;
	const StackPaths *paths;
	const Metric *weight;
	uint64_t figure_min;
	GArray *open; /* (element-type OpenNode) from the root on */
} TreeBuilder;

static FrameTreeNode *node_at(const FrameTree *tree, uint32_t node)
{
	g_assert(node < tree->nodes->len);
	return &g_array_index(tree->nodes, FrameTreeNode, node);
}

static OpenNode *frame_tree_innermost(const TreeBuilder *builder)
{
	return &g_array_index(builder->open, OpenNode, builder->open->len - 1);
}

static void open_node(TreeBuilder *builder, uint32_t frame)
{
	const FrameTreeNode node = { .frame = frame, .depth = builder->open->len };
	const OpenNode open = { .node = builder->tree->nodes->len };

	g_array_append_val(builder->tree->nodes, node);
	g_array_append_val(builder->open, open);
}

/* Nothing follows the innermost node any more. What is below it is smaller, so if it is left out,
   nothing of it is there yet. */
static void close_node(TreeBuilder *builder)
{
	FrameTree *tree = builder->tree;
	OpenNode closed = *frame_tree_innermost(builder);
	FrameTreeNode *node = node_at(tree, closed.node);

	g_array_set_size(builder->open, builder->open->len - 1);
	if (node->figure >= builder->figure_min) {
		node->end = tree->nodes->len;
		tree->depth_max = MAX(tree->depth_max, node->depth);
	} else {
		closed.left_out = node->figure;
		g_array_set_size(tree->nodes, closed.node);
	}
	if (builder->open->len)
		saturate_add(&frame_tree_innermost(builder)->left_out, closed.left_out);
	else
		tree->left_out = closed.left_out;
}

static void add_path(TreeBuilder *builder, guint position)
{
	uint64_t figure =
		metric_figure(builder->weight, &stack_paths_part(builder->paths, position)->sums);
	guint count;
	const uint32_t *path = stack_paths_get(builder->paths, position, &count);
	guint shared = 1; /* open nodes, with the root, that are on this path */

	if (!figure)
		return;
	while (shared < builder->open->len && shared <= count &&
	       node_at(builder->tree, g_array_index(builder->open, OpenNode, shared).node)->frame ==
		       path[shared - 1])
		shared++;
	while (builder->open->len > shared)
		close_node(builder);
	for (guint i = shared - 1; i < count; i++)
		open_node(builder, path[i]);
	for (guint i = 0; i < builder->open->len; i++) {
		uint32_t node = g_array_index(builder->open, OpenNode, i).node;

		saturate_add(&node_at(builder->tree, node)->figure, figure);
	}
}

static int compare_figures(gconstpointer a, gconstpointer b, gpointer data)
{
	uint32_t node = *(const uint32_t *)a, other = *(const uint32_t *)b;
	uint64_t figure = node_at(data, node)->figure, other_figure = node_at(data, other)->figure;

	if (figure != other_figure)
		return figure > other_figure ? -1 : 1;
	return (node > other) - (node < other);
}

/* Gives the children of a node their areas. */
static void place_children(FrameTree *tree, uint32_t parent, GArray *children)
{
	uint64_t before = node_at(tree, parent)->before;

	g_array_set_size(children, 0);
	for (uint32_t child = parent + 1; child < node_at(tree, parent)->end;
	     child = node_at(tree, child)->end)
		g_array_append_val(children, child);
	g_array_sort_with_data(children, compare_figures, tree);
	for (guint i = 0; i < children->len; i++) {
		FrameTreeNode *child = node_at(tree, g_array_index(children, uint32_t, i));

		child->before = before;
		saturate_add(&before, child->figure);
	}
}

FrameTree *frame_tree_new(const StackPaths *paths, const Metric *weight, uint64_t parts_max)
{
	FrameTree *tree = g_new0(FrameTree, 1);
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(OpenNode));
	g_autoptr(GArray) children = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	TreeBuilder builder = { .tree = tree, .paths = paths, .weight = weight, .open = open };
	uint64_t sum = 0;

	tree->nodes = g_array_new(FALSE, FALSE, sizeof(FrameTreeNode));
	for (guint i = 0; i < stack_paths_count(paths); i++)
		saturate_add(&sum, metric_figure(weight, &stack_paths_part(paths, i)->sums));
	builder.figure_min = sum / parts_max;
	open_node(&builder, FRAME_TREE_ALL);
	for (guint i = 0; i < stack_paths_count(paths); i++)
		add_path(&builder, i);
	while (open->len)
		close_node(&builder);
	for (uint32_t node = 0; node < tree->nodes->len; node++)
		place_children(tree, node, children);
	return tree;
}

void frame_tree_free(FrameTree *tree)
{
	if (!tree)
		return;
	g_array_unref(tree->nodes);
	g_free(tree);
}
