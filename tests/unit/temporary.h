/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <criterion/criterion.h>
#include <glib.h>
#include <unistd.h>

/* Files of a test, in a folder of its own. */

/* Returns a new folder's path. */
static inline char *temporary_folder(void)
{
	char *folder = g_dir_make_tmp("unit-XXXXXX", NULL);

	cr_assert_not_null(folder);
	return folder;
}

/* Writes a file below the folder, making the folders between. */
static inline void temporary_write(const char *folder, const char *name, const void *bytes,
				   gssize length)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *parent = g_path_get_dirname(path);

	cr_assert_eq(g_mkdir_with_parents(parent, 0700), 0);
	cr_assert(g_file_set_contents(path, bytes, length, NULL));
}

/* Removes the folder and what it contains. */
static inline void temporary_remove(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			temporary_remove(path);
		else
			unlink(path);
	}
	rmdir(folder);
}
