/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over the DWARF of a unit: its functions as ranges, and the scopes inlined at an address.
 * Bounded depth, no state. Runs in the child of lines_child.c.
 */
#include "config.h"

#include "code/lines/debug_functions.h"

#include <dwarf.h>

/* Of namespaces inside namespaces, or blocks inside blocks. */
enum { CONTAINERS_MAX = 16, INNER_CONTAINERS_MAX = 64 };

static void add_function(AddressRanges *functions, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(function, at, &base, &start, &end)) > 0)
		address_ranges_add(functions, start, end, dwarf_dieoffset(function));
}

static bool contains_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type;
}

/* libdw sees to it that a sibling follows in the file: no loop is endless. */
static void add_functions_in(AddressRanges *functions, Dwarf_Die *container, unsigned level)
{
	Dwarf_Die child;

	if (level > CONTAINERS_MAX || dwarf_child(container, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			add_function(functions, &child);
		else if (contains_functions(tag))
			add_functions_in(functions, &child, level + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static void add_all_functions_in(AddressRanges *functions, Dwarf_Die *container, unsigned level)
{
	Dwarf_Die child;

	if (level > INNER_CONTAINERS_MAX || dwarf_child(container, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			add_function(functions, &child);
		add_all_functions_in(functions, &child, level + 1);
	} while (!dwarf_siblingof(&child, &child));
}

AddressRanges *debug_functions_of_unit(Dwarf_Die *unit, bool inner)
{
	AddressRanges *functions = address_ranges_new();

	if (inner)
		add_all_functions_in(functions, unit, 0);
	else
		add_functions_in(functions, unit, 0);
	address_ranges_order(functions);
	return functions;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_subprogram || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* Finds the first child that contains an address. */
static bool find_inner(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *inner)
{
	if (dwarf_child(scope, inner))
		return false;
	do {
		if (is_scope(dwarf_tag(inner)) && dwarf_haspc(inner, address) > 0)
			return true;
	} while (!dwarf_siblingof(inner, inner));
	return false;
}

size_t debug_function_scopes(const Dwarf_Die *function, Dwarf_Addr address,
			     Dwarf_Die scopes[DEBUG_DEPTH_MAX])
{
	size_t count = 1;

	scopes[0] = *function;
	while (count < DEBUG_DEPTH_MAX && find_inner(&scopes[count - 1], address, &scopes[count]))
		count++;
	return count;
}
