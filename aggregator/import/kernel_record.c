/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the kernel's own records of held objects (--import), by a const table: the running kernel's
 * file, a copy, or a folder with a file for each cache. Reads one or two readings through their
 * importer into the session.
 */
#include "import/kernel_record.h"

#include "record/format.h"
#include "base/clock.h"
#include "base/sorted.h"
#include "base/trusted_file.h"
#include "import/import_types.h"
#include "import/input.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The latter is the file of kernels before 5.14, in /sys/kernel/slab/CACHE. */
static const char *const cache_files[] = { "alloc_traces", "alloc_calls", NULL };

const KernelRecord kernel_records[] = {
	{ "alloc_traces", &import_alloc_traces, "/sys/kernel/debug/slab",
	  "it needs Linux 5.14, booted with slab_debug=U (slub_debug=U before 6.9)", cache_files },
	{ "allocinfo", &import_allocinfo, "/proc/allocinfo",
	  "it needs Linux 6.10, built with CONFIG_MEM_ALLOC_PROFILING, and booted with "
	  "sysctl.vm.mem_profiling=1",
	  NULL },
	{ "page_owner", &import_page_owner, "/sys/kernel/debug/page_owner",
	  "it needs a kernel built with CONFIG_PAGE_OWNER, and booted with page_owner=on", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

const KernelRecord *kernel_record_lookup(const char *name)
{
	for (const KernelRecord *record = kernel_records; record->name; record++)
		if (g_str_equal(record->name, name))
			return record;
	return NULL;
}

char *kernel_record_names(void)
{
	GString *names = g_string_new(NULL);

	for (const KernelRecord *record = kernel_records; record->name; record++)
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", record->name);
	return g_string_free(names, FALSE);
}

static void set_cache(HeldRecord *record, const char *name)
{
	size_t length = strlen(name);

	memset(&record->cache, 0, sizeof(record->cache));
	if (length > KMT_CACHE_NAME_BYTES_MAX)
		return;
	memcpy(record->cache.name, name, length);
	record->cache.name_bytes = (uint16_t)length;
}

enum { SIZE_BYTES_MAX = 4096 }; /* of a file object_size, as sysfs shows its length */

/* Returns the number in a file object_size, as in /sys/kernel/slab/CACHE; 0: no such file. */
static uint32_t object_bytes_in(const char *folder, const char *cache)
{
	g_autofree char *path = g_build_filename(folder, cache, "object_size", NULL);
	g_autofree char *text = regular_file_text(path, SIZE_BYTES_MAX);

	return text ? (uint32_t)MIN(g_ascii_strtoull(text, NULL, 10), UINT32_MAX) : 0;
}

/* A jiffy of this kernel is as long as a step of its coarse clock. */
static uint64_t own_tick_ns(void)
{
	struct timespec step;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &step))
		return 0;
	return (uint64_t)step.tv_sec * NS_PER_SECOND + (uint64_t)step.tv_nsec;
}

/* "CACHE.alloc_traces" */
static bool has_cache_suffix(const char *file)
{
	const char *dot = strrchr(file, '.');

	return dot && g_strv_contains(cache_files, dot + 1);
}

void kernel_record_describe(const char *path, HeldRecord *record)
{
	g_autofree char *resolved = realpath(path, NULL);
	const char *whole = resolved ? resolved : path;
	g_autofree char *file = g_path_get_basename(whole);
	g_autofree char *folder = g_path_get_dirname(whole);
	g_autofree char *folder_name = g_path_get_basename(folder);

	record->tick_ns = own_tick_ns();
	if (g_strv_contains(cache_files, file)) {
		set_cache(record, folder_name);
		record->cache.object_bytes = object_bytes_in(folder, "");
	} else if (has_cache_suffix(file)) {
		*strrchr(file, '.') = '\0';
		set_cache(record, file);
	}
}

/* One reading: a file, or a folder with a file for each cache. */
typedef struct {
	const KernelRecordRequest *request;
	const char *path;
	bool is_live; /* of the running kernel */
	Session *session;
} Reading;

static bool fail_absent(const KernelRecord *record, const char *path, int code, GError **error)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s: %s", path,
		    g_strerror(code),
		    code == EACCES || code == EPERM ? "run it as root (sudo)" : record->remedy);
	return false;
}

static char *live_path(const KernelRecordRequest *request)
{
	return g_strconcat(request->root, request->record->path, NULL);
}

static bool is_live(const KernelRecordRequest *request, const char *path)
{
	g_autofree char *live = live_path(request);

	return g_str_has_prefix(path, live);
}

/* Returns what a reading of this path says about a cache's object size; 0: unknown. */
static uint32_t object_bytes_near(const KernelRecordRequest *request, const char *path,
				  const char *cache)
{
	g_autofree char *live_sizes = g_strconcat(request->root, "/sys/kernel/slab", NULL);
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *parent = g_path_get_dirname(path);
	uint32_t bytes;

	if (is_live(request, path))
		return object_bytes_in(live_sizes, cache);
	bytes = object_bytes_in(path, cache);
	if (bytes)
		return bytes;
	/* The folder of one cache, or the file in it. */
	return object_bytes_in(g_strv_contains(cache_files, name) ? parent : path, "");
}

