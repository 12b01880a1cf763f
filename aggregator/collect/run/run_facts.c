/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the facts of a run as info batches: what is observed, how, and at the end what was lost.
 * No state; the engines add their own facts through the same functions.
 */
#include "config.h"

#include "collect/run/run_facts.h"

#include "record/format.h"
#include "base/clock.h"
#include "collect/run/command.h"
#include "record/probe_kinds.h"
#include "record/batch_writer.h"

/* Allocations that no tracepoint covers. */
static const char *const never_covered[] = {
	"bulk allocations",
	"in-place krealloc",
};

static void append_item(GString *list, const char *item)
{
	g_string_append_printf(list, "%s%s", list->len ? ", " : "", item);
}

/* The allocator paths of these events. */
static void append_covered(GString *list, unsigned events)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (events & kind->bit && kind->covers)
			append_item(list, kind->covers);
}

static const char *scope_text(const CollectRequest *request)
{
	switch (request->whose.scope) {
	case COLLECT_SCOPE_COMMAND:
		return "command";
	case COLLECT_SCOPE_PIDS:
		return "pids";
	default:
		return request->command.words ? "window" : "host";
	}
}

void run_facts_write_text(GByteArray *out, unsigned id, const char *text)
{
	const InfoField field = { (uint16_t)id, 0, text };

	if (text)
		batch_write_info(out, &field, 1);
}

void run_facts_write_number(GByteArray *out, unsigned id, uint64_t number)
{
	const InfoField field = { (uint16_t)id, number, NULL };

	batch_write_info(out, &field, 1);
}

void run_facts_write_points(GByteArray *out, const GString *lines, const char *value_name,
			    const char *missing)
{
	batch_write_text(out, KMT_BATCH_POINTS, 0, lines->str, lines->len);
	run_facts_write_text(out, KMT_FIELD_VALUE_NAME, value_name);
	run_facts_write_text(out, KMT_FIELD_POINTS_MISSING, missing);
}

static void write_pids(GByteArray *out, const GArray *pids)
{
	GString *list = g_string_new(NULL);

	for (guint i = 0; pids && i < pids->len; i++) {
		if (i)
			g_string_append_c(list, ',');
		g_string_append_printf(list, "%u", g_array_index(pids, guint32, i));
	}
	if (list->len)
		run_facts_write_text(out, KMT_FIELD_SCOPE_PIDS, list->str);
	g_string_free(list, TRUE);
}

/* Writes what the hits of probe points are, as far as it is known before they are found. */
static void write_preset(GByteArray *out, const CollectRequest *request)
{
	static const char *const units[] = {
		[PRESET_UNIT_BYTES] = "bytes",
		[PRESET_UNIT_PAGES] = "pages",
		[PRESET_UNIT_NS] = "ns",
	};
	const Preset *preset = request->what.preset;
	g_autofree char *columns =
		preset->view == PRESET_LIST ? g_strjoinv("\t", preset->columns) : NULL;

	run_facts_write_text(out, KMT_FIELD_COLUMNS, columns);
	run_facts_write_text(out, KMT_FIELD_EVENTS, preset->name);
	run_facts_write_text(out, KMT_FIELD_POINTS_NOUN, preset->noun);
	run_facts_write_text(out, KMT_FIELD_POINTS_TITLE, preset->title);
	run_facts_write_text(out, KMT_FIELD_VALUE_UNIT, units[preset->unit]);
	run_facts_write_number(out, KMT_FIELD_USER_DEPTH, request->what.user_depth);
	run_facts_write_text(out, KMT_FIELD_RANK, request->labels.rank);
	run_facts_write_text(out, KMT_FIELD_KEYS, request->labels.keys);
	if (request->what.user_stack_bytes)
		run_facts_write_number(out, KMT_FIELD_USER_STACK_BYTES,
				       request->what.user_stack_bytes);
}

