/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/option_values.h"
#include "tools/slab_overview.h"
#include "tools/tool.h"

static bool take_caches(Options *options, const char *word, GError **error)
{
	if (options->caches)
		return option_fail(error, "separate several caches with commas: '%s,%s'",
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

static bool all_with_cache(const Options *options)
{
	return options->all && (options->caches || options->input || options->check);
}

/* What the table of caches obeys. */
static const char *const overview_options[] = {
	"all", "top", "human", "duration", "output", "format", "quiet", NULL,
};

static const OptionRule rules[] = {
	{ all_with_cache, "--all lists the caches of this host: it goes with no CACHE and no -i" },
	{ collects_without_cache, "this option needs a CACHE: name one, or use '*' for all" },
	{ build_with_cache, "--build-module compiles for all caches: use it without CACHE" },
	{ NULL, NULL },
};

static const ToolExample examples[] = {
	{ "Which slab caches grow", "slabstack" },
	{ "Who allocates from one of them, and from where, until Ctrl-C", "slabstack dentry" },
	{ "Which processes allocate from a family of caches, in ten seconds",
	  "slabstack 'kmalloc-*' -d 10 --by=process,cache" },
	{ NULL, NULL },
};

static const Tool slabstack = {
	.name = "slabstack",
	.usage = "[CACHE[,CACHE...]] [OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose = "Shows who allocates from a slab cache, and from where.\n"
		   "Without CACHE: which caches grow.",
	.examples = examples,
	.bit = TOOL_SLABSTACK,
	.events = PROBE_KMALLOC | PROBE_CACHE,
	.caches_only = true,
	.by = SLABSTACK_BLOCKS,
	.take_word = take_caches,
	.rules = rules,
	.report = REPORT_SLABSTACK,
	.overview_options = overview_options,
	.read_overview = slab_overview_read,
};

int main(int argc, char **argv)
{
	return tool_main(&slabstack, argc, argv);
}
