/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the memory of stapio and of this program with the limit, from /proc. live_run.c asks at
 * each tick, through the engine.
 */
#include "collect/run/memory_watch.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

static const char *const held[] = { "VmRSS:", "VmSwap:" };

uint64_t process_memory(const char *root, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/status", root, (int)pid);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	uint64_t bytes = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	/* Lines "VmRSS:\t  123 kB" that count as held memory. */
	for (char **line = lines; *line; line++)
		for (size_t i = 0; i < G_N_ELEMENTS(held); i++)
			if (g_str_has_prefix(*line, held[i]))
				bytes += g_ascii_strtoull(*line + strlen(held[i]), NULL, 10) << 10;
	return bytes;
}

enum {
	STAPIO_CPU_BYTES = 256 << 10, /* the thread for a CPU reads into half of this */
	OWN_FACTOR = 2,               /* times --max-memory: tables while they grow */
	OWN_BYTES = 64 << 20,         /* symbols, and the program itself */
};

static char *memory_watch_describe(const char *who, uint64_t bytes, uint64_t bound, const char *why)
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
		return memory_watch_describe("SystemTap's stapio", stapio, stapio_max,
					     ": events came faster than they were counted");
	if (own > own_max)
		return memory_watch_describe(g_get_prgname(), own, own_max, "");
	return NULL;
}
