/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A private folder of compiled modules: looked up by name, stored by rename, the oldest dropped.
 * Every file is checked to be only ours to write, as root loads it. stap_build.c is its user; work
 * folders are registered with the watchdog.
 */
#include "collect/stap/module_cache.h"

#include "process/watchdog.h"
#include "base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define ROOT_FOLDER "/var/cache/kmalloc-top"
#define MODULE_PREFIX "kmt_"
#define WORK_PREFIX "work-"

struct ModuleCache {
	char *folder;
};

static bool fail_errno(GError **error, const char *path, const char *doing)
{
	int code = errno;

	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s: %s", path, doing,
		    g_strerror(code));
	return false;
}

/* Whether only this user can change the file. */
static bool is_private(const struct stat *status, mode_t type)
{
	return (status->st_mode & S_IFMT) == type && status->st_uid == geteuid() &&
	       !(status->st_mode & (S_IRWXG | S_IRWXO));
}

static bool check_folder(const char *folder, GError **error)
{
	struct stat status;

	if (lstat(folder, &status) < 0)
		return fail_errno(error, folder, "looking at the module cache");
	if (is_private(&status, S_IFDIR))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
		    "%s is not a private folder of this user (mode 0700): remove it to create a "
		    "new one",
		    folder);
	return false;
}

static char *default_folder(void)
{
	if (geteuid() == 0)
		return g_strdup(ROOT_FOLDER);
	return g_build_filename(g_get_user_cache_dir(), "kmalloc-top", NULL);
}

ModuleCache *module_cache_open(const char *folder, GError **error)
{
	g_autoptr(ModuleCache) cache = g_new0(ModuleCache, 1);
	g_autofree char *parent = NULL;

	cache->folder = folder ? g_strdup(folder) : default_folder();
	parent = g_path_get_dirname(cache->folder);
	if (g_mkdir_with_parents(parent, 0755) < 0 ||
	    (g_mkdir(cache->folder, 0700) < 0 && errno != EEXIST)) {
		fail_errno(error, cache->folder, "making the module cache");
		return NULL;
	}
	if (!check_folder(cache->folder, error))
		return NULL;
	return g_steal_pointer(&cache);
}

void module_cache_free(ModuleCache *cache)
{
	if (!cache)
		return;
	g_free(cache->folder);
	g_free(cache);
}

const char *module_cache_folder(const ModuleCache *cache)
{
	return cache->folder;
}

ModuleCache *module_cache_look(const char *folder, GError **error)
{
	g_autoptr(ModuleCache) cache = g_new0(ModuleCache, 1);

	cache->folder = folder ? g_strdup(folder) : default_folder();
	if (g_file_test(cache->folder, G_FILE_TEST_EXISTS) && !check_folder(cache->folder, error))
		return NULL;
	return g_steal_pointer(&cache);
}

static char *entry_file(const char *entry, const char *name, const char *suffix)
{
	g_autofree char *base = g_strconcat(name, suffix, NULL);

	return g_build_filename(entry, base, NULL);
}

static char *hash_of(const char *bytes, gsize length)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, length);

	return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x\n",
			       (guint64)hash.high64, (guint64)hash.low64);
}

/* Returns the content of a regular file that only this user can change, or NULL. */
static char *read_private(const char *path, gsize *length)
{
	struct stat status;
	char *bytes = NULL;

	if (lstat(path, &status) < 0 || !is_private(&status, S_IFREG))
		return NULL;
	return g_file_get_contents(path, &bytes, length, NULL) ? bytes : NULL;
}

static bool is_sound(const char *entry, const char *name)
{
	g_autofree char *module = entry_file(entry, name, ".ko");
	g_autofree char *note = entry_file(entry, name, ".hash");
	g_autofree char *bytes = NULL;
	g_autofree char *noted = NULL;
	g_autofree char *hash = NULL;
	struct stat status;
	gsize length;

	if (lstat(entry, &status) < 0 || !is_private(&status, S_IFDIR))
		return false;
	bytes = read_private(module, &length);
	noted = read_private(note, NULL);
	if (!bytes || !noted)
		return false;
	hash = hash_of(bytes, length);
	return strcmp(hash, noted) == 0;
}

char *module_cache_lookup(ModuleCache *cache, const char *name)
{
	g_autofree char *entry = g_build_filename(cache->folder, name, NULL);
	g_autofree char *note = entry_file(entry, name, ".hash");

	if (!is_sound(entry, name))
		return NULL;
	/* The time of an entry's hash file is the time of its last use. */
	utimensat(AT_FDCWD, note, NULL, AT_SYMLINK_NOFOLLOW);
	return entry_file(entry, name, ".ko");
}

bool module_cache_has(const ModuleCache *cache, const char *name)
{
	g_autofree char *entry = g_build_filename(cache->folder, name, NULL);

	return is_sound(entry, name);
}

static void remove_tree(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		struct stat status;

		if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
			remove_tree(path);
		else
			g_unlink(path);
	}
	g_rmdir(folder);
}

void module_cache_remove_folder(const char *folder)
{
	remove_tree(folder);
	watchdog_withdraw(&(WatchdogItem){ .kind = WATCHDOG_FOLDER, .path = folder });
}

