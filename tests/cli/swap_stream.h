/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Turns a native stream into the other byte order, in place. Every byte of it must be sound. */
void swap_stream(GByteArray *stream);
