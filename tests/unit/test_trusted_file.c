/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/trusted_file.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(trusted_file);

/* Returns 0 if it is opened, or why not. */
static int try(const char *path, unsigned rules, uint64_t bytes_max)
{
	int file = regular_file_open(path, rules, bytes_max);

	if (file < 0)
		return errno;
	close(file);
	return 0;
}

Test(trusted_file, pipes_and_devices_are_not_opened)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *pipe = g_build_filename(folder, "pipe", NULL);

	cr_assert_eq(mkfifo(pipe, 0600), 0);
	cr_expect_eq(try(pipe, REGULAR_FILE_ANY, UINT64_MAX), EINVAL);
	cr_expect_eq(try("/dev/null", REGULAR_FILE_ANY, UINT64_MAX), EINVAL);
	cr_expect_eq(try(folder, REGULAR_FILE_ANY, UINT64_MAX), EINVAL);
	cr_expect_eq(try("/no/such/file", REGULAR_FILE_ANY, UINT64_MAX), ENOENT);
}

Test(trusted_file, what_the_kernel_makes_up_is_not_stored)
{
	cr_expect_eq(try("/proc/self/maps", REGULAR_FILE_ANY, UINT64_MAX), 0);
	cr_expect_eq(try("/proc/self/maps", REGULAR_FILE_STORED, UINT64_MAX), EINVAL);
	cr_expect_eq(try("/proc/self/exe", REGULAR_FILE_STORED, UINT64_MAX), 0);
}

Test(trusted_file, links_and_large_files_are_refused_on_request)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *file = g_build_filename(folder, "file", NULL);
	g_autofree char *link = g_build_filename(folder, "link", NULL);

	cr_assert(g_file_set_contents(file, "four", 4, NULL));
	cr_assert_eq(symlink("file", link), 0);
	cr_expect_eq(try(link, REGULAR_FILE_STORED, 4), 0);
	cr_expect_eq(try(link, REGULAR_FILE_NO_LINK, 4), EINVAL);
	cr_expect_eq(try(file, REGULAR_FILE_NO_LINK, 4), 0);
	cr_expect_eq(try(file, REGULAR_FILE_ANY, 3), EFBIG);
}

/* An opener would wait 45 seconds for whoever holds the lease. */
Test(trusted_file, a_lease_is_not_waited_for, .timeout = 20)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "file", NULL);
	int file;

	cr_assert(g_file_set_contents(path, "four", 4, NULL));
	file = open(path, O_WRONLY | O_CLOEXEC);
	if (fcntl(file, F_SETSIG, SIGURG) || fcntl(file, F_SETLEASE, F_WRLCK))
		cr_skip("no leases on this file system");
	cr_expect_eq(try(path, REGULAR_FILE_ANY, UINT64_MAX), EAGAIN);
	close(file);
}

Test(trusted_file, the_text_of_a_small_file_is_read)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "file", NULL);
	g_autofree char *text = NULL;

	cr_assert(g_file_set_contents(path, "four", 4, NULL));
	text = regular_file_text(path, 4);
	cr_assert_not_null(text);
	cr_expect_str_eq(text, "four");
	cr_expect_null(regular_file_text(path, 3));
}

Test(trusted_file, the_path_of_a_descriptor_has_no_link)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *link = g_build_filename(folder, "link", NULL);
	g_autofree char *found = NULL;
	int fd;

	temporary_write(folder, "inner/file", "", 0);
	cr_assert_eq(symlink("inner/file", link), 0);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	found = fd_path(fd);
	cr_assert_not_null(found);
	cr_expect(g_str_has_suffix(found, "/inner/file"), "%s", found);
	close(fd);
}

Test(trusted_file, what_is_not_open_has_no_path)
{
	cr_expect_null(fd_path(-1));
}
