/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/model.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The parts of a model (ReportModel.parts) as paths of functions, for pictures: from the process to
 * the innermost function. Calls of a function from different addresses are the same function. Paths
 * that begin alike are neighbours; otherwise they stay in the order of the parts.
 */
typedef struct StackPaths StackPaths;

/* Where code is. */
typedef enum {
	PATH_PROCESS, /* no code: the process at the start of each path */
	PATH_KERNEL,
	PATH_MODULE,
	PATH_USER,
	PATH_KINDS,
} PathKind;

/* Returns where the code of a frame is. Lines of other tools may lack the module: that of the
   kernel is assumed. */
PathKind path_kind_of_frame(const Frame *frame);

/* A function, or what is known instead. The texts are escaped for terminals. */
typedef struct {
	const char *name;
	const char *module; /* "kernel", "ext4", "libc.so.6"; NULL: unknown, or a process */
	const char *file;   /* of the source; NULL: unknown, or not asked for */
	uint32_t line;      /* in that file; 0: unknown */
	PathKind kind;
} PathFrame;

/* Returns the paths of a model that has parts, by "process" and "stack" and perhaps more. by_line:
   other lines of a function are other frames. The model must outlive the result; free it with
   stack_paths_free(). */
StackPaths *stack_paths_new(const ReportModel *model, bool by_line);
void stack_paths_free(StackPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackPaths, stack_paths_free)

/* Returns the frames (element-type PathFrame), borrowed: a number in a path is a position here. */
const GArray *stack_paths_frames(const StackPaths *paths);

/* Returns the number of parts: positions are below it. */
guint stack_paths_count(const StackPaths *paths);

/* Returns the part of a path, for its figures; borrowed. */
const GroupRow *stack_paths_part(const StackPaths *paths, guint position);

/* Returns a path, its numbers of frames from the process on, and how many they are. Borrowed, and
   valid until the next call. */
const uint32_t *stack_paths_get(const StackPaths *paths, guint position, guint *count);

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
