/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/lines/line_resolver.h"

#include "collect/lines/line_places.h"
#include "collect/user/regular_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A kernel's debug data have up to 1.5 GB, those of a browser 4 GB. */
#define FILE_BYTES_MAX ((uint64_t)8 << 30)

/* What became of the search for an object's debug data. */
typedef struct {
	LinesState state;
	char *path;
	char *found_id;
	char *problem;
} Found;

struct LineResolver {
	DebugFiles *files;         /* owned */
	DebuginfodClient *servers; /* owned; NULL: nothing is fetched */
	LinePlaces *places;        /* owned */
	GHashTable *found;         /* (element-type utf8 Found), owned, by build id */
	GArray *objects;           /* (element-type LinesObject) */
};

static void found_free(gpointer data)
{
	Found *found = data;

	g_free(found->path);
	g_free(found->found_id);
	g_free(found->problem);
	g_free(found);
}

LineResolver *line_resolver_new(DebugFiles *files, DebuginfodClient *servers)
{
	LineResolver *resolver = g_new0(LineResolver, 1);

	resolver->files = files;
	resolver->servers = servers;
	resolver->places = line_places_new();
	resolver->found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, found_free);
	resolver->objects = g_array_new(FALSE, FALSE, sizeof(LinesObject));
	return resolver;
}

void line_resolver_free(LineResolver *resolver)
{
	if (!resolver)
		return;
	debug_files_free(resolver->files);
	debuginfod_client_free(resolver->servers);
	line_places_free(resolver->places);
	g_hash_table_unref(resolver->found);
	g_array_unref(resolver->objects);
	g_free(resolver);
}

/* Opens a file; -1: it cannot be read, with *problem, owned by the caller, set. */
static int open_file(const char *path, char **problem)
{
	struct stat status;
	int fd;

	errno = 0;
	fd = regular_file_open(path);
	if (fd < 0)
		*problem = g_strdup(errno ? g_strerror(errno) : "it is not a regular file");
	if (fd < 0 || (!fstat(fd, &status) && (uint64_t)status.st_size <= FILE_BYTES_MAX))
		return fd;
	*problem = g_strdup_printf("it is larger than %u GB", (unsigned)(FILE_BYTES_MAX >> 30));
	close(fd);
	return -1;
}

/* How much an attempt says about an object, in the order of states: one that is right ends the
   search, one that is wrong is worth a remark. */
static LinesState state_of(LinesResult result)
{
	static const LinesState states[] = {
		[LINES_FOUND] = LINES_KNOWN,
		[LINES_OTHER_FILE] = LINES_WRONG_FILE,
		[LINES_NO_DEBUG] = LINES_NOT_FOUND,
		[LINES_FAILED] = LINES_UNREADABLE,
	};

	return states[result];
}

static void note(Found *found, const char *path, LinesOutcome *outcome)
{
	LinesState state = state_of(outcome->result);

	if (state != LINES_NOT_FOUND && found->state != LINES_KNOWN &&
	    (found->state == LINES_NOT_FOUND || state == LINES_KNOWN)) {
		g_free(found->path);
		g_free(found->found_id);
		g_free(found->problem);
		*found = (Found){ state, g_strdup(path), g_steal_pointer(&outcome->build_id),
				  g_steal_pointer(&outcome->problem) };
	}
	lines_outcome_clear(outcome);
}

static LinesOutcome read_file(int fd, const PlacedObject *object, GString *lines)
{
	const LinesJob job = {
		.fd = fd,
		.build_id = object->build_id,
		.requests = (const LinesRequest *)(const void *)object->requests->data,
		.count = object->requests->len,
		.patience_s = LINES_PATIENCE_S,
	};

	return lines_child_read(lines, &job);
}

/* Reads the lines of an object from a file. */
static void try_file(Found *found, const char *path, const PlacedObject *object, GString *lines)
{
	LinesOutcome outcome = { .result = LINES_FAILED };
	int fd = open_file(path, &outcome.problem);

	if (fd >= 0) {
		outcome = read_file(fd, object, lines);
		close(fd);
	}
	note(found, path, &outcome);
}

static void fetch(const LineResolver *resolver, Found *found, const PlacedObject *object,
		  GString *lines)
{
	g_autofree char *problem = NULL;
	g_autofree char *path = debuginfod_client_fetch(resolver->servers, object->build_id,
							object->name, &problem);

	if (path)
		try_file(found, path, object, lines);
	else if (problem && found->state == LINES_NOT_FOUND) {
		found->state = LINES_UNREADABLE;
		found->problem = g_steal_pointer(&problem);
	}
}

static void search(const LineResolver *resolver, const PlacedObject *object, GString *lines)
{
	const DebugFileWanted wanted = { object->kind, object->name, object->build_id };
	g_auto(GStrv) paths = debug_files_find(resolver->files, &wanted);
	Found *found = g_new0(Found, 1);

	found->state = LINES_NOT_FOUND;
	for (char **path = paths; *path && found->state != LINES_KNOWN; path++)
		try_file(found, *path, object, lines);
	if (found->state != LINES_KNOWN && resolver->servers)
		fetch(resolver, found, object, lines);
	g_hash_table_insert(resolver->found, g_strdup(object->build_id), found);
}

/* Finds the lines of the new places in an object. */
static void resolve(const LineResolver *resolver, const PlacedObject *object, GString *lines)
{
	Found *found;

	if (!object->build_id || !object->requests->len)
		return;
	found = g_hash_table_lookup(resolver->found, object->build_id);
	if (!found)
		search(resolver, object, lines);
	else if (found->state == LINES_KNOWN)
		try_file(found, found->path, object, lines);
}

static LinesObject describe(const LineResolver *resolver, const PlacedObject *object)
{
	const Found *found =
		object->build_id ? g_hash_table_lookup(resolver->found, object->build_id) : NULL;
	LinesObject shown = { .kind = object->kind,
			      .name = object->name,
			      .build_id = object->build_id,
			      .places = object->places };

	if (!object->build_id)
		shown.state = LINES_NO_BUILD_ID;
	else if (!found)
		shown.state = LINES_NO_SECTIONS;
	else {
		shown.state = found->state;
		shown.path = found->path;
		shown.found_id = found->found_id;
		shown.problem = found->problem;
	}
	return shown;
}

void line_resolver_update(LineResolver *resolver, Session *session)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	line_places_update(resolver->places, session);
	g_array_set_size(resolver->objects, 0);
	for (guint i = 0; i < line_places_count(resolver->places); i++) {
		const PlacedObject *object = line_places_object(resolver->places, i);
		LinesObject shown;

		resolve(resolver, object, lines);
		line_table_parse(session->lines, (TextPart){ lines->str, lines->len });
		g_string_truncate(lines, 0);
		shown = describe(resolver, object);
		g_array_append_val(resolver->objects, shown);
	}
}

guint line_resolver_count(const LineResolver *resolver)
{
	return resolver->objects->len;
}

const LinesObject *line_resolver_object(const LineResolver *resolver, guint index)
{
	return &g_array_index(resolver->objects, LinesObject, index);
}
