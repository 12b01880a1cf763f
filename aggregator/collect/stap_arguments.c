/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap_arguments.h"

#include "collect/cache_layout.h"

#include <unistd.h>

enum { BUFFER_MB_MAX = 4095 }; /* staprun's own bound */

/* From 4.5 on every CPU has a buffer of its own, before there was one for all. */
static unsigned buffers(const StapArguments *arguments)
{
	return stap_tool_at_least(arguments->tool, 4, 5) ? MAX(arguments->cpus, 1) : 1;
}

/* Returns what one buffer gets, in MB; 0: SystemTap's default. -o "-s N" asks for each buffer,
   --buffer for all of them together. */
static unsigned buffer_megabytes(const StapArguments *arguments, const CollectRequest *request)
{
	if (arguments->options && arguments->options->buffer_megabytes)
		return arguments->options->buffer_megabytes;
	if (!request->buffer_megabytes)
		return 0;
	return CLAMP(request->buffer_megabytes / buffers(arguments), 1, BUFFER_MB_MAX);
}

uint64_t stap_arguments_buffer_bytes(const StapArguments *arguments, const CollectRequest *request)
{
	return ((uint64_t)buffer_megabytes(arguments, request) << 20) * buffers(arguments);
}

static void add(GPtrArray *words, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GPtrArray *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_ptr_array_add(words, g_strdup_vprintf(format, arguments));
	va_end(arguments);
}

static void add_options(GPtrArray *words, const StapArguments *arguments,
			const CollectRequest *request)
{
	const StapOptions *options = arguments->options;
	const GPtrArray *run = options ? options->run : NULL;

	if (arguments->rename)
		add(words, "-R");
	for (guint i = 0; run && i < run->len; i++)
		add(words, "%s", (const char *)g_ptr_array_index(run, i));
	/* The user's -s is among the words above. */
	if (request->buffer_megabytes && !(options && options->buffer_megabytes))
		add(words, "-b%u", buffer_megabytes(arguments, request));
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
	add_options(words, arguments, request);
	add(words, "%s", arguments->module_path);
	add_parameters(words, arguments, request);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}
