/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>

/* Skips a test whose bytes are those of a little-endian machine. */
static inline void skip_if_big_endian(const char *why)
{
	if (G_BYTE_ORDER == G_BIG_ENDIAN)
		cr_skip_test("%s", why);
}
