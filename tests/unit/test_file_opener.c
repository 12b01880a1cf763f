/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/file_opener.h"

#include "collect/process/stop_signal.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(file_opener);

enum { PLENTY = 1 << 20 };

static bool can_open(FileOpener *opener, const char *path)
{
	int file = file_opener_file(opener, path, PLENTY, NULL);

	if (file >= 0)
		close(file);
	return file >= 0;
}

static char *write_file(const char *folder, const char *name, mode_t mode)
{
	char *path = g_build_filename(folder, name, NULL);

	cr_assert(g_file_set_contents(path, "four", 4, NULL));
	cr_assert_eq(chmod(path, mode), 0);
	return path;
}

Test(file_opener, files_are_opened_and_their_users_are_known)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autofree char *folder = temporary_folder();
	g_autofree char *open_to_all = write_file(folder, "a", 0644);
	g_autofree char *secret = write_file(folder, "b", 0600);
	unsigned use;
	char text[4];
	int file = file_opener_file(opener, open_to_all, PLENTY, &use);

	cr_assert_geq(file, 0);
	cr_expect_eq(read(file, text, sizeof(text)), 4);
	cr_expect(use & FILE_IS_READABLE);
	close(file);
	file = file_opener_file(opener, secret, PLENTY, &use);
	cr_assert_geq(file, 0);
	cr_expect_not(use & FILE_IS_READABLE);
	close(file);
	cr_expect_eq(file_opener_file(opener, secret, 3, &use), -1);
	cr_expect_eq(errno, EFBIG);
	cr_expect_eq(file_opener_file(opener, "/no/such/file", PLENTY, NULL), -1);
	cr_expect_eq(errno, ENOENT);
	cr_expect_eq(file_opener_losses(opener).late, 0);
	temporary_remove(folder);
}

Test(file_opener, paths_may_begin_in_the_folder_of_the_program)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autofree char *here = g_get_current_dir();
	g_autofree char *folder = temporary_folder();
	g_autofree char *path = write_file(folder, "relative", 0644);

	cr_assert_eq(chdir(folder), 0);
	cr_expect(can_open(opener, "relative"));
	cr_expect(can_open(opener, "./relative"));
	cr_expect_not(can_open(opener, "other"));
	cr_assert_eq(chdir(here), 0);
	temporary_remove(folder);
}

/* A file system whose process never answers. Returns its descriptor; -1: there is none. */
static int mount_silent(const char *folder)
{
	g_autofree char *options = NULL;
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (device < 0)
		return -1;
	options = g_strdup_printf("fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (!mount("silent", folder, "fuse", MS_NOSUID | MS_NODEV, options))
		return device;
	close(device);
	return -1;
}

Test(file_opener, a_file_system_that_never_answers_is_given_up, .timeout = 60)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autofree char *folder = temporary_folder();
	g_autofree char *silent = g_build_filename(folder, "silent", NULL);
	g_autofree char *path = g_build_filename(silent, "file", NULL);
	g_autofree char *good = write_file(folder, "good", 0644);
	int device;

	cr_assert_eq(mkdir(silent, 0755), 0);
	device = mount_silent(silent);
	if (device < 0) {
		temporary_remove(folder);
		cr_skip("no file system can be mounted");
	}
	file_opener_set_patience(opener, FILE_OPENER_LIVE_MS);
	for (unsigned i = 1; i <= 3; i++) {
		cr_expect_not(can_open(opener, path));
		cr_expect_eq(file_opener_losses(opener).late, i);
		/* Other files are not affected. */
		cr_expect(can_open(opener, good));
	}
	umount2(silent, MNT_DETACH);
	close(device);
	temporary_remove(folder);
}

/* Anybody may have a lease on a file that others wait for. */
Test(file_opener, a_lease_is_not_waited_for, .timeout = 60)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autofree char *folder = temporary_folder();
	g_autofree char *path = write_file(folder, "leased", 0644);
	int file = open(path, O_RDWR | O_CLOEXEC);

	if (fcntl(file, F_SETSIG, SIGURG) || fcntl(file, F_SETLEASE, F_WRLCK))
		cr_skip("no leases on this file system");
	cr_expect_not(can_open(opener, path));
	cr_expect_eq(file_opener_losses(opener).late, 0);
	close(file);
	temporary_remove(folder);
}

Test(file_opener, after_a_signal_nothing_is_opened)
{
	g_autoptr(FileOpener) opener = file_opener_new("");

	cr_expect(can_open(opener, "/etc/passwd"));
	stop_signal_catch();
	raise(SIGINT);
	cr_expect_not(can_open(opener, "/etc/passwd"));
	cr_expect_eq(stop_signal_take(), 1);
	cr_expect(can_open(opener, "/etc/passwd"));
	cr_expect_eq(file_opener_losses(opener).late, 0);
}

/* A FileOpenerTaker. */
static void take_lines(const char *lines, size_t bytes, void *user_data)
{
	cr_expect_eq(lines[bytes - 1], '\n');
	g_string_append_len(user_data, lines, (gssize)bytes);
}

Test(file_opener, what_is_mapped_is_that_of_this_process_too)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *wanted = g_strdup_printf("m 99 %d ", getpid());

	file_opener_scan(opener, 99, false, take_lines, text);
	cr_expect_not_null(strstr(text->str, wanted));
	cr_expect_eq(file_opener_losses(opener).processes, 0);
}
