/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a probe point to events of perf, by a table of finders, one for each kind of probe. Here are
 * those of functions. Of the kernel: perf_event_attr.kprobe_func with probe_offset, or kprobe_addr
 * (create_local_trace_kprobe() in kernel/trace/trace_kprobe.c); names come from kallsyms, read once
 * for each point. Of programs and libraries, and of their USDT probes: uprobe_path with
 * probe_offset, which is one in the file (create_local_trace_uprobe() in
 * kernel/trace/trace_uprobe.c); processes that map the file later are probed, too. point_set.c
 * calls it for each alternative of a point.
 */
#include "collect/points/point_events.h"

#include "base/text_part.h"
#include "collect/points/point_find.h"
#include "collect/points/program_symbols.h"
#include "symbols/symbol_list.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/*
 * The PMUs of dynamic probes, "kprobe" and "uprobe", in /sys/bus/event_source/devices (since 4.17).
 */
typedef struct {
	uint32_t type;     /* for perf_event_attr.type */
	unsigned retprobe; /* bit of config that asks for returns */
	unsigned ref_ctr;  /* lowest bit of config of a semaphore's file offset (since 4.20) ... */
	unsigned ref_ctr_bits; /* ... and its bits; 0: the kernel does not know semaphores */
} Pmu;

enum { CONFIG_BITS = 64 };

