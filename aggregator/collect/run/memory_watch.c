/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/memory_watch.h"

#include "collect/host/process_memory.h"

#include <glib.h>
#include <unistd.h>

enum {
	STAPIO_CPU_BYTES = 256 << 10, /* its thread for a CPU reads into half of that */
	OWN_FACTOR = 2,               /* of --max-memory: tables while they grow */
	OWN_BYTES = 64 << 20,         /* symbols, and the program itself */
};

static char *describe(const char *who, uint64_t bytes, uint64_t bound, const char *why)
{
	return g_strdup_printf("%s held %" G_GUINT64_FORMAT " MB of memory, above its bound of "
			       "%" G_GUINT64_FORMAT " MB (see --max-memory)%s",
			       who, bytes >> 20, bound >> 20, why);
}

char *memory_watch_problem(const MemoryWatch *watch)
{
	uint64_t stapio_max = watch->bytes_max + (uint64_t)watch->cpus * STAPIO_CPU_BYTES;
	uint64_t own_max = watch->bytes_max * OWN_FACTOR + OWN_BYTES + watch->buffer_bytes;
	uint64_t stapio = watch->stapio ? process_memory(watch->root, watch->stapio) : 0;
	uint64_t own = process_memory(watch->root, getpid());

	if (!watch->bytes_max)
		return NULL;
	if (stapio > stapio_max)
		return describe("SystemTap's stapio", stapio, stapio_max,
				": events came faster than they were counted");
	if (own > own_max)
		return describe(g_get_prgname(), own, own_max, "");
	return NULL;
}
