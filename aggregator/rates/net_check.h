/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/slabinfo.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A NetCheck compares traced allocations minus frees of slab caches with the growth of their
 * objects in use in /proc/slabinfo. Bulk allocation, and frees in bulk or by kfree_rcu(), have no
 * tracepoint: for caches with such events, traced numbers do not show the growth.
 */
typedef struct NetCheck NetCheck;

typedef enum {
	NET_CONFIRMED,    /* within the accuracy of /proc/slabinfo */
	NET_CONTRADICTED, /* /proc/slabinfo shows another growth */
	NET_UNCONFIRMED,  /* no free was seen, and no reading shows growth */
} NetVerdict;

/* cpus: number of online CPUs. Each may hold free objects that the kernel counts as in use. */
NetCheck *net_check_new(unsigned cpus);
void net_check_free(NetCheck *check);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NetCheck, net_check_free)

/* Takes ownership of the reading at the start of counting; NULL: none. Without it nothing is
   contradicted. */
void net_check_set_start(NetCheck *check, Slabinfo *start);

/* Adds the traced events of a cache (folded name) since the last call for it. */
void net_check_count(NetCheck *check, const char *cache, uint64_t allocations, uint64_t frees);

/* A reading to compare with. */
typedef struct {
	const Slabinfo *slabinfo; /* NULL: none */
	/* Time between the last count and the reading, as a share of the counted time. */
	double lag;
	uint64_t events_lost; /* so far, of all caches */
} NetReading;

/* Judges all caches with a later reading. */
void net_check_judge(NetCheck *check, const NetReading *reading);

/* Returns the verdict on a cache; NET_UNCONFIRMED if it was never counted. */
NetVerdict net_check_verdict(const NetCheck *check, const char *cache);

/* Returns by how many objects the growth of a cache may be off: free objects that CPUs hold ready
   count as in use. */
double net_check_tolerance(const SlabinfoCache *cache, unsigned cpus);
