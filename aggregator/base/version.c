/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "base/version.h"

#include <stdbool.h>

/* What is optional when the program is built. */
static const struct {
	const char *what;
	bool built_in;
} features[] = {
#ifdef HAVE_ZSTD
	{ "compressed recordings (zstd)", true },
#else
	{ "compressed recordings (zstd)", false },
#endif
#ifdef HAVE_LIBBPF
	{ "exact slab sizes of cache allocations (libbpf)", true },
#else
	{ "exact slab sizes of cache allocations (libbpf)", false },
#endif
#ifdef HAVE_NCURSES
	{ "interactive mode (ncurses)", true },
#else
	{ "interactive mode (ncurses)", false },
#endif
};

void version_print(const char *program, FILE *out)
{
	fprintf(out, "%s %s\nLicense GPL-2.0-or-later. Scripts: %s\n", program, PACKAGE_VERSION,
		PKGDATADIR "/stap");
	for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
		fprintf(out, "%s: %s\n", features[i].what, features[i].built_in ? "yes" : "no");
}