/* Returns a file of the PMU; NULL: there is none. */
static char *read_file(const char *root, const char *pmu, const char *file)
{
	g_autofree char *path =
		g_strdup_printf("%s/sys/bus/event_source/devices/%s/%s", root, pmu, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strstrip(text) : NULL;
}

static bool read_number(const char *text, size_t length, uint64_t *number)
{
	return text_part_decimal((TextPart){ text, length }, number);
}

/* Reads "config:LOW-HIGH" or "config:BIT". Returns the number of bits; 0: none. */
static unsigned read_bits(const char *root, const char *pmu, const char *field, unsigned *low)
{
	g_autofree char *file = g_strconcat("format/", field, NULL);
	g_autofree char *text = read_file(root, pmu, file);
	uint64_t first, last;
	const char *range, *dash;

	if (!text || !g_str_has_prefix(text, "config:"))
		return 0;
	range = text + strlen("config:");
	dash = strchr(range, '-');
	if (!read_number(range, dash ? (size_t)(dash - range) : strlen(range), &first))
		return 0;
	last = first;
	if ((dash && !read_number(dash + 1, strlen(dash + 1), &last)) || last < first ||
	    last >= CONFIG_BITS)
		return 0;
	*low = (unsigned)first;
	return (unsigned)(last - first + 1);
}

/* Reads a PMU below root ("": this host's). Returns false if the kernel does not have it. */
static bool pmu_read(const char *root, const char *name, Pmu *pmu)
{
	g_autofree char *text = read_file(root, name, "type");
	uint64_t type;

	*pmu = (Pmu){ 0 };
	if (!text || !read_number(text, strlen(text), &type))
		return false;
	pmu->type = (uint32_t)type;
	pmu->ref_ctr_bits = read_bits(root, name, "ref_ctr_offset", &pmu->ref_ctr);
	return read_bits(root, name, "retprobe", &pmu->retprobe) == 1;
}

/* Functions of the kernel. */

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
static void keep_function(Functions *functions, const KallsymsLine *line)
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
			keep_function(functions, &parsed);
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
static PointEvent *add_kernel_event(const Pmu *pmu, const ProbeSpec *spec, uint64_t address,
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

static bool find_function(const PointHost *host, const Pmu *pmu, const ProbeSpec *spec,
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
		PointEvent *event = add_kernel_event(pmu, spec, 0, events);

		/* Arguments are at a function's entry; the types of functions of one name may
		   differ. */
		if (!spec->offset)
			event->types = function_types_read(host->root, spec->name);
		return true;
	}
	/* The kernel finds one function by its name, and refuses a name of several (since 6.7). */
	for (guint i = 0; i < MIN(addresses->len, (guint)POINT_EVENTS_MAX); i++)
		add_kernel_event(pmu, spec, g_array_index(addresses, uint64_t, i), events);
	return true;
}

static bool find_functions(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			   GError **error)
{
	Functions functions = { 0 };
	Pmu pmu;
	bool found;

	if (!pmu_read(host->root, "kprobe", &pmu))
		return point_fail(
			spec, G_IO_ERROR_NOT_SUPPORTED, error,
			"this kernel has no function probes for perf (CONFIG_KPROBE_EVENTS, "
			"from Linux 4.17 on): probe a tracepoint, or boot one that has them");
	functions_read(&functions, host->root, spec->name);
	found = find_function(host, &pmu, spec, &functions, events, error);
	g_array_unref(functions.addresses);
	g_ptr_array_unref(functions.names);
	g_free(functions.text);
	return found;
}

/* Functions and USDT probes of programs. */

/* A file in which a probe is looked up. */
typedef struct {
	Pmu pmu;
	const ProbeSpec *spec;
	char *path;              /* owned */
	ProgramSymbols *symbols; /* owned */
} File;

static bool file_open(File *file, const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autoptr(GError) cause = NULL;

	*file = (File){ .spec = spec };
	if (!pmu_read(host->root, "uprobe", &file->pmu))
		return point_fail(
			spec, G_IO_ERROR_NOT_SUPPORTED, error,
			"this kernel has no program probes for perf (CONFIG_UPROBE_EVENTS, "
			"from Linux 4.17 on): boot one that has them");
	file->path = program_file_find(host, spec, error);
	if (!file->path)
		return false;
	file->symbols = program_symbols_read(file->path, host->root, spec, &cause);
	return file->symbols || point_fail(spec, cause->code, error, "%s", cause->message);
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
	const GPtrArray *names = file->symbols->names;
	uint64_t address;

	if (!places->len && !names->len)
		return point_fail(file->spec, G_IO_ERROR_NOT_FOUND, error,
				  "this file has no symbols: install its debuginfo, or name an "
				  "address, like 0x1234");
	if (!places->len)
		return point_fail_nearest(
			file->spec, "this file has no such function, or inlined it", names,
			file->spec->name,
			"install its debuginfo, or probe a function that calls it", error);
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

static bool fail_usdt(const File *file, const GPtrArray *sites, GError **error)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *wanted = g_strdup_printf("%s:%s", file->spec->group, file->spec->name);
	g_autofree char *advice = NULL;

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
	advice = point_first_names("it", names);
	return point_fail_nearest(file->spec, "this file has no such USDT probe", names, wanted,
				  advice, error);
}

static bool add_site(const File *file, const UsdtSite *site, GPtrArray *events, GError **error)
{
	const Pmu *pmu = &file->pmu;
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

static bool find_sites(const File *file, GPtrArray *events, GError **error)
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

static bool find_in_program(const PointHost *host, const ProbeSpec *spec, GPtrArray *events,
			    GError **error)
{
	File file;
	bool found = file_open(&file, host, spec, error) &&
		     (spec->type == PROBE_USDT ? find_sites(&file, events, error)
					       : find_symbol(&file, events, error));

	program_symbols_free(file.symbols);
	g_free(file.path);
	return found;
}

/* Events. */

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

/* By the kind of probe. */
static const PointFinder finders[] = {
	[PROBE_TRACEPOINT] = point_find_tracepoints,
	[PROBE_SOFTWARE] = point_find_software,
	[PROBE_KPROBE] = find_functions,
	[PROBE_KRETPROBE] = find_functions,
	[PROBE_UPROBE] = find_in_program,
	[PROBE_URETPROBE] = find_in_program,
	[PROBE_USDT] = find_in_program,
};

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
