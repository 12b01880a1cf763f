/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes frames of user space as lines, from the tables in code/user/ and the line table. Also says
 * whether a walk reached the start of its thread, by a const table of functions. stack_rows.c calls
 * it.
 */
#include "symbols/user_frame.h"

#include "base/escape.h"
#include "symbols/frame_line.h"

#include <string.h>

/* Returns the last part of a path; "anon" for memory that is mapped from no file. */
static const char *name_of(const UserObject *object)
{
	const char *slash;

	if (!object)
		return "unknown";
	/* Of processes that generate code, everything that is mapped from no file. */
	if (object->type == USER_OBJECT_GENERATED)
		return "anon";
	slash = strrchr(object->path, '/');
	return slash && slash[1] ? slash + 1 : object->path;
}

/* The brackets of "[vdso]" and the like are ours. */
static void append_object(GString *out, const UserObject *object)
{
	const char *name = name_of(object);
	size_t length = strlen(name);
	bool has_brackets = length > 2 && name[0] == '[' && name[length - 1] == ']';

	escape_append_len(out, name + has_brackets, length - 2 * (size_t)has_brackets);
}

void user_frame_append_line(GString *out, const UserObjects *objects, const UserNames *names,
			    UserPlace place, bool is_return_address)
{
	const UserObject *object = user_objects_get(objects, place.object);
	bool has_name;
	UserName name;

	place.offset -= is_return_address;
	has_name = names && user_names_find(names, place, &name);
	g_string_append_c(out, ' ');
	if (has_name) {
		escape_append(out, name.name);
		g_string_append_printf(out, "+0x%" G_GINT64_MODIFIER "x",
				       name.offset + is_return_address);
		if (name.bytes)
			g_string_append_printf(out, "/0x%" G_GINT64_MODIFIER "x", name.bytes);
		g_string_append_c(out, ' ');
	}
	g_string_append_c(out, '[');
	append_object(out, object);
	if (!has_name)
		g_string_append_printf(out, "+0x%" G_GINT64_MODIFIER "x",
				       place.offset + is_return_address);
	g_string_append_c(out, ']');
}

const LineFrame *user_frame_lines(const UserObjects *objects, const LineTable *lines,
				  UserPlace place, bool is_return_address, size_t *count)
{
	const UserObject *object = user_objects_get(objects, place.object);

	*count = 0;
	return lines && object ? line_table_find(lines, object->key,
						 place.offset - is_return_address, count)
			       : NULL;
}

void user_frame_append_inlined(GString *out, const UserObjects *objects, UserPlace place,
			       const LineFrame *line)
{
	g_string_append_printf(out, " %s" FRAME_INLINED_MARK " [",
			       line->function ? line->function : "??");
	append_object(out, user_objects_get(objects, place.object));
	g_string_append_c(out, ']');
	frame_line_append_source(out, line->file, line->line);
}

/* Functions of glibc and musl that call main() or the function of a thread, and those that call
   them: often without frame pointers, so a stack ends at the first of them. */
static const char *const start_names[] = {
	"_start",
	"_dl_start_user",
	"__libc_start_call_main",
	"__libc_start_main",
	"__clone",
	"clone",
	"__clone3",
	"clone3",
	"__GI___clone",
	"start_thread",
	NULL,
};

/* Finds the name of a frame; frame 0 is the innermost one. */
static bool find_name(const UserNames *names, const UserPlace *places, uint32_t at, UserName *name)
{
	UserPlace place = places[at];

	place.offset -= at > 0;
	return user_names_find(names, place, name);
}

bool user_places_reach_start(const UserNames *names, const UserPlace *places, uint32_t count)
{
	UserName name;

	if (find_name(names, places, count - 1, &name))
		return g_strv_contains(start_names, name.name);
	/* A C library without symbols. */
	return count > 1 && places[count - 1].object != places[count - 2].object &&
	       find_name(names, places, count - 2, &name) && g_str_equal(name.name, "main");
}
