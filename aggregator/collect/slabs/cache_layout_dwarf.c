/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One of two sources of cache_layout.c: the DWARF of a vmlinux, read by libdw. The file must be
 * root's own (trusted_file.h), as it is parsed here, in the program; depth and number of members
 * are bounded.
 */
#include "config.h"

#include "base/trusted_file.h"
#include "collect/slabs/cache_layout_fill.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

enum {
	NESTED_MAX = 8,        /* nesting depth of anonymous structures; no kernel has more */
	MEMBERS_MAX = 1 << 14, /* checked per search, including nested structures */
};

#define FILE_BYTES_MAX (8ULL << 30)

/* The searched member. */
typedef struct {
	const char *member;
	unsigned nested;
	unsigned *left; /* members that may still be checked */
} Search;

static long member_offset(Dwarf_Die *type, const Search *search);

static bool is_structure(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_structure_type || dwarf_tag(die) == DW_TAG_union_type;
}

/* Returns the offset inside an unnamed member. */
static long unnamed_offset(Dwarf_Die *member, const Search *search)
{
	const Search inner = { .member = search->member,
			       .nested = search->nested + 1,
			       .left = search->left };
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (inner.nested > NESTED_MAX || !dwarf_attr(member, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &type) || !is_structure(&type))
		return CACHE_LAYOUT_UNKNOWN;
	return member_offset(&type, &inner);
}

/* Members of unions have no offset attribute. */
static long own_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return 0;
	return dwarf_formudata(&attribute, &offset) == 0 ? (long)offset : CACHE_LAYOUT_UNKNOWN;
}

static long offset_in_member(Dwarf_Die *member, const Search *search)
{
	const char *name = dwarf_diename(member);
	long offset = own_offset(member), inside = CACHE_LAYOUT_UNKNOWN;

	if (name && !strcmp(name, search->member))
		inside = 0;
	else if (!name)
		inside = unnamed_offset(member, search);
	if (offset == CACHE_LAYOUT_UNKNOWN || inside == CACHE_LAYOUT_UNKNOWN)
		return CACHE_LAYOUT_UNKNOWN;
	return offset + inside;
}

static long member_offset(Dwarf_Die *type, const Search *search)
{
	Dwarf_Die die;
	int end = dwarf_child(type, &die);

	for (; end == 0 && *search->left; end = dwarf_siblingof(&die, &die)) {
		long offset = CACHE_LAYOUT_UNKNOWN;

		--*search->left;
		if (dwarf_tag(&die) == DW_TAG_member)
			offset = offset_in_member(&die, search);
		if (offset != CACHE_LAYOUT_UNKNOWN)
			return offset;
	}
	return CACHE_LAYOUT_UNKNOWN;
}

static bool is_declared_only(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, DW_AT_declaration, &attribute) != NULL;
}

static long offset_of(const void *structure, const char *member)
{
	unsigned left = MEMBERS_MAX;
	const Search search = { .member = member, .left = &left };
	Dwarf_Die type = *(const Dwarf_Die *)structure;

	/* On failure -1, as CACHE_LAYOUT_UNKNOWN. */
	return member ? member_offset(&type, &search) : dwarf_bytesize(&type);
}

static bool is_asked_for(Dwarf_Die *die, const char **name)
{
	if (dwarf_tag(die) != DW_TAG_structure_type || is_declared_only(die))
		return false;
	*name = dwarf_diename(die);
	return *name && g_strv_contains(cache_layout_structures, *name);
}

static void read_unit(CacheLayout *layout, Dwarf_Die *unit)
{
	const char *name;
	Dwarf_Die die;
	int end = dwarf_child(unit, &die);

	for (; end == 0; end = dwarf_siblingof(&die, &die))
		if (is_asked_for(&die, &name))
			cache_layout_fill(layout, name, offset_of, &die);
}

/* A structure is in the units that use it. dwz moves common structures into units of their own. */
static void read_units(CacheLayout *layout, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes;
	Dwarf_Die unit;

	for (; !cache_layout_is_whole(layout) &&
	       dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0;
	     offset = next)
		if (dwarf_offdie(dwarf, offset + header_bytes, &unit))
			read_unit(layout, &unit);
}

bool cache_layout_read_dwarf(CacheLayout *layout, const char *path)
{
	/* A build folder may belong to a user, who could put anything there. */
	int file = trusted_file_open(path, FILE_BYTES_MAX, true);
	Dwarf *dwarf;

	if (file < 0)
		return false;
	dwarf = dwarf_begin(file, DWARF_C_READ);
	if (dwarf)
		read_units(layout, dwarf);
	dwarf_end(dwarf);
	close(file);
	return dwarf != NULL;
}
