/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/program_file.h"

#include "base/text_part.h"
#include "collect/points/point_find.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>

#define LIBC "libc"
#define DELETED " (deleted)"

/* Whether the file, without its folders, is the one that is meant. */
typedef bool (*FileTest)(const char *base_name, const char *wanted);

/* glibc was called libc-2.31.so before 2.34. */
static bool is_libc(const char *base_name, const char *wanted)
{
	(void)wanted;
	return g_str_has_prefix(base_name, "libc.so.") ||
	       (g_str_has_prefix(base_name, "libc-") && g_ascii_isdigit(base_name[5])) ||
	       g_str_has_prefix(base_name, "ld-musl-") || g_str_has_prefix(base_name, "libc.musl-");
}

static bool has_name(const char *base_name, const char *wanted)
{
	return g_str_equal(base_name, wanted);
}

/* A line of /proc/PID/maps. */
typedef struct {
	TextPart range; /* "START-END" */
	TextPart rights;
	char *path; /* owned */
} Mapping;

/* Reads "START-END RIGHTS OFFSET DEVICE INODE PATH". Returns false if there is no path. */
static bool read_mapping(TextPart line, Mapping *mapping)
{
	size_t blanks = 0;

	mapping->range = text_part_next_word(&line);
	mapping->rights = text_part_next_word(&line);
	for (int i = 0; i < 3; i++)
		text_part_next_word(&line);
	while (blanks < line.length && line.text[blanks] == ' ')
		blanks++;
	if (blanks >= line.length || line.text[blanks] != '/')
		return false;
	mapping->path = g_strndup(line.text + blanks, line.length - blanks);
	return true;
}

/* Whether it is code of the file. Marks of deleted files are no part of the name. */
static bool is_code_of(const Mapping *mapping, FileTest test, const char *wanted)
{
	g_autofree char *base_name = g_path_get_basename(mapping->path);

	if (g_str_has_suffix(base_name, DELETED))
		base_name[strlen(base_name) - strlen(DELETED)] = '\0';
	return mapping->rights.length > 2 && mapping->rights.text[2] == 'x' &&
	       test(base_name, wanted);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return !stat(a, &of_a) && !stat(b, &of_b) && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

/* Returns a path that the kernel finds from here. The plain one stays valid when the process
   ends. */
static char *path_from_here(const char *process, const Mapping *mapping)
{
	g_autofree char *there = g_strconcat(process, "/root", mapping->path, NULL);

	if (is_same_file(there, mapping->path))
		return g_strdup(mapping->path);
	if (!g_str_has_suffix(mapping->path, DELETED))
		return g_steal_pointer(&there);
	return g_strdup_printf("%s/map_files/%.*s", process, (int)mapping->range.length,
			       mapping->range.text);
}

/* Returns the first file that the process has mapped as code and that passes the test, or NULL. */
static char *find_mapped(const char *process, FileTest test, const char *wanted)
{
	g_autofree char *maps = g_strconcat(process, "/maps", NULL);
	g_autofree char *text = NULL;
	TextPart rest = { 0 }, line;
	char *found = NULL;

	if (!g_file_get_contents(maps, &text, &rest.length, NULL))
		return NULL;
	rest.text = text;
	while (!found && text_part_next_line(&rest, &line)) {
		Mapping mapping;

		if (!read_mapping(line, &mapping))
			continue;
		if (is_code_of(&mapping, test, wanted))
			found = path_from_here(process, &mapping);
		g_free(mapping.path);
	}
	return found;
}

static char *process_folder(const PointHost *host)
{
	return host->pid ? g_strdup_printf("%s/proc/%d", host->root, (int)host->pid)
			 : g_strconcat(host->root, "/proc/self", NULL);
}

static char *find_libc(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autofree char *process = process_folder(host);
	char *path = find_mapped(process, is_libc, NULL);

	if (!path && host->pid)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "process %d has ended, or has no C library: name its file, like "
			   "/proc/%d/exe",
			   (int)host->pid, (int)host->pid);
	else if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "the C library is not found: name its file");
	return path;
}

/* Returns the absolute path: events may be opened again later. */
static char *absolute(const char *path)
{
	g_autofree char *here = g_get_current_dir();

	return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(here, path, NULL);
}

char *program_file_find(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autofree char *process = process_folder(host);
	char *path;

	if (strchr(spec->path, '/'))
		return absolute(spec->path);
	if (g_str_equal(spec->path, LIBC))
		return find_libc(host, spec, error);
	path = g_find_program_in_path(spec->path);
	if (!path && host->pid)
		path = find_mapped(process, has_name, spec->path);
	if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "no program of this name is in PATH: name the path of the file");
	return path;
}
