/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines for a report: a resolver that stays for later reports, notes that are printed once,
 * and --missing-debuginfo with the commands of distributions.
 */
#include "tools/source_lines.h"

#include "record/format.h"
#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/unconst.h"
#include "code/lines/line_resolver.h"

#include <string.h>
#include <unistd.h>

/* A note about many objects names so many. */
enum { NAMES_MAX = 20 };

struct SourceLines {
	const Options *options;
	DebuginfodClient *servers; /* owned; NULL: none, or the resolver has it */
	LineResolver *resolver;    /* owned; NULL: before the first update */
	GHashTable *noted;         /* (element-type utf8), owned: notes that were printed */
};

/* Prints a note once. Takes the text. */
static void source_lines_note(SourceLines *lines, char *text)
{
	g_autoptr(GString) escaped = g_string_new(NULL);

	if (!lines->options->output.quiet && !g_hash_table_contains(lines->noted, text)) {
		escape_append(escaped, text);
		fprintf(stderr, "%s: %s\n", g_get_prgname(), escaped->str);
	}
	g_hash_table_add(lines->noted, text);
}

/* Returns the server to ask, "" for those of the environment; NULL: none. Root is not sent to the
   network by a variable. */
static const char *server_of(const LineOptions *lines)
{
	const char *urls = g_getenv("DEBUGINFOD_URLS");

	if (!lines->are_needed || lines->debuginfod || lines->missing_debuginfo)
		return lines->debuginfod;
	return geteuid() && urls && *urls && debuginfod_client_is_built() ? "" : NULL;
}

SourceLines *source_lines_new(const Options *options, GError **error)
{
	g_autoptr(SourceLines) lines = g_new0(SourceLines, 1);
	g_autoptr(GError) problem = NULL;
	const char *server = server_of(&options->lines);

	lines->options = options;
	lines->noted = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	if (server)
		lines->servers = debuginfod_client_new(
			server, !options->output.quiet && isatty(STDERR_FILENO), &problem);
	if (problem && options->lines.debuginfod) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return NULL;
	}
	/* A variable of the environment is no reason to fail. */
	if (problem)
		source_lines_note(lines, g_strdup(problem->message));
	return g_steal_pointer(&lines);
}

void source_lines_free(SourceLines *lines)
{
	if (!lines)
		return;
	line_resolver_free(lines->resolver);
	debuginfod_client_free(lines->servers);
	g_hash_table_unref(lines->noted);
	g_free(lines);
}

/* Notes about all objects. */

/* Returns the paths (element-type utf8), borrowed, of files that are right for any object, as a set
   that the caller owns. */
static GHashTable *right_files(const LineResolver *resolver)
{
	GHashTable *paths = g_hash_table_new(keyed_hash_text, g_str_equal);

	for (guint i = 0; i < line_resolver_count(resolver); i++) {
		const LinesObject *object = line_resolver_object(resolver, i);

		if (object->state == LINES_KNOWN)
			g_hash_table_add(paths, unconst(object->path));
	}
	return paths;
}

/* A file that was given for one object is not wrong for the others. */
static LinesState state_to_note(GHashTable *right, const LinesObject *object)
{
	if (object->state == LINES_WRONG_FILE && g_hash_table_contains(right, object->path))
		return LINES_NOT_FOUND;
	return object->state;
}

/* The names of objects in one state, for a note about all of them; NULL: there are none. Of many,
   as a hostile recording has them, only the first are named. */
static char *names_in_state(const LineResolver *resolver, GHashTable *right, LinesState state)
{
	GString *names = g_string_new(NULL);
	guint count = 0;

	for (guint i = 0; i < line_resolver_count(resolver); i++) {
		const LinesObject *object = line_resolver_object(resolver, i);

		if (state_to_note(right, object) == state && count++ < NAMES_MAX)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", object->name);
	}
	if (count > NAMES_MAX)
		g_string_append_printf(names, " and %u others", count - NAMES_MAX);
	return g_string_free(names, !count);
}

/* Why several objects have no lines. */
typedef struct {
	LinesState state;
	const char *why;
} StateNote;

static const StateNote state_notes[] = {
	{ LINES_NOT_FOUND,
	  "no debuginfo was found (--missing-debuginfo shows what installs it; --debuginfo=DIR is "
	  "where it is)" },
	{ LINES_NO_BUILD_ID, "the build id is not known" },
	{ LINES_NO_SEGMENTS, "its file could not be read during the run" },
	{ LINES_NO_SECTIONS,
	  "the addresses of the sections are not known: kmalloc-top 0.1.0 made the recording, or a "
	  "user who may not see them" },
};

