/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Appends a number of bytes for people: "999 B", "1.4 MiB", "132 GiB"; two or three digits that
   count, the same in every locale. */
void append_human_bytes(GString *out, uint64_t bytes);
