/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * The scatter of sampled events is measured by process, in rows (KMT_FIELD_SCATTER_ROWS): a loop of
 * one process that keeps time with the sampling period says nothing about the margins of others.
 */

enum { SCATTER_ROWS = 64 }; /* a power of two */

/* Returns the row of a process. */
static inline unsigned scatter_row(uint32_t tgid)
{
	return tgid * 0x9e3779b1U >> 26;
}
