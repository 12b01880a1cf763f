/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame_list.h"

/* Appends a stack in one line, "alloc_empty_file < path_openat < do_filp_open": the first functions
   outside of the allocators, innermost first. A frame whose function is not known is its line. */
void stack_chain_append(GString *out, const FrameList *stack);
