/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "base/memory_budget.h"
#include "names/cache_names.h"
#include "names/cgroup_names.h"
#include "count/held_readings.h"
#include "symbols/symbol_store.h"

/* The input of a view: cells, and the sources of names. Everything is borrowed. */
typedef struct {
	const Profile *profile;
	const SymbolStore *symbols;
	CacheNames *caches;
	const CgroupNames *cgroups;
	MemoryBudget *memory; /* NULL: no limit */
	/* For sampled estimates: the field KMT_FIELD_SAMPLING_SCATTER; 0: independent draws. */
	uint64_t scatter_percent;
	HeldReadings *held; /* the ages of held objects; NULL: unknown */
} ViewSource;
