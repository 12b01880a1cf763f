/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of objects, by the numbers of the objects, and which of their places were asked for.
 * Mappings come from collect/perf/user_watch.c; user_resolve.c reads the names.
 */
#include "code/elf/object_files.h"

#include "base/clock.h"
#include "base/escape.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A process that has ended, or a file that was replaced: another process may still show it. */
enum { TRIES_MAX = 16, REPLACES_MAX = 256, LATE_NS = 200000000 };

typedef struct {
	int descriptor; /* a place (trusted_file.h); -1: none */
	unsigned tries;
	bool is_of_root;      /* no stranger has written it */
	bool was_sought;      /* without its process */
	bool had_no_room;     /* too many files were open when it was seen */
	char *problem;        /* owned: why names cannot be read; NULL: they can */
	uint64_t asked_bytes; /* size of a map of generated code when it was asked for */
	GHashTable *asked;    /* (element-type gint64), owned: offsets of places; NULL: none */
	JitProcess process;   /* of generated code; tgid 0: unknown */
} ObjectFile;

struct ObjectFiles {
	const UserObjects *objects; /* borrowed */
	FileOpener *opener;         /* owned */
	GArray *files;              /* (element-type ObjectFile): by number of the object */
	unsigned files_max, open_count;
	uint32_t extra; /* object whose file is open beyond files_max; 0: none */
};

static void close_file(ObjectFiles *files, ObjectFile *file)
{
	if (file->descriptor < 0)
		return;
	close(file->descriptor);
	file->descriptor = -1;
	files->open_count--;
}

static ObjectFile *file_at(const ObjectFiles *files, uint32_t object)
{
	g_assert(object < files->files->len);
	return &g_array_index(files->files, ObjectFile, object);
}

ObjectFiles *object_files_new(const UserObjects *objects, const char *root, unsigned files_max)
{
	ObjectFiles *files = g_new0(ObjectFiles, 1);

	files->objects = objects;
	files->opener = file_opener_new(root);
	files->files = g_array_new(FALSE, TRUE, sizeof(ObjectFile));
	files->files_max = files_max;
	return files;
}

void object_files_free(ObjectFiles *files)
{
	if (!files)
		return;
	for (guint i = 0; i < files->files->len; i++) {
		ObjectFile *file = file_at(files, i);

		close_file(files, file);
		g_free(file->problem);
		if (file->asked)
			g_hash_table_unref(file->asked);
	}
	g_array_unref(files->files);
	file_opener_free(files->opener);
	g_free(files);
}

/* Makes room for all objects. */
static void object_files_grow(ObjectFiles *files)
{
	guint before = files->files->len;

	g_array_set_size(files->files, user_objects_count(files->objects) + 1);
	for (guint i = before; i < files->files->len; i++)
		file_at(files, i)->descriptor = -1;
}

/* Opening. */

static void keep_file(ObjectFiles *files, ObjectFile *file, int descriptor)
{
	file->descriptor = descriptor;
	files->open_count += descriptor >= 0;
}

/* The map of generated code often begins after the code. So it is looked for again. */
static void open_jit_map(ObjectFiles *files, ObjectFile *file, const UserObject *object)
{
	file->process.tgid = object->tgid;
	keep_file(files, file, file_opener_jit_map(files->opener, &file->process));
}

static void open_mapping(ObjectFiles *files, ObjectFile *file, const UserMapLine *mapping)
{
	unsigned use;
	int found = file_opener_mapping(files->opener, mapping, &use);
	bool is_of_root = use & FILE_IS_OF_ROOT;

	if (file->descriptor >= 0 && !is_of_root) {
		if (found >= 0)
			close(found);
		return;
	}
	close_file(files, file);
	keep_file(files, file, found);
	file->is_of_root = is_of_root;
}

static bool may_try(const ObjectFiles *files, ObjectFile *file, const UserMapLine *mapping)
{
	/* Anybody may copy the build id of a program into a file of his own. So a file of root
	   takes the place of one that is not. */
	if (file->descriptor >= 0)
		return !file->is_of_root && mapping->file.build_id_bytes &&
		       file->tries < REPLACES_MAX;
	if (file->tries >= TRIES_MAX)
		return false;
	file->had_no_room = files->open_count >= files->files_max;
	return !file->had_no_room;
}

void object_files_see(ObjectFiles *files, const UserMapLine *mapping)
{
	uint32_t number = user_objects_find_mapping(files->objects, mapping);
	const UserObject *object = user_objects_get(files->objects, number);
	ObjectFile *file;

	if (!object || object->type == USER_OBJECT_SPECIAL)
		return;
	object_files_grow(files);
	file = file_at(files, number);
	if (!may_try(files, file, mapping))
		return;
	file->tries++;
	if (object->type == USER_OBJECT_GENERATED)
		open_jit_map(files, file, object);
	else
		open_mapping(files, file, mapping);
}

void object_files_see_lines(ObjectFiles *files, TextPart lines)
{
	uint64_t until_ns = clock_monotonic_ns() + LATE_NS;
	TextPart text;
	UserMapLine line;

	file_opener_set_patience(files->opener, FILE_OPENER_LIVE_MS);
	while (text_part_next_line(&lines, &text) && clock_monotonic_ns() < until_ns)
		if (user_map_line_parse(text, &line) && line.type == USER_MAP_MAPPED)
			object_files_see(files, &line);
	file_opener_set_patience(files->opener, FILE_OPENER_PATIENCE_MS);
}

