/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "option_values.h"
#include "report/slab_readings.h"
#include "report/slabstack_text.h"
#include "tools/slab_overview.h"
#include "tools/tool.h"

static bool take_caches(Options *options, const char *word, GError **error)
{
	if (options->caches)
		return option_fail(error, "several caches are given with commas: '%s,%s'",
				   options->caches_asked, word);
	options->caches_asked = g_strdup(word);
	options->caches = cache_query_new(word, error);
	return options->caches != NULL;
}

static bool collects_without_cache(const Options *options)
{
	const CollectRequest *request = &options->request;

	return !options->caches && !options->input &&
	       (request->command || options->pids->len || request->record_path ||
		request->module_path || options->cgroup || options->process || options->view.by[0]);
}

static bool build_with_cache(const Options *options)
{
	return options->build_module && options->caches;
}

static const OptionRule rules[] = {
	{ collects_without_cache, "nothing is traced without a CACHE: name one, or all by '*'" },
	{ build_with_cache, "--build-module serves every cache: name none" },
	{ NULL, NULL },
};

static const Tool slabstack = {
	.name = "slabstack",
	.usage = "CACHE[,CACHE...] [OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose =
		"Who allocates from a slab cache, and from where; without CACHE: which ones grow.",
	.bit = TOOL_SLABSTACK,
	.events = COLLECT_KMALLOC | COLLECT_CACHE,
	.caches_only = true,
	.by = SLABSTACK_BLOCKS,
	.take_word = take_caches,
	.rules = rules,
	.print_report = report_print_slabstack,
	.read_overview = slab_overview_read,
	.print_overview = report_print_slab_table,
};

int main(int argc, char **argv)
{
	return tool_main(&slabstack, argc, argv);
}
