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
	qsort(sorted, count, sizeof(*sorted), compare_places);
	return sorted;
}

static bool resolve(GString *out, const UserObjects *objects, ObjectFiles *files, UserPlace place)
{
	const ElfFunctions *functions = object_files_functions(files, place.object);
	UserName name;

	if (!functions || !elf_functions_find(functions, place.offset, &name))
		return false;
	user_name_line_append(out, user_objects_get(objects, place.object)->key, place.offset,
			      &name);
	return true;
}

size_t user_resolve(GString *out, const UserObjects *objects, ObjectFiles *files,
		    const UserPlace *places, size_t count)
{
	g_autofree UserPlace *sorted = sorted_places(places, count);
	size_t resolved = 0;

	for (size_t i = 0; i < count; i++)
		if (!i || compare_places(&sorted[i - 1], &sorted[i]) != 0)
			resolved += resolve(out, objects, files, sorted[i]);
	return resolved;
}
