/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of a stream's cgroups by id, from the lines of cgroups batches; texts that name cgroups
 * get numbers of their own. Made when a report begins.
 */
#include "names/cgroup_names.h"

#include "base/keyed_hash.h"
#include "record/format.h"

#include <string.h>

enum { PATH_BYTES_MAX = 4096 }; /* the kernel's own limit */

struct CgroupNames {
	GHashTable *paths; /* (element-type uint64_t utf8), both owned */
	GHashTable
		*added; /* (element-type utf8 uint64_t), borrowed from paths: ids of added ones */
	size_t path_bytes; /* of these */
};

CgroupNames *cgroup_names_new(const RunText *text)
{
	CgroupNames *names = g_new0(CgroupNames, 1);
	const GString *lines = text ? run_text_of(text, KMT_BATCH_CGROUPS, 0) : NULL;
	g_auto(GStrv) split = g_strsplit(lines ? lines->str : "", "\n", -1);

	names->paths = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free, g_free);
	names->added = g_hash_table_new(keyed_hash_text, g_str_equal);
	for (char **line = split; *line; line++) {
		char *path; /* of "12 /system.slice", with the blank */
		uint64_t id = g_ascii_strtoull(*line, &path, 10);

		/* Longer paths than the kernel's only cost time. */
		if (!id || path[0] != ' ' || path[1] != '/' || strlen(path + 1) > PATH_BYTES_MAX)
			continue;
		g_hash_table_insert(names->paths, g_memdup(&id, sizeof(id)), g_strdup(path + 1));
	}
	return names;
}

void cgroup_names_free(CgroupNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->added);
	g_hash_table_unref(names->paths);
	g_free(names);
}

const char *cgroup_names_path(const CgroupNames *names, uint64_t cgroup_id)
{
	return g_hash_table_lookup(names->paths, &cgroup_id);
}

uint64_t cgroup_names_add(CgroupNames *names, const char *path)
{
	const uint64_t *known = g_hash_table_lookup(names->added, path);
	uint64_t *id;
	char *copy;

	if (known)
		return *known;
	id = g_new(uint64_t, 1);
	*id = g_hash_table_size(names->paths) + 1;
	copy = g_strdup(path);
	g_hash_table_insert(names->paths, id, copy);
	g_hash_table_insert(names->added, copy, id);
	names->path_bytes += strlen(path);
	return *id;
}

size_t cgroup_names_memory(const CgroupNames *names)
{
	enum { ENTRY_BYTES = 96 }; /* of both tables, and what they point to */

	return names->path_bytes + g_hash_table_size(names->paths) * ENTRY_BYTES;
}
