/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the lines of new places, object by object: candidates from debug_files.c and servers, each
 * examined by a child, the right one remembered by build id. Time for reading and for fetching is
 * bounded. source_lines.c calls it before a report.
 */
#include "config.h"

#include "code/lines/line_resolver.h"

#include "base/clock.h"
#include "base/keyed_hash.h"
#include "code/lines/lines_child.h"
#include "code/elf/file_opener.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A kernel's debug data have up to 1.5 GB, those of a browser 4 GB. */
#define FILE_BYTES_MAX ((uint64_t)8 << 30)

/* An untrusted recording may name many files that take long, or that no server has. Fetching has
   a limit of its own, so that what took long to fetch is read. */
enum { ALL_FILES_S = 300, ALL_FETCHES_S = 600 };

/* What became of the search for an object's debug data. */
typedef struct {
	LinesState state;
	char *path;
	char *found_id;
	char *problem;
	char *supplement; /* the path of the file that it refers to; NULL: none, or not found */
	char *missing;    /* that file, which was not found; NULL: it was, or there is none */
} Found;

struct LineResolver {
	DebugFiles *files;         /* owned */
	DebuginfodClient *servers; /* owned; NULL: nothing is fetched */
	FileOpener *opener;        /* owned */
	LinePlaces *places;        /* owned */
	GHashTable *found;         /* (element-type utf8 Found), owned, by build id */
	GArray *objects;           /* (element-type LinesObject) */
	uint64_t reading_ns;       /* time spent on all files of an update */
	uint64_t fetching_ns;      /* likewise, before they are read */
};

static void found_clear(Found *found)
{
	g_free(found->path);
	g_free(found->found_id);
	g_free(found->problem);
	g_free(found->supplement);
	g_free(found->missing);
	*found = (Found){ .state = LINES_NOT_FOUND };
}

static void found_free(gpointer data)
{
	found_clear(data);
	g_free(data);
}

LineResolver *line_resolver_new(DebugFiles *files, DebuginfodClient *servers)
{
	LineResolver *resolver = g_new0(LineResolver, 1);

	resolver->files = files;
	resolver->servers = servers;
	resolver->opener = file_opener_new("");
	resolver->places = line_places_new();
	resolver->found = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, found_free);
	resolver->objects = g_array_new(FALSE, FALSE, sizeof(LinesObject));
	return resolver;
}

void line_resolver_free(LineResolver *resolver)
{
	if (!resolver)
		return;
	debug_files_free(resolver->files);
	debuginfod_client_free(resolver->servers);
	file_opener_free(resolver->opener);
	line_places_free(resolver->places);
	g_hash_table_unref(resolver->found);
	g_array_unref(resolver->objects);
	g_free(resolver);
}

/* Opens a file; -1: it cannot be read. *problem, owned by the caller, says why; NULL: there is none
   at the path. */
static int open_file(const LineResolver *resolver, const char *path, char **problem)
{
	int fd = file_opener_file(resolver->opener, path, FILE_BYTES_MAX, NULL);

	if (fd >= 0 || errno == ENOENT || errno == ENOTDIR)
		return fd;
	if (errno == EFBIG)
		*problem = g_strdup_printf("it is larger than %u GB",
					   (unsigned)(FILE_BYTES_MAX >> 30));
	else
		*problem =
			g_strdup(errno == EINVAL ? "it is not a regular file" : g_strerror(errno));
	return -1;
}

/* Reads the lines of an object from a file. supplement_fd: of the file that it refers to, if that
   is given. */
static LinesOutcome read_file(LineResolver *resolver, const char *path, Supplement supplement,
			      int supplement_fd, const PlacedObject *object, GString *lines)
{
	LinesOutcome outcome = { .result = LINES_FAILED };
	const uint64_t begin_ns = clock_monotonic_ns();
	const uint64_t spent_s = resolver->reading_ns / NS_PER_SECOND;
	const uint64_t left_s = ALL_FILES_S - MIN(spent_s, (uint64_t)ALL_FILES_S);
	const LinesJob job = {
		.fd = left_s ? open_file(resolver, path, &outcome.problem) : -1,
		.supplement = supplement,
		.supplement_fd = supplement_fd,
		.build_id = object->build_id,
		.requests = (const LinesRequest *)(const void *)object->requests->data,
		.count = object->requests->len,
		.patience_s = (unsigned)MIN(left_s, LINES_PATIENCE_S),
	};

	if (!left_s)
		outcome.problem = g_strdup_printf("all debuginfo together took longer than %d s",
						  ALL_FILES_S);
	if (job.fd < 0) {
		outcome.result = outcome.problem ? LINES_FAILED : LINES_NO_DEBUG;
		return outcome;
	}
	outcome = lines_child_read(lines, &job);
	close(job.fd);
	resolver->reading_ns += clock_monotonic_ns() - begin_ns;
	return outcome;
}

