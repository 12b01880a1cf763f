/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The finder of functions and USDT probes of programs and libraries: perf_event_attr.uprobe_path
 * with probe_offset, which is one in the file (create_local_trace_uprobe() in
 * kernel/trace/trace_uprobe.c). Processes that map the file later are probed, too.
 * program_symbols.c reads the file.
 */
#include "collect/points/point_find.h"

#include "collect/points/point_pmu.h"
#include "collect/points/program_file.h"
#include "collect/points/program_symbols.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/* A file in which a probe is looked up. */
typedef struct {
	PointPmu pmu;
	const ProbeSpec *spec;
	char *path;              /* owned */
	ProgramSymbols *symbols; /* owned */
} File;

static bool file_open(File *file, const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autoptr(GError) cause = NULL;

	*file = (File){ .spec = spec };
	if (!point_pmu_read(host->root, "uprobe", &file->pmu))
		return point_fail(spec, G_IO_ERROR_NOT_SUPPORTED, error,
				  "perf cannot probe programs on this kernel: boot Linux 4.17 or "
				  "later with CONFIG_UPROBE_EVENTS");
	file->path = program_file_find(host, spec, error);
	if (!file->path)
		return false;
	file->symbols = program_symbols_read(file->path, host->root, spec, &cause);
	return file->symbols || point_fail(spec, cause->code, error, "%s", cause->message);
}

static void file_close(File *file)
{
	program_symbols_free(file->symbols);
	g_free(file->path);
}

static PointEvent *add_event(const File *file, uint64_t offset, GPtrArray *events)
{
	PointEvent *event = point_events_add(events, file->spec, file->pmu.type);

	event->is_return = file->spec->type == PROBE_URETPROBE;
	event->config = (uint64_t)event->is_return << file->pmu.retprobe;
	/* Names the file by its place, for all processes of the program. It stays the one whose
	   symbols were read, and looking it up asks no file system: that may not answer any more.
	 */
	event->file = fcntl(file->symbols->file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	event->config1 = event->file < 0
				 ? g_strdup(file->path)
				 : g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), event->file);
	event->config2 = offset;
	event->runs_in_user = true;
	event->needs_registers = true;
	return event;
}

/* Symbols. */

static bool fail_symbol(const File *file, GError **error)
{
	if (!file->symbols->names->len)
		return point_fail(file->spec, G_IO_ERROR_NOT_FOUND, error,
				  "this file has no symbols: install its debuginfo, or name an "
				  "address, like 0x1234");
	return point_fail_nearest(file->spec, "this file has no such function, or inlined it",
				  file->symbols->names, file->spec->name,
				  "install its debuginfo, or probe a function that calls it",
				  error);
}

/* The implementations are called like the function, with something before and after. */
static bool fail_indirect(const File *file, GError **error)
{
	const GPtrArray *all = file->symbols->names;
	g_autoptr(GPtrArray) others = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++)
		if (strcmp(all->pdata[i], file->spec->name) != 0)
			g_ptr_array_add(others, all->pdata[i]);
	return point_fail_nearest(file->spec,
				  "the loader chooses one of several implementations of this "
				  "function: probe that instead (their names need debuginfo)",
				  others, file->spec->name, "install the file's debuginfo", error);
}

static bool add_place(const File *file, const ProgramPlace *place, GPtrArray *events,
		      GError **error)
{
	if (!place->has_offset)
		return point_fail(file->spec, G_IO_ERROR_INVALID_ARGUMENT, error,
				  "the file has no code at address 0x%" G_GINT64_MODIFIER
				  "x: name one of `objdump -d`",
				  place->address);
	add_event(file, place->offset, events);
	return true;
}

static bool add_function(const File *file, const ProgramPlace *function, GPtrArray *events,
			 GError **error)
{
	PointEvent *event;

	if (function->bytes && file->spec->offset >= function->bytes)
		return point_fail(file->spec, G_IO_ERROR_INVALID_ARGUMENT, error,
				  "the function has only %" G_GUINT64_FORMAT
				  " bytes: name a smaller offset",
				  function->bytes);
	if (!add_place(file, function, events, error))
		return false;
	event = events->pdata[events->len - 1];
	event->is_entry = !file->spec->offset && !event->is_return;
	return true;
}

static bool find_symbol(const File *file, GPtrArray *events, GError **error)
{
	const GArray *places = file->symbols->places;
	uint64_t address;

	if (!places->len)
		return fail_symbol(file, error);
	if (program_symbols_address(file->spec->name, &address))
		return add_place(file, &g_array_index(places, ProgramPlace, 0), events, error);
	for (guint i = 0; i < places->len; i++) {
		const ProgramPlace *function = &g_array_index(places, ProgramPlace, i);

		if (function->is_indirect)
			return fail_indirect(file, error);
		if (!add_function(file, function, events, error))
			return false;
	}
	return true;
}

bool point_find_symbols(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			GError **error)
{
	File file;
	bool found = file_open(&file, host, spec, error) && find_symbol(&file, events, error);

	file_close(&file);
	return found;
}

/* USDT. */

static bool fail_usdt(const File *file, const GPtrArray *sites, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *wanted = g_strdup_printf("%s:%s", file->spec->group, file->spec->name);

	if (!sites->len)
		return point_fail(file->spec, G_IO_ERROR_NOT_FOUND, error,
				  "this file was built without USDT probes: probe a function (u:)");
	for (guint i = 0; i < sites->len; i++) {
		const UsdtSite *site = sites->pdata[i];
		char *name = g_strdup_printf("%s:%s", site->provider, site->name);

		if (g_hash_table_contains(seen, name)) {
			g_free(name);
			continue;
		}
		g_hash_table_add(seen, name);
		g_ptr_array_add(names, name);
	}
	return point_fail_nearest(file->spec, "this file has no such USDT probe", names, wanted,
				  "--list shows those that it has", error);
}

static bool add_site(const File *file, const UsdtSite *site, GPtrArray *events, GError **error)
{
	const PointPmu *pmu = &file->pmu;
	uint64_t semaphore = site->semaphore_offset;
	PointEvent *event;

	if (events->len >= POINT_EVENTS_MAX)
		return point_fail(file->spec, G_IO_ERROR_INVALID_ARGUMENT, error,
				  "the file has more than %u places of this probe: probe a "
				  "function (u:)",
				  POINT_EVENTS_MAX);
	event = add_event(file, site->offset, events);
	event->arguments = g_strdup(site->arguments);
	if (!semaphore)
		return true;
	if (!pmu->ref_ctr_bits || (pmu->ref_ctr_bits < 64 && semaphore >> pmu->ref_ctr_bits))
		return point_fail(file->spec, G_IO_ERROR_NOT_SUPPORTED, error,
				  "this kernel cannot switch the probe on (it has a semaphore): "
				  "boot Linux 4.20 or later");
	/* The kernel counts the semaphore up at this file offset. */
	event->config |= semaphore << pmu->ref_ctr;
	return true;
}

static bool find_usdt(const File *file, GPtrArray *events, GError **error)
{
	const GPtrArray *sites = file->symbols->sites;

	for (guint i = 0; i < sites->len; i++) {
		const UsdtSite *site = sites->pdata[i];

		if (g_str_equal(site->provider, file->spec->group) &&
		    g_str_equal(site->name, file->spec->name) &&
		    !add_site(file, site, events, error))
			return false;
	}
	return events->len || fail_usdt(file, sites, error);
}

bool point_find_usdt(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
		     GError **error)
{
	File file;
	bool found = file_open(&file, host, spec, error) && find_usdt(&file, events, error);

	file_close(&file);
	return found;
}
