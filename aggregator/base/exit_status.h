/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* How every command of the suite ends; documented in the man pages. */
typedef enum {
	EXIT_COMPLETE = 0,   /* reported, nothing lost beyond --max-loss */
	EXIT_FAILED = 1,     /* no report */
	EXIT_USAGE = 2,      /* wrong options or values; nothing was started */
	EXIT_INCOMPLETE = 3, /* reported, but more was lost, or a bound ended the run */
} ExitStatus;