/* Both readings use one size, from where there is one: else each object would seem to change. */
static uint32_t object_bytes_of(const KernelRecordRequest *request, const char *cache)
{
	g_autofree char *live = live_path(request);
	const char *first = request->files[0] ? request->files[0] : live;
	uint32_t bytes = object_bytes_near(request, first, cache);

	if (!bytes && request->files[1])
		bytes = object_bytes_near(request, request->files[1], cache);
	return bytes;
}

/* Describes a file for its importer. */
static void describe(const Reading *reading, const char *path)
{
	const KernelRecordRequest *request = reading->request;
	HeldRecord *held = &reading->session->held_record;

	*held = (HeldRecord){ 0 };
	kernel_record_describe(path, held);
	held->is_compared = request->files[1] != NULL;
	if (request->record->per_cache)
		held->cache.object_bytes = object_bytes_of(request, held->cache.name);
	if (request->hz)
		held->tick_ns = NS_PER_SECOND / request->hz;
	if (!reading->is_live)
		return;
	session_set_number(reading->session, KMT_FIELD_PAGE_BYTES, (uint64_t)sysconf(_SC_PAGESIZE));
	/* page_owner's times are on the scheduler's clock, which differs from this one by less than
	   the time of the kernel's start. */
	held->now_ns = clock_monotonic_ns();
}

/* is_found: in a folder, whose files were named by somebody else. */
static bool read_file(const Reading *reading, const char *path, bool is_found, GError **error)
{
	const KernelRecord *record = reading->request->record;

	if (reading->is_live && access(path, R_OK))
		return fail_absent(record, path, errno, error);
	describe(reading, path);
	return input_read_text(path, is_found, record->type, reading->session, error);
}

/* Returns the file of a cache in its folder; NULL: none. The caller frees it. */
static char *file_in(const KernelRecord *record, const char *folder)
{
	for (const char *const *name = record->per_cache; name && *name; name++) {
		g_autofree char *path = g_build_filename(folder, *name, NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&path);
	}
	return NULL;
}

/* Returns the file of a folder's entry: "ENTRY/alloc_traces", or the entry "CACHE.alloc_traces";
   NULL: neither. The caller frees it. */
static char *file_of_entry(const Reading *reading, const char *entry)
{
	g_autofree char *path = g_build_filename(reading->path, entry, NULL);
	char *below = file_in(reading->request->record, path);

	return !below && has_cache_suffix(entry) ? g_steal_pointer(&path) : below;
}

/* Returns the names in a folder, sorted, NULL with error set if it cannot be read. */
static GPtrArray *entries_of(const char *path, GError **error)
{
	g_autoptr(GDir) folder = g_dir_open(path, 0, error);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	if (!folder)
		return NULL;
	while ((name = g_dir_read_name(folder)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, sorted_compare_texts);
	return g_steal_pointer(&names);
}

static bool read_folder(const Reading *reading, GError **error)
{
	const KernelRecord *record = reading->request->record;
	g_autoptr(GPtrArray) entries = entries_of(reading->path, error);
	unsigned files = 0;

	for (guint i = 0; entries && i < entries->len && !reading->session->enough; i++) {
		g_autofree char *path = file_of_entry(reading, entries->pdata[i]);

		if (path && !read_file(reading, path, true, error))
			return false;
		files += path != NULL;
	}
	if (!entries || files)
		return entries != NULL;
	if (reading->is_live)
		return fail_absent(record, reading->path, ENODATA, error);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
		    "%s: it has no CACHE/%s and no CACHE.%s: give a copy of %s", reading->path,
		    *record->per_cache, *record->per_cache, record->path);
	return false;
}

static bool read_path(const Reading *reading, GError **error)
{
	const KernelRecord *record = reading->request->record;
	g_autofree char *own_file = file_in(record, reading->path);
	g_autofree char *foreign = foreign_folder_find(reading->path);

	if (foreign) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, foreign);
		return false;
	}

	if (reading->is_live && access(reading->path, F_OK))
		return fail_absent(record, reading->path, errno, error);
	if (!record->per_cache || !g_file_test(reading->path, G_FILE_TEST_IS_DIR))
		return read_file(reading, reading->path, false, error);
	/* The folder of one cache. */
	if (own_file)
		return read_file(reading, own_file, true, error);
	return read_folder(reading, error);
}

/* file: NULL: the running kernel's */
static bool read_reading(const KernelRecordRequest *request, const char *file, Session *session,
			 GError **error)
{
	g_autofree char *live = live_path(request);
	const Reading reading = {
		.request = request,
		.path = file ? file : live,
		.is_live = is_live(request, file ? file : live),
		.session = session,
	};

	return read_path(&reading, error);
}

/* Whether the difference can be wrong. */
static bool check_difference(const Session *session, GError **error)
{
	if (session->enough || session->cut_short)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT,
			    "a reading was not read to its end: no difference can be shown");
	else if (session->held_totals.over_bound)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
			    "the readings need more memory: use a higher --max-memory");
	else
		return true;
	return false;
}

bool kernel_record_read(const KernelRecordRequest *request, Session *session, GError **error)
{
	bool is_difference = request->files[1] != NULL;

	if (!read_reading(request, request->files[0], session, error))
		return false;
	if (is_difference && !session->enough) {
		session_next_reading(session);
		if (!read_reading(request, request->files[1], session, error))
			return false;
	}
	session_finish(session);
	return !is_difference || check_difference(session, error);
}
