/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asserts state what the code relies on: an index, a state, a tag, who owns something. They never
   judge input. g_assert() is for code that runs once or once a row; it stays in all builds. */
#pragma once

#include <glib.h>

/* g_assert() for code that runs for each event, frame or cell: only in builds for tests
   (--enable-debug). Else the condition is compiled, but not evaluated. */
#ifdef HOT_ASSERTS
#define hot_assert(condition) g_assert(condition)
#else
#define hot_assert(condition) ((void)sizeof((condition) ? 1 : 0))
#endif
