/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Loads numbers of a stream, from any address, in this machine's byte order or the other one. If
 * swapped is a constant, the compiler drops the test.
 */
static inline uint16_t load_u16(const void *from, bool swapped)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return swapped ? GUINT16_SWAP_LE_BE(value) : value;
}

static inline uint32_t load_u32(const void *from, bool swapped)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return swapped ? GUINT32_SWAP_LE_BE(value) : value;
}

static inline uint64_t load_u64(const void *from, bool swapped)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return swapped ? GUINT64_SWAP_LE_BE(value) : value;
}
