/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/user_resolve.h"

#include <stdlib.h>

static int compare_places(const void *first, const void *second)
{
	const UserPlace *a = first, *b = second;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Sorted, so that the functions of each object are read once. */
static UserPlace *sorted_places(const UserPlace *places, size_t count)
{
	UserPlace *sorted = g_new(UserPlace, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = places[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), compare_places);
	return sorted;
}

/* Appends the lines of places in one object. Returns how many. */
static size_t resolve(GString *out, const char *key, const ElfFunctions *functions,
		      const UserPlace *places, size_t count)
{
	size_t resolved = 0;
	UserName name;

	for (size_t i = 0; i < count; i++) {
		if ((i && places[i - 1].offset == places[i].offset) ||
		    !elf_functions_find(functions, places[i].offset, &name))
			continue;
		user_name_line_append(out, key, places[i].offset, &name);
		resolved++;
	}
	return resolved;
}

/* Appends the lines of the segments that contain the places, which are sorted. */
static void append_segments(GString *out, const char *key, const ElfFunctions *functions,
			    const UserPlace *places, size_t count)
{
	const UserSegment *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const UserSegment *segment = elf_functions_segment(functions, places[i].offset);

		if (segment && segment != last)
			user_segment_line_append(out, key, segment);
		last = segment ? segment : last;
	}
}

/* Returns how many of the places, which are sorted, are in the object of the first one. */
static size_t of_one_object(const UserPlace *places, size_t count)
{
	size_t same = 1;

	while (same < count && places[same].object == places[0].object)
		same++;
	return same;
}

size_t user_resolve(GString *out, const UserObjects *objects, ObjectFiles *files,
		    const UserPlace *places, size_t count)
{
	g_autofree UserPlace *sorted = sorted_places(places, count);
	size_t resolved = 0, same;

	for (size_t at = 0; at < count; at += same) {
		const UserObject *object = user_objects_get(objects, sorted[at].object);
		const ElfFunctions *functions = object_files_functions(files, sorted[at].object);

		same = of_one_object(sorted + at, count - at);
		if (!object || !functions)
			continue;
		append_segments(out, object->key, functions, sorted + at, same);
		resolved += resolve(out, object->key, functions, sorted + at, same);
	}
	return resolved;
}
