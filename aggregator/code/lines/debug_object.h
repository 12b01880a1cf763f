/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/address_ranges.h"
#include "symbols/code_objects.h"

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of compilation units, and what is inlined into them. */

enum { DEBUG_DEPTH_MAX = 64 };

/* Adds the addresses of a function or a unit; their id is the offset of its entry. */
void debug_ranges_add(AddressRanges *ranges, Dwarf_Die *code);

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

/*
 * DebugObject is an ELF file with debug data, of any machine: a kernel, a module (perhaps
 * compressed), a program, or what was split from one. The file is untrusted: read it only in a
 * process without rights.
 */
typedef struct DebugObject DebugObject;

/* Begins to read an open file, which is borrowed. Returns NULL if it is no ELF file. */
DebugObject *debug_object_new(int fd);
void debug_object_free(DebugObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugObject, debug_object_free)

/* Returns the build id in hexadecimal, owned by the caller; NULL: the file has none. */
char *debug_object_build_id(const DebugObject *object);

/* Returns the debug data, which live as long as the object; NULL: the file has none. */
Dwarf *debug_object_dwarf(DebugObject *object);

/*
 * Whether the debug data refer to another file, which has what several objects have in common
 * (.gnu_debugaltlink, made by dwz). *name is where that is, borrowed; *build_id is hexadecimal,
 * owned by the caller.
 */
bool debug_object_supplement(DebugObject *object, const char **name, char **build_id);

/* Reads the open file, which is borrowed, as the one that the debug data refer to. Returns false if
   it has another build id. */
bool debug_object_set_supplement(DebugObject *object, int fd);

/* Find the address in the debug data of a place: an offset from _stext of a kernel, or in a section
   of a module. Return false if there is no such place. */
bool debug_object_kernel_address(DebugObject *object, uint64_t offset, Dwarf_Addr *address);
bool debug_object_section_address(DebugObject *object, const char *section, uint64_t offset,
				  Dwarf_Addr *address);

/*
 * DebugLines finds the source lines of addresses, and the functions that were inlined there. It
 * reads only the units that it is asked about, and those once.
 */
typedef struct DebugLines DebugLines;

/* A function at an address. The strings live as long as the DebugLines. */
typedef struct {
	const char *function; /* NULL: unknown */
	const char *root;     /* folder of the sources: the file is below it; "": no such folder */
	const char *file;     /* NULL: unknown */
	int line;             /* 0: unknown */
} DebugFrame;

/* Returns what reads this debug data, which is borrowed. */
DebugLines *debug_lines_new(Dwarf *dwarf);
void debug_lines_free(DebugLines *lines);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(DebugLines, debug_lines_free)

/*
 * Finds the functions at an address: the innermost inlined one first, and last the one that has the
 * code. Each has the line of the address, or of the call of the one before it. Returns their
 * number; 0: nothing is known about the address.
 */
size_t debug_lines_find(DebugLines *lines, Dwarf_Addr address, DebugFrame frames[DEBUG_DEPTH_MAX]);
