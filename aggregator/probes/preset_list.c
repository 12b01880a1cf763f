/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds presets in two folders, by name or as a list. Files are opened as root's trust demands
 * (base/trusted_file.h). stack_top.c and the completion of words use it; all that reads the
 * program's own data asks here for their folder.
 */
#include "probes/preset_list.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "base/sorted.h"
#include "base/trusted_file.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

enum {
	FILE_BYTES_MAX = 1 << 16,
	FILES_MAX = 1024, /* of a folder */
};

#define SUFFIX ".preset"
#define HOST_FOLDER "/etc/kmalloc-top/presets"

char *data_folder(const char *name)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *beside = program ? g_path_get_dirname(program) : NULL;
	g_autofree char *folder = beside ? g_build_filename(beside, name, NULL) : NULL;

	if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
		return g_steal_pointer(&folder);
	return g_build_filename(PKGDATADIR, name, NULL);
}

static char *program_folder(const PresetFolders *folders)
{
	return folders && folders->program_folder ? g_strdup(folders->program_folder)
						  : data_folder("presets");
}

static const char *host_folder(const PresetFolders *folders)
{
	return folders && folders->host_folder ? folders->host_folder : HOST_FOLDER;
}

/* Sets the error for an errno of trusted_file_open() or read(). Returns NULL. */
static char *fail_file(const char *path, int code, GError **error)
{
	g_autofree char *name = escape_copy(path);
	const char *reason = g_strerror(code);

	if (code == EPERM)
		reason = "others than root can write it or a folder above it: change its owner and "
			 "mode";
	else if (code == EINVAL)
		reason = "not a regular file: name another";
	else if (code == EFBIG)
		reason = "more than 64 KiB: no preset is that large";
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s", name, reason);
	return NULL;
}

/* Returns what is in the file, up to the first NUL. */
static char *read_all(int file, const char *path, GError **error)
{
	g_autofree char *text = g_malloc0(FILE_BYTES_MAX + 1);
	size_t bytes = 0;
	ssize_t got = 1;

	while (got > 0 && bytes < FILE_BYTES_MAX) {
		got = read(file, text + bytes, FILE_BYTES_MAX - bytes);
		if (got < 0)
			return fail_file(path, errno, error);
		bytes += (size_t)got;
	}
	return g_steal_pointer(&text);
}

static char *read_file(const char *path, bool is_by_root, GError **error)
{
	int file = trusted_file_open(path, FILE_BYTES_MAX, is_by_root);
	char *text;

	if (file < 0)
		return fail_file(path, errno, error);
	if (is_by_root && !geteuid() && !trusted_path_is_root_only(path)) {
		close(file);
		return fail_file(path, EPERM, error);
	}
	text = read_all(file, path, error);
	close(file);
	return text;
}

static Preset *read_preset(const char *path, bool is_by_root, GError **error)
{
	g_autofree char *text = read_file(path, is_by_root, error);
	g_autofree char *name = escape_copy(path);

	return text ? preset_parse(name, text, error) : NULL;
}

/* Reads a preset of a folder, which has the name of its file. */
static Preset *read_of_folder(const char *folder, const char *name, bool is_by_root, GError **error)
{
	g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autofree char *escaped = escape_copy(path);
	g_autoptr(Preset) preset = read_preset(path, is_by_root, error);

	if (!preset || g_str_equal(preset->name, name))
		return g_steal_pointer(&preset);
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "%s: [preset] name: the name is '%s', that of the file is another: make them "
		    "the same",
		    escaped, preset->name);
	return NULL;
}

/* Adds the names of the folder's presets to the set. A folder may be missing. */
static void add_names(GHashTable *names, const char *folder, GPtrArray *problems)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
	g_autofree char *escaped = escape_copy(folder);
	const char *file;
	guint files = 0;

	if (problems && error && !g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
		g_ptr_array_add(problems, g_strdup_printf("%s: its presets cannot be listed: check "
							  "that it is a folder, and its mode",
							  escaped));
	while (dir && files++ < FILES_MAX && (file = g_dir_read_name(dir)))
		if (g_str_has_suffix(file, SUFFIX) && *file != '.')
			g_hash_table_add(names, g_strndup(file, strlen(file) - strlen(SUFFIX)));
}

