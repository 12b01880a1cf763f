/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads source lines for --source: files that everybody may read, by a child without rights, kept
 * in bounded memory by path.
 */
#include "tools/source_lines.h"

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "code/elf/file_opener.h"
#include "process/child.h"
#include "process/child_port.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Generated files of the kernel have 20 MB, all of its sources 1.5 GB. Untrusted debug data may
   name large files again and again. */
enum {
	FILE_BYTES_MAX = 32 << 20,
	KEPT_BYTES_MAX = 256 << 20,
	KEPT_FILES_MAX = 4096,
};
#define READ_BYTES_MAX ((gsize)2 << 30)

typedef struct {
	char *text; /* owned, terminated */
	gsize bytes;
	GArray *starts;      /* (element-type guint32), owned: of each line, then one for the end */
	bool is_open_to_all; /* all users may enter the folders that it is in */
} Source;

typedef struct {
	const GPtrArray *folders;
	GHashTable *files; /* (element-type utf8 Source), owned, by path; NULL: no file */
	FileOpener *opener;
	gsize kept_bytes; /* of the files */
	gsize read_bytes; /* in all */
} Sources;

static void source_free(gpointer data)
{
	Source *source = data;

	if (!source)
		return;
	g_free(source->text);
	g_array_unref(source->starts);
	g_free(source);
}

/* The run() of the process that reads a file, which may be on a file system that never answers. */
static void source_text_answer(int socket, const int *fds, void *data)
{
	char piece[CHILD_BODY_BYTES_MAX];
	ssize_t length;
	off_t at = 0;

	(void)data;
	while (at < FILE_BYTES_MAX && (length = pread(fds[0], piece, sizeof(piece), at)) > 0) {
		child_port_answer(socket, piece, (size_t)length);
		at += length;
	}
}

static const ChildType text_child = {
	.name = "kmt-source",
	.rights = CHILD_READS,
	.limits = { .address_space_bytes = 64 << 20, .data_bytes = 16 << 20 },
	.run = source_text_answer,
};

/* Returns the content of a file, terminated; NULL: it cannot be read. */
static char *read_text(int fd, gsize *bytes)
{
	GString *text = g_string_new(NULL);
	const ChildCall call = {
		.type = &text_child,
		.fds = &fd,
		.fds_count = 1,
		.patience_ns = (uint64_t)FILE_OPENER_PATIENCE_MS * NS_PER_MS,
		.answer_bytes_max = FILE_BYTES_MAX,
	};
	g_autofree char *problem = NULL;
	bool is_read = child_call(&call, text, &problem) == CHILD_ANSWERED;

	*bytes = text->len;
	return g_string_free(text, !is_read);
}

static void add_start(GArray *starts, gsize offset)
{
	const guint32 start = (guint32)offset;

	g_array_append_val(starts, start);
}

/* Returns the offsets of the lines of a text, and of what would follow the last one. */
static GArray *starts_of(const char *text, gsize bytes)
{
	GArray *starts = g_array_new(FALSE, FALSE, sizeof(guint32));
	const char *end = text;

	add_start(starts, 0);
	while ((end = memchr(end, '\n', bytes - (gsize)(end - text))))
		add_start(starts, (gsize)(++end - text));
	add_start(starts, bytes + 1);
	return starts;
}

/* Reads a file; NULL: it cannot or must not be read. A hostile file of debug data could else have
   lines of what only root can read shown in a report, which root then sends to others. Links may
   lead into a folder of root: only where the file is counts. */
static Source *read_source(Sources *sources, const char *path)
{
	unsigned use = 0;
	gsize bytes = 0;
	int fd = sources->read_bytes < READ_BYTES_MAX
			 ? file_opener_file(sources->opener, path, FILE_BYTES_MAX, &use)
			 : -1;
	char *text = fd >= 0 && use & FILE_IS_READABLE ? read_text(fd, &bytes) : NULL;
	Source *source;

	if (fd >= 0)
		close(fd);
	if (!text)
		return NULL;
	source = g_new(Source, 1);
	*source = (Source){ text, bytes, starts_of(text, bytes), use & FILE_IS_REACHABLE };
	sources->read_bytes += bytes;
	sources->kept_bytes += bytes + source->starts->len * sizeof(guint32);
	return source;
}

/* Returns a file, which is read once; NULL: there is none. Takes the path. */
static const Source *source_of(Sources *sources, char *path)
{
	gpointer source;

	if (g_hash_table_lookup_extended(sources->files, path, NULL, &source)) {
		g_free(path);
		return source;
	}
	if (sources->kept_bytes >= KEPT_BYTES_MAX ||
	    g_hash_table_size(sources->files) >= KEPT_FILES_MAX) {
		g_hash_table_remove_all(sources->files);
		sources->kept_bytes = 0;
	}
	source = read_source(sources, path);
	g_hash_table_insert(sources->files, path, source);
	return source;
}

/* Whether a path may lead out of the folder that it is below. */
static bool leads_up(const char *path)
{
	g_auto(GStrv) parts = g_strsplit(path, "/", -1);

	return g_strv_contains((const char *const *)parts, "..");
}

static const Source *find_source(Sources *sources, const LineFrame *frame)
{
	g_autofree char *path = NULL;
	const Source *source = NULL;

	if (leads_up(frame->root) || leads_up(frame->file))
		return NULL;
	for (guint i = 0; i < sources->folders->len && !source; i++) {
		const char *folder = g_ptr_array_index(sources->folders, i);

		source = source_of(sources, g_build_filename(folder, frame->file, NULL));
		if (!source)
			source = source_of(
				sources, g_build_filename(folder, frame->root, frame->file, NULL));
	}
	if (source)
		return source;
	/* Where the debug data say that it is. */
	path = g_build_filename(frame->root, frame->file, NULL);
	if (*path == '/')
		source = source_of(sources, g_steal_pointer(&path));
	return source && source->is_open_to_all ? source : NULL;
}

/* A LineReader. */
static char *read_line(const LineFrame *frame, void *user_data)
{
	const Source *source = find_source(user_data, frame);
	gsize start, bytes;

	if (!source || frame->line >= source->starts->len)
		return NULL;
	start = g_array_index(source->starts, guint32, frame->line - 1);
	bytes = g_array_index(source->starts, guint32, frame->line) - start - 1;
	return g_strstrip(g_strndup(source->text + start, MIN(bytes, (gsize)LINE_TEXT_BYTES_MAX)));
}

void source_text_read(LineTable *lines, const GPtrArray *folders)
{
	g_autoptr(GHashTable) files =
		g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, source_free);
	g_autoptr(FileOpener) opener = file_opener_new("");
	Sources sources = { .folders = folders, .files = files, .opener = opener };

	line_table_read_sources(lines, read_line, &sources);
}
