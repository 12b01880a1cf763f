/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fd_path.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>

TEST_SUITE_WITHOUT_LEAKS(fd_path);

Test(fd_path, a_link_is_followed)
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

Test(fd_path, what_is_not_open_has_no_path)
{
	cr_expect_null(fd_path(-1));
}
