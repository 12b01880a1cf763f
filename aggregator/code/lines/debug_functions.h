/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/address_ranges.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

/* The functions of compilation units, and what is inlined into them. */

enum { DEBUG_DEPTH_MAX = 64 };

/* Returns the ranges of all functions of a unit; their ids are offsets of entries. inner: also of
   those inside other functions, which are rare, and all entries have to be read for them. Free the
   ranges with address_ranges_free(). */
AddressRanges *debug_functions_of_unit(Dwarf_Die *unit, bool inner);

/*
 * Finds what contains an address in a function: the function, then blocks and inlined functions,
 * each inside the one before it; at most DEBUG_DEPTH_MAX. Returns their number, at least 1.
 */
size_t debug_function_scopes(const Dwarf_Die *function, Dwarf_Addr address,
			     Dwarf_Die scopes[DEBUG_DEPTH_MAX]);
