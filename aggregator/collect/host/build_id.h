/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>

/* Returns the build id among ELF notes, in hexadecimal, or NULL. */
char *build_id_of_notes(const void *notes, size_t length);
