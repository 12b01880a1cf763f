/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists files that may have debug data, for line_resolver.c. It only looks into folders of root and
 * those that the user names: they are no input of strangers, but may be large or slow, so a signal
 * that ends the program ends the listing. The path of a program may lead to a file system of a
 * stranger: who opens it (file_opener.h) finds out whether the file is there.
 */
#include "config.h"

#include "code/lines/debug_files.h"

#include "base/build_id.h"
#include "base/sorted.h"
#include "base/unconst.h"
#include "process/stop_signal.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* Limits of a folder that is searched: the debug files of a kernel are 5,000. */
enum { FOLDER_DEPTH_MAX = 16, FOLDER_ENTRIES_MAX = 500000 };

#define SYSTEM_FOLDER "/usr/lib/debug"
#define SUPPLEMENT_FOLDER "/.dwz/"

struct DebugFiles {
	char **folders;
	char *release; /* NULL: unknown */
	char *root;
	/* (element-type utf8 GHashTable), owned, by folder: lists of paths by stem */
	GHashTable *indexes;
};

/* Whether a recorded text can be a folder in a path, and leads nowhere else. */
static bool is_part_of_path(const char *text)
{
	return *text && *text != '.' && !strchr(text, '/');
}

DebugFiles *debug_files_new(const char *const *folders, const char *release, const char *root)
{
	DebugFiles *files = g_new0(DebugFiles, 1);

	files->folders = folders ? g_strdupv(unconst(folders)) : g_new0(char *, 1);
	files->release = release && is_part_of_path(release) ? g_strdup(release) : NULL;
	files->root = g_strdup(root);
	files->indexes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					       (GDestroyNotify)g_hash_table_unref);
	return files;
}

void debug_files_free(DebugFiles *files)
{
	if (!files)
		return;
	g_strfreev(files->folders);
	g_free(files->release);
	g_free(files->root);
	g_hash_table_unref(files->indexes);
	g_free(files);
}

/* Names. */

/* Returns what the names of an object and of its debug file have in common: "snd_hda_intel" of
   "snd-hda-intel.ko.debug", "vmlinux" of "vmlinux-6.1.0-50-amd64". */
static char *stem_of(const char *name)
{
	static const char *const suffixes[] = { ".gz", ".xz", ".zst", ".debug", ".ko" };
	char *stem;

	if (g_str_has_prefix(name, "vmlinux"))
		return g_strdup("vmlinux");
	stem = g_strdup(name);
	for (gsize i = 0; i < G_N_ELEMENTS(suffixes); i++)
		if (g_str_has_suffix(stem, suffixes[i]))
			stem[strlen(stem) - strlen(suffixes[i])] = '\0';
	return g_strdelimit(stem, "-", '_');
}

/* Folders with many files. */

typedef struct {
	GHashTable *paths; /* (element-type utf8 GPtrArray), owned */
	unsigned entries;
} Index;

static void index_file(Index *index, const char *path, const char *name)
{
	g_autofree char *stem = stem_of(name);
	GPtrArray *paths = g_hash_table_lookup(index->paths, stem);

	if (!paths) {
		paths = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(index->paths, g_steal_pointer(&stem), paths);
	}
	g_ptr_array_add(paths, g_strdup(path));
}

/* Returns DT_REG, DT_DIR and so on; DT_UNKNOWN: neither the folder nor the file says it. */
static unsigned char type_of(const struct dirent *entry, const char *path)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN || lstat(path, &status))
		return entry->d_type;
	return IFTODT(status.st_mode);
}

/* Symbolic links are not followed: they may lead out of the folder, or in a circle. A kernel has
   thousands of modules: they are not looked at one by one. */
static void index_folder(Index *index, const char *folder, unsigned depth)
{
	DIR *dir = depth < FOLDER_DEPTH_MAX && !stop_signal_is_pending() ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)) && index->entries++ < FOLDER_ENTRIES_MAX) {
		g_autofree char *path = g_build_filename(folder, entry->d_name, NULL);
		bool is_dots = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
		unsigned char type = is_dots ? DT_UNKNOWN : type_of(entry, path);

		if (type == DT_DIR)
			index_folder(index, path, depth + 1);
		else if (type == DT_REG)
			index_file(index, path, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

static void order_paths(gpointer stem, gpointer paths, gpointer user_data)
{
	(void)stem, (void)user_data;
	g_ptr_array_sort(paths, sorted_compare_texts);
}

/* Searching. */

/* What was found so far. */
typedef struct {
	DebugFiles *files;
	const char *build_id;
	const char *stem;
	GPtrArray *paths; /* (element-type utf8), owned */
} Search;

/* Adds a path if it exists. Takes the path; NULL: there is none. */
static void try_path(Search *search, char *path)
{
	if (path && g_file_test(path, G_FILE_TEST_IS_REGULAR))
		g_ptr_array_add(search->paths, path);
	else
		g_free(path);
}

/* Adds a path that may exist. Takes it. */
static void add_path(Search *search, char *path)
{
	g_ptr_array_add(search->paths, path);
}

static void try_build_id(Search *search, const char *folder)
{
	try_path(search, build_id_debug_path(folder, search->build_id));
}

/* Adds the files of a folder that have this stem. The folder is read once. */
static void try_index(Search *search, const char *folder)
{
	GHashTable *indexes = search->files->indexes;
	Index index = { .paths = g_hash_table_lookup(indexes, folder) };
	const GPtrArray *found;

	if (!index.paths) {
		index.paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)g_ptr_array_unref);
		index_folder(&index, folder, 0);
		/* readdir() has no fixed order. */
		g_hash_table_foreach(index.paths, order_paths, NULL);
		g_hash_table_insert(indexes, g_strdup(folder), index.paths);
	}
	found = g_hash_table_lookup(index.paths, search->stem);
	for (guint i = 0; found && i < found->len; i++)
		g_ptr_array_add(search->paths, g_strdup(g_ptr_array_index(found, i)));
}

