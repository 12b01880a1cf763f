/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares allocations minus frees with the growth in /proc/slabinfo, by cache, in a hash table of
 * what was traced. A verdict is confirmed or contradicted only beyond what SLUB holds ready.
 * rate_table.c counts and asks at each interval.
 */
#include "rates/net_check.h"

/*
 * SLUB counts objects that a CPU holds ready as in use: its own slab, some half-used slabs and,
 * from 6.18 on, its sheaves and those of a node: some ten times 60 objects.
 */
enum { SLABS_OF_A_CPU = 8, OBJECTS_OF_SHEAVES = 1024 };

/* Far more than a host has; the names of a recording are not trusted. */
enum { CACHES_MAX = 10000 };

/* Traced events of a cache since the start. */
typedef struct {
	uint64_t allocations;
	uint64_t frees;
	uint64_t events_last; /* in the last call */
	NetVerdict verdict;
	bool is_confirmed; /* by a reading, the last one that decided */
	double excess;     /* of the last reading, unless the next events explain it; 0: none */
} Traced;

struct NetCheck {
	unsigned cpus;
	Slabinfo *start;    /* owned; NULL: none */
	GHashTable *traced; /* (element-type utf8 Traced), owned */
};

NetCheck *net_check_new(unsigned cpus)
{
	NetCheck *check = g_new0(NetCheck, 1);

	check->cpus = MAX(cpus, 1);
	check->traced = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return check;
}

void net_check_free(NetCheck *check)
{
	if (!check)
		return;
	slabinfo_free(check->start);
	g_hash_table_unref(check->traced);
	g_free(check);
}

void net_check_set_start(NetCheck *check, Slabinfo *start)
{
	slabinfo_free(check->start);
	check->start = start;
}

void net_check_count(NetCheck *check, const char *cache, uint64_t allocations, uint64_t frees)
{
	Traced *traced = g_hash_table_lookup(check->traced, cache);

	if (!traced && g_hash_table_size(check->traced) >= CACHES_MAX)
		return;
	if (!traced) {
		traced = g_new0(Traced, 1);
		g_hash_table_insert(check->traced, g_strdup(cache), traced);
	}
	traced->allocations += allocations;
	traced->frees += frees;
	traced->events_last = allocations + frees;
	/* A reading is made after the events that it is compared with: those since the last call
	   are all that may have come in between. */
	if (traced->excess > (double)traced->events_last) {
		traced->verdict = NET_CONTRADICTED;
		traced->is_confirmed = false;
	}
	traced->excess = 0;
}

static double net_of(const Traced *traced)
{
	return (double)traced->allocations - (double)traced->frees;
}

/* A cache without traced frees has either grown by its allocations, or its frees are not traced. Up
   to one slab per CPU, the numbers are too small to decide. */
static NetVerdict judge_allocations(const NetCheck *check, const Traced *traced,
				    const SlabinfoCache *now, double growth)
{
	double net = net_of(traced);

	if (growth * 2 >= net)
		return NET_CONFIRMED;
	return net > (double)now->objects_of_a_slab * check->cpus ? NET_CONTRADICTED
								  : NET_UNCONFIRMED;
}

double net_check_tolerance(const SlabinfoCache *cache, unsigned cpus)
{
	return (double)cache->objects_of_a_slab * SLABS_OF_A_CPU * cpus + OBJECTS_OF_SHEAVES;
}

/* Events come in bursts: once a cache was confirmed, the next events decide whether those between
   its last count and the reading explain a difference. */
static NetVerdict judge(const NetCheck *check, const char *cache, Traced *traced,
			const NetReading *reading)
{
	const SlabinfoCache *now =
		check->start && reading->slabinfo ? slabinfo_find(reading->slabinfo, cache) : NULL;
	const SlabinfoCache *start = now ? slabinfo_find(check->start, cache) : NULL;
	bool had_no_events = traced->excess > 0;
	double growth, excess;

	traced->excess = 0;
	if (!now)
		return traced->frees ? NET_CONFIRMED : NET_UNCONFIRMED;
	growth = (double)now->objects_in_use - (double)(start ? start->objects_in_use : 0);
	/* The growth that traced events do not explain, in objects. What the kernel holds ready is
	   within the accuracy of the reading. */
	excess = ABS(net_of(traced) - growth) - net_check_tolerance(now, check->cpus) -
		 (double)reading->events_lost;
	if (excess > (double)traced->events_last * reading->lag) {
		if (!traced->is_confirmed || had_no_events || !(reading->lag > 0))
			return NET_CONTRADICTED;
		traced->excess = excess;
		return NET_CONFIRMED;
	}
	return traced->frees ? NET_CONFIRMED : judge_allocations(check, traced, now, growth);
}

void net_check_judge(NetCheck *check, const NetReading *reading)
{
	GHashTableIter iterator;
	gpointer cache, value;

	g_hash_table_iter_init(&iterator, check->traced);
	while (g_hash_table_iter_next(&iterator, &cache, &value)) {
		Traced *traced = value;

		traced->verdict = judge(check, cache, traced, reading);
		traced->is_confirmed = reading->slabinfo && traced->verdict == NET_CONFIRMED;
	}
}

NetVerdict net_check_verdict(const NetCheck *check, const char *cache)
{
	const Traced *traced = g_hash_table_lookup(check->traced, cache);

	return traced ? traced->verdict : NET_UNCONFIRMED;
}
