/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* The exit status of every command of the suite; documented in the man pages. */
typedef enum {
	EXIT_COMPLETE = 0,   /* report written, no loss above --max-loss */
	EXIT_FAILED = 1,     /* no report */
	EXIT_USAGE = 2,      /* wrong options or values; nothing was started */
	EXIT_INCOMPLETE = 3, /* report written, but with more loss, or ended early by a limit */
} ExitStatus;

/* From now on, an allocation that fails ends the program with one line on stderr and EXIT_FAILED,
   in its children as well. GLib would end it with a core dump. */
void out_of_memory_ends_program(void);
