/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines and inlined functions of an address, for each unit that is asked about: its
 * functions and its paths are read once and kept. Paths are split into the root of the sources and
 * the rest. Runs in the child of lines_child.c.
 */
#include "config.h"

#include "code/lines/debug_object.h"

#include "base/address_ranges.h"
#include "base/unconst.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glib.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

/* Adds the units that .debug_aranges lists, and remembers which those are. */
static void add_listed(AddressRanges *units, Dwarf *dwarf, GHashTable *listed)
{
	Dwarf_Aranges *aranges;
	size_t count;

	if (dwarf_getaranges(dwarf, &aranges, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Addr start;
		Dwarf_Word bytes;
		Dwarf_Off unit;

		if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &bytes, &unit))
			continue;
		address_ranges_add(units, start, start + bytes, unit);
		g_hash_table_add(listed, GSIZE_TO_POINTER(unit));
	}
}

/* Returns the code of all compilation units; ids are offsets of their first entries. Units that
   .debug_aranges lacks (clang writes none) say it in the first entry; libdw looks there only from
   0.191 on. */
static AddressRanges *read_units(Dwarf *dwarf)
{
	g_autoptr(GHashTable) listed = g_hash_table_new(NULL, NULL);
	AddressRanges *units = address_ranges_new();
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	add_listed(units, dwarf, listed);
	while (!dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL))
		if ((type == DW_UT_compile || type == DW_UT_skeleton) &&
		    !g_hash_table_contains(listed, GSIZE_TO_POINTER(dwarf_dieoffset(&die))))
			debug_ranges_add(units, &die);
	address_ranges_order(units);
	return units;
}

/* A unit that was asked about. */
typedef struct {
	AddressRanges *functions; /* owned */
	AddressRanges *inner;     /* owned: also functions inside functions; NULL: not read yet */
	const char *folder;       /* in which it was compiled; NULL: unknown */
	const char *root;         /* of its sources */
	GHashTable *files;        /* (element-type utf8 SourceFile), owned, by the path of libdw */
} Unit;

/* A path as the debug data has it, in two parts. */
typedef struct {
	const char *root;
	const char *file;
} SourceFile;

struct DebugLines {
	Dwarf *dwarf;
	AddressRanges *units; /* owned: of all units */
	GHashTable *read;     /* (element-type gsize Unit), owned, by offset */
	GStringChunk *texts;  /* of roots and files */
};

static void unit_free(gpointer data)
{
	Unit *unit = data;

	address_ranges_free(unit->functions);
	address_ranges_free(unit->inner);
	g_hash_table_unref(unit->files);
	g_free(unit);
}

DebugLines *debug_lines_new(Dwarf *dwarf)
{
	DebugLines *lines = g_new0(DebugLines, 1);

	lines->dwarf = dwarf;
	lines->units = read_units(dwarf);
	lines->read = g_hash_table_new_full(NULL, NULL, NULL, unit_free);
	lines->texts = g_string_chunk_new(4096);
	return lines;
}

void debug_lines_free(DebugLines *lines)
{
	if (!lines)
		return;
	address_ranges_free(lines->units);
	g_hash_table_unref(lines->read);
	g_string_chunk_free(lines->texts);
	g_free(lines);
}

/* Paths. */

/* Adds a part of a path to those before it. */
static void add_part(GPtrArray *parts, char *part, bool is_absolute)
{
	bool is_up = !strcmp(part, "..");
	const char *last = parts->len ? g_ptr_array_index(parts, parts->len - 1) : "..";

	if (!*part || !strcmp(part, "."))
		return;
	if (is_up && strcmp(last, "..") != 0)
		g_ptr_array_set_size(parts, (gint)parts->len - 1);
	else if (!is_up || !is_absolute)
		g_ptr_array_add(parts, part);
}

/* Removes "." and ".." parts, as if no folder were a symbolic link. */
static char *debug_lines_simplify(const char *folder, const char *path)
{
	/* Longer paths do not exist on Linux. A hostile file may claim one of 100 MB. */
	g_autofree char *whole = *path == '/' || !folder ? g_strndup(path, PATH_MAX)
							 : g_strdup_printf("%.*s/%.*s", PATH_MAX,
									   folder, PATH_MAX, path);
	g_autofree char *joined = NULL;
	g_auto(GStrv) parts = g_strsplit(whole, "/", -1);
	g_autoptr(GPtrArray) kept = g_ptr_array_new();
	bool is_absolute = *whole == '/';

	for (char **part = parts; *part; part++)
		add_part(kept, *part, is_absolute);
	g_ptr_array_add(kept, NULL);
	joined = g_strjoinv("/", (char **)kept->pdata);
	return g_strconcat(is_absolute ? "/" : "", joined, NULL);
}

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	return length && !strncmp(path, folder, length) && path[length] == '/';
}

/* Whether headers are those of the C library, "/usr/include/linux/": no program's own. */
static bool is_of_system(const char *root)
{
	return g_str_has_suffix(root, "/usr") ||
	       (g_str_has_prefix(root, "/usr/") && !g_str_has_prefix(root, "/usr/src/"));
}

/* The kernel is often compiled in another folder than that of its sources, which is where its
   headers are. */
static char *root_of_headers(Dwarf_Die *die, const char *folder)
{
	static const char headers[] = "/include/linux/";
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(die, &files, &count))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);
		g_autofree char *path = name && strstr(name, headers + 1)
						? debug_lines_simplify(folder, name)
						: NULL;
		char *at = path ? strstr(path, headers) : NULL;

		if (!at)
			continue;
		*at = '\0';
		if (!is_of_system(path))
			return g_steal_pointer(&path);
	}
	return NULL;
}

