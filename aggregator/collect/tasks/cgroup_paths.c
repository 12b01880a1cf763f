/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of cgroups that events named, and those that are settled. A new id is looked up by a process
 * that is in it, then by a file handle made of the id, at last by a walk through the hierarchy.
 * live_run.c lets it look at each tick, because a path cannot be found after the cgroup is gone.
 */
#include "collect/tasks/cgroup_paths.h"

#include "record/format.h"
#include "collect/tasks/task_proc.h"
#include "base/trusted_file.h"
#include "base/keyed_hash.h"
#include "record/batch_writer.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
	IDS_MAX = 100000,         /* bound on all ids */
	WALK_FOLDERS_MAX = 20000, /* takes about a tenth of a second */
};

/* A file handle that only contains a cgroup's id. */
typedef struct {
	struct file_handle head;
	unsigned char bytes[MAX_HANDLE_SZ];
} Handle;

/* Opens cgroups of a mounted hierarchy by id: the file handle of a cgroup's folder consists only of
   the id. */
typedef struct {
	char *folder; /* owned: as the kernel names it */
	int fd;
	int type; /* of its file handles; differs before Linux 5.5 */
} CgroupHandles;

static int open_id(const CgroupHandles *handles, uint64_t id)
{
	Handle handle = {
		.head = { .handle_bytes = sizeof(id), .handle_type = handles->type },
	};

	memcpy(handle.head.f_handle, &id, sizeof(id));
	return open_by_handle_at(handles->fd, &handle.head, O_PATH | O_CLOEXEC);
}

/* Gets the type from the handle of the folder, and tests whether the handle leads back to it. */
static bool cgroup_paths_learn(CgroupHandles *handles)
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
	handles->folder = fd_path(handles->fd);
	fd = open_id(handles, id);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && handles->folder;
}

static void cgroup_handles_free(CgroupHandles *handles)
{
	if (!handles)
		return;
	if (handles->fd >= 0)
		close(handles->fd);
	g_free(handles->folder);
	g_free(handles);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupHandles, cgroup_handles_free)

/* Returns NULL if the kernel has no such handles, or this process may not use them. */
static CgroupHandles *cgroup_handles_new(const char *folder)
{
	g_autoptr(CgroupHandles) handles = g_new0(CgroupHandles, 1);

	handles->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return cgroup_paths_learn(handles) ? g_steal_pointer(&handles) : NULL;
}

/* Returns the path of a cgroup below the mounted folder, "" for that folder itself; NULL: no cgroup
   with that id, removed, or not below it. The caller frees it. */
static char *cgroup_handles_path(const CgroupHandles *handles, uint64_t id)
{
	int fd = open_id(handles, id);
	g_autofree char *path = fd < 0 ? NULL : fd_path(fd);
	size_t length = strlen(handles->folder);

	if (fd >= 0)
		close(fd);
	if (!path || !g_str_has_prefix(path, handles->folder) ||
	    (path[length] && path[length] != '/') || g_str_has_suffix(path, " (deleted)"))
		return NULL;
	return g_strdup(path + length);
}

struct CgroupPaths {
	TaskCgroups *cgroups;
	CgroupHandles *handles[TASK_CGROUP_HIERARCHIES]; /* NULL: unusable */
	/* (element-type uint64_t), owned: ids that need no further search; ids to search. */
	GHashTable *settled;
	GHashTable *wanted;
	GHashTable *seen; /* (element-type Member), owned: of ids that are not settled */
	GArray *fresh; /* (element-type Member), owned: members of seen that were not checked yet */
};

/* A process in a cgroup. */
typedef struct {
	uint64_t cgroup_id;
	uint64_t tgid;
} Member;

static guint member_hash(gconstpointer member)
{
	return (guint)keyed_hash(member, sizeof(Member));
}

static gboolean member_equal(gconstpointer left, gconstpointer right)
{
	return !memcmp(left, right, sizeof(Member));
}

CgroupPaths *cgroup_paths_new(const char *root)
{
	CgroupPaths *paths = g_new0(CgroupPaths, 1);

	paths->cgroups = task_cgroups_new(root);
	for (int i = 0; i < TASK_CGROUP_HIERARCHIES; i++) {
		TaskCgroupMount mount = task_cgroups_mount(paths->cgroups, i);

		if (mount.folder)
			paths->handles[i] = cgroup_handles_new(mount.folder);
	}
	paths->settled = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free, NULL);
	paths->wanted = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free, NULL);
	paths->seen = g_hash_table_new_full(member_hash, member_equal, g_free, NULL);
	paths->fresh = g_array_new(FALSE, FALSE, sizeof(Member));
	return paths;
}

void cgroup_paths_free(CgroupPaths *paths)
{
	if (!paths)
		return;
	task_cgroups_free(paths->cgroups);
	for (int i = 0; i < TASK_CGROUP_HIERARCHIES; i++)
		cgroup_handles_free(paths->handles[i]);
	g_hash_table_unref(paths->settled);
	g_hash_table_unref(paths->wanted);
	g_hash_table_unref(paths->seen);
	g_array_unref(paths->fresh);
	g_free(paths);
}

static void add_id(GHashTable *ids, uint64_t id)
{
	uint64_t *key = g_new(uint64_t, 1);

	*key = id;
	g_hash_table_add(ids, key);
}

/* Whether an id without a handle is certainly that of a removed cgroup. */
static bool handles_say_all(const CgroupPaths *paths)
{
	for (int i = 0; i < TASK_CGROUP_HIERARCHIES; i++)
		if (task_cgroups_mount(paths->cgroups, i).folder && !paths->handles[i])
			return false;
	return true;
}

