/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/lines/debug_files.h"
#include "code/lines/lines_child.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

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

/*
 * LineResolver finds the source lines of all code in the stacks of a session, with the debug data
 * that this host has. It asks once about each place.
 */
typedef struct LineResolver LineResolver;

/* How far the lines of an object are known. */
typedef enum {
	LINES_KNOWN,       /* its debug data were read */
	LINES_NOT_FOUND,   /* there is no file with its debug data */
	LINES_WRONG_FILE,  /* the file that is there has another build id */
	LINES_UNREADABLE,  /* reading the file, or fetching it, failed */
	LINES_NO_BUILD_ID, /* the stream does not identify the object */
	LINES_NO_SECTIONS, /* the stream lacks the addresses of the module's sections */
	LINES_NO_SEGMENTS, /* the stream lacks the addresses of the program's segments */
} LinesState;

/* The kernel, a module or a program of the stacks. Everything is borrowed from the resolver. */
typedef struct {
	CodeKind kind;
	const char *name;
	const char *build_id; /* hexadecimal; NULL: unknown */
	LinesState state;
	const char *path;     /* of the file that was read, or is wrong; NULL: there is none */
	const char *found_id; /* of a wrong file; NULL: it has none */
	const char *problem;  /* why it is not readable; NULL: it is */
	const char *missing;  /* a file that it refers to (dwz), which was not found; NULL: none */
	uint64_t places;      /* distinct ones in stacks */
} LinesObject;

/* Returns a resolver that reads these files, and fetches what they lack from servers; NULL: it does
   not. It owns both from then on. */
LineResolver *line_resolver_new(DebugFiles *files, DebuginfodClient *servers);
void line_resolver_free(LineResolver *resolver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LineResolver, line_resolver_free)

/* Finds the lines of the places that were not asked about yet, and adds them to the session. May
   take seconds, and minutes if files are fetched. */
void line_resolver_update(LineResolver *resolver, Session *session);

/* Returns the objects so far: the kernel, then modules, then programs, each by name. */
guint line_resolver_count(const LineResolver *resolver);
const LinesObject *line_resolver_object(const LineResolver *resolver, guint index);
