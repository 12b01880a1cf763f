/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * Lowest knows the lowest of many values that change one by one, such as the times until which CPUs
 * have sent all of their events. Setting one costs as many steps as the number of values has bits.
 */
typedef struct Lowest Lowest;

Lowest *lowest_new(void);
void lowest_free(Lowest *lowest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Lowest, lowest_free)

/* Sets the value of a member; members are numbered from 0 without large gaps. */
void lowest_set(Lowest *lowest, guint member, uint64_t value);

/* Returns the lowest value of the members that were set; UINT64_MAX: there is none. */
uint64_t lowest_value(const Lowest *lowest);

/* Returns the memory in use, in bytes. */
size_t lowest_memory(const Lowest *lowest);

/* Returns how many comparisons were made so far. For tests. */
uint64_t lowest_steps(const Lowest *lowest);
