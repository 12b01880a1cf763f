/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/cgroup_handles.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A handle that has a cgroup's id and nothing else. */
typedef struct {
	struct file_handle head;
	unsigned char bytes[MAX_HANDLE_SZ];
} Handle;

struct CgroupHandles {
	char *folder; /* owned: as the kernel names it */
	int fd;
	int type; /* of its handles: another before Linux 5.5 */
};

/* Returns the path of what is open; the caller frees it. */
static char *path_of_fd(int fd)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

	return g_file_read_link(link, NULL);
}

static int open_id(const CgroupHandles *handles, uint64_t id)
{
	Handle handle = {
		.head = { .handle_bytes = sizeof(id), .handle_type = handles->type },
	};

	memcpy(handle.head.f_handle, &id, sizeof(id));
	return open_by_handle_at(handles->fd, &handle.head, O_PATH | O_CLOEXEC);
}

/* Learns the type from the handle of the folder, and whether it leads back there. */
static bool learn(CgroupHandles *handles)
{
	Handle handle = { .head.handle_bytes = MAX_HANDLE_SZ };
	uint64_t id;
	int mount, fd;

	if (handles->fd < 0 ||
	    name_to_handle_at(handles->fd, "", &handle.head, &mount, AT_EMPTY_PATH) ||
	    handle.head.handle_bytes != sizeof(id))
		return false;
	memcpy(&id, handle.head.f_handle, sizeof(id));
	handles->type = handle.head.handle_type;
	handles->folder = path_of_fd(handles->fd);
	fd = open_id(handles, id);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && handles->folder;
}

CgroupHandles *cgroup_handles_new(const char *folder)
{
	g_autoptr(CgroupHandles) handles = g_new0(CgroupHandles, 1);

	handles->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return learn(handles) ? g_steal_pointer(&handles) : NULL;
}

void cgroup_handles_free(CgroupHandles *handles)
{
	if (!handles)
		return;
	if (handles->fd >= 0)
		close(handles->fd);
	g_free(handles->folder);
	g_free(handles);
}

char *cgroup_handles_path(const CgroupHandles *handles, uint64_t id)
{
	int fd = open_id(handles, id);
	g_autofree char *path = fd < 0 ? NULL : path_of_fd(fd);
	size_t length = strlen(handles->folder);

	if (fd >= 0)
		close(fd);
	if (!path || !g_str_has_prefix(path, handles->folder) ||
	    (path[length] && path[length] != '/') || g_str_has_suffix(path, " (deleted)"))
		return NULL;
	return g_strdup(path + length);
}
