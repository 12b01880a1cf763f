/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/profile.pb-c.h"
#include "report/model.h"

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes a profile for pprof: a message of profile.proto, compressed as by gzip. A message may be
 * written in parts, one after the other: repeated fields of all parts are joined. So only one part
 * is in memory at a time, and the table of texts, without copies.
 */
typedef struct PprofWriter PprofWriter;

/* Writes to a file, where write errors stay set. */
PprofWriter *pprof_writer_new(FILE *out);

/* Ends the file and frees the writer. */
void pprof_writer_close(PprofWriter *writer);

/* Returns the position of a text in the string table, adding it if it is new. */
int64_t pprof_writer_text(PprofWriter *writer, const char *text);

/* Writes a part: a profile with some of its fields. */
void pprof_writer_add(PprofWriter *writer, const Pprof__Profile *part);

/* The code of a profile for pprof: its locations, functions and mappings, each written once. */
typedef struct PprofCode PprofCode;

/* Model and writer are borrowed. */
PprofCode *pprof_code_new(const ReportModel *model, PprofWriter *writer);
void pprof_code_free(PprofCode *code);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PprofCode, pprof_code_free)

/* Appends the ids of a stack's locations (element-type uint64_t), innermost first, and writes those
   that are new. stack: a row of view_stack_rows(). */
void pprof_code_append_stack(PprofCode *code, uint32_t stack, GArray *ids);

/* Writes the mappings, when all stacks were appended. */
void pprof_code_write_mappings(PprofCode *code);
