/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the numbers and bits of perf's PMUs for dynamic probes from sysfs. No state.
 * point_functions.c and point_symbols.c ask, to probe without tracefs.
 */
#include "collect/points/point_pmu.h"

#include "base/text_part.h"

#include <glib.h>
#include <string.h>

enum { CONFIG_BITS = 64 };

/* Returns a file of the PMU; NULL: there is none. */
static char *read_file(const char *root, const char *pmu, const char *file)
{
	g_autofree char *path =
		g_strdup_printf("%s/sys/bus/event_source/devices/%s/%s", root, pmu, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strstrip(text) : NULL;
}

static bool read_number(const char *text, size_t length, uint64_t *number)
{
	return text_part_decimal((TextPart){ text, length }, number);
}

/* Reads "config:LOW-HIGH" or "config:BIT". Returns the number of bits; 0: none. */
static unsigned read_bits(const char *root, const char *pmu, const char *field, unsigned *low)
{
	g_autofree char *file = g_strconcat("format/", field, NULL);
	g_autofree char *text = read_file(root, pmu, file);
	uint64_t first, last;
	const char *range, *dash;

	if (!text || !g_str_has_prefix(text, "config:"))
		return 0;
	range = text + strlen("config:");
	dash = strchr(range, '-');
	if (!read_number(range, dash ? (size_t)(dash - range) : strlen(range), &first))
		return 0;
	last = first;
	if ((dash && !read_number(dash + 1, strlen(dash + 1), &last)) || last < first ||
	    last >= CONFIG_BITS)
		return 0;
	*low = (unsigned)first;
	return (unsigned)(last - first + 1);
}

bool point_pmu_read(const char *root, const char *name, PointPmu *pmu)
{
	g_autofree char *text = read_file(root, name, "type");
	uint64_t type;

	*pmu = (PointPmu){ 0 };
	if (!text || !read_number(text, strlen(text), &type))
		return false;
	pmu->type = (uint32_t)type;
	pmu->ref_ctr_bits = read_bits(root, name, "ref_ctr_offset", &pmu->ref_ctr);
	return read_bits(root, name, "retprobe", &pmu->retprobe) == 1;
}
