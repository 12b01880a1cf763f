/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Appends a stack in one line, "alloc_empty_file < path_openat < do_filp_open": the first functions
   outside of the allocators, innermost first. frames: its lines as printed; one that nobody named
   stands as it is. */
void stack_chain_append(GString *out, const char *frames);
