/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps for the process that opens files (opener_child.c). It has no data.
 * program_file.c wants the path, to probe a library by its name.
 */
#include "code/elf/mapped_path.h"

#include "base/text_part.h"

#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { READ_MAX = 32 << 20 };

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

/* The kernel writes small addresses with leading zeros in maps, and without them in map_files. */
static char *path_of_range(const char *process, TextPart range)
{
	g_autofree char *text = g_strndup(range.text, range.length);
	char *end = NULL;
	uint64_t from = g_ascii_strtoull(text, &end, 16);
	uint64_t to = *end == '-' ? g_ascii_strtoull(end + 1, NULL, 16) : 0;

	return g_strdup_printf("%s/map_files/%" PRIx64 "-%" PRIx64, process, from, to);
}

/* Returns a path that the kernel finds from here. The plain one stays valid when the process
   ends. */
static char *path_from_here(const char *process, const Mapping *mapping)
{
	g_autofree char *there = g_strconcat(process, "/root", mapping->path, NULL);
	struct stat of_there, of_here;

	if (!stat(there, &of_there) && !stat(mapping->path, &of_here) &&
	    of_there.st_dev == of_here.st_dev && of_there.st_ino == of_here.st_ino)
		return g_strdup(mapping->path);
	if (!g_str_has_suffix(mapping->path, DELETED))
		return g_steal_pointer(&there);
	return path_of_range(process, mapping->range);
}

static char *path_if_wanted(const char *process, TextPart line, FileTest test, const char *name)
{
	Mapping mapping;
	char *path = NULL;

	if (!read_mapping(line, &mapping))
		return NULL;
	if (is_code_of(&mapping, test, name))
		path = path_from_here(process, &mapping);
	g_free(mapping.path);
	return path;
}

char *mapped_path_find(const char *process, const char *name)
{
	const FileTest test = g_str_equal(name, MAPPED_PATH_LIBC) ? is_libc : has_name;
	g_autofree char *path = g_strconcat(process, "/maps", NULL);
	FILE *maps = fopen(path, "re");
	char *text = NULL, *found = NULL;
	size_t size = 0, bytes = 0;
	ssize_t length;

	while (maps && !found && bytes < READ_MAX && (length = getline(&text, &size, maps)) > 0) {
		bytes += (size_t)length;
		found = path_if_wanted(process, (TextPart){ text, strcspn(text, "\n") }, test,
				       name);
	}
	free(text); /* of getline() */
	if (maps)
		fclose(maps);
	return found;
}
