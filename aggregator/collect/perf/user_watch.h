/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "collect/perf/perf_sample.h"
#include "collect/run/live_run.h"
#include "code/elf/object_files.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * UserWatch follows what processes map during a run, for any collector: it writes mappings to the
 * stream, keeps the mapped files open, and names the places of user stacks. It learns of mappings
 * from records of perf events, and from /proc.
 */
typedef struct UserWatch UserWatch;

/* with_data: not only executable mappings. The run is borrowed. */
UserWatch *user_watch_new(LiveRun *live, bool with_data);
void user_watch_free(UserWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserWatch, user_watch_free)

/* Takes a record of type PERF_RECORD_MMAP2, whose time is on perf's clock. */
void user_watch_take_mapping(UserWatch *watch, const struct perf_event_header *record,
			     int64_t clock_offset_ns);

/* Takes a record of a task, whose time is on the stream's clock. */
void user_watch_take_task(UserWatch *watch, const struct PerfTaskRecord *record);

/* Takes the mappings of all processes that exist, as if they had been there since that time. Calls
   write, which is to call user_watch_write(), whenever there are many lines: memory is bounded. */
void user_watch_scan(UserWatch *watch, uint64_t since_ns, void (*write)(void *user_data),
		     void *user_data);

/* Writes what was taken to the stream, and opens the files at once: the process may end, or the
   file may be deleted. Returns the lines (user_map_line.h), valid until the next call. */
TextPart user_watch_write(UserWatch *watch);

/* Writes the names of all places in user stacks so far to the stream, and what was left out. */
void user_watch_name(UserWatch *watch);

/* Returns what opens files, borrowed. */
FileOpener *user_watch_opener(const UserWatch *watch);

/* Returns the mapped files, borrowed. */
const ObjectFiles *user_watch_files(const UserWatch *watch);
