/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/source_lines.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(source_text);

enum { PLENTY = 1 << 20 };

/* A folder with sources, which is --source-path, and lines of one place. */
typedef struct {
	char *folder;
	GPtrArray *folders;
	LineTable *lines;
	unsigned places; /* of the lines */
} Fixture;

static void fixture_init(Fixture *fixture)
{
	*fixture = (Fixture){ .folder = temporary_folder(),
			      .folders = g_ptr_array_new(),
			      .lines = line_table_new(PLENTY) };
	cr_assert_eq(chmod(fixture->folder, 0755), 0);
	g_ptr_array_add(fixture->folders, fixture->folder);
}

static void fixture_clear(Fixture *fixture)
{
	temporary_free(fixture->folder);
	g_ptr_array_unref(fixture->folders);
	line_table_free(fixture->lines);
}

/* Writes a file that these permissions are of. */
static void add_file(const Fixture *fixture, const char *name, const char *text, gssize length,
		     mode_t mode)
{
	g_autofree char *path = g_build_filename(fixture->folder, name, NULL);

	temporary_write(fixture->folder, name, text, length);
	cr_assert_eq(chmod(path, mode), 0);
}

/* Makes a folder with these permissions. Returns its path, owned by the caller. */
static char *add_folder(const Fixture *fixture, const char *name, mode_t mode)
{
	char *path = g_build_filename(fixture->folder, name, NULL);

	cr_assert_eq(mkdir(path, mode), 0);
	cr_assert_eq(chmod(path, mode), 0);
	return path;
}

/* Returns the text of a line; NULL: there is none. */
static const char *text_of(Fixture *fixture, const char *root, const char *file, unsigned line)
{
	unsigned offset = fixture->places++;
	g_autofree char *text =
		g_strdup_printf("l k:1 %x %u f\t%s\t%s\n", offset, line, root, file);
	const LineFrame *frames;
	size_t count;

	line_table_parse(fixture->lines, (TextPart){ text, strlen(text) });
	source_text_read(fixture->lines, fixture->folders);
	frames = line_table_find(fixture->lines, "k:1", offset, &count);
	cr_assert_not_null(frames);
	return frames->source;
}

static void expect_text(Fixture *fixture, const char *root, const char *file, unsigned line,
			const char *wanted)
{
	const char *text = text_of(fixture, root, file, line);

	cr_expect_eq(g_strcmp0(text, wanted), 0, "%s %s:%u: %s", root, file, line, text);
}

Test(source_text, a_line_of_a_file_is_found_below_the_folder)
{
	Fixture fixture;

	fixture_init(&fixture);
	add_file(&fixture, "fs/pipe.c", "one\n\ttwo  \n\nfour", -1, 0644);
	expect_text(&fixture, "/src/linux", "fs/pipe.c", 1, "one");
	expect_text(&fixture, "/src/linux", "fs/pipe.c", 2, "two");
	/* An empty line says nothing. */
	expect_text(&fixture, "/src/linux", "fs/pipe.c", 3, NULL);
	expect_text(&fixture, "/src/linux", "fs/pipe.c", 4, "four");
	fixture_clear(&fixture);
}

Test(source_text, a_line_beyond_the_end_has_no_text)
{
	Fixture fixture;

	fixture_init(&fixture);
	add_file(&fixture, "a.c", "one\ntwo\n", -1, 0644);
	add_file(&fixture, "empty.c", "", 0, 0644);
	expect_text(&fixture, "", "a.c", 2, "two");
	expect_text(&fixture, "", "a.c", 3, NULL);
	expect_text(&fixture, "", "a.c", 4, NULL);
	expect_text(&fixture, "", "a.c", UINT32_MAX, NULL);
	expect_text(&fixture, "", "empty.c", 1, NULL);
	expect_text(&fixture, "", "empty.c", 2, NULL);
	fixture_clear(&fixture);
}

