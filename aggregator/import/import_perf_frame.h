/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the kernel frame of a line to a stack; of a frame of user space nothing. *in_user: the
 * previous frame of this stack was one, which is updated. An address without a name then is the
 * program's, too: where the walk of a user stack fails, it is any number. Returns false if the line
 * is no frame.
 */
bool perf_frame_read(GString *stack, const char *line, size_t length, bool *in_user);
