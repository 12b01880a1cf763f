/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one object in an array, with their names in another. Filled in any order, sorted
 * once; nested functions know the one around them. Bounded. The readers of symbols fill it,
 * user_resolve.c asks it.
 */
#include "code/elf/elf_functions.h"

#include "base/saturate.h"
#include "base/sorted.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* A browser has 600,000 functions with 60 MB of names. Nesting has one level; more is hostile. */
enum { FUNCTIONS_MAX = 1 << 22, NAMES_BYTES_MAX = 192 << 20, NESTING_MAX = 16 };

enum { NOT_ENCLOSED = UINT32_MAX };

typedef struct {
	uint64_t offset, bytes;
	uint64_t end;  /* the first offset behind; of a function without a size: of the next one */
	uint32_t name; /* where it begins in the names */
	uint32_t enclosing; /* position of the function around this one */
	unsigned rank;
} Function;

struct ElfFunctions {
	GArray *functions; /* (element-type Function) */
	GByteArray *names; /* terminated, one behind the other */
	GArray *segments;  /* (element-type UserSegment) */
};

ElfFunctions *elf_functions_new(void)
{
	ElfFunctions *functions = g_new0(ElfFunctions, 1);

	functions->functions = g_array_new(FALSE, FALSE, sizeof(Function));
	functions->names = g_byte_array_new();
	functions->segments = g_array_new(FALSE, FALSE, sizeof(UserSegment));
	return functions;
}

void elf_functions_free(ElfFunctions *functions)
{
	if (!functions)
		return;
	g_array_unref(functions->functions);
	g_byte_array_unref(functions->names);
	g_array_unref(functions->segments);
	g_free(functions);
}

static Function *function_at(const ElfFunctions *functions, guint at)
{
	g_assert(at < functions->functions->len);
	return &g_array_index(functions->functions, Function, at);
}

static const char *name_of(const ElfFunctions *functions, const Function *function)
{
	return (const char *)functions->names->data + function->name;
}

bool elf_functions_add(ElfFunctions *functions, uint64_t offset, uint64_t bytes, TextPart name,
		       unsigned rank)
{
	Function function = { .offset = offset,
			      .bytes = bytes,
			      .name = functions->names->len,
			      .enclosing = NOT_ENCLOSED,
			      .rank = rank };
	size_t length = MIN(name.length, USER_NAME_BYTES_MAX);

	if (functions->functions->len >= FUNCTIONS_MAX ||
	    functions->names->len + length + 1 > NAMES_BYTES_MAX)
		return false;
	if (!checked_sum(&function.end, offset, bytes))
		return true;
	g_byte_array_append(functions->names, (const guint8 *)name.text, (guint)length);
	g_byte_array_append(functions->names, (const guint8 *)"", 1);
	g_array_append_val(functions->functions, function);
	return true;
}

void elf_functions_add_segment(ElfFunctions *functions, const UserSegment *segment)
{
	g_array_append_val(functions->segments, *segment);
}

const UserSegment *elf_functions_segment(const ElfFunctions *functions, uint64_t offset)
{
	for (guint i = 0; i < functions->segments->len; i++) {
		const UserSegment *segment = &g_array_index(functions->segments, UserSegment, i);

		if (offset - segment->offset < segment->bytes)
			return segment;
	}
	return NULL;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Orders two names: the better one first. */
static int compare_names(const char *a, const char *b)
{
	int underscores = compare_numbers(strspn(a, "_"), strspn(b, "_"));
	int lengths = compare_numbers(strlen(a), strlen(b));

	if (underscores)
		return underscores;
	return lengths ? lengths : strcmp(a, b);
}

/* Orders by offset, and at one offset the best first. */
static gint compare_functions(gconstpointer first, gconstpointer second, gpointer user_data)
{
	const Function *a = first, *b = second;
	int sizes = (b->bytes != 0) - (a->bytes != 0);
	int ranks = compare_numbers(b->rank, a->rank);

	if (a->offset != b->offset)
		return compare_numbers(a->offset, b->offset);
	if (sizes || ranks)
		return sizes ? sizes : ranks;
	return compare_names(name_of(user_data, a), name_of(user_data, b));
}

/* Keeps the best name of each offset, and labels only outside of functions. Notes which functions
   enclose others. */
static void drop_and_nest(ElfFunctions *functions)
{
	guint kept = 0;
	uint32_t around = NOT_ENCLOSED;

	for (guint at = 0; at < functions->functions->len; at++) {
		Function function = *function_at(functions, at);

		if (kept && function_at(functions, kept - 1)->offset == function.offset)
			continue;
		while (around != NOT_ENCLOSED &&
		       function_at(functions, around)->end <= function.offset)
			around = function_at(functions, around)->enclosing;
		if (around != NOT_ENCLOSED && !function.bytes)
			continue;
		function.enclosing = around;
		if (function.bytes)
			around = kept;
		*function_at(functions, kept++) = function;
	}
	g_array_set_size(functions->functions, kept);
}

void elf_functions_sort(ElfFunctions *functions, uint64_t limit)
{
	g_array_sort_with_data(functions->functions, compare_functions, functions);
	drop_and_nest(functions);
	/* Functions without a size get the space up to the next one. */
	for (guint at = functions->functions->len; at > 0; at--) {
		Function *function = function_at(functions, at - 1);

		if (!function->bytes)
			function->end = MAX(limit, function->offset);
		limit = function->offset;
	}
}

bool elf_functions_find(const ElfFunctions *functions, uint64_t offset, UserName *name)
{
	uint32_t at = SORTED_UNTIL(functions->functions, Function, offset, offset);

	if (!at--)
		return false;
	for (int level = 0; level < NESTING_MAX && at != NOT_ENCLOSED; level++) {
		const Function *function = function_at(functions, at);

		if (offset < function->end) {
			*name = (UserName){ .name = name_of(functions, function),
					    .offset = offset - function->offset,
					    .bytes = function->bytes };
			return true;
		}
		at = function->enclosing;
	}
	return false;
}