Test(source_text, folders_come_before_where_the_file_was)
{
	Fixture fixture;
	g_autofree char *elsewhere = NULL;

	fixture_init(&fixture);
	elsewhere = add_folder(&fixture, "elsewhere", 0755);
	add_file(&fixture, "elsewhere/a.c", "recorded", -1, 0644);
	add_file(&fixture, "elsewhere/b.c", "recorded", -1, 0644);
	add_file(&fixture, "src/linux/c.c", "whole path", -1, 0644);
	add_file(&fixture, "a.c", "given", -1, 0644);
	expect_text(&fixture, elsewhere, "a.c", 1, "given");
	expect_text(&fixture, elsewhere, "b.c", 1, "recorded");
	expect_text(&fixture, "/src/linux", "c.c", 1, "whole path");
	/* Where a relative path would lead is chance. */
	expect_text(&fixture, "elsewhere", "b.c", 1, "recorded");
	g_ptr_array_set_size(fixture.folders, 0);
	cr_assert_eq(chdir(fixture.folder), 0);
	expect_text(&fixture, "", "a.c", 1, NULL);
	expect_text(&fixture, elsewhere, "a.c", 1, "recorded");
	cr_assert_eq(chdir("/"), 0);
	fixture_clear(&fixture);
}

Test(source_text, what_is_in_a_closed_folder_is_only_read_below_a_given_one)
{
	Fixture fixture;
	g_autofree char *closed = NULL;

	fixture_init(&fixture);
	closed = add_folder(&fixture, "closed", 0700);
	add_file(&fixture, "closed/a.c", "of root", -1, 0644);
	expect_text(&fixture, "closed", "a.c", 1, "of root");
	g_ptr_array_set_size(fixture.folders, 0);
	expect_text(&fixture, closed, "a.c", 1, NULL);
	cr_assert_eq(chmod(closed, 0755), 0);
	expect_text(&fixture, closed, "a.c", 1, "of root");
	fixture_clear(&fixture);
}

/* Whoever made the debug data may name a link, also one of his own. */
Test(source_text, a_link_does_not_lead_into_a_closed_folder)
{
	Fixture fixture;
	g_autofree char *closed = NULL, *inner = NULL, *link = NULL, *file = NULL;

	fixture_init(&fixture);
	closed = add_folder(&fixture, "closed", 0700);
	inner = add_folder(&fixture, "closed/inner", 0755);
	link = g_build_filename(fixture.folder, "link", NULL);
	file = g_build_filename(fixture.folder, "b.c", NULL);
	add_file(&fixture, "closed/inner/a.c", "of root", -1, 0644);
	cr_assert_eq(symlink(inner, link), 0);
	cr_assert_eq(symlink("closed/inner/a.c", file), 0);
	g_ptr_array_set_size(fixture.folders, 0);
	expect_text(&fixture, link, "a.c", 1, NULL);
	expect_text(&fixture, fixture.folder, "b.c", 1, NULL);
	cr_assert_eq(chmod(closed, 0755), 0);
	expect_text(&fixture, link, "a.c", 1, "of root");
	expect_text(&fixture, fixture.folder, "b.c", 1, "of root");
	fixture_clear(&fixture);
}

Test(source_text, a_recorded_path_does_not_lead_out_of_the_folder)
{
	static const char *const files[] = { "../secret", "x/../../secret", "..", "x/../a.c" };
	Fixture fixture;
	g_autofree char *inner = NULL;
	g_autofree char *up = NULL;

	fixture_init(&fixture);
	add_file(&fixture, "secret", "secret", -1, 0644);
	add_file(&fixture, "inner/a.c", "a", -1, 0644);
	add_file(&fixture, "inner/x/..b/b..", "b", -1, 0644);
	inner = g_build_filename(fixture.folder, "inner", NULL);
	up = g_build_filename(inner, "..", NULL);
	g_ptr_array_index(fixture.folders, 0) = inner;
	expect_text(&fixture, "", "a.c", 1, "a");
	expect_text(&fixture, "", "x/..b/b..", 1, "b");
	for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
		expect_text(&fixture, "", files[i], 1, NULL);
	expect_text(&fixture, "..", "secret", 1, NULL);
	expect_text(&fixture, up, "secret", 1, NULL);
	fixture_clear(&fixture);
}