/* Returns all names, sorted, because a folder has no fixed order. */
static GPtrArray *all_names(const PresetFolders *folders, GPtrArray *problems)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *sorted = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *folder = program_folder(folders);
	GHashTableIter each;
	gpointer name;

	add_names(names, folder, problems);
	add_names(names, host_folder(folders), problems);
	g_hash_table_iter_init(&each, names);
	while (g_hash_table_iter_next(&each, &name, NULL)) {
		g_hash_table_iter_steal(&each);
		g_ptr_array_add(sorted, name);
	}
	g_ptr_array_sort(sorted, sorted_compare_texts);
	return sorted;
}

/* Reads the host's preset of this name, else the program's. */
static Preset *read_named(const PresetFolders *folders, const char *name, GError **error)
{
	g_autofree char *folder = program_folder(folders);
	GError *host_error = NULL;
	Preset *preset = read_of_folder(host_folder(folders), name, true, &host_error);

	if (preset)
		return preset;
	if (!g_error_matches(host_error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) {
		g_propagate_error(error, host_error);
		return NULL;
	}
	g_clear_error(&host_error);
	return read_of_folder(folder, name, false, error);
}

/* Appends "no presets are in FOLDER and FOLDER". */
static void append_searched(const PresetFolders *folders, GString *out)
{
	g_autofree char *folder = program_folder(folders);

	g_string_append(out, "no presets are in ");
	escape_append(out, folder);
	g_string_append(out, " and ");
	escape_append(out, host_folder(folders));
}

GPtrArray *preset_list(const PresetFolders *folders, GPtrArray *problems)
{
	GPtrArray *presets = g_ptr_array_new_with_free_func((GDestroyNotify)preset_free);
	g_autoptr(GPtrArray) names = all_names(folders, problems);

	for (guint i = 0; i < names->len; i++) {
		g_autoptr(GError) error = NULL;
		Preset *preset = read_named(folders, names->pdata[i], &error);

		if (preset)
			g_ptr_array_add(presets, preset);
		else if (problems)
			g_ptr_array_add(problems, g_strdup(error->message));
	}
	if (problems && !names->len && !problems->len) {
		GString *problem = g_string_new(NULL);

		append_searched(folders, problem);
		g_string_append(problem, ": install the program again");
		g_ptr_array_add(problems, g_string_free(problem, FALSE));
	}
	return presets;
}

static Preset *fail_unknown(const PresetFolders *folders, const char *name, GError **error)
{
	g_autoptr(Nearest) nearest = nearest_new(name);
	g_autoptr(GPtrArray) names = all_names(folders, NULL);
	g_autoptr(GString) similar = g_string_new(NULL);
	g_autofree char *escaped = escape_copy(name);

	for (guint i = 0; i < names->len; i++)
		nearest_offer(nearest, names->pdata[i], names->pdata[i]);
	if (!names->len)
		append_searched(folders, similar);
	else if (nearest_append(nearest, similar))
		g_string_prepend(similar, "did you mean ");
	else
		g_string_append(similar, "--list shows all");
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "no preset is called '%s': %s",
		    escaped, similar->str);
	return NULL;
}

Preset *preset_find(const PresetFolders *folders, const char *name, GError **error)
{
	GError *reason = NULL;
	Preset *preset;

	if (strchr(name, '/'))
		return read_preset(name, false, error);
	preset = read_named(folders, name, &reason);
	if (preset)
		return preset;
	if (g_error_matches(reason, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)) {
		g_clear_error(&reason);
		return fail_unknown(folders, name, error);
	}
	g_propagate_error(error, reason);
	return NULL;
}
