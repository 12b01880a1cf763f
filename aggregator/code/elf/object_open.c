/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens the file of one mapping: by map_files, then by the paths of the process and of the host,
 * and takes only what has the inode or build id of the mapping. Runs in the process that opens
 * files.
 */
#include "code/elf/object_open.h"

#include "base/trusted_file.h"
#include "code/elf/elf_build_id.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char deleted[] = " (deleted)"; /* appended by the kernel: fs/d_path.c */

/* Returns the path as the process used it. */
static char *plain_path(TextPart path)
{
	g_autofree char *text = g_strndup(path.text, path.length);
	char **parts = g_strsplit(text, "\\012", -1);
	char *plain = g_strjoinv("\n", parts);

	g_strfreev(parts);
	if (g_str_has_suffix(plain, deleted))
		plain[strlen(plain) - strlen(deleted)] = '\0';
	return plain;
}

static bool is_file(int descriptor, const UserFileId *wanted)
{
	struct stat status;

	if (wanted->build_id_bytes)
		return elf_build_id_is(descriptor, wanted);
	return wanted->inode && !fstat(descriptor, &status) &&
	       major(status.st_dev) == wanted->major && minor(status.st_dev) == wanted->minor &&
	       status.st_ino == wanted->inode;
}

/* Whether the link shows the path of the mapping. On overlay file systems and btrfs, the device and
   inode of a mapping are not those that stat() shows. */
static bool shows_path(const char *link, const UserMapLine *mapping)
{
	char text[USER_PATH_BYTES_MAX + 1];
	ssize_t length = readlink(link, text, sizeof(text));

	return length > 0 && text_part_equals((TextPart){ text, (size_t)length }, mapping->path);
}

/* Opens what is at this path, if it is the file of the mapping. */
static int open_same(const char *path, const UserMapLine *mapping, bool is_link_of_mapping)
{
	int descriptor = regular_file_open(path, REGULAR_FILE_STORED, UINT64_MAX);

	if (descriptor < 0 || is_file(descriptor, &mapping->file))
		return descriptor;
	if (is_link_of_mapping && !mapping->file.build_id_bytes && shows_path(path, mapping))
		return descriptor;
	close(descriptor);
	return -1;
}

int object_open(const char *root, const UserMapLine *mapping)
{
	g_autofree char *link = g_strdup_printf(
		"%s/proc/%u/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", root,
		mapping->tgid, mapping->start, mapping->start + mapping->length);
	int descriptor = open_same(link, mapping, true);
	g_autofree char *path = NULL;
	g_autofree char *of_process = NULL;
	g_autofree char *of_host = NULL;

	if (descriptor >= 0)
		return descriptor;
	path = plain_path(mapping->path);
	if (path[0] != '/')
		return -1;
	of_process = g_strdup_printf("%s/proc/%u/root%s", root, mapping->tgid, path);
	descriptor = open_same(of_process, mapping, false);
	if (descriptor >= 0)
		return descriptor;
	of_host = g_strconcat(root, path, NULL);
	return open_same(of_host, mapping, false);
}
