/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"

#include <glib.h>

/*
 * Unpacks the section .gnu_debugdata: an ELF file, compressed by xz, with the symbols of functions
 * that are not dynamic ("MiniDebugInfo"; all programs of Fedora and RHEL have it). Returns at most
 * 64 MB; NULL: the file has none, it is damaged, or this build has no liblzma.
 */
GByteArray *elf_mini_debug_unpack(const ElfFile *file);