/* Result of the search by file handles. */
typedef struct {
	char *path;  /* owned by the caller; NULL: unknown */
	bool is_two; /* two hierarchies have a cgroup with that id: ambiguous */
} Lead;

static Lead lead_of(const CgroupPaths *paths, uint64_t id)
{
	Lead lead = { 0 };

	for (int i = 0; i < TASK_CGROUP_HIERARCHIES; i++) {
		const CgroupHandles *handles = paths->handles[i];
		g_autofree char *below = handles ? cgroup_handles_path(handles, id) : NULL;
		char *path;

		if (!below)
			continue;
		path = task_cgroup_path_below(task_cgroups_mount(paths->cgroups, i), below);
		lead.is_two = lead.path && !g_str_equal(lead.path, path);
		g_free(lead.path);
		lead.path = path;
	}
	if (lead.is_two)
		g_clear_pointer(&lead.path, g_free);
	return lead;
}

static void cgroup_paths_settle(CgroupPaths *paths, uint64_t id, const char *path, GString *lines)
{
	/* The kernel forbids line ends in a cgroup's name; the check protects the format from other
	   sources. */
	if (path && !strchr(path, '\n'))
		g_string_append_printf(lines, "%" G_GUINT64_FORMAT " %s\n", id, path);
	add_id(paths->settled, id);
	g_hash_table_remove(paths->wanted, &id);
}

/* A process in the cgroup is a more reliable source of its path than the id, because each hierarchy
   numbers its cgroups from 1. */
static void look_for(CgroupPaths *paths, const Member *member, GString *lines)
{
	uint64_t id = member->cgroup_id;
	g_autofree char *path = task_cgroups_path_of(paths->cgroups, (uint32_t)member->tgid, id);
	Lead lead = { 0 };

	if (!path) {
		lead = lead_of(paths, id);
		path = lead.path;
	}
	if (path || (handles_say_all(paths) && !lead.is_two))
		cgroup_paths_settle(paths, id, path, lines);
	else
		add_id(paths->wanted, id);
}

static bool is_settled(const CgroupPaths *paths, uint64_t id)
{
	return g_hash_table_contains(paths->settled, &id);
}

static void look_at_fresh(CgroupPaths *paths, GString *lines)
{
	for (guint i = 0; i < paths->fresh->len; i++) {
		const Member *member = &g_array_index(paths->fresh, Member, i);

		if (!is_settled(paths, member->cgroup_id) &&
		    g_hash_table_size(paths->settled) + g_hash_table_size(paths->wanted) < IDS_MAX)
			look_for(paths, member, lines);
	}
	g_array_set_size(paths->fresh, 0);
}

bool cgroup_paths_take(const Events *events, void *user_data)
{
	CgroupPaths *paths = user_data;

	for (uint32_t task = 0; task < events->tasks_count; task++) {
		Member member = { .cgroup_id = events_task_cgroup(events, (uint16_t)task) };
		EventTask facts;

		if (!member.cgroup_id || is_settled(paths, member.cgroup_id) ||
		    g_hash_table_size(paths->seen) >= IDS_MAX)
			continue;
		events_read_task(events, (uint16_t)task, &facts);
		member.tgid = facts.tgid;
		if (g_hash_table_contains(paths->seen, &member))
			continue;
		g_hash_table_add(paths->seen, g_memdup(&member, sizeof(member)));
		g_array_append_val(paths->fresh, member);
	}
	return true;
}

/* A walk through the folders of a hierarchy. */
typedef struct {
	TaskCgroupMount mount;
	GQueue *folders; /* (element-type utf8), owned: still to read, below the mounted one */
	unsigned left;   /* number of folders that may still be read */
} Walk;

static void add_folders(Walk *walk, const char *below)
{
	g_autofree char *folder = g_strconcat(walk->mount.folder, below, NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && walk->left && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (!g_file_test(path, G_FILE_TEST_IS_DIR) ||
		    g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			continue;
		g_queue_push_tail(walk->folders, g_strconcat(below, "/", name, NULL));
		walk->left--;
	}
}

/* Breadth first, so that the bound omits the deep folders. */
static void walk_hierarchy(CgroupPaths *paths, TaskCgroupMount mount, GString *lines)
{
	Walk walk = { mount, NULL, WALK_FOLDERS_MAX };

	if (!mount.folder)
		return;
	walk.folders = g_queue_new();
	g_queue_push_tail(walk.folders, g_strdup(""));
	while (!g_queue_is_empty(walk.folders) && g_hash_table_size(paths->wanted)) {
		g_autofree char *below = g_queue_pop_head(walk.folders);
		g_autofree char *folder = g_strconcat(mount.folder, below, NULL);
		uint64_t id = task_cgroup_folder_id(folder);

		if (g_hash_table_contains(paths->wanted, &id)) {
			g_autofree char *path = task_cgroup_path_below(mount, below);

			cgroup_paths_settle(paths, id, path, lines);
		}
		add_folders(&walk, below);
	}
	g_queue_free_full(walk.folders, g_free);
}

static bool write_lines(GByteArray *out, const GString *lines)
{
	if (lines->len)
		batch_write_text(out, KMT_BATCH_CGROUPS, 0, lines->str, lines->len);
	return lines->len;
}

bool cgroup_paths_update(CgroupPaths *paths, GByteArray *out)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	look_at_fresh(paths, lines);
	return write_lines(out, lines);
}

bool cgroup_paths_finish(CgroupPaths *paths, GByteArray *out)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	look_at_fresh(paths, lines);
	for (int i = 0; i < TASK_CGROUP_HIERARCHIES; i++)
		if (!paths->handles[i])
			walk_hierarchy(paths, task_cgroups_mount(paths->cgroups, i), lines);
	return write_lines(out, lines);
}
