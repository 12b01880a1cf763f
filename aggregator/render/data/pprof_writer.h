/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/profile.pb-c.h"

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