/* Returns the folder that contains the one in which a unit was compiled and the unit's own file:
   "/linux-6.1" of "/linux-6.1/build" and "../arch/x86/lib/putuser.S". */
static char *root_of_folder(Dwarf_Die *die, const char *folder)
{
	const char *name = dwarf_diename(die);
	g_autofree char *file = name ? debug_lines_simplify(folder, name) : NULL;
	g_autofree char *root = debug_lines_simplify(NULL, folder);
	g_autofree char *above = g_strdup(root);

	while (file && !is_below(file, above) && strrchr(above, '/') > above)
		*strrchr(above, '/') = '\0';
	return g_strdup(file && is_below(file, above) ? above : root);
}

static Unit *unit_of(DebugLines *lines, Dwarf_Die *die)
{
	gpointer key = GSIZE_TO_POINTER(dwarf_dieoffset(die));
	Unit *unit = g_hash_table_lookup(lines->read, key);
	g_autofree char *root = NULL;
	Dwarf_Attribute folder;

	if (unit)
		return unit;
	unit = g_new0(Unit, 1);
	unit->functions = debug_functions_of_unit(die, false);
	unit->folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &folder));
	root = root_of_headers(die, unit->folder);
	if (!root && unit->folder && *unit->folder == '/')
		root = root_of_folder(die, unit->folder);
	unit->root = g_string_chunk_insert_const(lines->texts, root ? root : "");
	/* libdw has one string for a file of a unit. */
	unit->files = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_hash_table_insert(lines->read, key, unit);
	return unit;
}

static void set_file(DebugLines *lines, const Unit *unit, const char *path, DebugFrame *frame)
{
	SourceFile *file;

	if (!path)
		return;
	file = g_hash_table_lookup(unit->files, path);
	if (!file) {
		g_autofree char *whole = debug_lines_simplify(unit->folder, path);
		bool has_root = is_below(whole, unit->root);
		const char *kept = has_root ? whole + strlen(unit->root) + 1 : whole;

		file = g_new(SourceFile, 1);
		*file = (SourceFile){ has_root ? unit->root : "",
				      g_string_chunk_insert_const(lines->texts, kept) };
		g_hash_table_insert(unit->files, unconst(path), file);
	}
	frame->root = file->root;
	frame->file = file->file;
}

/* Frames. */

static Dwarf_Word number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	dwarf_formudata(dwarf_attr(die, name, &attribute), &number);
	return number;
}

/* Sets the line at which an inlined function is called. */
static void set_call(DebugLines *lines, const Unit *unit, Dwarf_Die *die, Dwarf_Die *inlined,
		     DebugFrame *frame)
{
	Dwarf_Word line = number_of(inlined, DW_AT_call_line);
	Dwarf_Word file = number_of(inlined, DW_AT_call_file);
	Dwarf_Files *files;
	size_t count;

	frame->line = line <= G_MAXINT ? (int)line : 0;
	if (!dwarf_getsrcfiles(die, &files, &count) && file < count)
		set_file(lines, unit, dwarf_filesrc(files, file, NULL, NULL), frame);
}

/* Finds the function of an address in a unit. */
static bool find_function(const DebugLines *lines, Unit *unit, Dwarf_Die *die, Dwarf_Addr address,
			  Dwarf_Die *function)
{
	AddressRange found;
	bool is_found = address_ranges_find(unit->functions, address, &found);

	if (!is_found && !unit->inner)
		unit->inner = debug_functions_of_unit(die, true);
	return (is_found || address_ranges_find(unit->inner, address, &found)) &&
	       dwarf_offdie(lines->dwarf, found.id, function);
}

/* Sets the functions, of which the first one has its line already. */
static size_t set_functions(DebugLines *lines, Unit *unit, Dwarf_Die *die, Dwarf_Addr address,
			    DebugFrame frames[DEBUG_DEPTH_MAX])
{
	Dwarf_Die function, scopes[DEBUG_DEPTH_MAX];
	size_t depth, count = 0;

	if (!find_function(lines, unit, die, address, &function))
		return 1;
	depth = debug_function_scopes(&function, address, scopes);
	while (depth--) {
		int tag = dwarf_tag(&scopes[depth]);

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		frames[count++].function = dwarf_diename(&scopes[depth]);
		if (tag == DW_TAG_subprogram)
			break;
		frames[count] = (DebugFrame){ .root = "" };
		set_call(lines, unit, die, &scopes[depth], &frames[count]);
	}
	return count;
}

size_t debug_lines_find(DebugLines *lines, Dwarf_Addr address, DebugFrame frames[DEBUG_DEPTH_MAX])
{
	AddressRange found;
	Unit *unit;
	Dwarf_Die die;
	Dwarf_Line *line;

	if (!address_ranges_find(lines->units, address, &found) ||
	    !dwarf_offdie(lines->dwarf, found.id, &die))
		return 0;
	unit = unit_of(lines, &die);
	frames[0] = (DebugFrame){ .root = "" };
	line = dwarf_getsrc_die(&die, address);
	if (line) {
		dwarf_lineno(line, &frames[0].line);
		set_file(lines, unit, dwarf_linesrc(line, NULL, NULL), &frames[0]);
	}
	return set_functions(lines, unit, &die, address, frames);
}
