/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The files with code that a stream names, for --info: what finds the source lines of a recording
   on another machine. */

/* The kernel, a module, a section of the module before it, or a program. */
typedef struct {
	char *name;       /* owned; of a program: its path; of a section: its own */
	char *build_id;   /* owned, hexadecimal; NULL: not recorded */
	uint64_t address; /* where it was loaded; 0: not known, or a program */
	bool is_section;  /* it has no build id of its own */
} CodeRow;

/* Returns the rows (element-type CodeRow): the kernel, modules, programs. Free them with
   g_array_unref(). */
GArray *code_rows_new(const Session *session);
