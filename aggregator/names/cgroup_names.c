/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths of a stream's cgroups by id, from the lines of cgroups batches; texts that name cgroups
 * get numbers of their own. Made when a report begins. And the label of a path, by a const table of
 * container engines: the innermost folder that matches gives it, else the systemd unit. Reports,
 * filters and lists print cgroups with it.
 */
#include "names/cgroup_names.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/text_part.h"
#include "record/format.h"

#include <fnmatch.h>
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

/* Labels. */

enum {
	ID_DIGITS_MIN = 32, /* of a container's id: usually 64; fewer on ECS and some others */
	ID_DIGITS_SHOWN = 12,
};

/* The part between prefix and suffix of a folder's name. */
typedef enum {
	PART_ID,   /* hexadecimal digits; the first ones are shown */
	PART_NAME, /* a name from a user */
} Part;

/*
 * The cgroup names of a container engine. To add one: a line here. The innermost folder of a path
 * that matches any line decides, with the first matching line.
 */
typedef struct {
	const char *engine; /* as shown */
	const char *within; /* glob of the path before the folder; NULL: any path */
	const char *prefix;
	const char *suffix;
	Part part;
} ContainerPattern;

static const ContainerPattern container_patterns[] = {
	/* Scopes, if systemd manages cgroups. */
	{ "docker", NULL, "docker-", ".scope", PART_ID },
	{ "libpod", NULL, "libpod-", ".scope", PART_ID },
	{ "libpod-conmon", NULL, "libpod-conmon-", ".scope", PART_ID },
	{ "crio", NULL, "crio-", ".scope", PART_ID },
	{ "crio-conmon", NULL, "crio-conmon-", ".scope", PART_ID },
	{ "cri-containerd", NULL, "cri-containerd-", ".scope", PART_ID },
	{ "nerdctl", NULL, "nerdctl-", ".scope", PART_ID },
	{ "nspawn", NULL, "systemd-nspawn@", ".service", PART_NAME },
	{ "machine", "*/machine.slice", "machine-", ".scope", PART_NAME },
	/* Folders, if the engine manages cgroups. */
	{ "docker", "*/docker", "", "", PART_ID },
	{ "libpod", NULL, "libpod-", "", PART_ID },
	{ "crio", NULL, "crio-", "", PART_ID },
	{ "kubepods", "*/kubepods*/pod*", "", "", PART_ID },
	{ "kubepods", "*/kubepods*-pod*.slice", "", "", PART_ID },
	{ "ecs", "*/ecs/*", "", "", PART_ID },
	{ "lxc", NULL, "lxc.payload.", "", PART_NAME },
	{ "lxc-monitor", NULL, "lxc.monitor.", "", PART_NAME },
	{ "lxc", "/lxc", "", "", PART_NAME },
	{ NULL, NULL, NULL, NULL, PART_NAME },
};

/* The kinds of systemd units that contain processes. */
static const char *const unit_suffixes[] = { ".service", ".scope", ".socket",
					     ".mount",   ".swap",  NULL };

static bool ends_with(TextPart text, const char *end)
{
	size_t length = strlen(end);

	return text.length >= length && !memcmp(text.text + text.length - length, end, length);
}

/* Returns the next folder after at, which points to a slash or the end of the path. */
static TextPart folder_at(const char *at)
{
	const char *name = *at ? at + 1 : at;

	return (TextPart){ name, strcspn(name, "/") };
}

static bool is_id(TextPart text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!g_ascii_isxdigit(text.text[i]))
			return false;
	return text.length >= ID_DIGITS_MIN;
}

/* Whether the folder matches the pattern; *part is then the container's id or name. */
static bool pattern_fits(const ContainerPattern *pattern, const char *path, TextPart folder,
			 TextPart *part)
{
	size_t prefix = strlen(pattern->prefix), around = prefix + strlen(pattern->suffix);
	g_autofree char *before = NULL;

	if (folder.length <= around || memcmp(folder.text, pattern->prefix, prefix) != 0 ||
	    !ends_with(folder, pattern->suffix))
		return false;
	*part = (TextPart){ folder.text + prefix, folder.length - around };
	if (pattern->part == PART_ID && !is_id(*part))
		return false;
	if (!pattern->within)
		return true;
	before = g_strndup(path, (gsize)(folder.text - 1 - path));
	return fnmatch(pattern->within, before, FNM_NOESCAPE) == 0;
}

/* Writes "docker:1a2b3c4d5e6f" if the folder is a container's. */
static void write_container(GString *label, const char *path, TextPart folder)
{
	TextPart part;

	for (const ContainerPattern *pattern = container_patterns; pattern->engine; pattern++) {
		if (!pattern_fits(pattern, path, folder, &part))
			continue;
		if (pattern->part == PART_ID)
			part.length = ID_DIGITS_SHOWN;
		g_string_printf(label, "%s:", pattern->engine);
		escape_append_len(label, part.text, part.length);
		return;
	}
}

static bool is_unit(TextPart folder)
{
	for (const char *const *suffix = unit_suffixes; *suffix; suffix++)
		if (folder.length > strlen(*suffix) && ends_with(folder, *suffix))
			return true;
	return false;
}

/* Writes the outermost unit, which systemd regards as the unit of a process: the unit manages the
   folders below it. In a path of slices only, the innermost slice. */
static void find_unit(GString *label, const char *path)
{
	for (const char *at = path; *at;) {
		TextPart folder = folder_at(at);
		bool is_slice = ends_with(folder, ".slice");

		g_string_truncate(label, 0);
		if (!is_slice && !is_unit(folder))
			return;
		escape_append_len(label, folder.text, folder.length);
		if (!is_slice)
			return;
		at = folder.text + folder.length;
	}
}

void cgroup_label_append(GString *out, const char *path, bool whole)
{
	g_autoptr(GString) label = g_string_new(NULL);

	if (!whole && *path == '/' && path[1]) {
		/* The innermost container counts: it writes over those around it. */
		for (const char *at = path; *at;) {
			TextPart folder = folder_at(at);

			write_container(label, path, folder);
			at = folder.text + folder.length;
		}
		if (!label->len)
			find_unit(label, path);
	}
	if (label->len)
		g_string_append_len(out, label->str, (gssize)label->len);
	else
		escape_append(out, path);
}
