/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame_list.h"

/* Appends a stack as one line, "alloc_empty_file < path_openat < do_filp_open": the first functions
   outside of the allocators, innermost first. A frame without a known function is shown as its
   line. */
void stack_chain_append(GString *out, const FrameList *stack);
