/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The finder of software events, by a const table.
 * point_events.c calls it.
 */
#include "collect/points/point_find.h"

#include "base/unconst.h"

/* Software events of perf. Those that are clocks instead of events (cpu-clock, task-clock) are left
   out: they cannot be counted one by one. */
static const struct SoftwareEvent {
	const char *name; /* as in perf list */
	uint64_t config;
	bool has_address; /* of the memory that was accessed */
} software_events[] = {
	{ "page-faults", PERF_COUNT_SW_PAGE_FAULTS, true },
	{ "minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN, true },
	{ "major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ, true },
	{ "context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, false },
	{ "cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS, false },
	{ "alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS, true },
	{ "emulation-faults", PERF_COUNT_SW_EMULATION_FAULTS, true },
};

static bool fail_unknown(const ProbeSpec *spec, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GString) known = g_string_new("known: ");

	for (guint i = 0; i < G_N_ELEMENTS(software_events); i++) {
		g_ptr_array_add(names, unconst(software_events[i].name));
		g_string_append_printf(known, "%s%s", i ? ", " : "", software_events[i].name);
	}
	return point_fail_nearest(spec, "no software event has this name", names, spec->name,
				  known->str, error);
}

bool point_find_software(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			 GError **error)
{
	(void)host;
	for (guint i = 0; i < G_N_ELEMENTS(software_events); i++) {
		const struct SoftwareEvent *known = &software_events[i];
		PointEvent *event;

		if (!g_str_equal(known->name, spec->name))
			continue;
		event = point_events_add(events, spec, PERF_TYPE_SOFTWARE);
		event->config = known->config;
		event->runs_in_user = true;
		event->has_kernel_stack = true;
		event->has_address = known->has_address;
		return true;
	}
	return fail_unknown(spec, error);
}
