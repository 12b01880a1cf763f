/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/slabinfo.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A NetCheck compares what was traced of slab caches, allocations less frees, with how many more
 * objects /proc/slabinfo has in use. Bulk allocation and frees by kfree_rcu() or in bulk have no
 * tracepoint: what was traced of such a cache says nothing about its growth.
 */
typedef struct NetCheck NetCheck;

typedef enum {
	NET_CONFIRMED,    /* as far as the grain of /proc/slabinfo goes */
	NET_CONTRADICTED, /* /proc/slabinfo has another growth */
	NET_UNCONFIRMED,  /* no free was seen, and no growth by a reading either */
} NetVerdict;

/* cpus: those online; each may hold free objects that the kernel counts as in use. */
NetCheck *net_check_new(unsigned cpus);
void net_check_free(NetCheck *check);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NetCheck, net_check_free)

/* Takes over the reading of when counting began; NULL: there is none. Without it nothing is
   contradicted. */
void net_check_set_start(NetCheck *check, Slabinfo *start);

/* Adds what was traced of a cache, by its folded name, since the last call for it. */
void net_check_count(NetCheck *check, const char *cache, uint64_t allocations, uint64_t frees);

/* What a reading is compared with. */
typedef struct {
	const Slabinfo *slabinfo; /* NULL: none */
	/* How much later than the last count it was read, as a share of the time of that count. */
	double lag;
	uint64_t events_lost; /* so far, of all caches */
} NetReading;

/* Judges all caches by a later reading. */
void net_check_judge(NetCheck *check, const NetReading *reading);

/* Returns the verdict on a cache; one that was never counted is not
   confirmed. */
NetVerdict net_check_verdict(const NetCheck *check, const char *cache);