/* Reads them with the file that it refers to, if this path is that. */
static LinesOutcome read_with(LineResolver *resolver, const char *path, const char *supplement,
			      const PlacedObject *object, GString *lines)
{
	g_autofree char *problem = NULL;
	int fd = open_file(resolver, supplement, &problem);
	LinesOutcome outcome = { .result = LINES_REFERS };

	if (fd < 0)
		return outcome;
	outcome = read_file(resolver, path, SUPPLEMENT_GIVEN, fd, object, lines);
	close(fd);
	return outcome;
}

/* Reads them with the file that it refers to, or without it if it is not there. */
static LinesOutcome read_referring(LineResolver *resolver, Found *found, const char *path,
				   const LinesOutcome *referring, const PlacedObject *object,
				   GString *lines)
{
	g_auto(GStrv) paths = debug_files_find_supplement(
		resolver->files, path, referring->supplement, referring->build_id);
	LinesOutcome outcome;

	for (char **supplement = paths; *supplement; supplement++) {
		outcome = read_with(resolver, path, *supplement, object, lines);
		if (outcome.result != LINES_REFERS) {
			found->supplement = g_strdup(*supplement);
			return outcome;
		}
		lines_outcome_clear(&outcome);
	}
	found->missing = g_strdup(referring->supplement);
	return read_file(resolver, path, SUPPLEMENT_MISSING, -1, object, lines);
}

/* Takes what became of reading a file. */
static void take_outcome(Found *found, LinesOutcome *outcome)
{
	static const LinesState states[] = {
		[LINES_FOUND] = LINES_KNOWN,        [LINES_OTHER_FILE] = LINES_WRONG_FILE,
		[LINES_NO_DEBUG] = LINES_NOT_FOUND, [LINES_REFERS] = LINES_UNREADABLE,
		[LINES_FAILED] = LINES_UNREADABLE,
	};

	found->state = states[outcome->result];
	/* All files that it may refer to were tried. */
	if (outcome->result == LINES_REFERS)
		found->problem = g_strdup("it changed while it was read");
	else {
		found->found_id = g_steal_pointer(&outcome->build_id);
		found->problem = g_steal_pointer(&outcome->problem);
	}
	lines_outcome_clear(outcome);
}

/* Returns what a file is for an object, and appends its lines if it is the right one. */
static Found line_resolver_examine(LineResolver *resolver, const char *path,
				   const PlacedObject *object, GString *lines)
{
	LinesOutcome outcome = read_file(resolver, path, SUPPLEMENT_UNKNOWN, -1, object, lines);
	Found found = { .path = g_strdup(path) };

	if (outcome.result == LINES_REFERS) {
		LinesOutcome referring = outcome;

		outcome = read_referring(resolver, &found, path, &referring, object, lines);
		lines_outcome_clear(&referring);
	}
	take_outcome(&found, &outcome);
	return found;
}

/* A file that is right ends the search, and the first that is wrong is worth a remark. */
static void try_file(LineResolver *resolver, Found *found, const char *path,
		     const PlacedObject *object, GString *lines)
{
	Found file = line_resolver_examine(resolver, path, object, lines);

	if (file.state == LINES_KNOWN ||
	    (file.state != LINES_NOT_FOUND && found->state == LINES_NOT_FOUND)) {
		found_clear(found);
		*found = file;
	} else {
		found_clear(&file);
	}
}

