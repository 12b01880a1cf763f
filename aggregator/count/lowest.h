/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * Lowest maintains the minimum of many values that change one at a time, such as the times until
 * which CPUs have sent all events. Setting a value takes log2(number of values) steps.
 */
typedef struct Lowest Lowest;

/* Returns a new one; free it with lowest_free(). */
Lowest *lowest_new(void);
void lowest_free(Lowest *lowest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Lowest, lowest_free)

/* Sets the value of a member. Members are numbered from 0, without large gaps. */
void lowest_set(Lowest *lowest, guint member, uint64_t value);

/* Returns the minimum of the values that were set; UINT64_MAX: none. */
uint64_t lowest_value(const Lowest *lowest);

/* Returns the memory in use, in bytes. */
size_t lowest_memory(const Lowest *lowest);

/* Returns the number of comparisons so far. For tests. */
uint64_t lowest_steps(const Lowest *lowest);
