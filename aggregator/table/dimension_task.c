/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions of tasks: process, pid, thread, cgroup, host, recording, context: what identifies
 * each, and its label.
 */
#include "table/dimension_kinds.h"

#include "base/escape.h"
#include "names/cgroup_names.h"
#include "table/task_name.h"

static const ProfileTask *task_of(const GroupNaming *naming, uint32_t task)
{
	return profile_task(naming->source->profile, task);
}

static const char *process_name_of(const GroupNaming *naming, uint32_t task)
{
	return profile_process_name(naming->source->profile, task);
}

void process_identify(const GroupNaming *naming, uint32_t task, GString *out)
{
	const char *comm = process_name_of(naming, task);

	g_string_append_len(out, comm, (gssize)comm_folded_length(comm));
}

void process_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	const char *comm = process_name_of(naming, task);

	if (*comm)
		escape_append_len(out, comm, comm_folded_length(comm));
	else
		g_string_append(out, "[unknown]");
}

void pid_identify(const GroupNaming *naming, uint32_t task, GString *out)
{
	const ProfileTask *process = task_of(naming, task);

	/* Pid 0: idle CPUs, each with its own name, and unknown tasks. */
	if (!process->tgid)
		g_string_append(out, process_name_of(naming, task));
	g_string_append_len(out, (const char *)&process->run, sizeof(process->run));
	g_string_append_len(out, (const char *)&process->tgid, sizeof(process->tgid));
	g_string_append_len(out, (const char *)&process->start_time_ns,
			    sizeof(process->start_time_ns));
}

/* Appends "NAME[ID]"; with id 0 only the name. */
static void append_numbered(GString *out, const char *comm, uint32_t id)
{
	if (!*comm && !id)
		g_string_append(out, "[unknown]");
	escape_append(out, comm);
	if (id)
		g_string_append_printf(out, "[%u]", id);
}

void pid_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	append_numbered(out, process_name_of(naming, task), task_of(naming, task)->tgid);
}

void thread_identify(const GroupNaming *naming, uint32_t task, GString *out)
{
	const ProfileTask *thread = task_of(naming, task);

	pid_identify(naming, task, out);
	g_string_append_len(out, (const char *)&thread->tid, sizeof(thread->tid));
}

void thread_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	const ProfileTask *thread = task_of(naming, task);

	/* Counted without a thread, as in imported text. */
	if (!*thread->thread_comm && !thread->tid)
		pid_label(naming, task, out);
	else
		append_numbered(out, thread->thread_comm, thread->tid);
}

void cgroup_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	uint64_t id = task_of(naming, task)->cgroup_id;
	const char *path = cgroup_names_path(naming->source->cgroups, id);

	if (path)
		cgroup_label_append(out, path, naming->whole);
	else if (id)
		g_string_append_printf(out, "(cgroup %" G_GUINT64_FORMAT ")", id);
	else
		g_string_append(out, "(unknown cgroup)");
}

void host_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	const RunNames *runs = naming->source->runs;

	g_string_append(out,
			runs ? run_names_host(runs, task_of(naming, task)->run) : "(unknown host)");
}

void recording_identify(const GroupNaming *naming, uint32_t task, GString *out)
{
	const ProfileTask *process = task_of(naming, task);

	g_string_append_len(out, (const char *)&process->run, sizeof(process->run));
}

void recording_label(const GroupNaming *naming, uint32_t task, GString *out)
{
	const RunNames *runs = naming->source->runs;

	g_string_append(out, runs ? run_names_recording(runs, task_of(naming, task)->run)
				  : "(unknown recording)");
}

void context_label(const GroupNaming *naming, uint32_t context, GString *out)
{
	(void)naming;
	g_string_append(out, context_name(context));
}
