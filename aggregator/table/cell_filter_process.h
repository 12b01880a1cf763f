/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/cell_filter.h"

#include <glib.h>

/* Which processes count: the argument of both filters below. Everything is borrowed. */
typedef struct {
	const GArray *pids;   /* (element-type guint32): tgids */
	const char *globs;    /* of process names, separated by commas */
	bool with_interrupts; /* also what interrupts allocated while a process of them ran */
} ProcessChoice;

/* -p on a recording: keeps what the threads of the processes `pids` allocated. */
extern const CellFilterType cell_filter_pid;

/* --process: keeps what processes allocated whose name matches one of `globs`, as recorded or as
   printed ("kworker" for "kworker/0:1"). */
extern const CellFilterType cell_filter_process;
