/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/collector_types.h"

#include <glib.h>

/* The best one first. */
static const CollectorType *const collector_types[] = {
	&stap_collector,
};

const CollectorType *collector_type_lookup(const char *name)
{
	if (g_str_equal(name, "auto"))
		return collector_types[0];
	for (gsize i = 0; i < G_N_ELEMENTS(collector_types); i++)
		if (g_str_equal(collector_types[i]->name, name))
			return collector_types[i];
	return NULL;
}
