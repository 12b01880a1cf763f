/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seed_cache RELEASE CPUS [WORDS]: compiles the probes into the module cache as a run on a kernel
 * of that release with so many possible CPUs would, of kmalloc-top or of "stack-top WORDS". The
 * guest then finds them there: compiling under emulation takes half an hour.
 */
#include "collect/run/collector.h"
#include "collect/stap/stap_build.h"
#include "probes/preset_list.h"

#include <stdio.h>
#include <string.h>

static int fail(const GError *error)
{
	fprintf(stderr, "seed_cache: %s\n", error->message);
	return 1;
}

/* Reads the words as stack-top does: PRESET|PROBE, --begin and --end, --weight, --where. */
static Preset *find_preset(const char *line, GError **error)
{
	const char *probes[] = { NULL, NULL };
	const char *begin = NULL, *weight = NULL, *where = NULL;
	const struct {
		const char *prefix;
		const char **value;
	} options[] = { { "--begin=", &begin },
			{ "--end=", &probes[0] },
			{ "--weight=", &weight },
			{ "--where=", &where },
			{ "", &probes[0] } };
	g_auto(GStrv) words = NULL;
	Preset *preset;

	if (!g_shell_parse_argv(line, NULL, &words, error))
		return NULL;
	for (char **word = words; *word; word++)
		for (size_t i = 0; i < G_N_ELEMENTS(options); i++) {
			if (!g_str_has_prefix(*word, options[i].prefix))
				continue;
			*options[i].value = *word + strlen(options[i].prefix);
			break;
		}
	preset = strpbrk(probes[0], ":(") ? preset_of_probes(probes, begin, error)
					  : preset_find(NULL, probes[0], error);
	if (preset && (!weight || preset_set_weight(preset, weight, error)) &&
	    (!where || preset_set_where(preset, where, error)))
		return preset;
	g_clear_pointer(&preset, preset_free);
	return NULL;
}

/* Returns whether the points are known; without any, the module observes kmalloc. */
static bool choose_points(StapBuildRequest *request, StapPoints **points, const char *line,
			  GError **error)
{
	g_autoptr(Preset) preset = line ? find_preset(line, error) : NULL;

	if (!line)
		return true;
	request->events = 0;
	request->points = *points = preset ? stap_points_new(preset, NULL, error) : NULL;
	return *points;
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StapTool) tool = stap_tool_find(true, &error);
	g_autoptr(StapPoints) points = NULL;
	g_autofree char *path = NULL;
	StapBuildRequest request = { .events = PROBE_KMALLOC };
	guint64 cpus;

	g_set_prgname("seed_cache");
	if (!tool)
		return fail(error);
	if (argc < 3 || argc > 4 ||
	    !g_ascii_string_to_unsigned(argv[2], 10, 1, 65536, &cpus, &error)) {
		fprintf(stderr, "usage: seed_cache RELEASE CPUS [WORDS]\n");
		return 2;
	}
	request.kernel_release = argv[1];
	request.cpus_max = (unsigned)cpus;
	if (!choose_points(&request, &points, argv[3], &error))
		return fail(error);
	path = stap_build_module(tool, &request, &error);
	if (!path)
		return fail(error);
	puts(path);
	return 0;
}
