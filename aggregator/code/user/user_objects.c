/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for files with code. An object may be known by several texts (build id, inode with or
 * without generation, others); all of them lead to one number in a hash table. The first text is
 * its key in the stream, and stays it.
 */
#include "code/user/user_objects.h"

#include "base/build_id.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/unconst.h"

#include <string.h>

/* Of an entry in a hash table of GLib, about. */
enum { ALIAS_BYTES = 48 };

struct UserObjects {
	GArray *objects;     /* (element-type UserObject); the first one is of no address */
	GHashTable *numbers; /* (element-type utf8 guint): of all texts that identify an object */
	GStringChunk *texts; /* owns all texts */
	size_t bytes_max;
	size_t bytes;
};

UserObjects *user_objects_new(size_t bytes_max)
{
	UserObjects *objects = g_new0(UserObjects, 1);

	objects->objects = g_array_new(FALSE, TRUE, sizeof(UserObject));
	g_array_set_size(objects->objects, USER_OBJECT_UNKNOWN + 1);
	objects->numbers = g_hash_table_new(keyed_hash_text, g_str_equal);
	objects->texts = g_string_chunk_new(1 << 12);
	objects->bytes_max = bytes_max;
	return objects;
}

void user_objects_free(UserObjects *objects)
{
	if (!objects)
		return;
	g_hash_table_unref(objects->numbers);
	g_array_unref(objects->objects);
	g_string_chunk_free(objects->texts);
	g_free(objects);
}

/*
 * Memory that perf events and /proc/PID/maps show as a file, although no file was mapped: shared
 * anonymous memory (mm/shmem.c), System V segments (ipc/shm.c), huge pages (fs/hugetlbfs). A memfd
 * contains generated code, unless it has the build id of a program.
 */
