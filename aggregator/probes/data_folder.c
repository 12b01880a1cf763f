/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the program's own data are: presets and SystemTap scripts. Beside the program in a build
 * tree, else installed.
 */
#include "probes/data_folder.h"

#include <glib.h>

char *data_folder(const char *name)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *beside = program ? g_path_get_dirname(program) : NULL;
	g_autofree char *folder = beside ? g_build_filename(beside, name, NULL) : NULL;

	if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
		return g_steal_pointer(&folder);
	return g_build_filename(PKGDATADIR, name, NULL);
}