/* Root may read more than whoever made the debug data. */
Test(source_text, only_files_that_everybody_may_read_are_read)
{
	Fixture fixture;

	fixture_init(&fixture);
	add_file(&fixture, "private.c", "private", -1, 0600);
	add_file(&fixture, "group.c", "group", -1, 0640);
	add_file(&fixture, "public.c", "public", -1, 0444);
	expect_text(&fixture, "", "private.c", 1, NULL);
	expect_text(&fixture, "", "group.c", 1, NULL);
	expect_text(&fixture, "", "public.c", 1, "public");
	fixture_clear(&fixture);
}

/* A pipe would block, a device may do something. */
Test(source_text, only_regular_files_are_read)
{
	Fixture fixture;
	g_autofree char *pipe = NULL;

	fixture_init(&fixture);
	pipe = g_build_filename(fixture.folder, "pipe.c", NULL);
	cr_assert_eq(mkfifo(pipe, 0644), 0);
	cr_assert_eq(chmod(pipe, 0644), 0);
	add_file(&fixture, "folder.c/x", "x", -1, 0644);
	expect_text(&fixture, "", "pipe.c", 1, NULL);
	expect_text(&fixture, "", "folder.c", 1, NULL);
	expect_text(&fixture, "/dev", "zero", 1, NULL);
	expect_text(&fixture, "/proc/self", "nosuch", 1, NULL);
	fixture_clear(&fixture);
}

Test(source_text, a_file_that_is_too_large_is_not_read)
{
	enum { LARGE = (32 << 20) + 1 };
	Fixture fixture;
	g_autofree char *path = NULL;

	fixture_init(&fixture);
	add_file(&fixture, "large.c", "one\ntwo\n", -1, 0644);
	path = g_build_filename(fixture.folder, "large.c", NULL);
	cr_assert_eq(truncate(path, LARGE), 0);
	expect_text(&fixture, "", "large.c", 1, NULL);
	cr_assert_eq(truncate(path, LARGE - 1), 0);
	expect_text(&fixture, "/x", "large.c", 2, "two");
	fixture_clear(&fixture);
}

Test(source_text, a_long_line_is_cut)
{
	Fixture fixture;
	g_autofree char *line = g_strnfill(1 << 20, 'x');

	fixture_init(&fixture);
	add_file(&fixture, "a.c", line, -1, 0644);
	cr_expect_eq(strlen(text_of(&fixture, "", "a.c", 1)), LINE_TEXT_BYTES_MAX);
	fixture_clear(&fixture);
}

Test(source_text, bytes_that_are_no_text_are_escaped)
{
	static const char bytes[] = "a\033[2J\x7f\nb\0c\nd\r\n";
	Fixture fixture;

	fixture_init(&fixture);
	add_file(&fixture, "a.c", bytes, sizeof(bytes) - 1, 0644);
	expect_text(&fixture, "", "a.c", 1, "a\\x1b[2J\\x7f");
	expect_text(&fixture, "", "a.c", 2, "b");
	expect_text(&fixture, "", "a.c", 3, "d");
	fixture_clear(&fixture);
}

/* Each line end would cost a hundred bytes if lines were kept one by one. */
Test(source_text, a_file_of_line_ends_takes_little_memory)
{
	enum { LINES = 32 << 20 };
	Fixture fixture;
	g_autofree char *text = g_strnfill(LINES, '\n');

	fixture_init(&fixture);
	text[LINES - 1] = 'x';
	add_file(&fixture, "a.c", text, LINES, 0644);
	expect_text(&fixture, "", "a.c", LINES, "x");
	fixture_clear(&fixture);
}
