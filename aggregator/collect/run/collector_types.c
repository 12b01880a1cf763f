/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of option arguments that select a collector, and how it works, as const tables. Options and
 * engines look them up. The first collector that this host is ready for is chosen, and why others
 * were not is said.
 */
#include "collect/run/collector_types.h"

#include <string.h>

/* The best one first; the last one needs only the kernel. */
static const CollectorType *const collector_types[] = {
	&stap_collector,
	&bpf_collector,
	&perf_collector,
};

const CollectorType *collector_type_lookup(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(collector_types); i++)
		if (g_str_equal(collector_types[i]->name, name))
			return collector_types[i];
	return NULL;
}

char *collector_type_names(void)
{
	GString *names = g_string_new("auto");

	for (gsize i = 0; i < G_N_ELEMENTS(collector_types); i++)
		g_string_append_printf(names, ", %s", collector_types[i]->name);
	return g_string_free(names, FALSE);
}

const CollectorType *collector_choose(const struct CheckHost *host, GString *why)
{
	for (gsize i = 0;; i++) {
		const CollectorType *type = collector_types[i];
		g_autoptr(GString) lacks = g_string_new(NULL);

		if (type->by_name_only)
			continue;
		if (i + 1 == G_N_ELEMENTS(collector_types) || !type->is_ready ||
		    type->is_ready(host, lacks))
			return type;
		g_string_append_printf(why, "%s%s: %s", why->len ? "; " : "", type->title,
				       lacks->str);
	}
}

const char *const stack_walk_names[] = {
	[STACK_WALK_KERNEL] = "kernel",
	[STACK_WALK_AUTO] = "auto",
	[STACK_WALK_COMPARE] = "compare",
	NULL,
};

const char *const cache_naming_names[] = {
	[CACHE_NAMES_AUTO] = "auto",
	[CACHE_NAMES_PROBES] = "probes",
	[CACHE_NAMES_COMPARE] = "compare",
	NULL,
};

int choice_lookup(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}
