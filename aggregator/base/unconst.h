/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one place that takes const away: -Wcast-qual warns of all others. */
#pragma once

#include <stdint.h>

/* The same pointer, for functions whose type says less than they do: libraries that only read what
   it points to, callbacks that get it back as const, owners that free what others only read. */
static inline void *unconst(const void *pointer)
{
	return (void *)(uintptr_t)pointer;
}
