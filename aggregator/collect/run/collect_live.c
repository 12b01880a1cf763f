/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a live run: checks the command, makes the snapshot of the host and the recorder,
 * runs the collector, and decides what becomes of the recording. tool.c, slabratetop.c and
 * stack_top.c call it.
 */
#include "collect/run/collect_live.h"

#include "collect/run/command.h"
#include "process/watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256 };

/* Returns the thread group of a task from /proc/PID/status; 0: no such task. */
static guint32 group_of(const char *root, guint32 pid)
{
	static const char heading[] = "Tgid:";
	g_autofree char *path = g_strdup_printf("%s/proc/%u/status", root, pid);
	FILE *file = fopen(path, "re");
	char line[LINE_BYTES];
	guint64 group = 0;

	while (file && !group && fgets(line, sizeof(line), file))
		if (g_str_has_prefix(line, heading))
			group = g_ascii_strtoull(line + strlen(heading), NULL, 10);
	if (file)
		fclose(file);
	return (guint32)group;
}

bool pids_exist(const char *root, const GArray *pids, GError **error)
{
	for (guint i = 0; i < pids->len; i++) {
		guint32 pid = g_array_index(pids, guint32, i), group = group_of(root, pid);

		if (group == pid)
			continue;
		if (group)
			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "-p: %u is a thread of process %u: use -p %u", pid, group,
				    group);
		else
			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "-p: there is no process %u", pid);
		return false;
	}
	return true;
}

bool collect_request_streams(const CollectRequest *request)
{
	return request->record.path && !strcmp(request->record.path, "-");
}

/* Deletes a recording without data. Reports errors only for a recording with data. */
static void end_recording(Recorder *recorder, bool collected, CollectOutcome *outcome)
{
	g_autoptr(GError) error = NULL;

	outcome->reader_left = recorder_reader_left(recorder);
	if (!collected) {
		recorder_discard(recorder);
	} else if (!recorder_close(recorder, &error) && !outcome->reader_left) {
		g_printerr("%s: %s\n", g_get_prgname(), error->message);
		outcome->recording_unfinished = true;
	}
}

static Recorder *recorder_of(const RecorderPlan *plan, Session *session, GError **error)
{
	Recorder *recorder = recorder_new(plan, session, error);

	/* Deleted if empty; kept once the probes are live. */
	if (recorder && recorder_part(recorder))
		watchdog_add(
			&(WatchdogItem){ .kind = WATCHDOG_FILE, .path = recorder_part(recorder) });
	return recorder;
}

static bool collect_recorded(const CollectorType *collector, CollectRun *run, GError **error)
{
	g_autoptr(Recorder) recorder = recorder_of(&run->request->record, run->session, error);
	bool collected;

	if (!recorder)
		return false;
	run->recorder = recorder;
	collected = collector->collect(run, error);
	end_recording(recorder, collected, run->outcome);
	return collected;
}

/* Reports the user's mistakes first: a collector's preparations may take long. */
bool collect_live(const CollectorType *collector, const CollectRequest *request, Session *session,
		  CollectOutcome *outcome, GError **error)
{
	g_autoptr(HostSnapshot) host = host_snapshot_new("");
	CollectRun run = {
		.request = request,
		.session = session,
		.outcome = outcome,
		.host = host,
	};
	void (*before)(int);
	bool collected;

	if (request->command.words &&
	    !command_check(request->command.words, request->command.user, error))
		return false;
	/* The reader of our diagnostics may close them. */
	before = signal(SIGPIPE, SIG_IGN);
	collected = request->record.path ? collect_recorded(collector, &run, error)
					 : collector->collect(&run, error);
	signal(SIGPIPE, before);
	return collected;
}
