/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "record/batch_reader.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A history is what a watch saw for weeks: readings of some texts of the host (slabinfo, state of
 * memory ...). A reading has only the lines that changed. Each line of a text has a number, which
 * it keeps while its key (the name of a cache, of a figure) exists; so readings can be left out by
 * merging their lines into the next one, whatever they mean.
 */

/* Lines by kind of text (enum KmtBatchKind) and number: a state, or changes of one. */
typedef struct HistoryLines HistoryLines;

enum { HISTORY_LINES_MAX = 1 << 15 }; /* of a text; others are left out */

/* Returns new ones without lines; free them with history_lines_free(). */
HistoryLines *history_lines_new(void);
void history_lines_free(HistoryLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HistoryLines, history_lines_free)

/* Forgets all lines. */
void history_lines_clear(HistoryLines *lines);

/* Sets the lines of a batch's text, "NUMBER LINE"; an empty line is one that is gone. The text may
   contain anything. */
void history_lines_apply(HistoryLines *lines, uint8_t kind, TextPart text);

/* Sets the lines of other ones, which come later. */
void history_lines_add(HistoryLines *lines, const HistoryLines *later);

/* Adds to *changes how the new text of a kind differs from its lines. Lines that begin with '#'
   stay, if the new text lacks them. */
void history_lines_compare(const HistoryLines *lines, uint8_t kind, TextPart text,
			   HistoryLines *changes);

/* Appends the lines as batches of one reading. */
void history_lines_write(const HistoryLines *lines, GByteArray *out, uint64_t time_ns);

/* Returns the text of a kind; NULL: it has no line. The caller frees it. */
GString *history_lines_text(const HistoryLines *lines, uint8_t kind);

/* The facts of a reading, lines of kind KMT_BATCH_INFO. */
#define HISTORY_REALTIME "realtime_ns" /* of the clock on the wall */
#define HISTORY_BOOT "boot"            /* which boot of the host */

/* When a reading was made. The axis goes on over restarts and boots: within a boot by its clock,
   else by that on the wall. */
typedef struct {
	uint64_t at_ns;       /* on the axis */
	uint64_t clock_ns;    /* on the clock of its boot */
	uint64_t realtime_ns; /* since 1970; 0: unknown */
	unsigned boot;        /* number of the boot, from 0 */
} HistoryTime;

/* The readings of a stream, one by one. */
typedef struct HistoryReader HistoryReader;

/* Takes a reading: its changes, and the state with them. All is borrowed. */
typedef void (*HistoryVisitor)(const HistoryTime *time, const HistoryLines *changes,
			       const HistoryLines *state, void *user_data);

/* Returns a reader that calls visit, unless that is NULL, for each reading; free it with
   history_reader_free(). */
HistoryReader *history_reader_new(HistoryVisitor visit, void *user_data);
void history_reader_free(HistoryReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HistoryReader, history_reader_free)

/* Takes a batch of KMT_BATCH_HISTORY; others are ignored. A BatchVisitor. */
void history_reader_take(const Batch *batch, void *reader);

/* Ends the last reading. */
void history_reader_finish(HistoryReader *reader);

/* Chooses which readings stay, at least two and at most that many: the newest, the more the newer
   they are. times: of all readings, in order (element-type uint64_t). Returns whether each stays
   (element-type bool); the caller unrefs it. */
GArray *history_choose(const GArray *times, guint most);
