/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/source_text.h"

#include "collect/user/regular_file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Generated files of the kernel have 20 MB. Those that are open are kept until there are many. */
enum { FILE_BYTES_MAX = 64 << 20, FILES_MAX = 256 };

typedef struct {
	const GPtrArray *folders;
	GHashTable *files; /* (element-type utf8 GStrv), owned, by path: the lines; NULL: no file */
} Sources;

/* Returns the content of a file, terminated; NULL: it cannot or must not be read. */
static char *read_file(const char *path)
{
	int fd = regular_file_open(path);
	struct stat status;
	char *text = NULL;
	ssize_t length = -1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && status.st_mode & S_IROTH && status.st_size <= FILE_BYTES_MAX) {
		text = g_malloc((gsize)status.st_size + 1);
		length = pread(fd, text, (size_t)status.st_size, 0);
	}
	close(fd);
	if (length < 0) {
		g_free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

/* Returns the lines of a file, which is read once; NULL: there is no such file. */
static char **lines_of(Sources *sources, const char *path)
{
	gpointer known;
	g_autofree char *text = NULL;
	char **lines;

	if (g_hash_table_lookup_extended(sources->files, path, NULL, &known))
		return known;
	if (g_hash_table_size(sources->files) == FILES_MAX)
		g_hash_table_remove_all(sources->files);
	text = read_file(path);
	lines = text ? g_strsplit(text, "\n", -1) : NULL;
	g_hash_table_insert(sources->files, g_strdup(path), lines);
	return lines;
}

/* Takes the path. */
static char **try_path(Sources *sources, char *path)
{
	char **lines = lines_of(sources, path);

	g_free(path);
	return lines;
}

static char **find_lines(Sources *sources, const LineFrame *frame)
{
	char **lines = NULL;

	for (guint i = 0; i < sources->folders->len && !lines; i++) {
		const char *folder = g_ptr_array_index(sources->folders, i);

		lines = try_path(sources, g_build_filename(folder, frame->file, NULL));
		if (!lines)
			lines = try_path(sources,
					 g_build_filename(folder, frame->root, frame->file, NULL));
	}
	if (!lines && (*frame->root == '/' || *frame->file == '/'))
		lines = try_path(sources, g_build_filename(frame->root, frame->file, NULL));
	return lines;
}

/* A LineReader. */
static char *read_line(const LineFrame *frame, void *user_data)
{
	char **lines = find_lines(user_data, frame);

	for (uint32_t line = 1; lines && *lines; line++, lines++)
		if (line == frame->line)
			return g_strstrip(g_strdup(*lines));
	return NULL;
}

static void free_lines(gpointer lines)
{
	g_strfreev(lines);
}

void source_text_read(LineTable *lines, const GPtrArray *folders)
{
	g_autoptr(GHashTable) files =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_lines);
	Sources sources = { folders, files };

	line_table_read_sources(lines, read_line, &sources);
}
