/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the kernel's lists of CPUs. A list becomes a sorted array of numbers. Collectors
 * read the CPUs that are online; messages and facts print the arrays as ranges.
 */
#include "base/cpu_list.h"

#include "base/hot_assert.h"

#include <stdbool.h>
#include <string.h>

static guint32 cpu_at(const GArray *cpus, guint index)
{
	hot_assert(index < cpus->len);
	return g_array_index(cpus, guint32, index);
}

/* Only digits: g_ascii_strtoull() would also accept a sign and blanks. */
static bool take_number(const char **text, guint32 *number)
{
	char *behind;
	guint64 parsed;

	if (!g_ascii_isdigit(**text))
		return false;
	parsed = g_ascii_strtoull(*text, &behind, 10);
	*text = behind;
	*number = (guint32)MIN(parsed, CPU_LIST_CPUS_MAX);
	return parsed < CPU_LIST_CPUS_MAX;
}

/* Appends the CPUs of a range such as "8" or "0-3", which must be above the previous ones. */
static bool append_range(GArray *cpus, const char *text)
{
	guint32 first, last;

	if (!take_number(&text, &first))
		return false;
	last = first;
	if (*text == '-') {
		text++;
		if (!take_number(&text, &last))
			return false;
	}
	if (*text || first > last || (cpus->len && first <= cpu_at(cpus, cpus->len - 1)))
		return false;
	for (guint32 cpu = first; cpu <= last; cpu++)
		g_array_append_val(cpus, cpu);
	return true;
}

GArray *cpu_list_parse(const char *text)
{
	g_autofree char *line = g_strchomp(g_strdup(text));
	g_auto(GStrv) ranges = g_strsplit(line, ",", -1);
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (char **range = ranges; *range; range++)
		if (!append_range(cpus, *range))
			return NULL;
	return cpus->len ? g_steal_pointer(&cpus) : NULL;
}

GArray *cpu_list_read(const char *root, const char *name)
{
	g_autofree char *path = g_strconcat(root, "/sys/devices/system/cpu/", name, NULL);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	return cpu_list_parse(text);
}

char *cpu_list_text(const GArray *cpus, gsize bytes_max)
{
	GString *list = g_string_new(NULL);

	for (guint at = 0, end; at < cpus->len; at = end) {
		gsize before = list->len;

		for (end = at + 1; end < cpus->len; end++)
			if (cpu_at(cpus, end) != cpu_at(cpus, end - 1) + 1)
				break;
		g_string_append_printf(list, "%s%u", before ? "," : "", cpu_at(cpus, at));
		if (end > at + 1)
			g_string_append_printf(list, "-%u", cpu_at(cpus, end - 1));
		if (list->len > bytes_max) {
			g_string_truncate(list, before);
			g_string_append(list, before ? ",..." : "...");
			break;
		}
	}
	return g_string_free(list, FALSE);
}
