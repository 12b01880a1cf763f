/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capabilities of this process, from /proc. Asked by the checks that explain why a run cannot
 * start.
 */
#include "collect/facts/capabilities.h"

#include <glib.h>
#include <string.h>

uint64_t capabilities_effective(const char *root)
{
	static const char heading[] = "\nCapEff:\t";
	g_autofree char *path = g_strconcat(root, "/proc/self/status", NULL);
	g_autofree char *text = NULL;
	const char *effective;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return UINT64_MAX;
	effective = strstr(text, heading);
	return effective ? g_ascii_strtoull(effective + strlen(heading), NULL, 16) : UINT64_MAX;
}
