/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

/*
 * Frames of tracers lie above the traced function on a stack: the functions with which tracepoints
 * call tracers and tracers take stacks. frame_namer.c cuts them from recorded stacks,
 * import/import_count.c from stacks in texts.
 */

/* Whether this function of the kernel, and whether all code of this module, belongs to a tracer. */
bool tracer_functions_have(TextPart function);
bool tracer_modules_have(TextPart module);