static void try_given(Search *search, const char *given)
{
	g_autofree char *below = g_strconcat(given, SYSTEM_FOLDER, NULL);

	if (!g_file_test(given, G_FILE_TEST_IS_DIR)) {
		try_path(search, g_strdup(given));
		return;
	}
	try_build_id(search, given);
	try_build_id(search, below);
	try_index(search, given);
}

/* Where distributions have files of a kernel, with "%s" for its release. */
static const char *const kernel_paths[] = {
	SYSTEM_FOLDER "/lib/modules/%s/vmlinux", /* RHEL, Fedora */
	SYSTEM_FOLDER "/usr/lib/modules/%s/vmlinux",
	SYSTEM_FOLDER "/boot/vmlinux-%s", /* Debian */
	"/lib/modules/%s/build/vmlinux",
	"/lib/modules/%s/vmlinux",
	"/boot/vmlinux-%s",
};

static const char *const module_folders[] = {
	SYSTEM_FOLDER "/lib/modules/%s",
	SYSTEM_FOLDER "/usr/lib/modules/%s",
	"/lib/modules/%s",
};

static char *path_of_release(const Search *search, const char *pattern)
{
	g_auto(GStrv) parts = g_strsplit(pattern, "%s", 2);

	return g_strconcat(search->files->root, parts[0], search->files->release, parts[1], NULL);
}

static void try_release(Search *search, CodeKind kind)
{
	if (!search->files->release)
		return;
	if (kind == CODE_OF_KERNEL) {
		for (gsize i = 0; i < G_N_ELEMENTS(kernel_paths); i++)
			try_path(search, path_of_release(search, kernel_paths[i]));
		return;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(module_folders); i++) {
		g_autofree char *folder = path_of_release(search, module_folders[i]);

		try_index(search, folder);
	}
}

/* The file itself may have its debug data. */
static void try_program(Search *search, const char *path)
{
	const char *root = search->files->root;

	/* "//anon" is no file. */
	if (path[0] != '/' || path[1] == '/' || strstr(path, "/../") ||
	    g_str_has_suffix(path, "/.."))
		return;
	try_path(search, g_strconcat(root, SYSTEM_FOLDER, path, ".debug", NULL));
	try_path(search, g_strconcat(root, SYSTEM_FOLDER, path, NULL));
	add_path(search, g_strconcat(root, path, NULL));
}

static char **debug_files_finish(Search *search)
{
	g_ptr_array_add(search->paths, NULL);
	return (char **)g_ptr_array_free(search->paths, FALSE);
}

char **debug_files_find(DebugFiles *files, const DebugFileWanted *wanted)
{
	g_autofree char *system = g_strconcat(files->root, SYSTEM_FOLDER, NULL);
	g_autofree char *name = wanted->kind == CODE_OF_KERNEL ? g_strdup("vmlinux")
							       : g_path_get_basename(wanted->name);
	g_autofree char *stem = stem_of(name);
	Search search = { files, wanted->build_id, stem, g_ptr_array_new() };

	for (char **given = files->folders; *given; given++)
		try_given(&search, *given);
	try_build_id(&search, system);
	if (wanted->kind == CODE_OF_PROGRAM)
		try_program(&search, wanted->name);
	else
		try_release(&search, wanted->kind);
	return debug_files_finish(&search);
}

/* Distributions have these files below one folder,
   "/usr/lib/debug/.dwz/x86_64-linux-gnu/bash.debug". Returns the path below it; else the name of
   the file. */
static const char *supplement_below(const char *name)
{
	const char *folder = g_strrstr(name, SUPPLEMENT_FOLDER);
	const char *file = strrchr(name, '/');

	if (folder && !strstr(folder, "/../"))
		return folder + strlen(SUPPLEMENT_FOLDER);
	return file ? file + 1 : name;
}

static void try_supplement(Search *search, const char *folder, const char *below)
{
	try_build_id(search, folder);
	try_path(search, g_strconcat(folder, SUPPLEMENT_FOLDER, below, NULL));
}

char **debug_files_find_supplement(DebugFiles *files, const char *debug_file, const char *name,
				   const char *build_id)
{
	g_autofree char *system = g_strconcat(files->root, SYSTEM_FOLDER, NULL);
	g_autofree char *beside = g_path_get_dirname(debug_file);
	const char *below = supplement_below(name);
	g_autofree char *base = g_path_get_basename(below);
	Search search = { files, build_id, NULL, g_ptr_array_new() };

	for (char **given = files->folders; *given; given++) {
		g_autofree char *inside = g_strconcat(*given, SYSTEM_FOLDER, NULL);

		try_supplement(&search, *given, below);
		try_supplement(&search, inside, below);
	}
	try_supplement(&search, system, below);
	if (is_part_of_path(base))
		add_path(&search, g_build_filename(beside, base, NULL));
	return debug_files_finish(&search);
}
