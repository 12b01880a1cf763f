/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about user space: what was mapped, names of functions, where code is in the debug data, and
   the map of generated code. */
#include "code/elf/jit_map.h"
#include "fuzz/fuzz.h"
#include "code/user/user_names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TGIDS = 16, BYTES_MAX = 1 << 18 };

static const uint64_t times[] = { 0, 1, 5, 9, 1000000, UINT64_MAX };
static const uint64_t addresses[] = { 0, 0x1000, 0x1fff, 0x2800, 0x55d000, UINT64_MAX };

static const char *key_of(const UserObjects *objects, UserPlace place)
{
	const UserObject *object = user_objects_get(objects, place.object);

	return object ? object->key : NULL;
}

/* The lines of a table are all understood. */
static void expect_valid_maps(const UserMaps *maps)
{
	g_autoptr(UserObjects) objects = user_objects_new(2 * BYTES_MAX);
	g_autoptr(UserMaps) again = user_maps_new(objects, 2 * BYTES_MAX);
	g_autoptr(GString) lines = g_string_new(NULL);

	user_maps_append(maps, lines);
	user_maps_parse(again, (TextPart){ lines->str, lines->len });
	if (user_maps_losses(again)->invalid)
		abort();
}

/* The line of a name that was found is that name's again. */
static void expect_same_name(const UserObjects *objects, UserPlace place, const UserName *name)
{
	g_autoptr(UserNames) again = user_names_new(objects, BYTES_MAX);
	g_autoptr(GString) line = g_string_new(NULL);
	UserName other;

	user_name_line_append(line, key_of(objects, place), place.offset, name);
	user_names_parse(again, (TextPart){ line->str, line->len });
	if (!user_names_find(again, place, &other) || strcmp(other.name, name->name) ||
	    other.offset != name->offset || other.bytes != name->bytes)
		abort();
}

/* What is unknown is the address itself. */
static void look_up(UserMaps *maps, const UserObjects *objects, const UserNames *names)
{
	for (uint32_t tgid = 0; tgid < TGIDS; tgid++)
		for (gsize time = 0; time < G_N_ELEMENTS(times); time++)
			for (gsize at = 0; at < G_N_ELEMENTS(addresses); at++) {
				UserPlace place;
				UserName name;
				uint64_t address;
				bool found = user_maps_lookup(maps, tgid, times[time],
							      addresses[at], &place);

				if (found != (user_objects_get(objects, place.object) != NULL) ||
				    (!found && place.offset != addresses[at]))
					abort();
				if (found && user_names_find(names, place, &name))
					expect_same_name(objects, place, &name);
				user_names_address(names, place, &address);
			}
}

static void expect_keys(const UserObjects *objects)
{
	for (uint32_t number = 1; number <= user_objects_count(objects); number++) {
		const char *key = user_objects_get(objects, number)->key;

		if (user_objects_find(objects, (TextPart){ key, strlen(key) }) != number)
			abort();
	}
}

static void read_jit_map(const uint8_t *data, size_t size)
{
	int descriptor = memfd_create("map", MFD_CLOEXEC);
	g_autoptr(ElfFunctions) functions = NULL;

	if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size)
		abort();
	functions = jit_map_read(descriptor);
	for (gsize at = 0; at < G_N_ELEMENTS(addresses); at++) {
		UserName name;

		elf_functions_find(functions, addresses[at], &name);
	}
	close(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(UserObjects) objects = user_objects_new(BYTES_MAX);
	g_autoptr(UserMaps) maps = user_maps_new(objects, BYTES_MAX);
	g_autoptr(UserNames) names = user_names_new(objects, BYTES_MAX);
	TextPart text = { (const char *)data, size };

	user_maps_parse(maps, text);
	user_names_parse(names, text);
	look_up(maps, objects, names);
	expect_valid_maps(maps);
	expect_keys(objects);
	for (gsize time = 0; time < G_N_ELEMENTS(times); time++) {
		user_maps_settle(maps, times[time]);
		look_up(maps, objects, names);
	}
	if (user_maps_memory(maps) > BYTES_MAX + (1 << 12) || user_names_memory(names) > BYTES_MAX)
		abort();
	read_jit_map(data, size);
	return 0;
}
