/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/text_writer.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(text_file);

enum { WRITERS_MS = 5000, FILE_BYTES_MAX = 4096 };

static char *read_all(const char *path)
{
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

/* The number of files in a folder. */
static guint count_files(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	guint count = 0;

	while (g_dir_read_name(dir))
		count++;
	return count;
}

/* Waits until the file has this text, or no longer. */
static bool waits_for(const char *path, const char *text)
{
	for (int ms = 0; ms < WRITERS_MS; ms++) {
		g_autofree char *content = read_all(path);

		if (content && !strcmp(content, text))
			return true;
		g_usleep(1000);
	}
	return false;
}

Test(text_file, a_text_replaces_the_file_and_all_users_may_read_it)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "x.prom", NULL);
	TextFile *file;
	struct stat status;

	umask(077);
	temporary_write(folder, "x.prom", "old", -1);
	file = text_file_new(path, NULL);
	cr_assert_not_null(file);
	cr_expect(waits_for(path, "old"));
	text_file_give(file, g_strdup("new"));
	cr_expect(waits_for(path, "new"));
	text_file_give(file, g_strdup("newer"));
	cr_expect(text_file_finish(file, NULL));
	cr_expect(waits_for(path, "newer"));
	cr_assert(zero(int, stat(path, &status)));
	cr_expect(eq(u32, status.st_mode & 07777, 0644));
	cr_expect(eq(u32, count_files(folder), 1));
}

Test(text_file, what_a_killed_run_left_does_not_stop_the_next_one)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "x.prom", NULL);
	TextFile *file;

	temporary_write(folder, "x.prom.part", "half", -1);
	file = text_file_new(path, NULL);
	cr_assert_not_null(file);
	text_file_give(file, g_strdup("whole"));
	cr_expect(text_file_finish(file, NULL));
	cr_expect(waits_for(path, "whole"));
	cr_expect(eq(u32, count_files(folder), 1));
}

static void expect_refused(const char *path, const char *reason)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(text_file_new(path, &error));
	cr_assert_not_null(error);
	cr_expect_not_null(strstr(error->message, "--textfile: "), "%s", error->message);
	cr_expect_not_null(strstr(error->message, reason), "%s", error->message);
	cr_expect_null(strchr(error->message, '\n'));
}

Test(text_file, a_path_that_cannot_be_written_is_refused_at_once)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *link = g_build_filename(folder, "link", NULL);
	g_autofree char *target = g_build_filename(folder, "target", NULL);
	g_autofree char *missing = g_build_filename(folder, "missing", "x.prom", NULL);

	temporary_write(folder, "target", "kept", -1);
	cr_assert(zero(int, symlink(target, link)));
	expect_refused(link, "not a regular file");
	expect_refused(folder, "not a regular file");
	expect_refused(missing, "No such file or directory");
	expect_refused("", "not a file name");
	expect_refused("/proc/x.prom", "/proc/x.prom.part");
	cr_expect(waits_for(target, "kept"));
}

/* The largest size of a file stands for a full disk. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert(zero(int, getrlimit(RLIMIT_FSIZE, &limit)));
	limit.rlim_cur = bytes;
	cr_assert(zero(int, setrlimit(RLIMIT_FSIZE, &limit)));
}

Test(text_file, a_text_that_has_no_room_leaves_the_old_file_and_the_next_is_tried)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "x.prom", NULL);
	g_autoptr(GError) error = NULL;
	TextFile *file = text_file_new(path, NULL);

	text_file_give(file, g_strdup("small"));
	cr_expect(waits_for(path, "small"));
	limit_files(FILE_BYTES_MAX);
	text_file_give(file, g_strnfill(FILE_BYTES_MAX + 1, 'x'));
	g_usleep(100000);
	text_file_give(file, g_strdup("small again"));
	cr_expect(waits_for(path, "small again"));
	text_file_give(file, g_strnfill(FILE_BYTES_MAX + 1, 'x'));
	cr_expect(not(text_file_finish(file, &error)));
	cr_assert_not_null(error);
	cr_expect_not_null(strstr(error->message, "File too large"), "%s", error->message);
	cr_expect(waits_for(path, "small again"));
	cr_expect(eq(u32, count_files(folder), 1));
}