/* Like debuginfod_client_fetch(), if there is time left. */
static char *fetch_in_time(LineResolver *resolver, const PlacedObject *object, char **problem)
{
	const uint64_t begin_ns = clock_monotonic_ns();
	char *path;

	if (resolver->fetching_ns / NS_PER_SECOND >= ALL_FETCHES_S) {
		*problem = g_strdup_printf("fetching all debuginfo took longer than %d s (what "
					   "was fetched is kept: another report goes on)",
					   ALL_FETCHES_S);
		return NULL;
	}
	path = debuginfod_client_fetch(resolver->servers, object->build_id, object->name, problem);
	resolver->fetching_ns += clock_monotonic_ns() - begin_ns;
	return path;
}

static void line_resolver_fetch(LineResolver *resolver, Found *found, const PlacedObject *object,
				GString *lines)
{
	g_autofree char *problem = NULL;
	g_autofree char *path = fetch_in_time(resolver, object, &problem);

	if (path)
		try_file(resolver, found, path, object, lines);
	else if (problem && found->state == LINES_NOT_FOUND) {
		found->state = LINES_UNREADABLE;
		found->problem = g_steal_pointer(&problem);
	}
}

static void line_resolver_search(LineResolver *resolver, const PlacedObject *object, GString *lines)
{
	const DebugFileWanted wanted = { object->kind, object->name, object->build_id };
	g_auto(GStrv) paths = debug_files_find(resolver->files, &wanted);
	Found *found = g_new0(Found, 1);

	found->state = LINES_NOT_FOUND;
	for (char **path = paths; *path && found->state != LINES_KNOWN; path++)
		try_file(resolver, found, *path, object, lines);
	if (found->state != LINES_KNOWN && resolver->servers)
		line_resolver_fetch(resolver, found, object, lines);
	g_hash_table_insert(resolver->found, g_strdup(object->build_id), found);
}

/* Reads the lines of new places from the file that was found. The one that it refers to may have
   been removed or replaced since. */
static void read_again(LineResolver *resolver, Found *found, const PlacedObject *object,
		       GString *lines)
{
	LinesOutcome outcome =
		found->supplement
			? read_with(resolver, found->path, found->supplement, object, lines)
			: read_file(resolver, found->path, SUPPLEMENT_MISSING, -1, object, lines);
	Found again;

	if (outcome.result != LINES_REFERS) {
		take_outcome(found, &outcome);
		return;
	}
	lines_outcome_clear(&outcome);
	again = line_resolver_examine(resolver, found->path, object, lines);
	found_clear(found);
	*found = again;
}

/* Finds the lines of the new places in an object. */
static void line_resolver_resolve(LineResolver *resolver, const PlacedObject *object,
				  GString *lines)
{
	Found *found;

	if (!object->build_id || !object->requests->len)
		return;
	found = g_hash_table_lookup(resolver->found, object->build_id);
	if (!found)
		line_resolver_search(resolver, object, lines);
	else if (found->state == LINES_KNOWN)
		read_again(resolver, found, object, lines);
}

static LinesObject line_resolver_describe(const LineResolver *resolver, const PlacedObject *object)
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
		shown.state =
			object->kind == CODE_OF_PROGRAM ? LINES_NO_SEGMENTS : LINES_NO_SECTIONS;
	else {
		shown.state = found->state;
		shown.path = found->path;
		shown.found_id = found->found_id;
		shown.problem = found->problem;
		shown.missing = found->missing;
	}
	return shown;
}

void line_resolver_update(LineResolver *resolver, Session *session)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	resolver->reading_ns = 0;
	resolver->fetching_ns = 0;
	line_places_update(resolver->places, session);
	g_array_set_size(resolver->objects, 0);
	for (guint i = 0; i < line_places_count(resolver->places); i++) {
		const PlacedObject *object = line_places_object(resolver->places, i);
		LinesObject shown;

		line_resolver_resolve(resolver, object, lines);
		line_table_parse(session->lines, (TextPart){ lines->str, lines->len });
		g_string_truncate(lines, 0);
		shown = line_resolver_describe(resolver, object);
		g_array_append_val(resolver->objects, shown);
	}
}

guint line_resolver_count(const LineResolver *resolver)
{
	return resolver->objects->len;
}

const LinesObject *line_resolver_object(const LineResolver *resolver, guint index)
{
	g_assert(index < resolver->objects->len);
	return &g_array_index(resolver->objects, LinesObject, index);
}
