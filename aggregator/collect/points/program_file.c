/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file a probe of a program means: a path, a name in PATH, or a file that a process has
 * mapped (asked of the opener).
 */
#include "collect/points/program_file.h"

#include "collect/points/point_find.h"
#include "code/elf/file_opener.h"
#include "code/elf/mapped_path.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

/* Returns NULL with error set if it could not be found out, without error if there is none. */
static char *find_mapped(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	g_autoptr(FileOpener) opener = file_opener_new(host->root);
	char *path = file_opener_mapped_path(opener, (uint32_t)host->pid, spec->path);
	g_autofree char *why = NULL;

	if (path || errno == ENOENT)
		return path;
	why = file_opener_reason(opener, errno);
	point_fail(spec, G_IO_ERROR_FAILED, error, "what process %d has mapped cannot be read: %s",
		   host->pid ? (int)host->pid : (int)getpid(), why);
	return NULL;
}

static char *find_libc(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	GError *problem = NULL;
	char *path = find_mapped(host, spec, &problem);

	if (problem)
		g_propagate_error(error, problem);
	else if (!path && host->pid)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "process %d has ended, or has no C library: name its file, like "
			   "/proc/%d/exe",
			   (int)host->pid, (int)host->pid);
	else if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "the C library is not found: name its file");
	return path;
}

/* Returns the absolute path: events may be opened again later. */
static char *program_file_absolute(const char *path)
{
	g_autofree char *here = g_get_current_dir();

	return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(here, path, NULL);
}

char *program_file_find(const PointHost *host, const ProbeSpec *spec, GError **error)
{
	GError *problem = NULL;
	char *path;

	if (strchr(spec->path, '/'))
		return program_file_absolute(spec->path);
	if (g_str_equal(spec->path, MAPPED_PATH_LIBC))
		return find_libc(host, spec, error);
	path = g_find_program_in_path(spec->path);
	if (!path && host->pid)
		path = find_mapped(host, spec, &problem);
	if (problem)
		g_propagate_error(error, problem);
	else if (!path)
		point_fail(spec, G_IO_ERROR_NOT_FOUND, error,
			   "no program of this name is in PATH: name the path of the file");
	return path;
}
