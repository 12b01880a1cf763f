/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/lines/lines_answer.h"

/*
 * Reads the lines of places in one file in a process without rights (process/child_sandbox.h),
 * because files are untrusted. The process has bounded time and memory, and its answer is checked.
 */

/* Appends the lines (line_table.h) of the places in a file. */
LinesOutcome lines_child_read(GString *out, const LinesJob *job);
