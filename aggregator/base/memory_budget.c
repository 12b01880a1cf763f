/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes that each part of a report has taken, beside one limit. Two tables have the policy:
 * which parts share a floor, and how large the floors are. A part gets what is left when all others
 * can still have their floors. Nothing is allocated here: the parts ask before they allocate.
 */
#include "base/memory_budget.h"

#include "base/hot_assert.h"

#include <glib.h>
#include <stdint.h>

/* Parts with one floor together. Intervals have no report. */
typedef enum { GROUP_TABLES, GROUP_NAMES, GROUP_CPUS, GROUP_REPORT, GROUP_PAIRING, GROUPS } Group;

static const Group group_of[MEMORY_PARTS] = {
	[MEMORY_TABLES] = GROUP_TABLES,    [MEMORY_SYMBOLS] = GROUP_NAMES,
	[MEMORY_TEXTS] = GROUP_NAMES,      [MEMORY_CPUS] = GROUP_CPUS,
	[MEMORY_INTERVALS] = GROUP_REPORT, [MEMORY_LATE] = GROUP_REPORT,
	[MEMORY_REPORT] = GROUP_REPORT,    [MEMORY_PAIRING] = GROUP_PAIRING,
};

/* What a group gets in any case, in percent of the limit; without and with pairing. The rest is for
   those that need it first. */
static const unsigned floors[2][GROUPS] = {
	{ [GROUP_TABLES] = 30, [GROUP_NAMES] = 20, [GROUP_CPUS] = 4, [GROUP_REPORT] = 20 },
	{ [GROUP_TABLES] = 15,
	  [GROUP_NAMES] = 12,
	  [GROUP_CPUS] = 4,
	  [GROUP_REPORT] = 10,
	  [GROUP_PAIRING] = 30 },
};

/* The smallest limit fits the symbols of a kernel with many modules: 120,000. */
enum { NAMES_PERCENT_MAX = 36 };
#define NAMES_BYTES_MIN ((size_t)16 * (1 << 20) / 100 * NAMES_PERCENT_MAX)

static size_t memory_budget_share(const MemoryBudget *budget, unsigned percent)
{
	return budget->bytes_max / 100 * percent;
}

static size_t floor_of(const MemoryBudget *budget, Group group)
{
	size_t bytes = memory_budget_share(budget, floors[budget->has_pairing][group]);

	if (group != GROUP_NAMES)
		return bytes;
	return MAX(bytes, MIN(memory_budget_share(budget, NAMES_PERCENT_MAX), NAMES_BYTES_MIN));
}

MemoryBudget *memory_budget_new(size_t bytes_max)
{
	MemoryBudget *budget = g_new0(MemoryBudget, 1);

	budget->bytes_max = bytes_max;
	return budget;
}

void memory_budget_pair(MemoryBudget *budget)
{
	budget->has_pairing = true;
}

size_t memory_budget_floor(const MemoryBudget *budget, MemoryPart part)
{
	hot_assert(part < G_N_ELEMENTS(group_of));
	return floor_of(budget, group_of[part]);
}

size_t memory_budget_limit(const MemoryBudget *budget, MemoryPart part)
{
	size_t used[GROUPS] = { 0 }, taken = 0;

	hot_assert(part < MEMORY_PARTS);
	if (part == MEMORY_PAIRING && !budget->has_pairing)
		return 0;
	for (MemoryPart other = 0; other < MEMORY_PARTS; other++)
		if (other != part)
			used[group_of[other]] += budget->bytes[other];
	/* A report is made when the others have all that they need. */
	for (Group group = 0; group < GROUPS; group++)
		taken += group == group_of[part] || part == MEMORY_REPORT
				 ? used[group]
				 : MAX(used[group], floor_of(budget, group));
	return budget->bytes_max - MIN(budget->bytes_max, taken);
}

bool memory_budget_set(MemoryBudget *budget, MemoryPart part, size_t bytes)
{
	hot_assert(part < G_N_ELEMENTS(budget->full));
	if (!budget)
		return true;
	if (bytes > memory_budget_limit(budget, part)) {
		budget->full[part] = true;
		return false;
	}
	budget->bytes[part] = bytes;
	return true;
}

bool memory_budget_take(MemoryBudget *budget, MemoryPart part, size_t bytes)
{
	size_t bytes_before = budget ? budget->bytes[part] : 0;

	hot_assert(part < MEMORY_PARTS);
	return memory_budget_set(budget, part, bytes_before + MIN(bytes, SIZE_MAX - bytes_before));
}

bool memory_budget_is_full(const MemoryBudget *budget)
{
	for (int part = 0; budget && part < MEMORY_PARTS; part++)
		if (budget->full[part])
			return true;
	return false;
}
