/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree in an array whose root is the minimum. The ledger of losses keeps in it until when each
 * CPU has sent its events.
 */
#include "count/loss.h"

enum { FIRST_MEMBERS = 8 };

/* A binary tree in an array: node i is the minimum of nodes 2i and 2i + 1, node 1 is the root. */
struct Lowest {
	uint64_t *nodes;
	guint members; /* leaves, a power of two, from nodes[members] on */
	uint64_t steps;
};

static void lowest_grow(Lowest *lowest, guint members)
{
	g_autofree uint64_t *before = g_steal_pointer(&lowest->nodes);
	guint members_before = lowest->members;

	lowest->members = members;
	lowest->nodes = g_new(uint64_t, 2 * (gsize)members);
	for (guint i = 0; i < 2 * members; i++)
		lowest->nodes[i] = UINT64_MAX;
	for (guint i = 0; i < members_before; i++)
		lowest_set(lowest, i, before[members_before + i]);
}

Lowest *lowest_new(void)
{
	Lowest *lowest = g_new0(Lowest, 1);

	lowest_grow(lowest, FIRST_MEMBERS);
	return lowest;
}

void lowest_free(Lowest *lowest)
{
	if (!lowest)
		return;
	g_free(lowest->nodes);
	g_free(lowest);
}

void lowest_set(Lowest *lowest, guint member, uint64_t value)
{
	while (member >= lowest->members)
		lowest_grow(lowest, lowest->members * 2);
	member += lowest->members;
	lowest->nodes[member] = value;
	for (guint node = member / 2; node; node /= 2) {
		lowest->nodes[node] = MIN(lowest->nodes[2 * node], lowest->nodes[2 * node + 1]);
		lowest->steps++;
	}
}

uint64_t lowest_value(const Lowest *lowest)
{
	return lowest->nodes[1];
}

size_t lowest_memory(const Lowest *lowest)
{
	return 2 * (size_t)lowest->members * sizeof(*lowest->nodes);
}

uint64_t lowest_steps(const Lowest *lowest)
{
	return lowest->steps;
}
