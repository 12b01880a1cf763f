/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"
#include "symbols/line_table.h"

#include <glib.h>
#include <stdio.h>

/*
 * Reads the text of source lines (--source). Sources are looked for below the given folders
 * (element-type utf8), then where the debug data say that they are. Only files that everybody may
 * read are read: a hostile file could name one that the report must not show.
 */
void source_text_read(LineTable *lines, const GPtrArray *folders);

/* Finds the source lines of a session's stacks, as the options ask (--lines), and reports on stderr
   what has none and why. */
typedef struct SourceLines SourceLines;

/* Returns NULL with error set if debuginfo cannot be fetched, but shall be. */
SourceLines *source_lines_new(const Options *options, GError **error);
void source_lines_free(SourceLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SourceLines, source_lines_free)

/* Finds the lines of stacks that are new. Does nothing if the options need no lines. */
void source_lines_update(SourceLines *lines, Session *session);

/* Notes that a report during the run is without lines, if the options ask for them. */
void source_lines_leave_out(SourceLines *lines);

/* Prints which debuginfo is missing and what installs it (--missing-debuginfo). Call it after an
   update. */
void source_lines_print_missing(const SourceLines *lines, const Session *session, FILE *out);
