/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"

#include <glib.h>
#include <stdbool.h>

/*
 * What can be observed. To add a kind: a row in event_kinds.c, a script of its name in stap/, the
 * probe aliases in stap/tapset/kmt_points.stp.
 */
typedef struct {
	CollectEvents bit;
	const char *name;               /* as given to --events; NAME.stp has its probes */
	const char *const *tracepoints; /* that the kernel needs, of the group kmem; NULL ends */
	const char *covers; /* allocator paths, for the report; NULL: these are no allocations */
} EventKind;

/* All kinds, ended by one without name. */
extern const EventKind event_kinds[];

/* Returns their names, "kmalloc,cache"; the caller frees the text. */
char *event_kinds_names(unsigned events);

/* Reads such a list. Returns false with error set when a name is unknown. */
bool event_kinds_parse(const char *list, unsigned *events, GError **error);
