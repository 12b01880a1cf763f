/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed_cache RELEASE CPUS: compiles the probes into the module cache as a run on a kernel of that
 * release with so many possible CPUs would. The guest then finds them there: compiling under
 * emulation takes half an hour.
 */
#include "collect/run/collector.h"
#include "collect/stap/stap_build.h"

#include <stdio.h>

static int fail(const GError *error)
{
	fprintf(stderr, "seed_cache: %s\n", error->message);
	return 1;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StapTool) tool = stap_tool_find(true, &error);
	g_autofree char *path = NULL;
	StapBuildRequest request = { .events = PROBE_KMALLOC };
	guint64 cpus;

	g_set_prgname("seed_cache");
	if (!tool)
		return fail(error);
	if (argc != 3 || !g_ascii_string_to_unsigned(argv[2], 10, 1, 65536, &cpus, &error)) {
		fprintf(stderr, "usage: seed_cache RELEASE CPUS\n");
		return 2;
	}
	request.kernel_release = argv[1];
	request.cpus_max = (unsigned)cpus;
	path = stap_build_module(tool, &request, &error);
	if (!path)
		return fail(error);
	puts(path);
	return 0;
}
