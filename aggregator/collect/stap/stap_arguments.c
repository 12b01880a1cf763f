/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The argument vector of staprun, with the parameters of the emitter: caches, pids, offsets, sizes.
 * No addresses, because everybody can read arguments. stap_run.c passes it to stap_child.c.
 */
#include "collect/stap/stap_arguments.h"

#include "base/words.h"
#include "collect/slabs/cache_layout.h"

#include <string.h>
#include <unistd.h>

bool stap_arguments_plan_buffers(BufferPlan *plan, const StapBuffers *buffers, GError **error)
{
	const BufferRequest request = {
		.megabytes = buffers->megabytes,
		.megabytes_per_buffer = buffers->options ? buffers->options->buffer_megabytes : 0,
		.cpus = buffers->cpus,
		.per_cpu = stap_tool_at_least(buffers->tool, 4, 5),
		.available_bytes = buffers->available_bytes,
	};

	return buffer_plan_init(plan, &request, error);
}

static void add_pids(GPtrArray *words, const GArray *pids)
{
	GString *word = g_string_new("kmt_pids=");

	for (guint i = 0; i < pids->len; i++)
		g_string_append_printf(word, "%s%u", i ? "," : "", g_array_index(pids, guint32, i));
	g_ptr_array_add(words, g_string_free(word, FALSE));
}

/* The module gets the names separated by tabs, cut to the length at which it reads names. The
   quotes prevent the kernel from ending the parameter at a tab. If a name contains a quote, the
   module gets no names, and the reader filters instead. */
static void add_caches(GPtrArray *words, char *const *caches)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (char *const *name = caches; *name; name++) {
		if (strpbrk(*name, "\"\t\n"))
			return;
		g_string_append_printf(names, "%s%.*s", names->len ? "\t" : "",
				       KMT_CACHE_NAME_BYTES_MAX, *name);
	}
	words_add(words, "kmt_caches=\"%s\"", names->str);
}

static void add_layout(GPtrArray *words)
{
	CacheLayout layout;

	cache_layout_find(&layout);
	words_add(words, "kmt_layout=%ld,%ld,%ld,%ld", layout.slab_cache, layout.name,
		  layout.object_size, layout.size);
}

/* Relative to kfree(): everybody can read an argument vector, and kernel addresses are secret. */
static void add_inner(GPtrArray *words, const InnerKmallocs *inner)
{
	g_autoptr(GString) offsets = g_string_new("kmt_inner=");

	if (!inner || !inner->count)
		return;
	for (unsigned i = 0; i < inner->count; i++)
		g_string_append_printf(offsets, "%s%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
				       i ? "," : "",
				       (int64_t)(inner->ranges[i].start - inner->kfree),
				       (int64_t)(inner->ranges[i].end - inner->kfree));
	words_add(words, "%s", offsets->str);
}

/* Without the parameter, the kernel walks. */
static void add_walk(GPtrArray *words, const CollectRequest *request)
{
	if (request->stack_depth && request->stack_walk != STACK_WALK_KERNEL)
		words_add(words, "kmt_stack_walk=%d", (int)request->stack_walk);
}

static void add_parameters(GPtrArray *words, const StapArguments *arguments,
			   const CollectRequest *request)
{
	const unsigned events = request->preset ? 0 : request->events;
	/* Each end of a time span is needed. */
	const bool is_whole = arguments->points && arguments->points->has_pairs;

	words_add(words, "kmt_depth=%u", request->stack_depth);
	add_walk(words, request);
	words_add(words, "kmt_scope=%d", (int)request->scope);
	words_add(words, "kmt_target=%d", (int)arguments->target);
	if (request->pids && request->pids->len)
		add_pids(words, request->pids);
	words_add(words, "kmt_self=%d", (int)getpid());
	words_add(words, "kmt_events=%u", events);
	if (request->preset)
		words_add(words, "kmt_user_depth=%u", request->user_depth);
	if (events & probe_kinds_of_caches())
		add_layout(words);
	if (request->caches)
		add_caches(words, request->caches);
	if (events & PROBE_KMALLOC)
		add_inner(words, arguments->inner);
	words_add(words, "kmt_include_self=%d", request->include_self);
	words_add(words, "kmt_with_interrupts=%d", request->with_interrupts);
	words_add(words, "kmt_sampling=%u", is_whole ? 1 : request->sampling_period);
	words_add(words, "kmt_overhead=%u", is_whole ? 0 : request->overhead_percent_max);
	words_add(words, "kmt_held=%d", request->held);
	if (request->held && request->events & probe_kinds_of_caches())
		words_add(words, "kmt_functions=1");
	/* A pointer is needed to pair an allocation with its free. */
	words_add(words, "kmt_repeat_ns=%u", request->held ? 0 : request->repeat_ns);
}

char **stap_arguments_new(const StapArguments *arguments, const CollectRequest *request)
{
	GPtrArray *words = g_ptr_array_new();

	words_add(words, "%s", arguments->tool->staprun);
	if (arguments->rename)
		words_add(words, "-R");
	words_add(words, "-b%u", arguments->buffers->megabytes_per_buffer);
	words_add(words, "%s", arguments->module_path);
	add_parameters(words, arguments, request);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}
