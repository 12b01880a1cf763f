/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps in the process that opens files (opener_child.c). When a recording begins,
 * lists the executable mappings of all processes as lines of the stream, with build ids; a table
 * remembers the build ids of files that were read. Also finds the path of one mapped file, to probe
 * a library by its name.
 */
#include "code/elf/proc_maps.h"

#include "base/keyed_hash.h"
#include "code/elf/object_open.h"

#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUILD_IDS_MAX = 1 << 16 };

typedef struct {
	const ProcMapsRequest *request;
	GString *out;      /* of a process */
	GHashTable *files; /* (element-type utf8 UserFileId): build ids, by device and inode */
} Scan;

/* Parses two numbers in hexadecimal digits: "7f00-7f80", "08:1f". */
static bool parse_pair(TextPart word, char separator, uint64_t *first, uint64_t *second)
{
	const char *at = memchr(word.text, separator, word.length);
	size_t digits = at ? (size_t)(at - word.text) : 0;

	return at && text_part_hexadecimal((TextPart){ word.text, digits }, first) &&
	       text_part_hexadecimal((TextPart){ at + 1, word.length - digits - 1 }, second);
}

/* Parses a line of /proc/PID/maps (fs/proc/task_mmu.c): range, rights, offset, device, inode, path.
   Returns false if it is not wanted. */
static bool parse_maps_line(TextPart text, bool with_data, UserMapLine *line)
{
	uint64_t end, major, minor;
	TextPart rights;

	if (!parse_pair(text_part_next_word(&text), '-', &line->start, &end) || end <= line->start)
		return false;
	line->length = end - line->start;
	rights = text_part_next_word(&text);
	if (rights.length < 3 || (rights.text[2] != 'x' && !with_data) ||
	    !text_part_hexadecimal(text_part_next_word(&text), &line->file_offset) ||
	    !parse_pair(text_part_next_word(&text), ':', &major, &minor) ||
	    !text_part_decimal_64(text_part_next_word(&text), &line->file.inode))
		return false;
	line->file.major = (uint32_t)major;
	line->file.minor = (uint32_t)minor;
	while (text.length && *text.text == ' ')
		text = (TextPart){ text.text + 1, text.length - 1 };
	line->path = text;
	return text.length <= USER_PATH_BYTES_MAX;
}

/* Sets the build id, of what was not read before, too. */
static void set_build_id(const Scan *scan, UserMapLine *line)
{
	g_autofree char *key = g_strdup_printf("%u:%u:%" G_GUINT64_FORMAT, line->file.major,
					       line->file.minor, line->file.inode);
	UserFileId *id = g_hash_table_lookup(scan->files, key);

	if (!line->file.inode)
		return;
	if (!id) {
		int descriptor;

		if (g_hash_table_size(scan->files) >= BUILD_IDS_MAX)
			return;
		id = g_new0(UserFileId, 1);
		descriptor = object_open(scan->request->root, line);
		if (descriptor >= 0) {
			elf_build_id_read(descriptor, id);
			close(descriptor);
		}
		g_hash_table_insert(scan->files, g_steal_pointer(&key), id);
	}
	memcpy(line->file.build_id, id->build_id, sizeof(id->build_id));
	line->file.build_id_bytes = id->build_id_bytes;
}

/* Returns false if the process has more than is read. */
static bool write_lines(const Scan *scan, uint32_t tgid, FILE *file)
{
	char *text = NULL;
	size_t size = 0, bytes = 0;
	ssize_t length;

	while (bytes < PROC_MAPS_READ_MAX && scan->out->len < PROC_MAPS_BYTES_MAX &&
	       (length = getline(&text, &size, file)) > 0) {
		UserMapLine line = { .type = USER_MAP_MAPPED,
				     .time_ns = scan->request->time_ns,
				     .tgid = tgid };

		bytes += (size_t)length;
		if (!parse_maps_line((TextPart){ text, strcspn(text, "\n") },
				     scan->request->with_data, &line))
			continue;
		set_build_id(scan, &line);
		user_map_line_append(scan->out, &line);
	}
	free(text); /* of getline() */
	return bytes < PROC_MAPS_READ_MAX && scan->out->len < PROC_MAPS_BYTES_MAX;
}

