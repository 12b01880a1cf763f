/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/line_table.h"
#include "code/user/user_names.h"

#include <glib.h>

/* Returns the functions at a place, and how many they are; NULL: unknown. A return address is
   looked up at the call before it. */
const LineFrame *user_frame_lines(const UserObjects *objects, const LineTable *lines,
				  UserPlace place, bool is_return_address, size_t *count);

/* Appends the line of a function that was inlined: " step (inlined) [ls] src/ls.c:12". */
void user_frame_append_inlined(GString *out, const UserObjects *objects, UserPlace place,
			       const LineFrame *line);

/*
 * Appends the line of a user frame, escaped, without its end: " main+0x1b/0x40 [ls]", or
 * " [libc.so.6+0x1b]" where only the object is known. A return address is looked up at the call
 * before it. names may be NULL.
 */
void user_frame_append_line(GString *out, const UserObjects *objects, const UserNames *names,
			    UserPlace place, bool is_return_address);

/* Whether the frames of a stack, innermost first and at least one, reach the start of the program
   or of the thread: the last one has no caller, or is what calls main(). */
bool user_places_reach_start(const UserNames *names, const UserPlace *places, uint32_t count);
