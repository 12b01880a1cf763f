/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of tracers, as const tables of prefixes. No state. frame_namer.c and import_count.c
 * ask.
 */
#include "symbols/tracer_names.h"

#include <string.h>

/* The compiler may append ".isra.0" and similar. */
static const char *const functions[] = {
	"__bpf_prog_enter",    "__bpf_trace_",           "__do_trace_",
	"__probestub_",        "__save_stack_trace",     "__traceiter_",
	"arch_stack_walk",     "bpf_dispatcher_",        "bpf_get_stack",
	"bpf_prog_",           "bpf_trace_run",          "bpf_trampoline_",
	"ftrace_trampoline",   "get_perf_callchain",     "perf_callchain",
	"perf_prepare_sample", "perf_swevent_",          "perf_tp_event",
	"perf_trace_",         "save_stack_trace",       "stack_trace_save",
	"trace_call_bpf",      "trace_event_raw_event_", NULL,
};

/* SystemTap's modules, with its own names and with ours. */
static const char *const modules[] = { "kmt_", "stap_", NULL };

static bool begins_with_any(TextPart text, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (text.length >= strlen(*beginnings) &&
		    !memcmp(text.text, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

bool tracer_functions_have(TextPart function)
{
	return begins_with_any(function, functions);
}

bool tracer_modules_have(TextPart module)
{
	return begins_with_any(module, modules);
}