GPtrArray *module_cache_abandoned(const ModuleCache *cache)
{
	GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(cache->folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		gint64 pid;

		if (!g_str_has_prefix(name, WORK_PREFIX))
			continue;
		/* A work folder is abandoned when the process in its name has ended. */
		pid = g_ascii_strtoll(name + strlen(WORK_PREFIX), NULL, 10);
		if (pid <= 0 || pid > G_MAXINT || (kill((pid_t)pid, 0) < 0 && errno == ESRCH))
			g_ptr_array_add(folders, g_build_filename(cache->folder, name, NULL));
	}
	return folders;
}

void module_cache_remove_abandoned(const char *folder)
{
	g_autoptr(ModuleCache) cache = module_cache_look(folder, NULL);
	g_autoptr(GPtrArray) folders = NULL;

	if (!cache)
		return;
	folders = module_cache_abandoned(cache);
	for (guint i = 0; i < folders->len; i++) {
		const char *path = folders->pdata[i];
		g_autoptr(GString) shown = g_string_new(NULL);

		remove_tree(path);
		escape_append(shown, path);
		g_printerr("%s: removed the folder %s of a run that is gone\n", g_get_prgname(),
			   shown->str);
	}
}

char *module_cache_make_folder(ModuleCache *cache, GError **error)
{
	g_autofree char *name = g_strdup_printf(WORK_PREFIX "%d-XXXXXX", (int)getpid());
	g_autofree char *folder = g_build_filename(cache->folder, name, NULL);

	module_cache_remove_abandoned(cache->folder);
	if (!g_mkdtemp(folder)) {
		fail_errno(error, cache->folder, "making a work folder");
		return NULL;
	}
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_FOLDER, .path = folder });
	return g_steal_pointer(&folder);
}

static bool write_whole(int fd, const char *bytes, gsize length)
{
	while (length > 0) {
		ssize_t written = write(fd, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		length -= (gsize)written;
	}
	return fsync(fd) == 0;
}

static bool write_file(const char *path, const char *bytes, gsize length, GError **error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool is_written;

	if (fd < 0)
		return fail_errno(error, path, "making it");
	is_written = write_whole(fd, bytes, length);
	if (!is_written)
		fail_errno(error, path, "writing");
	close(fd);
	return is_written;
}

/* Writes both files of an entry into a new folder. */
static bool write_entry(const char *folder, const char *name, const char *file, GError **error)
{
	g_autofree char *module = entry_file(folder, name, ".ko");
	g_autofree char *note = entry_file(folder, name, ".hash");
	g_autofree char *bytes = NULL;
	g_autofree char *hash = NULL;
	gsize length;

	if (!g_file_get_contents(file, &bytes, &length, error))
		return false;
	hash = hash_of(bytes, length);
	return write_file(module, bytes, length, error) &&
	       write_file(note, hash, strlen(hash), error);
}

typedef struct {
	char *entry;
	gint64 used_ns;
} Entry;

static void entry_clear(gpointer data)
{
	g_free(((Entry *)data)->entry);
}

static int by_use_descending(gconstpointer a, gconstpointer b)
{
	gint64 left = ((const Entry *)a)->used_ns;
	gint64 right = ((const Entry *)b)->used_ns;

	return (left < right) - (left > right);
}

static GArray *list_entries(ModuleCache *cache)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
	g_autoptr(GDir) dir = g_dir_open(cache->folder, 0, NULL);
	const char *name;

	g_array_set_clear_func(entries, entry_clear);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *entry = g_build_filename(cache->folder, name, NULL);
		g_autofree char *note = entry_file(entry, name, ".hash");
		struct stat status = { 0 };
		Entry item;

		if (!g_str_has_prefix(name, MODULE_PREFIX))
			continue;
		/* An entry without hash file counts as never used. */
		item.used_ns = lstat(note, &status) < 0
				       ? 0
				       : status.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) +
						 status.st_mtim.tv_nsec;
		item.entry = g_steal_pointer(&entry);
		g_array_append_val(entries, item);
	}
	return entries;
}

static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Another run may have stored the same module in the meantime, which is as good. */
static bool module_cache_publish(ModuleCache *cache, const char *fresh, const char *entry,
				 const char *name, GError **error)
{
	sync_folder(fresh);
	if (g_rename(fresh, entry) < 0 && !is_sound(entry, name)) {
		module_cache_remove_folder(entry);
		if (g_rename(fresh, entry) < 0)
			return fail_errno(error, entry, "storing the module");
	}
	sync_folder(cache->folder);
	return true;
}

char *module_cache_store(ModuleCache *cache, const char *name, const char *file, GError **error)
{
	g_autofree char *fresh = module_cache_make_folder(cache, error);
	g_autofree char *entry = g_build_filename(cache->folder, name, NULL);
	g_autoptr(GArray) entries = NULL;
	bool is_stored;

	if (!fresh)
		return NULL;
	is_stored = write_entry(fresh, name, file, error) &&
		    module_cache_publish(cache, fresh, entry, name, error);
	/* Has no effect if the folder was renamed. */
	module_cache_remove_folder(fresh);
	if (!is_stored)
		return NULL;
	entries = list_entries(cache);
	g_array_sort(entries, by_use_descending);
	for (guint i = MODULE_CACHE_ENTRIES_MAX; i < entries->len; i++)
		module_cache_remove_folder(g_array_index(entries, Entry, i).entry);
	return entry_file(entry, name, ".ko");
}
