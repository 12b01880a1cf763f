/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/tracer_frames.h"

#include <glib.h>

/*
 * Functions through which tracers take a stack and tracepoints call them, by the beginning of
 * the name: the compiler may append ".isra.0" and the like.
 */
static const char *const tracer_names[] = {
	"__bpf_prog_enter",    "__bpf_trace_",           "__do_trace_",
	"__probestub_",        "__save_stack_trace",     "__traceiter_",
	"arch_stack_walk",     "bpf_dispatcher_",        "bpf_get_stack",
	"bpf_prog_",           "bpf_trace_run",          "bpf_trampoline_",
	"ftrace_trampoline",   "get_perf_callchain",     "perf_callchain",
	"perf_prepare_sample", "perf_swevent_",          "perf_tp_event",
	"perf_trace_",         "save_stack_trace",       "stack_trace_save",
	"trace_call_bpf",      "trace_event_raw_event_", NULL,
};

/* Modules that are nothing but a tracer: SystemTap's, under its own names for them and ours. */
static const char *const tracer_modules[] = { "kmt_", "stap_", NULL };

static bool begins_with_any(const char *text, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (g_str_has_prefix(text, *beginnings))
			return true;
	return false;
}

bool symbol_is_tracer(const Symbol *symbol)
{
	return (symbol->module && begins_with_any(symbol->module, tracer_modules)) ||
	       (symbol->name && begins_with_any(symbol->name, tracer_names));
}
