/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap_arguments.h"

#include "collect/cache_layout.h"

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

static void add(GPtrArray *words, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GPtrArray *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_ptr_array_add(words, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

static void add_options(GPtrArray *words, const StapArguments *arguments)
{
	if (arguments->rename)
		add(words, "-R");
	add(words, "-b%u", arguments->buffers->megabytes_per_buffer);
}

static void add_pids(GPtrArray *words, const GArray *pids)
{
	GString *word = g_string_new("kmt_pids=");

	for (guint i = 0; i < pids->len; i++)
		g_string_append_printf(word, "%s%u", i ? "," : "", g_array_index(pids, guint32, i));
	g_ptr_array_add(words, g_string_free(word, FALSE));
}

static void add_parameters(GPtrArray *words, const StapArguments *arguments,
			   const CollectRequest *request)
{
	add(words, "kmt_depth=%u", request->stack_depth);
	add(words, "kmt_scope=%d", (int)request->scope);
	add(words, "kmt_target=%d", (int)arguments->target);
	if (request->pids && request->pids->len)
		add_pids(words, request->pids);
	add(words, "kmt_self=%d", (int)getpid());
	add(words, "kmt_events=%u", request->events);
	if (request->events & COLLECT_CACHE)
		add(words, "kmt_cache_size_offset=%u", cache_layout_size_offset());
	add(words, "kmt_include_self=%d", request->include_self);
	add(words, "kmt_with_interrupts=%d", request->with_interrupts);
	add(words, "kmt_sampling=%u", request->sampling_period);
	add(words, "kmt_overhead=%u", request->overhead_percent_max);
}

char **stap_arguments_new(const StapArguments *arguments, const CollectRequest *request)
{
	GPtrArray *words = g_ptr_array_new();

	add(words, "%s", arguments->tool->staprun);
	add_options(words, arguments);
	add(words, "%s", arguments->module_path);
	add_parameters(words, arguments, request);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}
