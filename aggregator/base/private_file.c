/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the program writes, and whether their disk has room. A file is under a temporary name,
 * beside the descriptor of its folder. Every step is relative to that descriptor, so nobody can
 * exchange the folder between the checks and the rename. Recordings, reports (-o) and the module
 * cache are written so; recordings end before the disk is full, and --check looks beforehand.
 */
#include "base/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct PrivateFile {
	int folder; /* all operations are relative to it, so it cannot be exchanged meanwhile */
	int descriptor;
	char *path;
	char *part_path;
	char *name;
	char *part_name;
	bool may_replace; /* a file that has the name already */
	bool is_public;
};

enum { MODE_PRIVATE = 0600, MODE_PUBLIC = 0644 };

static bool fail_errno(GError **error, const char *path, int code)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s", path,
		    g_strerror(code));
	return false;
}

/* Whether that user may be the caller of sudo. A root shell may have inherited the variables of
   another user than the login user, which the kernel may know (/proc/self/loginuid). */
static bool may_be_behind(guint64 uid)
{
	g_autofree char *text = NULL;
	guint64 login_uid;

	return !g_file_get_contents("/proc/self/loginuid", &text, NULL, NULL) ||
	       !g_ascii_string_to_unsigned(g_strchomp(text), 10, 0, G_MAXUINT32, &login_uid,
					   NULL) ||
	       login_uid == G_MAXUINT32 || login_uid == uid;
}

/* Under sudo, gives the file to the calling user, who could not read it otherwise. */
static bool give_to_sudo_user(int descriptor)
{
	const char *uid_text = g_getenv("SUDO_UID");
	const char *gid_text = g_getenv("SUDO_GID");
	guint64 uid, gid;

	if (geteuid() || !uid_text || !gid_text)
		return true;
	if (!g_ascii_string_to_unsigned(uid_text, 10, 0, G_MAXUINT32 - 1, &uid, NULL) ||
	    !g_ascii_string_to_unsigned(gid_text, 10, 0, G_MAXUINT32 - 1, &gid, NULL))
		return true;
	if (!may_be_behind(uid))
		return true;
	return !fchown(descriptor, (uid_t)uid, (gid_t)gid);
}

/* Whether the final name may be created. */
static bool name_is_free(const PrivateFile *file, bool may_replace, GError **error)
{
	struct stat status;

	if (fstatat(file->folder, file->name, &status, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT || fail_errno(error, file->path, errno);
	if (may_replace && S_ISREG(status.st_mode))
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "%s exists already%s: name another file", file->path,
		    S_ISREG(status.st_mode) ? "" : " and is not a regular file");
	return false;
}

static bool fail_part_exists(const PrivateFile *file, GError **error)
{
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "%s exists already, left by a run that was cut short: remove it first",
		    file->part_path);
	return false;
}

/* Returns a descriptor of the new file; < 0: errno says why not. */
static int open_part(const PrivateFile *file)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	return openat(file->folder, file->part_name, flags, MODE_PRIVATE);
}

static bool create_part(PrivateFile *file, GError **error)
{
	file->descriptor = open_part(file);
	if (file->descriptor < 0 && errno == EEXIST && file->is_public &&
	    !unlinkat(file->folder, file->part_name, 0))
		file->descriptor = open_part(file);
	if (file->descriptor < 0)
		return errno == EEXIST ? fail_part_exists(file, error)
				       : fail_errno(error, file->part_path, errno);
	/* Who may read the file, whatever the umask. */
	if (!give_to_sudo_user(file->descriptor) ||
	    (file->is_public && fchmod(file->descriptor, MODE_PUBLIC))) {
		int code = errno;

		private_file_discard(file);
		return fail_errno(error, file->part_path, code);
	}
	return true;
}

