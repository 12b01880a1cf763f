/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "session/session.h"

#include <glib.h>
#include <stdio.h>

/* Finds the source lines of a session's stacks, as the options ask (--lines), and reports on stderr
   what has none and why. */
typedef struct SourceLines SourceLines;

/* Returns NULL with error set if debuginfo cannot be fetched, but shall be. */
SourceLines *source_lines_new(const Options *options, GError **error);
void source_lines_free(SourceLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SourceLines, source_lines_free)

/* Finds the lines of stacks that are new, and prints notes about those that are not found. Does
   nothing if the options need no lines. */
void source_lines_update(SourceLines *lines, Session *session);

/* The same without waiting, and without notes, for reports while events arrive: they have the lines
   that were found until then. */
void source_lines_poll(SourceLines *lines, Session *session);

/* Prints which debuginfo is missing and what installs it (--missing-debuginfo). Call it after an
   update. */
void source_lines_print_missing(const SourceLines *lines, const Session *session, FILE *out);
