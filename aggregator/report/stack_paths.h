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
