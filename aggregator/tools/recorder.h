/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "tools/suite_child.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A Recorder is a second collection beside the one that runs, in a process of its own, that is
 * saved to a recording with stacks.
 */
typedef struct Recorder Recorder;

/* Starts recording PATH, which must not exist. Returns NULL with error set, one line. */
Recorder *recorder_start(const char *path, const SuiteRequest *request, GError **error);

/* The process that collects, for CollectRequest.left_out_pids. */
guint32 recorder_pid(const Recorder *recorder);

/* Asks it to end, and does not wait. */
void recorder_leave(Recorder *recorder);

/* Whether it has ended, asked or not, so that recorder_stop() does not wait. */
bool recorder_is_over(Recorder *recorder);

/* Ends it, by force after some seconds, and frees it. Returns false with error set, one line, when
   the recording is not whole. */
bool recorder_stop(Recorder *recorder, GError **error);
