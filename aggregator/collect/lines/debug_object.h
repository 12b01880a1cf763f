/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/code_objects.h"

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * DebugObject is an ELF file with debug data, of any machine: a kernel, a module (perhaps
 * compressed), a program, or what was split from one. The file is a stranger's: read it only in a
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

/* Find the address in the debug data of a place: an offset from _stext of a kernel, or in a section
   of a module. Return false if there is no such place. */
bool debug_object_kernel_address(DebugObject *object, uint64_t offset, Dwarf_Addr *address);
bool debug_object_section_address(DebugObject *object, const char *section, uint64_t offset,
				  Dwarf_Addr *address);
