/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame_list.h"
#include "symbols/frame_table.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdint.h>

/* Appends a stack as one line, "alloc_empty_file < path_openat < do_filp_open": the first functions
   outside of the allocators, innermost first. A frame without a known function is shown as its
   line. */
void stack_chain_append(GString *out, const FrameList *stack);

/*
 * StackRows names the stacks of a profile. Stacks that print the same are one row, numbered from 0.
 * A row is stored as the ids of its frames.
 */
typedef struct StackRows StackRows;

/* Names the stacks of the source's profile with the source's symbols. Stacks that exceed the memory
   limit share the row of stacks that found the stack table full. */
StackRows *stack_rows_new(const ViewSource *source);
void stack_rows_free(StackRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackRows, stack_rows_free)

/* Returns the number of rows. */
uint32_t stack_rows_count(const StackRows *rows);

/* Returns the row of a stack; stack may be STACK_ID_NONE. */
uint32_t stack_rows_row(const StackRows *rows, StackId stack);

/* Returns the frames of a row, innermost first, and their number, which is never 0. */
const FrameId *stack_rows_frames(const StackRows *rows, uint32_t row, uint32_t *count);

/* Return a frame, with borrowed strings, and the end of the frame ids: all ids are lower. */
uint32_t stack_rows_frame_ids_end(const StackRows *rows);
Frame stack_rows_frame(const StackRows *rows, FrameId id);

/* Appends the line of a frame, like frame_line_append(). For renderers. */
void stack_rows_append_line(const StackRows *rows, FrameId id, GString *out);

/* Returns the frames of the code that called the allocator, from the address that the kernel
   recorded, and their number: innermost first, with what was inlined there. Valid until the next
   call. */
const FrameId *stack_rows_call_site(const StackRows *rows, uint64_t address, uint32_t epoch,
				    uint32_t *count);

/* Returns a copy of the frames of a row; free it with frame_list_unref(). */
FrameList *stack_rows_list(const StackRows *rows, uint32_t row);

/* Appends the lines of a row, each ended by '\n'. For renderers. */
void stack_rows_append_text(const StackRows *rows, uint32_t row, GString *out);

/* Orders rows by their lines, in strcmp() order. */
int stack_rows_compare(const StackRows *rows, uint32_t a, uint32_t b);
