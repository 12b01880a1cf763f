/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/recorder.h"

#include "base/private_file.h"

#include <gio/gio.h>

/* What was collected is written to its end, and a module unloaded. */
enum { END_PATIENCE_MS = 8000 };

struct Recorder {
	SuiteChild *child;
	bool leaving;
};

Recorder *recorder_start(const char *path, const SuiteRequest *request, GError **error)
{
	g_autoptr(GPtrArray) words = NULL;
	Recorder *recorder;
	SuiteChild *child;

	/* The child would find out by itself, but too late for a message. */
	if (!private_file_check(path, false, error))
		return NULL;
	words = suite_arguments_new(request, error);
	if (!words)
		return NULL;
	g_ptr_array_add(words, g_strdup("--stacks"));
	g_ptr_array_add(words, g_strdup_printf("--record=%s%s", *path == '-' ? "./" : "", path));
	g_ptr_array_add(words, NULL);
	child = suite_child_start(request, (char **)words->pdata, false, error);
	if (!child)
		return NULL;
	recorder = g_new0(Recorder, 1);
	recorder->child = child;
	return recorder;
}

guint32 recorder_pid(const Recorder *recorder)
{
	return suite_child_pid(recorder->child);
}

void recorder_leave(Recorder *recorder)
{
	if (!recorder->leaving)
		suite_child_interrupt(recorder->child);
	recorder->leaving = true;
}

bool recorder_is_over(Recorder *recorder)
{
	return suite_child_wait(recorder->child, 0);
}

bool recorder_stop(Recorder *recorder, GError **error)
{
	g_autoptr(SuiteChild) child = recorder->child;
	g_autofree char *problem = NULL;

	recorder_leave(recorder);
	g_free(recorder);
	problem = suite_child_wait(child, END_PATIENCE_MS)
			  ? suite_child_problem(child)
			  : g_strdup("the recording did not end in time: what it has is in its "
				     ".part");
	if (problem)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, problem);
	return !problem;
}
