/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The distinct places in a session's stacks, in hash tables by object and by place. An update
 * collects what is new since the last one, so that nothing is asked twice. line_resolver.c goes
 * through its objects.
 */
#include "config.h"

#include "code/lines/line_resolver.h"

#include "base/keyed_hash.h"

#include <string.h>

/* A request and its places, with what was asked before. */
typedef struct {
	PlacedObject *object;
	char *key;
	char *section;
	GHashTable *offsets; /* owned, a set of (element-type uint64_t) */
	GArray *places;      /* (element-type LinesPlace), owned: new ones */
} Part;

typedef struct {
	PlacedObject shown;
	char *name, *build_id;
} Object;

struct LinePlaces {
	GPtrArray *objects;  /* (element-type Object), owned, in order */
	GHashTable *by_name; /* (element-type utf8 Object), owned keys */
	GPtrArray *parts;    /* (element-type Part), owned, in the order of the stacks */
	GHashTable *by_key;  /* (element-type utf8 Part) */
	/* A set of (element-type uint64_t), owned: addresses of this symbol epoch that were added
	   in this update. Stacks have most addresses in common. */
	GHashTable *seen;
	uint32_t seen_epoch;
};

static void part_free(gpointer data)
{
	Part *part = data;

	g_free(part->key);
	g_free(part->section);
	g_hash_table_unref(part->offsets);
	g_array_unref(part->places);
	g_free(part);
}

static void object_free(gpointer data)
{
	Object *object = data;

	g_free(object->name);
	g_free(object->build_id);
	g_array_unref(object->shown.requests);
	g_free(object);
}

LinePlaces *line_places_new(void)
{
	LinePlaces *places = g_new0(LinePlaces, 1);

	places->objects = g_ptr_array_new_with_free_func(object_free);
	places->by_name = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	places->parts = g_ptr_array_new_with_free_func(part_free);
	places->by_key = g_hash_table_new(keyed_hash_text, g_str_equal);
	places->seen = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free, NULL);
	return places;
}

void line_places_free(LinePlaces *places)
{
	if (!places)
		return;
	g_hash_table_unref(places->seen);
	g_hash_table_unref(places->by_key);
	g_ptr_array_unref(places->parts);
	g_hash_table_unref(places->by_name);
	g_ptr_array_unref(places->objects);
	g_free(places);
}

/* Objects are the same if they have the same build id. */
static Object *object_intern(LinePlaces *places, CodeKind kind, const char *name,
			     const char *build_id)
{
	g_autofree char *key = g_strdup_printf("%u %s", kind, build_id ? build_id : name);
	Object *object = g_hash_table_lookup(places->by_name, key);

	if (object)
		return object;
	object = g_new0(Object, 1);
	object->name = g_strdup(name);
	object->build_id = g_strdup(build_id);
	object->shown = (PlacedObject){
		.kind = kind,
		.name = object->name,
		.build_id = object->build_id,
		.requests = g_array_new(FALSE, FALSE, sizeof(LinesRequest)),
	};
	g_ptr_array_add(places->objects, object);
	g_hash_table_insert(places->by_name, g_steal_pointer(&key), object);
	return object;
}

static Part *part_intern(LinePlaces *places, Object *object, const char *key, const char *section)
{
	Part *part = g_hash_table_lookup(places->by_key, key);

	if (part)
		return part;
	part = g_new0(Part, 1);
	part->object = &object->shown;
	part->key = g_strdup(key);
	part->section = g_strdup(section);
	part->offsets = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free, NULL);
	part->places = g_array_new(FALSE, FALSE, sizeof(LinesPlace));
	g_ptr_array_add(places->parts, part);
	g_hash_table_insert(places->by_key, part->key, part);
	return part;
}

static void add_place(Part *part, LinesPlace place)
{
	if (g_hash_table_contains(part->offsets, &place.offset))
		return;
	g_hash_table_add(part->offsets, g_memdup(&place.offset, sizeof(place.offset)));
	g_array_append_val(part->places, place);
	part->object->places++;
}

/* Code of the kernel. */

