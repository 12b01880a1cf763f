/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/lines/debug_functions.h"

#include <elfutils/libdw.h>
#include <glib.h>

/*
 * DebugLines finds the source lines of addresses, and the functions that were inlined there. It
 * reads only the units that it is asked about, and those once.
 */
typedef struct DebugLines DebugLines;

/* A function at an address. The strings live as long as the DebugLines. */
typedef struct {
	const char *function; /* NULL: unknown */
	const char *root;     /* folder of the sources: the file is below it; "": no such folder */
	const char *file;     /* NULL: unknown */
	int line;             /* 0: unknown */
} DebugFrame;

/* Returns what reads this debug data, which is borrowed. */
DebugLines *debug_lines_new(Dwarf *dwarf);
void debug_lines_free(DebugLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugLines, debug_lines_free)

/*
 * Finds the functions at an address: the innermost inlined one first, and last the one that has the
 * code. Each has the line of the address, or of the call of the one before it. Returns their
 * number; 0: nothing is known about the address.
 */
size_t debug_lines_find(DebugLines *lines, Dwarf_Addr address, DebugFrame frames[DEBUG_DEPTH_MAX]);
