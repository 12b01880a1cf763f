/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Globs of --process and --cgroup that match nothing on this host: found before a live run, which
 * would else show so only at its end. Names are read from /proc until each glob has one. tool.c
 * calls it.
 */
#include "tools/warnings.h"

#include "base/escape.h"
#include "base/nearest.h"
#include "names/cgroup_names.h"
#include "table/cell_filter.h"

#include <string.h>

/* A search for globs without a match. */
typedef struct {
	const char *what, *option;
	const char *file; /* below /proc/PID: each line has a name */
	bool has_paths;   /* names begin with the line's first slash */
	bool (*matches)(const char *glob, const char *name);
	GPtrArray *globs;  /* (element-type utf8), owned: those without a match so far */
	GHashTable *names; /* (element-type utf8), owned */
} Search;

static void take_name(Search *search, const char *name)
{
	if (!name || !*name || !g_hash_table_add(search->names, g_strdup(name)))
		return;
	for (guint i = search->globs->len; i--;)
		if (search->matches(search->globs->pdata[i], name))
			g_ptr_array_remove_index(search->globs, i);
}

/* A process that has ended has no names. */
static void take_process(Search *search, const char *root, const char *pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%s/%s", root, pid, search->file);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		take_name(search, search->has_paths ? strchr(*line, '/') : *line);
}

/* The globs without a match stay. */
static void search_host(Search *search, const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc", NULL);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	const char *name;

	while (folder && search->globs->len && (name = g_dir_read_name(folder)))
		if (g_ascii_isdigit(*name))
			take_process(search, root, name);
}

/* Appends "; nearest: nginx, sshd", by the usual names, or nothing. */
static void append_nearest(const Search *search, const char *glob, GString *out)
{
	g_auto(GStrv) literal = g_strsplit_set(glob, "*?[]", -1);
	g_autofree char *wanted = g_strjoinv("", literal);
	g_autoptr(Nearest) nearest = nearest_new(wanted);
	g_autoptr(GHashTable) labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GString) found = g_string_new(NULL);
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, search->names);
	while (g_hash_table_iter_next(&iter, &name, NULL)) {
		GString *label = g_string_new(search->has_paths ? NULL : name);
		char *text;

		if (search->has_paths)
			cgroup_label_append(label, name, false);
		text = g_string_free(label, FALSE);
		if (!g_hash_table_contains(labels, text))
			nearest_offer(nearest, text, text);
		g_hash_table_add(labels, text);
	}
	if (nearest_append(nearest, found))
		g_string_append_printf(out, "; nearest: %s", found->str);
}

static void print_unmatched(const Search *search)
{
	for (guint i = 0; i < search->globs->len; i++) {
		g_autoptr(GString) line = g_string_new(NULL);

		g_string_append_printf(line,
				       "%s: no %s of this host matches --%s=", g_get_prgname(),
				       search->what, search->option);
		escape_append(line, search->globs->pdata[i]);
		append_nearest(search, search->globs->pdata[i], line);
		g_printerr("%s; the run waits for one\n", line->str);
	}
}

/* The command of the run is a process of the host, too, though it has its name only later. */
static void warn_of(Search *search, const char *globs, const char *command)
{
	g_auto(GStrv) split = g_strsplit(globs ? globs : "", search->has_paths ? "\n" : ",", -1);

	search->globs = g_ptr_array_new();
	search->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (char **glob = split; *glob; glob++)
		g_ptr_array_add(search->globs, *glob);
	take_name(search, command);
	search_host(search, "");
	print_unmatched(search);
	g_ptr_array_unref(search->globs);
	g_hash_table_unref(search->names);
}

void warn_of_unmatched(const Options *options)
{
	enum { COMM_BYTES = 15 };
	char **const words = options->live.request.command.words;
	g_autofree char *program = words ? g_path_get_basename(words[0]) : NULL;
	g_autofree char *comm = program ? g_strndup(program, COMM_BYTES) : NULL;
	Search processes = { .what = "process",
			     .option = "process",
			     .file = "comm",
			     .matches = process_name_matches };
	Search cgroups = { .what = "cgroup",
			   .option = "cgroup",
			   .file = "cgroup",
			   .has_paths = true,
			   .matches = cgroup_path_matches };

	warn_of(&processes, options->choice.process, comm);
	warn_of(&cgroups, options->choice.cgroup, NULL);
}