static void add_address(LinePlaces *places, const Session *session, uint32_t epoch,
			uint64_t address)
{
	LinesPlace place = { 0 };
	const CodeObject *code;
	Object *object;

	if (epoch != places->seen_epoch)
		g_hash_table_remove_all(places->seen);
	places->seen_epoch = epoch;
	if (g_hash_table_contains(places->seen, &address))
		return;
	g_hash_table_add(places->seen, g_memdup(&address, sizeof(address)));
	code = code_objects_find(session->code, epoch, address, &place.offset);
	if (!code)
		return;
	object = object_intern(places, code->kind, code->name, code->build_id);
	if (code->key)
		add_place(part_intern(places, object, code->key, code->section), place);
}

static void add_kernel_frames(LinePlaces *places, const Session *session, StackId stack)
{
	uint64_t addresses[KMT_STACK_DEPTH_MAX];
	uint32_t depth = profile_stack_frames(session->profile, stack, addresses);

	/* All but the first are return addresses. */
	for (uint32_t i = 0; i < depth; i++)
		add_address(places, session, profile_stack_epoch(session->profile, stack),
			    addresses[i] - (i > 0));
}

static void add_call_sites(LinePlaces *places, const Session *session)
{
	for (uint32_t i = 0; i < profile_origin_count(session->profile); i++) {
		const ProfileOrigin *origin = profile_origin(session->profile, i);

		if (origin->call_site)
			add_address(places, session,
				    profile_stack_epoch(session->profile, origin->stack),
				    origin->call_site - 1);
	}
}

/* Code of programs. */

static void add_user_place(LinePlaces *places, const Session *session, UserPlace user_place)
{
	const UserObject *code = user_objects_get(session->user_objects, user_place.object);
	LinesPlace place = { .offset = user_place.offset };
	g_autofree char *build_id = NULL;
	Object *object;

	if (!code || code->type != USER_OBJECT_FILE)
		return;
	build_id = user_build_id_text(&code->file);
	object = object_intern(places, CODE_OF_PROGRAM, code->path, build_id);
	if (build_id && user_names_address(session->user_names, user_place, &place.address))
		add_place(part_intern(places, object, code->key, NULL), place);
}

static void add_user_frames(LinePlaces *places, const Session *session, StackId stack)
{
	UserPlace frames[KMT_STACK_DEPTH_MAX];
	uint32_t depth = profile_stack_places(session->profile, stack, frames);

	for (uint32_t i = 0; i < depth; i++)
		add_user_place(places, session,
			       (UserPlace){ frames[i].object, frames[i].offset - (i > 0) });
}

/* Requests. */

static gint compare_objects(gconstpointer left, gconstpointer right)
{
	const Object *a = *(const Object *const *)left, *b = *(const Object *const *)right;

	if (a->shown.kind != b->shown.kind)
		return a->shown.kind < b->shown.kind ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void make_requests(const LinePlaces *places)
{
	for (guint i = 0; i < places->parts->len; i++) {
		const Part *part = g_ptr_array_index(places->parts, i);
		LinesRequest request = { part->object->kind, part->key, part->section,
					 part->places };

		if (part->places->len)
			g_array_append_val(part->object->requests, request);
	}
	g_ptr_array_sort(places->objects, compare_objects);
}

void line_places_update(LinePlaces *places, const Session *session)
{
	uint32_t stacks = stack_table_count(profile_stacks(session->profile));

	for (guint i = 0; i < places->objects->len; i++)
		g_array_set_size(line_places_object(places, i)->requests, 0);
	for (guint i = 0; i < places->parts->len; i++)
		g_array_set_size(((Part *)g_ptr_array_index(places->parts, i))->places, 0);
	g_hash_table_remove_all(places->seen);
	if (profile_stack_kind(session->profile) == STACK_TEXT)
		return;
	for (StackId stack = 0; stack < stacks; stack++) {
		add_kernel_frames(places, session, stack);
		add_user_frames(places, session, stack);
	}
	add_call_sites(places, session);
	make_requests(places);
}

guint line_places_count(const LinePlaces *places)
{
	return places->objects->len;
}

PlacedObject *line_places_object(const LinePlaces *places, guint index)
{
	Object *object = g_ptr_array_index(places->objects, index);

	g_assert(index < places->objects->len);
	return &object->shown;
}
