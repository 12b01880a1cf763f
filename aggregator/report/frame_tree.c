/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the tree of a flame graph from sorted paths: nodes are opened and closed along a path,
 * small ones are left out, then children get their places. render_svg.c draws it.
 */
#include "report/frame_tree.h"

#include "base/saturate.h"

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
