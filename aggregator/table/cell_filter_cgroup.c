/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filter by cgroup: verdicts for all tasks, made when a view begins, by path or label. Some
 * labels that do not match are kept for the remark if nothing does.
 */
#include "table/cell_filter.h"

#include "base/escape.h"
#include "base/unconst.h"
#include "names/cgroup_names.h"

#include <fnmatch.h>

enum { CGROUPS_SHOWN = 5 };

typedef struct {
	GHashTable *paths; /* (element-type utf8 bool), keys borrowed: results so far */
	bool *matches;     /* owned, by TaskId: whether its cgroup matches */
	bool any;
	uint64_t pathless; /* tasks whose cgroup has no path in the stream */
	GPtrArray *others; /* (element-type utf8), owned: some labels that do not match */
	const char *glob;
} CgroupState;

static bool text_matches(const char *glob, const char *text)
{
	/* systemd's names contain backslashes. */
	return fnmatch(glob, text, FNM_NOESCAPE) == 0;
}

/* The glob may match a cgroup's raw path or its printed label. */
static bool cgroup_matches(const char *glob, const char *path)
{
	g_autoptr(GString) label = g_string_new(NULL), whole = g_string_new(NULL);

	cgroup_label_append(label, path, false);
	cgroup_label_append(whole, path, true);
	return text_matches(glob, path) || text_matches(glob, whole->str) ||
	       text_matches(glob, label->str);
}

/* The tasks of a cgroup share one path text. Labels of some that do not match are kept. */
static bool path_matches(CgroupState *state, const char *path)
{
	g_autoptr(GString) label = NULL;
	gpointer known;
	bool matches;

	if (g_hash_table_lookup_extended(state->paths, path, NULL, &known))
		return GPOINTER_TO_INT(known);
	matches = cgroup_matches(state->glob, path);
	g_hash_table_insert(state->paths, unconst(path), GINT_TO_POINTER(matches));
	if (matches || state->others->len > CGROUPS_SHOWN)
		return matches;
	label = g_string_new(NULL);
	cgroup_label_append(label, path, false);
	if (!g_ptr_array_find_with_equal_func(state->others, label->str, g_str_equal, NULL))
		g_ptr_array_add(state->others, g_strdup(label->str));
	return false;
}

static void *cell_filter_cgroup_prepare(const void *argument, const ViewSource *source)
{
	CgroupState *state = g_new0(CgroupState, 1);
	uint32_t tasks = profile_task_count(source->profile);

	state->glob = argument;
	state->matches = g_new0(bool, tasks);
	state->paths = g_hash_table_new(g_direct_hash, g_direct_equal);
	state->others = g_ptr_array_new_with_free_func(g_free);
	for (TaskId id = 0; id < tasks; id++) {
		uint64_t cgroup_id = profile_task(source->profile, id)->cgroup_id;
		const char *path =
			source->cgroups ? cgroup_names_path(source->cgroups, cgroup_id) : NULL;

		state->pathless += !path && id > TASK_ID_OVERFLOW;
		state->matches[id] = path && path_matches(state, path);
		state->any |= state->matches[id];
	}
	return state;
}

static bool cell_filter_cgroup_keeps(void *data, const ProfileCell *cell)
{
	const CgroupState *state = data;

	return cell->context == KMT_CONTEXT_TASK && state->matches[cell->task];
}

static void cell_filter_cgroup_remark(const void *data, GString *out)
{
	const CgroupState *state = data;
	const GPtrArray *others = state->others;

	if (state->any && state->pathless)
		g_string_append_printf(
			out, "the cgroup of %" G_GUINT64_FORMAT " %s is not known by its path",
			state->pathless, state->pathless == 1 ? "task" : "tasks");
	if (state->any)
		return;
	g_string_append(out, "no cgroup of this stream matches '");
	escape_append(out, state->glob);
	g_string_append_c(out, '\'');
	if (!others->len)
		g_string_append(out, ": it has no cgroup paths");
	for (guint i = 0; i < MIN(others->len, (guint)CGROUPS_SHOWN); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "; it has: ",
				       (const char *)g_ptr_array_index(others, i));
	if (others->len > CGROUPS_SHOWN)
		g_string_append(out, ", ...");
}

static void cell_filter_cgroup_dispose(void *data)
{
	CgroupState *state = data;

	g_hash_table_unref(state->paths);
	g_free(state->matches);
	g_ptr_array_unref(state->others);
	g_free(state);
}

const CellFilterType cell_filter_cgroup = {
	.option = "cgroup",
	.prepare = cell_filter_cgroup_prepare,
	.keeps = cell_filter_cgroup_keeps,
	.remark = cell_filter_cgroup_remark,
	.dispose = cell_filter_cgroup_dispose,
};