static bool is_memory(TextPart path)
{
	static const char *const prefixes[] = { "/memfd:", "/dev/zero", "/SYSV", "/anon_hugepage" };

	for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (path.length >= strlen(prefixes[i]) &&
		    !memcmp(path.text, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* What the kernel itself maps into each process; [uprobes] is where probed instructions run. */
static bool is_special(TextPart path)
{
	static const char *const names[] = { "[vdso]", "[vsyscall]", "[uprobes]", "[sigpage]" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (text_part_is(path, names[i]))
			return true;
	return false;
}

UserObjectType user_object_type(const UserMapLine *mapping)
{
	if (mapping->file.build_id_bytes)
		return USER_OBJECT_FILE;
	if (is_special(mapping->path))
		return USER_OBJECT_SPECIAL;
	if (!mapping->file.inode || is_memory(mapping->path))
		return USER_OBJECT_GENERATED;
	return USER_OBJECT_FILE;
}

/* The texts that identify an object; empty: has none. The first that is not empty is its key. */
typedef struct {
	char build_id[sizeof("b:") + 2 * USER_BUILD_ID_BYTES_MAX];
	char inode[sizeof("i:4294967295:4294967295:") + 2 * 16 + 1];
	char any_inode[sizeof("I:4294967295:4294967295:") + 16]; /* of any generation */
	char other[32];
} Aliases;

static void set_inode(Aliases *aliases, const UserFileId *file)
{
	g_snprintf(aliases->any_inode, sizeof(aliases->any_inode),
		   "I:%u:%u:%" G_GINT64_MODIFIER "x", file->major, file->minor, file->inode);
	if (file->generation)
		g_snprintf(aliases->inode, sizeof(aliases->inode),
			   "i:%u:%u:%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x", file->major,
			   file->minor, file->inode, file->generation);
}

static void set_build_id(Aliases *aliases, const UserFileId *file)
{
	g_autoptr(GString) text = g_string_new("b:");

	build_id_append(text, file->build_id, file->build_id_bytes);
	g_strlcpy(aliases->build_id, text->str, sizeof(aliases->build_id));
}

static Aliases aliases_of(const UserMapLine *mapping)
{
	Aliases aliases = { 0 };

	switch (user_object_type(mapping)) {
	case USER_OBJECT_GENERATED:
		g_snprintf(aliases.other, sizeof(aliases.other), "jit:%u", mapping->tgid);
		break;
	case USER_OBJECT_SPECIAL:
		g_snprintf(aliases.other, sizeof(aliases.other), "p:%.*s",
			   (int)mapping->path.length, mapping->path.text);
		break;
	case USER_OBJECT_FILE:
		if (mapping->file.build_id_bytes)
			set_build_id(&aliases, &mapping->file);
		if (mapping->file.inode)
			set_inode(&aliases, &mapping->file);
	}
	return aliases;
}

static uint32_t number_of(const UserObjects *objects, const char *alias)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(objects->numbers, alias));
}

static UserObject *object_at(const UserObjects *objects, uint32_t number)
{
	hot_assert(number < objects->objects->len);
	return &g_array_index(objects->objects, UserObject, number);
}

/* A new build id is a new file, even at an inode that is known: the file was written again. */
static uint32_t find_known(const UserObjects *objects, const Aliases *aliases,
			   const UserFileId *file)
{
	uint32_t number = number_of(objects, aliases->build_id);
	const UserFileId *known;

	if (!number)
		number = number_of(objects, aliases->other);
	if (!number && !file->build_id_bytes)
		number = number_of(objects, aliases->inode);
	if (number)
		return number;
	/* The file with this inode, of any generation. */
	number = number_of(objects, aliases->any_inode);
	known = number ? &object_at(objects, number)->file : NULL;
	if (!known || (known->build_id_bytes && file->build_id_bytes) ||
	    (known->generation && file->generation && known->generation != file->generation))
		return USER_OBJECT_UNKNOWN;
	return number;
}

static const char *own_text(UserObjects *objects, TextPart text)
{
	objects->bytes += text.length + 1;
	return g_string_chunk_insert_len(objects->texts, text.text, (gssize)text.length);
}

/* The first text becomes the key, and stays it. */
static void set_aliases(UserObjects *objects, const Aliases *aliases, uint32_t number)
{
	const char *const texts[] = { aliases->build_id, aliases->other, aliases->inode,
				      aliases->any_inode };
	UserObject *object = object_at(objects, number);

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		uint32_t before = number_of(objects, texts[i]);
		const char *owned;

		if (!*texts[i] || before == number)
			continue;
		/* A key identifies its object for ever. */
		if (before && !strcmp(object_at(objects, before)->key, texts[i]))
			continue;
		owned = own_text(objects, (TextPart){ texts[i], strlen(texts[i]) });
		g_hash_table_insert(objects->numbers, unconst(owned), GUINT_TO_POINTER(number));
		objects->bytes += ALIAS_BYTES;
		if (!object->key)
			object->key = owned;
	}
}

/* Adds what this line tells about a file that another line mapped. */
static void user_objects_learn(UserObject *object, const UserFileId *file)
{
	if (!object->file.build_id_bytes) {
		memcpy(object->file.build_id, file->build_id, sizeof(file->build_id));
		object->file.build_id_bytes = file->build_id_bytes;
	}
	if (!object->file.inode) {
		object->file.major = file->major;
		object->file.minor = file->minor;
		object->file.inode = file->inode;
	}
	if (!object->file.generation)
		object->file.generation = file->generation;
}

static uint32_t add_object(UserObjects *objects, const UserMapLine *mapping)
{
	UserObject object = { .type = user_object_type(mapping), .file = mapping->file };

	object.path = own_text(objects, mapping->path);
	if (object.type == USER_OBJECT_GENERATED)
		object.tgid = mapping->tgid;
	g_array_append_val(objects->objects, object);
	objects->bytes += sizeof(object);
	return objects->objects->len - 1;
}

uint32_t user_objects_intern(UserObjects *objects, const UserMapLine *mapping)
{
	Aliases aliases = aliases_of(mapping);
	uint32_t number = find_known(objects, &aliases, &mapping->file);

	if (number && object_at(objects, number)->type != USER_OBJECT_FILE)
		return number;
	if (objects->bytes + sizeof(aliases) + mapping->path.length > objects->bytes_max)
		return number;
	if (number)
		user_objects_learn(object_at(objects, number), &mapping->file);
	else
		number = add_object(objects, mapping);
	set_aliases(objects, &aliases, number);
	return number;
}

uint32_t user_objects_find_mapping(const UserObjects *objects, const UserMapLine *mapping)
{
	Aliases aliases = aliases_of(mapping);

	return find_known(objects, &aliases, &mapping->file);
}

uint32_t user_objects_find(const UserObjects *objects, TextPart key)
{
	char text[sizeof(Aliases)];

	if (key.length >= sizeof(text))
		return USER_OBJECT_UNKNOWN;
	memcpy(text, key.text, key.length);
	text[key.length] = '\0';
	return number_of(objects, text);
}

const UserObject *user_objects_get(const UserObjects *objects, uint32_t number)
{
	if (number == USER_OBJECT_UNKNOWN || number >= objects->objects->len)
		return NULL;
	return object_at(objects, number);
}

uint32_t user_objects_count(const UserObjects *objects)
{
	return objects->objects->len - 1;
}
