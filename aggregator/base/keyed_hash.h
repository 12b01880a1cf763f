/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
/* Inlined, because most keys are short: reading 100,000 stacks is 2 to 4 % faster. */
#define XXH_INLINE_ALL
#include <xxhash.h>

/*
 * Hashes of keys from untrusted input: frames, names and ids of a recording.
 *
 * XXH3 with a seed that is random in every run, so that an attacker cannot prepare a file with
 * colliding keys. Therefore no output may depend on the order of a hash table.
 */
extern uint64_t keyed_hash_seed;
extern uint64_t keyed_hash_factor; /* odd */

static inline uint64_t keyed_hash(const void *bytes, size_t length)
{
	return XXH3_64bits_withSeed(bytes, length, keyed_hash_seed);
}

/* Hashes one number, for callers that cannot afford a function call: two multiplications. */
static inline uint32_t keyed_hash_mix(uint64_t number)
{
	uint64_t mixed = (number ^ keyed_hash_seed) * keyed_hash_factor;

	mixed ^= mixed >> 32;
	mixed *= keyed_hash_factor;
	return (uint32_t)(mixed >> 32);
}

/* Hashes two numbers likewise: no pairs can be chosen that collide under every seed. */
static inline uint32_t keyed_hash_mix_pair(uint64_t number, uint64_t other)
{
	return keyed_hash_mix(number ^ (uint64_t)keyed_hash_mix(other) << 32);
}

/* Hash functions for a GHashTable whose keys are texts (like g_str_hash()), or point to a uint64_t
   (like g_int64_hash()). */
guint keyed_hash_text(gconstpointer text);
guint keyed_hash_number(gconstpointer number);