/* Notes the files of --debuginfo that have nothing for these stacks. */
static void note_useless_files(SourceLines *lines)
{
	const GPtrArray *given = lines->options->lines.debuginfo;

	for (guint i = 0; i + 1 < given->len; i++) {
		const char *path = g_ptr_array_index(given, i);
		bool is_used = false;

		for (guint j = 0; j < line_resolver_count(lines->resolver); j++)
			is_used |= !g_strcmp0(line_resolver_object(lines->resolver, j)->path, path);
		if (!is_used && !g_file_test(path, G_FILE_TEST_IS_DIR))
			source_lines_note(
				lines,
				g_strdup_printf("--debuginfo: %s has no debug data, or is no "
						"ELF file",
						path));
	}
}

static const char imported[] =
	"no lines: imported text does not have build ids, a recording (--record) does";

static const char no_room[] =
	"lines of some places found no room: use a larger --max-memory, or report fewer stacks";

static const char not_understood[] =
	"lines of some places are missing: answers about them were damaged";

/* Notes what is wrong with the file of one object. */
static void note_object(SourceLines *lines, GHashTable *right, const LinesObject *object)
{
	if (state_to_note(right, object) == LINES_WRONG_FILE)
		source_lines_note(lines,
				  g_strdup_printf("no lines of %s: %s has build id %s, not %s",
						  object->name, object->path,
						  object->found_id ? object->found_id : "(none)",
						  object->build_id));
	else if (object->state == LINES_UNREADABLE)
		source_lines_note(lines,
				  g_strdup_printf("no lines of %s: %s%s%s", object->name,
						  object->path ? object->path : "",
						  object->path ? ": " : "", object->problem));
	else if (object->missing)
		source_lines_note(
			lines,
			g_strdup_printf("some functions of %s have no names: %s refers to %s, "
					"which was not found (--debuginfo=DIR is where it is)",
					object->name, object->path, object->missing));
}

static void note_all(SourceLines *lines, const Session *session)
{
	g_autoptr(GHashTable) right = right_files(lines->resolver);

	for (guint i = 0; i < line_resolver_count(lines->resolver); i++)
		note_object(lines, right, line_resolver_object(lines->resolver, i));
	if (!line_resolver_count(lines->resolver) && session->imported)
		source_lines_note(lines, g_strdup(imported));
	else
		note_useless_files(lines);
	if (line_table_dropped(session->lines))
		source_lines_note(lines, g_strdup(no_room));
	if (line_table_invalid(session->lines))
		source_lines_note(lines, g_strdup(not_understood));
	for (gsize i = 0; i < G_N_ELEMENTS(state_notes); i++) {
		g_autofree char *names =
			names_in_state(lines->resolver, right, state_notes[i].state);

		if (names)
			source_lines_note(lines, g_strdup_printf("no lines of %s: %s", names,
								 state_notes[i].why));
	}
}

void source_lines_leave_out(SourceLines *lines)
{
	if (lines->options->lines.are_needed)
		source_lines_note(
			lines,
			g_strdup("reports during the run are without source lines, which the last "
				 "report has"));
}

void source_lines_update(SourceLines *lines, Session *session)
{
	const char *const *folders = (const char *const *)lines->options->lines.debuginfo->pdata;
	const char *release = run_info_text(session->info, KMT_FIELD_RELEASE);

	if (!lines->options->lines.are_needed)
		return;
	if (!lines->resolver)
		lines->resolver = line_resolver_new(debug_files_new(folders, release, ""),
						    g_steal_pointer(&lines->servers));
	line_resolver_update(lines->resolver, session);
	if (lines->options->lines.with_source)
		source_text_read(session->lines, lines->options->lines.source_paths);
	if (!lines->options->lines.missing_debuginfo)
		note_all(lines, session);
}

/* What is missing. */

/* How a distribution delivers the debuginfo of its kernels. */
typedef struct {
	const char *mark; /* in the kernel's release or version */
	const char *name;
	const char *kernel;   /* command for the kernel and its modules; "%s": the release */
	const char *programs; /* for programs and libraries */
} Distribution;

static const Distribution distributions[] = {
	{ ".el7", "RHEL 7 and its relatives", "debuginfo-install kernel-%s",
	  "debuginfo-install PACKAGE" },
	{ ".el", "RHEL and its relatives", "dnf debuginfo-install kernel-%s",
	  "dnf debuginfo-install PACKAGE" },
	{ ".fc", "Fedora", "dnf debuginfo-install kernel-%s", "dnf debuginfo-install PACKAGE" },
	{ "Debian", "Debian", "apt-get install linux-image-%s-dbg",
	  "apt-get install PACKAGE-dbgsym" },
	{ "Ubuntu", "Ubuntu", "apt-get install linux-image-%s-dbgsym",
	  "apt-get install PACKAGE-dbgsym" },
	{ "-default", "SUSE", "zypper install kernel-default-debuginfo",
	  "zypper install PACKAGE-debuginfo" },
};

