/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_file.h"
#include "code/elf/elf_functions.h"

/*
 * Adds the entries of the procedure linkage tables: "puts@plt" jumps to puts of another object. An
 * entry is found by its instructions (x86-64 and aarch64): it jumps through the slot that a
 * relocation fills with the address of the function.
 */
void elf_plt_add(ElfFunctions *functions, const ElfFile *file);
