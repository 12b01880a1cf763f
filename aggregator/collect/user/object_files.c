/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/object_files.h"

#include "collect/user/elf_symbols.h"
#include "collect/user/jit_map.h"
#include "collect/user/object_open.h"
#include "collect/user/vdso_image.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A process that has ended, or a file that was replaced: another process may still show it. */
enum { TRIES_MAX = 16 };

/* Of all tables together; a table that can be read again is dropped. */
#define TABLES_BYTES_MAX ((size_t)512 << 20)

typedef struct {
	int descriptor; /* -1: none */
	unsigned tries;
	ElfFunctions *functions; /* NULL: not read */
	off_t read_bytes;        /* size of the file then: maps of generated code grow */
	JitProcess process;      /* of generated code; 0: unknown */
} ObjectFile;

struct ObjectFiles {
	const UserObjects *objects; /* borrowed */
	char *root;
	GArray *files; /* (element-type ObjectFile): by number of the object */
	unsigned files_max, open_count;
	size_t table_bytes;
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
	return &g_array_index(files->files, ObjectFile, object);
}

ObjectFiles *object_files_new(const UserObjects *objects, const char *root, unsigned files_max)
{
	ObjectFiles *files = g_new0(ObjectFiles, 1);

	files->objects = objects;
	files->root = g_strdup(root);
	files->files = g_array_new(FALSE, TRUE, sizeof(ObjectFile));
	files->files_max = files_max;
	return files;
}

void object_files_free(ObjectFiles *files)
{
	if (!files)
		return;
	for (guint i = 0; i < files->files->len; i++) {
		close_file(files, file_at(files, i));
		elf_functions_free(file_at(files, i)->functions);
	}
	g_array_unref(files->files);
	g_free(files->root);
	g_free(files);
}

/* Makes room for all objects. */
static void grow(ObjectFiles *files)
{
	guint before = files->files->len;

	g_array_set_size(files->files, user_objects_count(files->objects) + 1);
	for (guint i = before; i < files->files->len; i++)
		file_at(files, i)->descriptor = -1;
}

static ElfFunctions *read_functions(const ObjectFiles *files, const UserObject *object,
				    const ObjectFile *file)
{
	ElfSymbolsFile from = { .descriptor = file->descriptor,
				.path = object->path,
				.root = files->root };

	if (object->type == USER_OBJECT_SPECIAL)
		return strcmp(object->path, "[vdso]") ? NULL : vdso_image_functions();
	if (file->descriptor < 0)
		return NULL;
	return object->type == USER_OBJECT_GENERATED ? jit_map_read(file->descriptor)
						     : elf_symbols_read(&from);
}

static void drop_functions(ObjectFiles *files, ObjectFile *file)
{
	files->table_bytes -= elf_functions_memory(file->functions);
	g_clear_pointer(&file->functions, elf_functions_free);
}

static off_t size_of(const ObjectFile *file)
{
	struct stat status;

	return file->descriptor < 0 || fstat(file->descriptor, &status) ? 0 : status.st_size;
}

/* Drops the tables that can be read again, all but this one. */
static void drop_tables(ObjectFiles *files, const ObjectFile *kept)
{
	for (guint i = 0; i < files->files->len; i++) {
		ObjectFile *file = file_at(files, i);

		if (file == kept || file->descriptor < 0 || !file->functions)
			continue;
		drop_functions(files, file);
	}
}

static void keep_functions(ObjectFiles *files, ObjectFile *file, const UserObject *object)
{
	file->read_bytes = size_of(file);
	file->functions = read_functions(files, object, file);
	if (!file->functions)
		return;
	files->table_bytes += elf_functions_memory(file->functions);
	if (files->table_bytes > TABLES_BYTES_MAX)
		drop_tables(files, file);
}

/* Whether there is memory for a table that cannot be read again. */
static bool has_room(const ObjectFiles *files)
{
	return files->table_bytes < TABLES_BYTES_MAX;
}

/* Keeps a file that was opened: open, or only its functions. */
static void keep_file(ObjectFiles *files, ObjectFile *file, const UserObject *object)
{
	if (file->descriptor < 0)
		return;
	files->open_count++;
	if (files->open_count <= files->files_max)
		return;
	if (has_room(files))
		keep_functions(files, file, object);
	close_file(files, file);
}

/* The map of generated code often begins after the code. So it is looked for again. */
static void open_jit_map(ObjectFiles *files, ObjectFile *file, const UserObject *object)
{
	if (!file->process.tgid && !jit_process_find(&file->process, files->root, object->tgid))
		return;
	file->descriptor = jit_map_open(&file->process, files->root);
	keep_file(files, file, object);
}

static bool may_try(const ObjectFile *file)
{
	return file->descriptor < 0 && !file->functions && file->tries < TRIES_MAX;
}

void object_files_see(ObjectFiles *files, const UserMapLine *mapping)
{
	uint32_t number = user_objects_find_mapping(files->objects, mapping);
	const UserObject *object = user_objects_get(files->objects, number);
	ObjectFile *file;

	if (!object || object->type == USER_OBJECT_SPECIAL)
		return;
	grow(files);
	file = file_at(files, number);
	if (!may_try(file))
		return;
	file->tries++;
	if (object->type == USER_OBJECT_GENERATED) {
		open_jit_map(files, file, object);
		return;
	}
	file->descriptor = object_open(files->root, mapping);
	keep_file(files, file, object);
}

void object_files_see_lines(ObjectFiles *files, TextPart lines)
{
	TextPart text;
	UserMapLine line;

	while (text_part_next_line(&lines, &text))
		if (user_map_line_parse(text, &line) && line.type == USER_MAP_MAPPED)
			object_files_see(files, &line);
}

const ElfFunctions *object_files_functions(ObjectFiles *files, uint32_t number)
{
	const UserObject *object = user_objects_get(files->objects, number);
	ObjectFile *file;

	if (!object)
		return NULL;
	grow(files);
	file = file_at(files, number);
	if (object->type == USER_OBJECT_GENERATED && !file->functions && file->descriptor < 0)
		open_jit_map(files, file, object);
	if (object->type == USER_OBJECT_GENERATED && file->functions && file->descriptor >= 0 &&
	    size_of(file) != file->read_bytes)
		drop_functions(files, file);
	if (!file->functions)
		keep_functions(files, file, object);
	return file->functions;
}

unsigned object_files_open_count(const ObjectFiles *files)
{
	return files->open_count;
}

unsigned object_files_missing(const ObjectFiles *files)
{
	unsigned missing = 0;

	for (guint i = 1; i < files->files->len; i++) {
		const ObjectFile *file = file_at(files, i);

		missing += user_objects_get(files->objects, i)->type == USER_OBJECT_FILE &&
			   file->descriptor < 0 && !file->functions;
	}
	return missing;
}

int object_files_descriptor(const ObjectFiles *files, uint32_t object)
{
	return object < files->files->len ? file_at(files, object)->descriptor : -1;
}