/* Returns a file with its folder open, after all checks of its name. */
static PrivateFile *private_file_prepare(const char *path, bool may_replace, GError **error)
{
	g_autoptr(PrivateFile) file = g_new0(PrivateFile, 1);
	g_autofree char *folder = g_path_get_dirname(path);

	file->folder = -1;
	file->descriptor = -1;
	file->may_replace = may_replace;
	file->path = g_strdup(path);
	file->part_path = g_strconcat(path, ".part", NULL);
	file->name = g_path_get_basename(path);
	file->part_name = g_strconcat(file->name, ".part", NULL);
	if (!*path || g_str_has_suffix(path, "/")) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "'%s' is not a file name", path);
		return NULL;
	}
	file->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file->folder < 0) {
		fail_errno(error, folder, errno);
		return NULL;
	}
	return name_is_free(file, may_replace, error) ? g_steal_pointer(&file) : NULL;
}

PrivateFile *private_file_create(const char *path, bool may_replace, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_prepare(path, may_replace, error);

	return file && create_part(file, error) ? g_steal_pointer(&file) : NULL;
}

PrivateFile *private_file_create_public(const char *path, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_prepare(path, true, error);

	if (!file)
		return NULL;
	file->is_public = true;
	return create_part(file, error) ? g_steal_pointer(&file) : NULL;
}

static bool may_write_folder(const PrivateFile *file, GError **error)
{
	return !faccessat(file->folder, ".", W_OK | X_OK, AT_EACCESS) ||
	       fail_errno(error, file->part_path, errno);
}

bool private_file_check(const char *path, bool may_replace, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_prepare(path, may_replace, error);
	struct stat status;

	if (!file)
		return false;
	if (!fstatat(file->folder, file->part_name, &status, AT_SYMLINK_NOFOLLOW))
		return fail_part_exists(file, error);
	return may_write_folder(file, error);
}

bool private_file_check_public(const char *path, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_prepare(path, true, error);

	return file && may_write_folder(file, error);
}

void private_file_free(PrivateFile *file)
{
	if (!file)
		return;
	if (file->descriptor >= 0)
		close(file->descriptor);
	if (file->folder >= 0)
		close(file->folder);
	g_free(file->path);
	g_free(file->part_path);
	g_free(file->name);
	g_free(file->part_name);
	g_free(file);
}

int private_file_descriptor(const PrivateFile *file)
{
	return file->descriptor;
}

const char *private_file_part(const PrivateFile *file)
{
	return file->part_path;
}

/* Gives the file its name. Some network file systems cannot refuse to replace (EINVAL): there, the
   name is looked at just before. Returns 0, or -1 with errno set. */
static int take_name(const PrivateFile *file)
{
	struct stat status;

	if (file->may_replace)
		return renameat(file->folder, file->part_name, file->folder, file->name);
	if (!renameat2(file->folder, file->part_name, file->folder, file->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!fstatat(file->folder, file->name, &status, AT_SYMLINK_NOFOLLOW)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(file->folder, file->part_name, file->folder, file->name);
}

bool private_file_commit(PrivateFile *file, GError **error)
{
	if (!file->is_public && fsync(file->descriptor) && errno != EINVAL && errno != EROFS)
		return fail_errno(error, file->part_path, errno);
	if (take_name(file)) {
		if (errno != EEXIST)
			return fail_errno(error, file->path, errno);
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_EXISTS,
			    "%s was created by somebody else meanwhile, and is kept: the data is "
			    "in %s",
			    file->path, file->part_path);
		return false;
	}
	/* Without this, a crash of the host may restore the old name: no reason to fail. */
	if (!file->is_public)
		(void)!fsync(file->folder);
	return true;
}

void private_file_discard(PrivateFile *file)
{
	unlinkat(file->folder, file->part_name, 0);
}

/* Room on the disk. */

static const uint64_t disk_bytes_kept = 64 << 20;

bool disk_space_of(int descriptor, DiskSpace *space)
{
	struct statvfs disk;

	if (fstatvfs(descriptor, &disk) || !disk.f_blocks)
		return false;
	space->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	space->kept_bytes = MIN(disk_bytes_kept, (uint64_t)disk.f_blocks * disk.f_frsize / 100);
	return true;
}

bool disk_space_of_folder(const char *path, DiskSpace *space)
{
	int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_known = descriptor >= 0 && disk_space_of(descriptor, space);

	if (descriptor >= 0)
		close(descriptor);
	return is_known;
}

bool disk_space_is_nearly_full(const DiskSpace *space)
{
	return space->free_bytes < space->kept_bytes;
}
