/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filters by task: its pid, the name of its process, or its cgroup, by path or label. Verdicts
 * for all tasks are made when a view begins; some names that do not match are kept for the remark
 * if nothing does. options.c chooses them, cell_filter.c asks for each cell.
 */
#include "table/cell_filter.h"

#include "base/escape.h"
#include "base/unconst.h"
#include "names/cgroup_names.h"
#include "table/task_name.h"

#include <fnmatch.h>

enum { NAMES_SHOWN = 5 };

typedef struct {
	const ProcessChoice *choice;
	const Profile *profile;
	char **globs;      /* owned */
	bool *matches;     /* owned, by TaskId */
	bool any;          /* a task matches */
	GPtrArray *others; /* (element-type utf8), owned: some names that do not match */
	GHashTable *seen;  /* of pids that matched */
} ProcessState;

static ProcessState *state_new(const void *argument, const ViewSource *source)
{
	ProcessState *state = g_new0(ProcessState, 1);

	state->choice = argument;
	state->profile = source->profile;
	state->matches = g_new0(bool, profile_task_count(source->profile));
	state->others = g_ptr_array_new_with_free_func(g_free);
	state->seen = g_hash_table_new(NULL, NULL);
	return state;
}

static void cell_filter_process_dispose(void *data)
{
	ProcessState *state = data;

	g_strfreev(state->globs);
	g_free(state->matches);
	g_ptr_array_unref(state->others);
	g_hash_table_unref(state->seen);
	g_free(state);
}

static bool cell_filter_process_keeps(void *data, const ProfileCell *cell)
{
	const ProcessState *state = data;

	return state->matches[cell->task] &&
	       (cell->context == KMT_CONTEXT_TASK || state->choice->with_interrupts);
}

static void *prepare_pids(const void *argument, const ViewSource *source)
{
	ProcessState *state = state_new(argument, source);
	const GArray *pids = state->choice->pids;

	for (TaskId id = TASK_ID_OVERFLOW + 1; id < profile_task_count(source->profile); id++) {
		guint32 pid = profile_task(source->profile, id)->tgid;

		for (guint i = 0; i < pids->len && !state->matches[id]; i++)
			state->matches[id] = g_array_index(pids, guint32, i) == pid;
		if (state->matches[id])
			g_hash_table_add(state->seen, GUINT_TO_POINTER(pid));
	}
	return state;
}

static void remark_on_pids(const void *data, GString *out)
{
	const ProcessState *state = data;
	const GArray *pids = state->choice->pids;
	const char *separator = "no allocation of ";

	for (guint i = 0; i < pids->len; i++) {
		guint32 pid = g_array_index(pids, guint32, i);

		if (g_hash_table_contains(state->seen, GUINT_TO_POINTER(pid)))
			continue;
		g_string_append_printf(out, "%s%u", separator, pid);
		separator = ", ";
	}
	if (out->len)
		g_string_append(out, " in the input");
}

bool process_name_matches(const char *glob, const char *comm)
{
	g_autofree char *folded = g_strndup(comm, comm_folded_length(comm));
	g_autoptr(GString) printed = g_string_new(NULL);

	escape_append(printed, folded);
	return !fnmatch(glob, comm, 0) || !fnmatch(glob, folded, 0) ||
	       !fnmatch(glob, printed->str, FNM_NOESCAPE);
}

static bool name_matches(char *const *globs, const char *comm)
{
	for (; *globs; globs++)
		if (process_name_matches(*globs, comm))
			return true;
	return false;
}

static void *prepare_names(const void *argument, const ViewSource *source)
{
	ProcessState *state = state_new(argument, source);
	GPtrArray *others = state->others;
	g_autoptr(GString) name = g_string_new(NULL);

	state->globs = g_strsplit(state->choice->globs, ",", -1);
	for (TaskId id = 0; id < profile_task_count(source->profile); id++) {
		const char *comm = profile_process_name(source->profile, id);

		state->matches[id] = name_matches(state->globs, comm);
		if (id <= TASK_ID_OVERFLOW)
			continue;
		state->any |= state->matches[id];
		if (state->matches[id] || others->len > NAMES_SHOWN)
			continue;
		g_string_truncate(name, 0);
		escape_append_len(name, comm, comm_folded_length(comm));
		if (name->len &&
		    !g_ptr_array_find_with_equal_func(others, name->str, g_str_equal, NULL))
			g_ptr_array_add(others, g_strdup(name->str));
	}
	return state;
}

static void remark_on_names(const void *data, GString *out)
{
	const ProcessState *state = data;

	if (state->any)
		return;
	g_string_append(out, "no process matches");
	for (guint i = 0; i < MIN(state->others->len, (guint)NAMES_SHOWN); i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "; there are: ",
				       (const char *)g_ptr_array_index(state->others, i));
	if (state->others->len > NAMES_SHOWN)
		g_string_append(out, ", ...");
}

const CellFilterType cell_filter_pid = {
	.option = "pid",
	.prepare = prepare_pids,
	.keeps = cell_filter_process_keeps,
	.remark = remark_on_pids,
	.dispose = cell_filter_process_dispose,
};

const CellFilterType cell_filter_process = {
	.option = "process",
	.prepare = prepare_names,
	.keeps = cell_filter_process_keeps,
	.remark = remark_on_names,
	.dispose = cell_filter_process_dispose,
};

enum { CGROUPS_SHOWN = 5 };

typedef struct {
	GHashTable *paths; /* (element-type utf8 bool), keys borrowed: results so far */
	bool *matches;     /* owned, by TaskId: whether its cgroup matches */
	bool any;
	uint64_t pathless; /* tasks whose cgroup has no path in the stream */
	GPtrArray *others; /* (element-type utf8), owned: some labels that do not match */
	const char *glob;
} CgroupState;

/* The glob may match the raw path or its printed label; systemd's names contain backslashes. */
bool cgroup_path_matches(const char *glob, const char *path)
{
	g_autoptr(GString) label = g_string_new(NULL), whole = g_string_new(NULL);

	cgroup_label_append(label, path, false);
	cgroup_label_append(whole, path, true);
	return !fnmatch(glob, path, FNM_NOESCAPE) || !fnmatch(glob, whole->str, FNM_NOESCAPE) ||
	       !fnmatch(glob, label->str, FNM_NOESCAPE);
}

/* The tasks of a cgroup share one path text. Labels of some that do not match are kept. */
static bool path_matches(CgroupState *state, const char *path)
{
	g_autoptr(GString) label = g_string_new(NULL);
	gpointer known;
	bool matches;

	if (g_hash_table_lookup_extended(state->paths, path, NULL, &known))
		return GPOINTER_TO_INT(known);
	matches = cgroup_path_matches(state->glob, path);
	g_hash_table_insert(state->paths, unconst(path), GINT_TO_POINTER(matches));
	if (matches || state->others->len > CGROUPS_SHOWN)
		return matches;
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
