/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/tool_description.h"
#include "rates/growth.h"

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

/* Watches the slab caches and the memory of this host until a signal comes, or for as long as -d
   says (slabstack --watch). Returns false with error set if that cannot begin. */
bool watch_run(const Options *options, GError **error);

/* Blocks the signals that end a run, and returns them. */
sigset_t watch_block_signals(void);

/* Waits that long, or until one of the blocked signals comes. Returns whether one came. */
bool watch_wait(double seconds, const sigset_t *signals);

/* What a watch tells of growth. */
typedef struct WatchAlarm WatchAlarm;

/* Returns one that keeps recordings beside the file of the watch; signals end a recording that is
   made. Both are borrowed. Free it with watch_alarm_free(). */
WatchAlarm *watch_alarm_new(const char *path, const sigset_t *signals);
void watch_alarm_free(WatchAlarm *alarm);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WatchAlarm, watch_alarm_free)

/* The name of the memory that stands in no counter, among those of caches. */
#define WATCH_NO_COUNTER "memory in no counter"

/* Tells of the first of those that have grown (element-type GrowthFound) that it has not told of
   for some hours; records what allocates from a cache before that. now_s: on the clock of the
   readings. Returns false: a signal came, and the watch is to end. */
bool watch_alarm_tell(WatchAlarm *alarm, const GArray *found, double now_s);

/* Returns what the report of a recording says, in one line: its verdict, else the first row of its
   first table, the process that holds most; "": neither. The caller frees it. */
char *watch_finding(const char *report);

/* Prints a line for people or the journal, "slabstack: ..."; is_warning: somebody should know. */
void watch_say(bool is_warning, const char *format, ...) G_GNUC_PRINTF(2, 3);
