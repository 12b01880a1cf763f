/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of the kernel that are treated in their own way, as const tables of names: tracers,
 * which are cut, and those whose call sites are inner events, with their addresses in this kernel's
 * symbols. No state. frame_namer.c and session.c ask with symbols, importers by name.
 */
#include "symbols/known_functions.h"

#include <string.h>

/* Tracers. */

/* The compiler may append ".isra.0" and similar. */
static const char *const tracer_functions[] = {
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
static const char *const tracer_modules[] = { "kmt_", "stap_", NULL };

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
	return begins_with_any(function, tracer_functions);
}

bool tracer_modules_have(TextPart module)
{
	return begins_with_any(module, tracer_modules);
}

/* Inner events. */

/* The functions that contain __do_kmalloc_node(); kvmalloc()'s function does since 6.15. */
static const char *const inner_functions[] = {
	"__kmalloc_noprof",
	"__kmalloc_node_noprof",
	"__kmalloc_node_track_caller_noprof",
	"__kvmalloc_node_noprof",
};
G_STATIC_ASSERT(G_N_ELEMENTS(inner_functions) == INNER_RANGES_MAX);

enum { KVMALLOC = 3 };

static const char traced_twice[] = "__kmalloc_large_node_noprof";

static uint64_t distance_of(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Up to 6.14, __kvmalloc_node_noprof() is in mm/util.c and calls __kmalloc_node_noprof(): events
 * with their call site in it are complete allocations. It contains __do_kmalloc_node() only since
 * it was moved to mm/slub.c. Functions of one file are adjacent, so the nearer neighbour shows the
 * file: kfree() is in mm/slub.c, vm_mmap() in mm/util.c.
 */
static bool kvmalloc_is_in_allocator(const SymbolStore *symbols, uint64_t kvmalloc, uint64_t kfree)
{
	uint64_t vm_mmap = symbol_store_address(symbols, "vm_mmap");

	return vm_mmap && distance_of(kvmalloc, kfree) < distance_of(kvmalloc, vm_mmap);
}

bool inner_kmallocs_find(InnerKmallocs *inner, const SymbolStore *symbols, uint64_t page_bytes)
{
	uint64_t kfree = symbol_store_address(symbols, "kfree");
	Symbol symbol;

	if (!kfree)
		return false;
	/* KMALLOC_MAX_CACHE_SIZE of SLUB, the only allocator since 6.8. */
	*inner = (InnerKmallocs){ .bytes_small_max = 2 * page_bytes, .kfree = kfree };
	for (unsigned i = 0; i < G_N_ELEMENTS(inner_functions); i++) {
		uint64_t address = symbol_store_address(symbols, inner_functions[i]);

		if (!address ||
		    (i == KVMALLOC && !kvmalloc_is_in_allocator(symbols, address, kfree)))
			continue;
		if (symbol_store_lookup(symbols, 0, address, &symbol) && symbol.bytes)
			inner->ranges[inner->count++] =
				(InnerRange){ symbol.start, symbol.start + symbol.bytes };
	}
	return true;
}

bool inner_kmallocs_have_function(TextPart name)
{
	for (unsigned i = 0; i < KVMALLOC; i++)
		if (text_part_is(name, inner_functions[i]))
			return true;
	return false;
}

bool inner_kmallocs_may_have_function(TextPart name)
{
	return inner_kmallocs_have_function(name) || text_part_is(name, inner_functions[KVMALLOC]);
}

bool inner_kmallocs_begin_with(TextPart function)
{
	return text_part_is(function, traced_twice);
}
