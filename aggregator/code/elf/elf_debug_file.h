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

/*
 * Opens the separate debug file of a stripped file: by its build id below /usr/lib/debug/.build-id,
 * else by the name in its .gnu_debuglink, in its folder, in .debug there, and in the same folder
 * below /usr/lib/debug. It must have the build id of the file; if that has none, the checksum in
 * .gnu_debuglink.
 *
 * path: where the file was; NULL: unknown. All paths lie below root ("": this host's). Returns the
 * descriptor, which the caller closes; -1: none.
 */
int elf_debug_file_open(const ElfFile *file, const char *path, const char *root);

/* In a child that may not open files: asks the program for them (child_port_ask()) from now on. */
void elf_debug_file_ask(int socket);

/* In the program: whether a child that reads the file of this path may ask for another one: it is
   in a folder with debug files, or that of the file. */
bool elf_debug_file_may_ask(const char *asked, const char *path, const char *root);