/* Returns whether the file could be read. */
static bool read_process(const Scan *scan, uint32_t tgid)
{
	const ProcMapsRequest *request = scan->request;
	g_autofree char *path = g_strdup_printf("%s/proc/%u/maps", request->root, tgid);
	FILE *file;
	bool is_whole;

	request->begin(tgid, request->user_data);
	file = fopen(path, "re");
	g_string_truncate(scan->out, 0);
	is_whole = !file || write_lines(scan, tgid, file);
	if (!is_whole)
		g_string_truncate(scan->out, 0);
	request->end((TextPart){ scan->out->str, scan->out->len }, !is_whole, request->user_data);
	if (file)
		fclose(file);
	return file;
}

static gint compare_ids(gconstpointer a, gconstpointer b)
{
	const uint32_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/* Returns the ids of the processes behind the last one that was read, in order. */
static GArray *list_processes(const ProcMapsRequest *request)
{
	g_autofree char *path = g_strconcat(request->root, "/proc", NULL);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const char *name;

	while (folder && (name = g_dir_read_name(folder))) {
		uint32_t id = (uint32_t)g_ascii_strtoull(name, NULL, 10);

		if (id > request->after)
			g_array_append_val(ids, id);
	}
	g_array_sort(ids, compare_ids);
	return ids;
}

unsigned proc_maps_read(const ProcMapsRequest *request)
{
	g_autoptr(GArray) ids = list_processes(request);
	Scan scan = {
		.request = request,
		.out = g_string_new(NULL),
		.files = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free),
	};
	unsigned read = 0;

	for (guint i = 0; i < ids->len; i++)
		read += read_process(&scan, g_array_index(ids, uint32_t, i));
	g_hash_table_unref(scan.files);
	g_string_free(scan.out, TRUE);
	return read;
}

/* Single files. */

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

/* Returns a path that the kernel finds from here. The plain one stays valid when the process
   ends. */
static char *path_from_here(const char *process, const UserMapLine *line, const char *path)
{
	g_autofree char *there = g_strconcat(process, "/root", path, NULL);
	struct stat of_there, of_here;

	if (!stat(there, &of_there) && !stat(path, &of_here) && of_there.st_dev == of_here.st_dev &&
	    of_there.st_ino == of_here.st_ino)
		return g_strdup(path);
	if (!g_str_has_suffix(path, DELETED))
		return g_steal_pointer(&there);
	/* The kernel writes small addresses with leading zeros in maps, and without them in
	   map_files. */
	return g_strdup_printf("%s/map_files/%" PRIx64 "-%" PRIx64, process, line->start,
			       line->start + line->length);
}

/* Marks of deleted files are no part of the name. */
static char *path_if_wanted(const char *process, TextPart text, FileTest test, const char *name)
{
	g_autofree char *path = NULL;
	g_autofree char *base_name = NULL;
	UserMapLine line = { 0 };

	if (!parse_maps_line(text, false, &line) || !line.path.length || *line.path.text != '/')
		return NULL;
	path = g_strndup(line.path.text, line.path.length);
	base_name = g_path_get_basename(path);
	if (g_str_has_suffix(base_name, DELETED))
		base_name[strlen(base_name) - strlen(DELETED)] = '\0';
	return test(base_name, name) ? path_from_here(process, &line, path) : NULL;
}

char *mapped_path_find(const char *process, const char *name)
{
	const FileTest test = g_str_equal(name, MAPPED_PATH_LIBC) ? is_libc : has_name;
	g_autofree char *path = g_strconcat(process, "/maps", NULL);
	FILE *maps = fopen(path, "re");
	char *text = NULL, *found = NULL;
	size_t size = 0, bytes = 0;
	ssize_t length;

	while (maps && !found && bytes < PROC_MAPS_READ_MAX &&
	       (length = getline(&text, &size, maps)) > 0) {
		bytes += (size_t)length;
		found = path_if_wanted(process, (TextPart){ text, strcspn(text, "\n") }, test,
				       name);
	}
	free(text); /* of getline() */
	if (maps)
		fclose(maps);
	return found;
}
