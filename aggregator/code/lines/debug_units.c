/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which unit an address is in: the ranges of all units, read once from .debug_aranges and, where
 * that lacks units, from their first entries. Runs in the child of lines_child.c.
 */
#include "config.h"

#include "code/lines/debug_units.h"

#include "base/address_ranges.h"

#include <dwarf.h>

struct DebugUnits {
	Dwarf *dwarf;
	AddressRanges *ranges; /* owned; ids are offsets of units' first entries */
};

/* Adds the units that .debug_aranges lists, and remembers which those are. */
static void add_listed(DebugUnits *units, GHashTable *listed)
{
	Dwarf_Aranges *aranges;
	size_t count;

	if (dwarf_getaranges(units->dwarf, &aranges, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr start;
		Dwarf_Word bytes;
		Dwarf_Off unit;

		if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &bytes, &unit))
			continue;
		address_ranges_add(units->ranges, start, start + bytes, unit);
		g_hash_table_add(listed, GSIZE_TO_POINTER(unit));
	}
}

static void add_ranges_of(DebugUnits *units, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		address_ranges_add(units->ranges, start, end, dwarf_dieoffset(unit));
}

static void add_unlisted(DebugUnits *units, GHashTable *listed)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (!dwarf_get_units(units->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    !g_hash_table_contains(listed, GSIZE_TO_POINTER(dwarf_dieoffset(&die))))
			add_ranges_of(units, &die);
}

DebugUnits *debug_units_new(Dwarf *dwarf)
{
	g_autoptr(GHashTable) listed = g_hash_table_new(NULL, NULL);
	DebugUnits *units = g_new0(DebugUnits, 1);

	units->dwarf = dwarf;
	units->ranges = address_ranges_new();
	add_listed(units, listed);
	add_unlisted(units, listed);
	address_ranges_order(units->ranges);
	return units;
}

void debug_units_free(DebugUnits *units)
{
	if (!units)
		return;
	address_ranges_free(units->ranges);
	g_free(units);
}

bool debug_units_find(const DebugUnits *units, Dwarf_Addr address, Dwarf_Die *unit)
{
	AddressRange found;

	return address_ranges_find(units->ranges, address, &found) &&
	       dwarf_offdie(units->dwarf, found.id, unit);
}
