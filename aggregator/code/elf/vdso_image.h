/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/elf_functions.h"

/* Returns the functions of the vdso, by offset in its mapping: those of this process, which the
   kernel maps into all 64-bit processes. NULL: there is none. Free them. */
ElfFunctions *vdso_image_functions(void);

/* Returns a descriptor of a copy of its image, which the caller closes; -1: there is none. */
int vdso_image_open(void);
