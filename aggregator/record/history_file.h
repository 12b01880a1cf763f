/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/history.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The file of a watch: a recording with a history, which one process at a time continues, for
 * however long. It has a bound: when it has too many readings or bytes, a quarter of the readings
 * is merged into later ones, the older the more (history_choose()). A reading is one frame at the
 * end of the file, so a crash loses at most the last one; a thinned file takes its name only when
 * it is complete.
 */
typedef struct HistoryFile HistoryFile;

typedef struct {
	guint readings_max;
	uint64_t bytes_max;
} HistoryBound;

/* Opens or creates the file. facts: batches of facts about the host and the program that it begins
   with. Drops what a crash left of a last reading. Returns NULL with error set. Free it with
   history_file_free(). */
HistoryFile *history_file_open(const char *path, HistoryBound bound, const GByteArray *facts,
			       GError **error);
void history_file_free(HistoryFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HistoryFile, history_file_free)

/* Returns the state after the last reading that was written; borrowed. */
const HistoryLines *history_file_state(const HistoryFile *file);

/* Returns how many readings the file had when it was opened, and has now. */
guint history_file_readings(const HistoryFile *file);

/* Appends a reading: how the state changed up to time_ns. Returns false with error set if it could
   not be written (full disk): nothing is left of it, and the file can be tried again. */
bool history_file_add(HistoryFile *file, const HistoryLines *changes, uint64_t time_ns,
		      GError **error);
