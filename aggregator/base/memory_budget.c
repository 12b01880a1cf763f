/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/memory_budget.h"

#include <glib.h>
#include <stdint.h>

/*
 * In percent of the limit. Symbols and texts together are limited to NAMES_SHARE, so that any
 * recording leaves memory for the report. The smallest limit fits the symbols of a kernel with many
 * modules: 120,000.
 */
enum { TABLES_SHARE = 45, NAMES_SHARE = 36, CPUS_SHARE = 6, INTERVALS_SHARE = 13 };

/* If allocations are paired with their frees. Pairing gets the rest; the report's share is for what
   each row holds, or for intervals, which have no report. */
enum { PAIRED_TABLES_SHARE = 22, PAIRED_NAMES_SHARE = 20, PAIRED_REPORT_SHARE = 8 };

/* With pairing, too, the smallest limit fits these symbols. */
#define NAMES_BYTES_MIN ((size_t)16 * (1 << 20) / 100 * NAMES_SHARE)

static size_t share(const MemoryBudget *budget, unsigned percent)
{
	return budget->bytes_max / 100 * percent;
}

MemoryBudget *memory_budget_new(size_t bytes_max)
{
	MemoryBudget *budget = g_new0(MemoryBudget, 1);

	budget->bytes_max = bytes_max;
	budget->bytes[MEMORY_TABLES] = share(budget, TABLES_SHARE);
	return budget;
}

void memory_budget_pair(MemoryBudget *budget)
{
	budget->has_pairing = true;
	budget->bytes[MEMORY_TABLES] = share(budget, PAIRED_TABLES_SHARE);
}

static size_t left(size_t limit, size_t taken)
{
	return limit - MIN(limit, taken);
}

static size_t names_bytes(const MemoryBudget *budget)
{
	return budget->bytes[MEMORY_SYMBOLS] + budget->bytes[MEMORY_TEXTS];
}

/* Of symbols and texts together. */
static size_t names_limit(const MemoryBudget *budget)
{
	size_t plain = share(budget, NAMES_SHARE);

	if (!budget->has_pairing)
		return plain;
	return MAX(share(budget, PAIRED_NAMES_SHARE), MIN(plain, NAMES_BYTES_MIN));
}

static size_t pairing_limit(const MemoryBudget *budget)
{
	unsigned others = PAIRED_TABLES_SHARE + CPUS_SHARE + PAIRED_REPORT_SHARE;

	if (!budget->has_pairing)
		return 0;
	return left(budget->bytes_max, share(budget, others) + names_limit(budget));
}

size_t memory_budget_limit(const MemoryBudget *budget, MemoryPart part)
{
	switch (part) {
	case MEMORY_TABLES:
		return share(budget, budget->has_pairing ? PAIRED_TABLES_SHARE : TABLES_SHARE);
	case MEMORY_CPUS:
		return share(budget, CPUS_SHARE);
	case MEMORY_INTERVALS:
		return share(budget, budget->has_pairing ? PAIRED_REPORT_SHARE : INTERVALS_SHARE);
	case MEMORY_PAIRING:
		return pairing_limit(budget);
	case MEMORY_REPORT:
		return left(budget->bytes_max, budget->bytes[MEMORY_TABLES] + names_bytes(budget) +
						       budget->bytes[MEMORY_CPUS] +
						       pairing_limit(budget));
	default:
		return left(names_limit(budget), names_bytes(budget) - budget->bytes[part]);
	}
}

bool memory_budget_set(MemoryBudget *budget, MemoryPart part, size_t bytes)
{
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

	return memory_budget_set(budget, part, bytes_before + MIN(bytes, SIZE_MAX - bytes_before));
}

bool memory_budget_is_full(const MemoryBudget *budget)
{
	for (int part = 0; budget && part < MEMORY_PARTS; part++)
		if (budget->full[part])
			return true;
	return false;
}
