/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sampling by address: an object is taken if the hash of its address selects it. Its allocation and
 * its free then are both taken or both skipped, so what is held can be estimated without bias:
 * each object stands for 2^level objects. The objects of a higher level are a subset of those of a
 * lower level. Like format.h, the build copies this into the kernel module.
 */
#ifndef KMT_ADDRESS_SAMPLE_H
#define KMT_ADDRESS_SAMPLE_H

#ifndef __KERNEL__
#include <stdbool.h>
#include <stdint.h>
#endif

enum { KMT_ADDRESS_LEVEL_MAX = 20 };

/* Whether an address is taken at this level, at most KMT_ADDRESS_LEVEL_MAX; level 0 takes all.
   Objects are aligned to 8 bytes. Two rounds: neighbouring addresses must be independent, because
   the objects of one page usually belong to few stacks. */
static inline bool kmt_address_is_taken(uint64_t pointer, uint64_t seed, unsigned level)
{
	uint64_t hash = (pointer >> 3) ^ seed;

	hash = (hash ^ hash >> 31) * 0xbf58476d1ce4e5b9ULL;
	hash = (hash ^ hash >> 29) * 0x94d049bb133111ebULL;
	return !((hash ^ hash >> 32) & ((1ULL << level) - 1));
}

#ifndef __KERNEL__
/*
 * Sampling by bits of addresses, which a filter of a tracepoint can do, too: it can test single
 * bits, but compute nothing. The first levels select by parities of some bits, a bit of the seed
 * each; the next ones by the hash. Each address has the same chance, as the seed is random. The
 * bits were sought so that the objects of one slab are on both sides in about equal parts, whatever
 * their size: doc/SAMPLING.md has the figures.
 */
enum { KMT_PARITY_LEVELS = 2 };
static const uint64_t kmt_parity_bits[KMT_PARITY_LEVELS] = { 0x120059d0, 0x1343a20 };

/* As kmt_address_is_taken(). */
static inline bool kmt_address_is_taken_by_bits(uint64_t pointer, uint64_t seed, unsigned level)
{
	unsigned parities = level < KMT_PARITY_LEVELS ? level : KMT_PARITY_LEVELS;
	unsigned i;

	for (i = 0; i < parities; i++)
		if ((unsigned)__builtin_parityll(pointer & kmt_parity_bits[i]) != (seed >> i & 1))
			return false;
	return kmt_address_is_taken(pointer, seed, level - parities);
}
#endif

#endif
