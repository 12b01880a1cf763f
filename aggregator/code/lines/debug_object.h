/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/code_objects.h"

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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
