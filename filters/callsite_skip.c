/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that allocate for others, as a set of base names: those of the user and those of
 * callsite_skip_names.c. The dimension of call sites asks for each function.
 */
#include "callsite_skip.h"

#include "filter.h"
#include "item_list.h"

#include <string.h>

struct CallsiteSkip {
	GHashTable *names; /* (element-type utf8), owned; normalised by base_of() */
};

/* Returns the name in the source code, without suffixes of compilers (after a dot) and without the
   suffix of variants that the kernel's own allocation profiling does not count. The caller frees
   it. */
static char *base_of(const char *symbol)
{
	static const char variant[] = "_noprof";
	char *base = g_strndup(symbol, strcspn(symbol, "."));

	if (g_str_has_suffix(base, variant))
		base[strlen(base) - strlen(variant)] = '\0';
	return base;
}

CallsiteSkip *callsite_skip_new(const char *argument, GError **error)
{
	g_auto(GStrv) items = item_list_parse(argument);
	CallsiteSkip *skip;

	if (!*items) {
		g_set_error(error, filter_error_quark(), 0,
			    "'%s' names no function: give names with commas, or default", argument);
		return NULL;
	}
	skip = g_new0(CallsiteSkip, 1);
	skip->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (char **item = items; *item; item++) {
		const char *const *name = callsite_skip_wrappers;
		bool is_default = g_str_equal(*item, "default");

		if (!is_default)
			g_hash_table_add(skip->names, base_of(*item));
		for (; is_default && *name; name++)
			g_hash_table_add(skip->names, g_strdup(*name));
	}
	return skip;
}

void callsite_skip_free(CallsiteSkip *skip)
{
	if (!skip)
		return;
	g_hash_table_unref(skip->names);
	g_free(skip);
}

bool callsite_skip_has(const CallsiteSkip *skip, const char *symbol)
{
	g_autofree char *base = base_of(symbol);

	return g_strv_contains(callsite_skip_allocators, base) ||
	       (skip && g_hash_table_contains(skip->names, base));
}