/* Writes which allocations the probes see. */
static void write_allocators(GByteArray *out, unsigned kinds)
{
	g_autofree char *events = probe_kinds_names(kinds);
	g_autoptr(GString) covered = g_string_new(NULL), not_covered = g_string_new(NULL);

	append_covered(covered, kinds);
	append_covered(not_covered, ~kinds);
	for (size_t i = 0; i < G_N_ELEMENTS(never_covered); i++)
		append_item(not_covered, never_covered[i]);
	run_facts_write_text(out, KMT_FIELD_EVENTS, events);
	run_facts_write_text(out, KMT_FIELD_COVERED, covered->str);
	run_facts_write_text(out, KMT_FIELD_NOT_COVERED, not_covered->str);
}

void run_facts_write_start(GByteArray *out, const CollectRequest *request, const char *collector,
			   uint64_t buffer_bytes)
{
	g_autofree char *program = g_strconcat(g_get_prgname(), " ", PACKAGE_VERSION, NULL);
	g_autofree char *command =
		request->command.words ? command_quote(request->command.words) : NULL;
	const InfoField fields[] = {
		{ KMT_FIELD_PROGRAM, 0, program },
		{ KMT_FIELD_COLLECTOR, 0, collector },
		{ KMT_FIELD_SCOPE, 0, scope_text(request) },
		{ KMT_FIELD_STACK_DEPTH, request->what.stack_depth, NULL },
		{ KMT_FIELD_WITH_INTERRUPTS, request->whose.with_interrupts, NULL },
		{ KMT_FIELD_SELF_INCLUDED, request->whose.include_self, NULL },
		{ KMT_FIELD_SAMPLING_PERIOD, request->what.sampling_period, NULL },
		{ KMT_FIELD_OVERHEAD_PERCENT_MAX, request->bounds.overhead_percent_max, NULL },
		/* Counting begins when the probes are live or the command runs. */
		{ KMT_FIELD_WINDOW_START_NS, UINT64_MAX, NULL },
	};

	batch_write_info(out, fields, G_N_ELEMENTS(fields));
	if (request->what.preset)
		write_preset(out, request);
	else
		write_allocators(out, request->what.events);
	if (request->what.held)
		run_facts_write_number(out, KMT_FIELD_HELD, 1);
	run_facts_write_text(out, KMT_FIELD_COMMAND_LINE, request->labels.command_line);
	run_facts_write_text(out, KMT_FIELD_COMMAND, command);
	write_pids(out, request->whose.pids);
	run_facts_write_number(out, KMT_FIELD_BUFFER_BYTES, buffer_bytes);
}

void run_facts_write_load(GByteArray *out, const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/loadavg", NULL);
	g_autofree char *text = NULL;
	const InfoField clocks[] = {
		{ KMT_FIELD_MONOTONIC_NS, clock_monotonic_ns(), NULL },
		{ KMT_FIELD_REALTIME_NS, (uint64_t)g_get_real_time() * 1000, NULL },
	};

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	batch_write_info(out, clocks, G_N_ELEMENTS(clocks));
	run_facts_write_text(out, KMT_FIELD_LOAD_AVERAGE, g_strchomp(text));
}

void run_facts_write_end(GByteArray *out, const RunLosses *losses, const CollectOutcome *outcome,
			 const char *bound)
{
	const InfoField fields[] = {
		{ KMT_FIELD_SKIPPED, losses->skipped, NULL },
		{ KMT_FIELD_TRANSPORT_LOST, losses->transport_lost, NULL },
		{ KMT_FIELD_DAMAGED_BYTES, losses->damaged_bytes, NULL },
	};

	batch_write_info(out, fields, G_N_ELEMENTS(fields));
	/* For a drained module without counters, only the batches are known. */
	if (losses->counted_to_end || !losses->drained)
		run_facts_write_number(out, KMT_FIELD_COUNTED_TO_END, losses->counted_to_end);
	run_facts_write_text(out, KMT_FIELD_BOUND, bound);
	if (outcome->command_ended)
		run_facts_write_number(out, KMT_FIELD_COMMAND_STATUS,
				       (unsigned)outcome->command_status);
	run_facts_write_number(out, KMT_FIELD_COMPLETE, 1);
}
