/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/lines/lines_child.h"
#include "session/session.h"

#include <glib.h>

/*
 * LinePlaces collects the distinct places in code that the stacks of a session contain, by object
 * and then by what offsets are relative to.
 */
typedef struct LinePlaces LinePlaces;

/* An object that code lies in. Everything is borrowed. */
typedef struct {
	CodeKind kind;
	const char *name;     /* "kernel", of a module, or the path of a program */
	const char *build_id; /* hexadecimal; NULL: unknown */
	/* (element-type LinesRequest) with the places added last, in the order of the stacks */
	GArray *requests;
	uint64_t places; /* in all */
} PlacedObject;

/* Returns a new one; free it with line_places_free(). */
LinePlaces *line_places_new(void);
void line_places_free(LinePlaces *places);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LinePlaces, line_places_free)

/* Replaces the requests by those for places that were never added before. */
void line_places_update(LinePlaces *places, const Session *session);

/* Returns the objects: the kernel, then modules, then programs, each by name. */
guint line_places_count(const LinePlaces *places);
PlacedObject *line_places_object(const LinePlaces *places, guint index);
