/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>

/*
 * DebugUnits finds the compilation unit of an address. It reads .debug_aranges, and of units that
 * have none (clang writes none), the first entry; libdw does the latter only from 0.191 on.
 */
typedef struct DebugUnits DebugUnits;

/* Returns the index of all units. The debug data is borrowed. */
DebugUnits *debug_units_new(Dwarf *dwarf);
void debug_units_free(DebugUnits *units);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugUnits, debug_units_free)

/* Finds the unit of an address. Returns false if none has code there. */
bool debug_units_find(const DebugUnits *units, Dwarf_Addr address, Dwarf_Die *unit);
