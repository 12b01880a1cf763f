/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "render/data/pprof_writer.h"
#include "report/model.h"

#include <glib.h>
#include <stdint.h>

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
