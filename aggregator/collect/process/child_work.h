/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * ChildWork runs a function in a process of its own, which sees the program's data as they are at
 * the start. So work that may take seconds does not keep the program from reading events.
 */
typedef struct ChildWork ChildWork;

/* Works, and returns the result: at most CHILD_WORK_BYTES_MAX. */
typedef GBytes *(*ChildWorker)(gpointer user_data);

enum { CHILD_WORK_BYTES_MAX = 64 << 20 };

/* Starts the work. Nothing that the program has open is open in the process, except stderr. Returns
   NULL if there is no memory, or no process. */
ChildWork *child_work_start(ChildWorker worker, gpointer user_data);

/* Whether the work is over. */
bool child_work_is_over(ChildWork *work);

/* Waits until the work is over, frees it, and returns the result; NULL: the process was ended. */
GBytes *child_work_finish(ChildWork *work);

/* Ends the process and frees the work. */
void child_work_cancel(ChildWork *work);
