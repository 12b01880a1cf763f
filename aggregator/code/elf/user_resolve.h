/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/object_files.h"
#include "code/user/user_maps.h"

#include <glib.h>
#include <stddef.h>

/*
 * Appends the lines of a `user_symbols` batch (user_names.h) for these places, in any order, each
 * once: of those that were not asked for before. Places without a function have no line. Lines of
 * the segments that contain places come with them. A place is looked up exactly: for return
 * addresses the caller subtracts one first. An object takes at most 2 s and all of them 10 s, and
 * a signal that tells the program to end (stop_signal.h) ends the search. Returns how many places
 * got a name.
 */
size_t user_resolve(GString *out, const UserObjects *objects, ObjectFiles *files,
		    const UserPlace *places, size_t count);
