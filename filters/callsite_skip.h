/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * CallsiteSkip is a list of functions that allocate for others. Their allocations are attributed to
 * the first frame of the stack that is not in the list. Stacks stay complete.
 *
 * The list always includes the allocators. A name also matches the variants made by compilers and
 * kernels: kstrdup matches kstrdup_noprof and kstrdup.part.0.
 */
typedef struct CallsiteSkip CallsiteSkip;

/* Returns the list from an argument: function names, separated by commas; "default" stands for
   callsite_skip_wrappers. Returns NULL with error set if it contains no name. */
CallsiteSkip *callsite_skip_new(const char *argument, GError **error);
void callsite_skip_free(CallsiteSkip *skip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallsiteSkip, callsite_skip_free)

/* Whether a function is in the list, by its symbol without offset. skip NULL: only allocators. */
bool callsite_skip_has(const CallsiteSkip *skip, const char *symbol);

/* The names, NULL-terminated. */
extern const char *const callsite_skip_allocators[];
extern const char *const callsite_skip_wrappers[];
