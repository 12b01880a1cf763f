/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/stack_paths.h"
#include "table/metric.h"

#include <glib.h>
#include <stdint.h>

/*
 * The functions of a report as a tree, for pictures: processes are the children of the root,
 * callers come before what they call. Each node has an area between those of its siblings: larger
 * figures come first, and what nodes call lies inside of their areas.
 */
typedef struct {
	uint32_t frame; /* position in stack_paths_frames(); the root: FRAME_TREE_ALL */
	uint32_t depth; /* of the root: 0 */
	uint32_t end;   /* after the last node below this one, which all follow it */
	uint64_t figure;
	uint64_t before; /* where its area begins: the sum of what is left of it */
} FrameTreeNode;

#define FRAME_TREE_ALL UINT32_MAX

typedef struct {
	GArray *nodes;     /* (element-type FrameTreeNode), owned: callers first */
	uint64_t left_out; /* the part of the root's figure where functions are left out */
	uint32_t depth_max;
} FrameTree;

/* Returns the tree of the paths, weighed by a metric that adds up. Functions whose figure is less
   than one part of all, of this many, are left out, with what they call: so the size of the tree
   does not depend on the number of stacks. Free it with frame_tree_free(). */
FrameTree *frame_tree_new(const StackPaths *paths, const Metric *weight, uint64_t parts_max);
void frame_tree_free(FrameTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameTree, frame_tree_free)