/* Looks for a file where the object was, in the root folder of this host. */
static void seek_file(ObjectFiles *files, ObjectFile *file, const UserObject *object)
{
	const UserMapLine line = {
		.type = USER_MAP_MAPPED,
		.tgid = UINT32_MAX,
		.length = 1,
		.file = object->file,
		.path = { object->path, strlen(object->path) },
	};

	if (file->was_sought)
		return;
	file->was_sought = true;
	open_mapping(files, file, &line);
	if (file->descriptor < 0 && errno == EINTR && !file->problem)
		file->problem = file_opener_reason(files->opener, EINTR);
}

/* A map that has grown may have names for places that had none. */
static void forget_if_changed(const ObjectFiles *files, ObjectFile *file)
{
	OpenerLook look = { 0 };

	if (file->descriptor >= 0 && !file->problem)
		file_opener_look(files->opener, file->descriptor, 0, &look);
	if (file->asked && look.file_bytes != file->asked_bytes)
		g_hash_table_remove_all(file->asked);
	file->asked_bytes = look.file_bytes;
}

/* Opens the file of an object. It stays open if there is room, else until the next one. */
static void find_file(ObjectFiles *files, uint32_t number, const UserObject *object)
{
	ObjectFile *file = file_at(files, number);

	if (object->type == USER_OBJECT_GENERATED)
		open_jit_map(files, file, object);
	else if (object->type == USER_OBJECT_FILE)
		seek_file(files, file, object);
	if (file->descriptor < 0 && file->had_no_room && object->type == USER_OBJECT_FILE &&
	    !file->problem)
		file->problem = g_strdup("too many files are mapped: it was not kept open, and "
					 "cannot be found any more");
	if (file->descriptor < 0 || files->open_count <= files->files_max)
		return;
	files->extra = number;
	file->was_sought = false;
}

int object_files_find(ObjectFiles *files, uint32_t number)
{
	const UserObject *object = user_objects_get(files->objects, number);
	ObjectFile *file;

	if (!object)
		return -1;
	object_files_grow(files);
	if (files->extra)
		close_file(files, file_at(files, files->extra));
	files->extra = 0;
	file = file_at(files, number);
	if (file->descriptor < 0)
		find_file(files, number, object);
	if (object->type == USER_OBJECT_GENERATED)
		forget_if_changed(files, file);
	return file->descriptor;
}

/* Places. */

bool object_files_is_new(ObjectFiles *files, uint32_t number, uint64_t offset)
{
	const UserObject *object = user_objects_get(files->objects, number);
	gint64 *key;
	ObjectFile *file;

	if (!object)
		return false;
	object_files_grow(files);
	file = file_at(files, number);
	if (file->problem)
		return false;
	if (!file->asked)
		file->asked = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	key = g_new(gint64, 1);
	*key = (gint64)offset;
	return g_hash_table_add(file->asked, key);
}

void object_files_fail(ObjectFiles *files, uint32_t number, char *problem)
{
	ObjectFile *file = file_at(files, number);

	g_free(file->problem);
	file->problem = problem;
}

/* What was left out. */

FileOpener *object_files_opener(const ObjectFiles *files)
{
	return files->opener;
}

static void append_part(GString *text, const char *part)
{
	if (text->len)
		g_string_append(text, "; ");
	g_string_append(text, part);
}

/* what: of one; whats: of more. */
static void append_count(GString *text, unsigned count, const char *before, const char *what,
			 const char *whats)
{
	g_autofree char *part =
		g_strdup_printf("%s%u %s", before, count, count == 1 ? what : whats);

	if (count)
		append_part(text, part);
}

/* Appends the first program whose names could not be read, and how many others there are. */
static void append_failed(GString *text, const ObjectFiles *files)
{
	g_autoptr(GString) part = g_string_new(NULL);
	unsigned failed = 0;

	for (guint i = 1; i < files->files->len; i++) {
		const char *problem = file_at(files, i)->problem;
		const UserObject *object = user_objects_get(files->objects, i);

		if (!problem || failed++)
			continue;
		g_string_append(part, "no names of ");
		if (object->type == USER_OBJECT_GENERATED)
			g_string_append_printf(part, "code that process %u generated",
					       object->tgid);
		else
			escape_append(part, object->path);
		g_string_append_printf(part, ": %s", problem);
	}
	if (failed > 1)
		g_string_append_printf(part, "; likewise of %u more", failed - 1);
	if (failed)
		append_part(text, part->str);
}

char *object_files_problems(const ObjectFiles *files)
{
	const FileOpenerLosses losses = file_opener_losses(files->opener);
	GString *text = g_string_new(NULL);

	if (losses.problem)
		append_part(text, losses.problem);
	append_count(text, losses.processes, "no mappings of ",
		     "process, which has too many or took too long",
		     "processes, which have too many or took too long");
	append_count(text, losses.late, "", "file took too long to open",
		     "files took too long to open");
	append_count(text, losses.lost, "", "file at which the process that opens them was lost",
		     "files at which the process that opens them was lost");
	append_failed(text, files);
	return g_string_free(text, !text->len);
}

int object_files_descriptor(const ObjectFiles *files, uint32_t object)
{
	return object < files->files->len ? file_at(files, object)->descriptor : -1;
}
