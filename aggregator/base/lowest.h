/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/*
 * Lowest maintains the minimum of many values that change one at a time, such as the times until
 * which CPUs have sent all events. Setting a value takes log2(number of values) steps.
 *
 * A binary tree in an array: node i is the minimum of nodes 2i and 2i + 1, node 1 is the root.
 */
typedef struct {
	uint64_t *nodes;
	guint members;  /* leaves, a power of two, from nodes[members] on */
	uint64_t steps; /* comparisons so far */
} Lowest;

/* Makes room for so many members, a power of two. */
static inline void lowest_grow(Lowest *lowest, guint members)
{
	size_t bytes = 2 * (size_t)members * sizeof(uint64_t);
	uint64_t *nodes = memset(g_malloc(bytes), 0xff, bytes);

	if (lowest->members)
		memcpy(nodes + members, lowest->nodes + lowest->members,
		       lowest->members * sizeof(*nodes));
	for (guint node = members - 1; node; node--, lowest->steps++)
		nodes[node] = MIN(nodes[2 * node], nodes[2 * node + 1]);
	g_free(lowest->nodes);
	lowest->nodes = nodes;
	lowest->members = members;
}

/* Makes an empty one. lowest_clear() frees what it has. */
static inline void lowest_init(Lowest *lowest)
{
	enum { FIRST_MEMBERS = 8 };

	*lowest = (Lowest){ .nodes = NULL };
	lowest_grow(lowest, FIRST_MEMBERS);
}

static inline void lowest_clear(Lowest *lowest)
{
	g_free(lowest->nodes);
}

/* Sets the value of a member. Members are numbered from 0, without large gaps. */
static inline void lowest_set(Lowest *lowest, guint member, uint64_t value)
{
	while (member >= lowest->members)
		lowest_grow(lowest, lowest->members * 2);
	member += lowest->members;
	lowest->nodes[member] = value;
	for (guint node = member / 2; node; node /= 2, lowest->steps++)
		lowest->nodes[node] = MIN(lowest->nodes[2 * node], lowest->nodes[2 * node + 1]);
}

/* Returns the minimum of the values that were set; UINT64_MAX: none. */
static inline uint64_t lowest_value(const Lowest *lowest)
{
	return lowest->nodes[1];
}
