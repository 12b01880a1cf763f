/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * CallsiteSkip knows the functions that allocate for others: what they allocate is attributed to
 * the first frame of a stack that is in none of them. Stacks stay whole.
 *
 * The allocators themselves are always among them. A name holds for what compilers and kernels
 * make of it, too: kstrdup for kstrdup_noprof and kstrdup.part.0.
 */
typedef struct CallsiteSkip CallsiteSkip;

/* Returns the list of an argument: names of functions, separated by commas; "default" among them
   stands for callsite_skip_wrappers. NULL with error set where it has none. */
CallsiteSkip *callsite_skip_new(const char *argument, GError **error);
void callsite_skip_free(CallsiteSkip *skip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallsiteSkip, callsite_skip_free)

/* Whether a function is one of them, by its symbol without offset; skip may be NULL: allocators
   only. */
bool callsite_skip_has(const CallsiteSkip *skip, const char *symbol);

/* The names, ended by NULL; to add one: a line in callsite_skip_names.c. */
extern const char *const callsite_skip_allocators[];
extern const char *const callsite_skip_wrappers[];