/* Returns the distribution of the recorded kernel; NULL: unknown. */
static const Distribution *distribution_of(const Session *session)
{
	const char *release = run_info_text(session->info, KMT_FIELD_RELEASE);
	const char *version = run_info_text(session->info, KMT_FIELD_VERSION);

	for (gsize i = 0; i < G_N_ELEMENTS(distributions); i++) {
		const char *mark = distributions[i].mark;

		if ((release && strstr(release, mark)) || (version && strstr(version, mark)))
			return &distributions[i];
	}
	return NULL;
}

/* What is known about the debuginfo of an object. */
static void append_state(GString *out, const LinesObject *object)
{
	switch (object->state) {
	case LINES_KNOWN:
		escape_append(out, object->path);
		return;
	case LINES_NOT_FOUND:
		g_string_append(out, "not found");
		return;
	case LINES_WRONG_FILE:
		escape_append(out, object->path);
		g_string_append_printf(out, ": wrong build id %s",
				       object->found_id ? object->found_id : "(none)");
		return;
	case LINES_UNREADABLE:
		if (object->path)
			escape_append(out, object->path);
		g_string_append(out, object->path ? ": " : "");
		escape_append(out, object->problem);
		return;
	case LINES_NO_BUILD_ID:
		g_string_append(out, "not possible: no build id was recorded");
		return;
	case LINES_NO_SEGMENTS:
		g_string_append(out, "not possible: no addresses of segments were recorded");
		return;
	case LINES_NO_SECTIONS:
		g_string_append(out, "not possible: no addresses of sections were recorded");
		return;
	}
}

static void append_objects(GString *out, const LineResolver *resolver)
{
	int width = (int)strlen("OBJECT");

	for (guint i = 0; i < line_resolver_count(resolver); i++)
		width = MAX(width, (int)strlen(line_resolver_object(resolver, i)->name));
	g_string_append_printf(out, "%-*s  %-40s  %s\n", width, "OBJECT", "BUILD ID", "DEBUGINFO");
	for (guint i = 0; i < line_resolver_count(resolver); i++) {
		const LinesObject *object = line_resolver_object(resolver, i);
		g_autofree char *name = escape_copy(object->name);

		g_string_append_printf(out, "%-*s  %-40s  ", width, name,
				       object->build_id ? object->build_id : "-");
		append_state(out, object);
		g_string_append_c(out, '\n');
	}
}

/* Whether debuginfo of the kernel, or else of programs, is missing. */
static bool source_lines_lacks(const LineResolver *resolver, bool programs)
{
	for (guint i = 0; i < line_resolver_count(resolver); i++) {
		const LinesObject *object = line_resolver_object(resolver, i);
		const LinesState state = object->state;

		if ((state == LINES_NOT_FOUND || state == LINES_WRONG_FILE ||
		     state == LINES_UNREADABLE) &&
		    (object->kind == CODE_OF_PROGRAM) == programs)
			return true;
	}
	return false;
}

/* Appends the command that shows the lines with this option. */
static void append_report_command(GString *out, const SourceLines *lines, const char *option)
{
	g_string_append_printf(out, "    %s -i ", g_get_prgname());
	escape_append(out, lines->options->input.path);
	g_string_append_printf(out, " --lines %s\n", option);
}

static void append_commands(GString *out, const SourceLines *lines, const Session *session)
{
	const LineResolver *resolver = lines->resolver;
	const Distribution *distribution = distribution_of(session);
	const char *release = run_info_text(session->info, KMT_FIELD_RELEASE);

	g_string_append_c(out, '\n');
	if (distribution && source_lines_lacks(resolver, false)) {
		g_auto(GStrv) parts = g_strsplit(distribution->kernel, "%s", 2);

		g_string_append_printf(out, "On %s:\n    %s", distribution->name, parts[0]);
		if (parts[1])
			escape_append(out, release ? release : "RELEASE");
		g_string_append_printf(out, "%s\n", parts[1] ? parts[1] : "");
	}
	if (distribution && source_lines_lacks(resolver, true))
		g_string_append_printf(out, "For programs and libraries on %s:\n    %s\n",
				       distribution->name, distribution->programs);
	g_string_append_printf(out, "From a debuginfod server of the distribution%s:\n",
			       debuginfod_client_is_built() ? "" : " (not with this build)");
	append_report_command(out, lines, "--debuginfod=URL");
	g_string_append(out, "Below another folder, such as an unpacked package:\n");
	append_report_command(out, lines, "--debuginfo=DIR");
}

void source_lines_print_missing(const SourceLines *lines, const Session *session, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (line_resolver_count(lines->resolver))
		append_objects(text, lines->resolver);
	else
		g_string_append(text, "No stack has code of a known file.\n");
	if (source_lines_lacks(lines->resolver, false) || source_lines_lacks(lines->resolver, true))
		append_commands(text, lines, session);
	fwrite(text->str, 1, text->len, out);
}
