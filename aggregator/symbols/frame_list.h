/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame.h"

#include <glib.h>

/* The frames of a stack as an immutable value with reference count: it borrows nothing and may be
   shared between threads. frame_list_unref() drops a reference. */
typedef struct {
	gint references; /* private */
	guint count;
	Frame frames[]; /* innermost first */
} FrameList;

/* Returns a list with copies of the frames and their strings. */
FrameList *frame_list_new(const Frame *frames, guint count);

/* list may be NULL. */
FrameList *frame_list_ref(FrameList *list);
void frame_list_unref(FrameList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameList, frame_list_unref)

/* Whether the stacks are equal; either may be NULL. */
bool frame_list_equals(const FrameList *a, const FrameList *b);
