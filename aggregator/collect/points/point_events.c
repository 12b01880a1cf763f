/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of finders, one for each kind of probe, and what all of them use: new events, errors,
 * nearest names. point_set.c calls it for each alternative of a point.
 */
#include "collect/points/point_events.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "collect/points/point_find.h"

#include <gio/gio.h>
#include <stdarg.h>
#include <unistd.h>

static const PointFinder finders[] = {
	[PROBE_TRACEPOINT] = point_find_tracepoints,
	[PROBE_SOFTWARE] = point_find_software,
	[PROBE_KPROBE] = point_find_functions,
	[PROBE_KRETPROBE] = point_find_functions,
	[PROBE_UPROBE] = point_find_symbols,
	[PROBE_URETPROBE] = point_find_symbols,
	[PROBE_USDT] = point_find_usdt,
};

void point_event_free(void *data)
{
	PointEvent *event = data;

	if (!event)
		return;
	tracepoint_format_free(event->format);
	function_types_free(event->types);
	if (event->file > 0)
		close(event->file);
	g_free(event->config1);
	g_free(event->name);
	g_free(event->arguments);
	g_free(event);
}

PointEvent *point_events_add(GPtrArray *events, const ProbeSpec *spec, uint32_t type)
{
	PointEvent *event = g_new0(PointEvent, 1);

	event->probe = spec->type;
	event->type = type;
	event->name = g_strdup(spec->text);
	g_ptr_array_add(events, event);
	return event;
}

bool point_fail(const ProbeSpec *spec, int code, GError **error, const char *format, ...)
{
	g_autoptr(GString) shown = g_string_new(NULL);
	g_autofree char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	escape_append(shown, spec->text);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", shown->str, text);
	return false;
}

bool point_fail_nearest(const ProbeSpec *spec, const char *problem, const GPtrArray *names,
			const char *wanted, const char *advice, GError **error)
{
	g_autoptr(GString) hint = g_string_new("nearest: ");
	g_autoptr(Nearest) nearest = nearest_new(wanted);

	for (guint i = 0; i < names->len; i++)
		nearest_offer(nearest, names->pdata[i], names->pdata[i]);
	if (!nearest_append(nearest, hint))
		g_string_assign(hint, advice);
	return point_fail(spec, G_IO_ERROR_NOT_FOUND, error, "%s; %s", problem, hint->str);
}

GPtrArray *point_events_find(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(point_event_free);
	PointFinder find = (guint)spec->type < G_N_ELEMENTS(finders) ? finders[spec->type] : NULL;

	if (!find) {
		point_fail(spec, G_IO_ERROR_NOT_SUPPORTED, error,
			   "only SystemTap knows this spelling: use --collector=stap");
		return NULL;
	}
	return find(host, spec, events, error) ? g_steal_pointer(&events) : NULL;
}

void point_event_attr(const PointEvent *event, struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = (uint64_t)(uintptr_t)event->config1;
	attr->config2 = event->config2;
}
