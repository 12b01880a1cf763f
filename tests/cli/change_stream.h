/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * One of two runs of a load, on two builds of a kernel: 40 call paths, from 2 to 2,444 allocations
 * a second. Actions are independent; the seed chooses them. The older run takes 4 s, the newer one
 * 6 s. If it leaks, path_17 makes 300 allocations more. A command takes longer for the same work.
 */
typedef struct {
	bool newer;
	bool leaks;
	bool is_command;
	unsigned burst;  /* allocations of an action */
	uint64_t events; /* private */
} ChangeRun;

/* Appends the stream of that run; the seed chooses its actions. */
void change_stream(GByteArray *stream, guint32 seed, ChangeRun run);
