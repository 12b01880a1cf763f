/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The finder of functions of the kernel: perf_event_attr.kprobe_func with probe_offset, or
 * kprobe_addr (create_local_trace_kprobe() in kernel/trace/trace_kprobe.c). Names come from
 * kallsyms, read once for each point.
 */
#include "collect/points/point_find.h"

#include "collect/points/point_pmu.h"
#include "symbols/symbol_list.h"

#include <gio/gio.h>
#include <string.h>

#define SYMBOLS "/proc/kallsyms"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist" /* lines "0xSTART-0xEND\tNAME" */

/* Functions of one name, and all names. */
typedef struct {
	const char *wanted;
	GArray *addresses; /* (element-type uint64_t), owned; 0: hidden by kptr_restrict */
	char *text;        /* owned: of the file; the names point into it */
	GPtrArray *names;  /* (element-type char *), owned: of all functions */
} Functions;

/* Keeps a function; ends its name in the text. */
static void add_function(Functions *functions, const KallsymsLine *line)
{
	char *name = functions->text + (line->name.text - functions->text);

	name[line->name.length] = '\0';
	g_ptr_array_add(functions->names, name);
	if (!g_str_equal(name, functions->wanted))
		return;
	for (guint i = 0; i < functions->addresses->len; i++)
		if (g_array_index(functions->addresses, uint64_t, i) == line->address)
			return;
	g_array_append_val(functions->addresses, line->address);
}

static void functions_read(Functions *functions, const char *root, const char *wanted)
{
	g_autofree char *path = g_strconcat(root, SYMBOLS, NULL);
	TextPart rest = { 0 }, line;
	KallsymsLine parsed;

	functions->wanted = wanted;
	functions->addresses = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	functions->names = g_ptr_array_new();
	if (g_file_get_contents(path, &functions->text, &rest.length, NULL))
		rest.text = functions->text;
	while (text_part_next_line(&rest, &line))
		if (kallsyms_line_parse(line, &parsed) && kallsyms_line_is_text(&parsed))
			add_function(functions, &parsed);
}

/* Whether the kernel lists the function among those that must not be probed. Without debugfs it is
   only known when the event is opened. */
static bool is_blacklisted(const char *root, const char *function)
{
	g_autofree char *path = g_strconcat(root, BLACKLIST, NULL);
	g_autofree char *text = NULL;
	TextPart rest = { 0 }, line;

	if (!g_file_get_contents(path, &text, &rest.length, NULL))
		return false;
	rest.text = text;
	while (text_part_next_line(&rest, &line)) {
		text_part_next_word(&line);
		if (text_part_is(text_part_next_word(&line), function))
			return true;
	}
	return false;
}

/* Adds the function by its name or, if it has an address, by that. */
static PointEvent *add_event(const PointPmu *pmu, const ProbeSpec *spec, uint64_t address,
			     GPtrArray *events)
{
	PointEvent *event = point_events_add(events, spec, pmu->type);

	event->is_return = spec->type == PROBE_KRETPROBE;
	event->config = (uint64_t)event->is_return << pmu->retprobe;
	event->config1 = address ? NULL : g_strdup(spec->name);
	event->config2 = address + spec->offset;
	event->runs_in_user = true;
	event->has_kernel_stack = true;
	event->needs_registers = true;
	return event;
}

static bool point_functions_find(const PointHost *host, const PointPmu *pmu, const ProbeSpec *spec,
				 const Functions *functions, GPtrArray *events, GError **error)
{
	const GArray *addresses = functions->addresses;

	if (functions->names->len && !addresses->len)
		return point_fail_nearest(spec, "this kernel has no such function, or inlined it",
					  functions->names, spec->name, "probe one that calls it",
					  error);
	if (is_blacklisted(host->root, spec->name))
		return point_fail(spec, G_IO_ERROR_NOT_SUPPORTED, error,
				  "the kernel forbids probes in this function (kprobe blacklist): "
				  "probe one that calls it");
	if (addresses->len < 2) {
		PointEvent *event = add_event(pmu, spec, 0, events);

		/* Arguments are at a function's entry; the types of functions of one name may
		   differ. */
		if (!spec->offset)
			event->types = function_types_read(host->root, spec->name);
		return true;
	}
	/* The kernel finds one function by its name, and refuses a name of several (since 6.7). */
	for (guint i = 0; i < MIN(addresses->len, (guint)POINT_EVENTS_MAX); i++)
		add_event(pmu, spec, g_array_index(addresses, uint64_t, i), events);
	return true;
}

bool point_find_functions(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			  GError **error)
{
	Functions functions = { 0 };
	PointPmu pmu;
	bool found;

	if (!point_pmu_read(host->root, "kprobe", &pmu))
		return point_fail(spec, G_IO_ERROR_NOT_SUPPORTED, error,
				  "perf cannot probe functions of this kernel: boot Linux 4.17 or "
				  "later with CONFIG_KPROBE_EVENTS, or probe a tracepoint");
	functions_read(&functions, host->root, spec->name);
	found = point_functions_find(host, &pmu, spec, &functions, events, error);
	g_array_unref(functions.addresses);
	g_ptr_array_unref(functions.names);
	g_free(functions.text);
	return found;
}
