/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that replaces a file with the newest text; only the newest waits. For --textfile.
 * rate_run.c hands it a text for each interval.
 */
#include "tools/text_file.h"

#include "base/private_file.h"
#include "process/watchdog.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

struct TextFile {
	const char *path; /* borrowed */
	GThread *thread;
	GError *problem; /* of the thread: why the newest text is not in the file; NULL: it is */
	GMutex lock;     /* protects the fields below */
	GCond changed;
	char *waiting; /* owned; NULL: none */
	bool finish;   /* no more texts will come */
};

static bool write_all(const PrivateFile *file, const char *text, GError **error)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t written = write(private_file_descriptor(file), text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "%s: %s",
				    private_file_part(file), g_strerror(errno));
			return false;
		}
		text += written;
		length -= (size_t)written;
	}
	return true;
}

/* text NULL: only tries whether the file could be written. */
static bool text_file_replace(const char *path, const char *text, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_create_public(path, error);
	WatchdogItem item = { .kind = WATCHDOG_FILE };
	bool written;

	if (!file)
		return false;
	item.path = private_file_part(file);
	watchdog_add(&item);
	written = text && write_all(file, text, error) && private_file_commit(file, error);
	if (!written)
		private_file_discard(file);
	watchdog_withdraw(&item);
	return written || !text;
}

/* Returns the newest text; NULL: no more will come. */
static char *next_text(TextFile *file)
{
	char *text;

	g_mutex_lock(&file->lock);
	while (!file->waiting && !file->finish)
		g_cond_wait(&file->changed, &file->lock);
	text = g_steal_pointer(&file->waiting);
	g_mutex_unlock(&file->lock);
	return text;
}

static gpointer write_texts(gpointer data)
{
	TextFile *file = data;
	char *text;

	while ((text = next_text(file))) {
		GError *problem = NULL;

		text_file_replace(file->path, text, &problem);
		g_free(text);
		/* A problem that lasts is printed once. */
		if (problem &&
		    (!file->problem || strcmp(problem->message, file->problem->message) != 0))
			g_printerr("%s: --textfile: %s; the old file stays, the next interval is "
				   "tried\n",
				   g_get_prgname(), problem->message);
		g_clear_error(&file->problem);
		file->problem = problem;
	}
	return NULL;
}

TextFile *text_file_new(const char *path, GError **error)
{
	TextFile *file;

	if (!text_file_replace(path, NULL, error)) {
		g_prefix_error(error, "--textfile: ");
		return NULL;
	}
	file = g_new0(TextFile, 1);
	file->path = path;
	g_mutex_init(&file->lock);
	g_cond_init(&file->changed);
	file->thread = g_thread_new("textfile", write_texts, file);
	return file;
}

void text_file_give(TextFile *file, char *text)
{
	g_mutex_lock(&file->lock);
	g_free(file->waiting);
	file->waiting = text;
	g_cond_signal(&file->changed);
	g_mutex_unlock(&file->lock);
}

bool text_file_finish(TextFile *file, GError **error)
{
	GError *problem;

	g_mutex_lock(&file->lock);
	file->finish = true;
	g_cond_signal(&file->changed);
	g_mutex_unlock(&file->lock);
	g_thread_join(file->thread);
	problem = file->problem;
	g_mutex_clear(&file->lock);
	g_cond_clear(&file->changed);
	g_free(file);
	if (problem)
		g_propagate_prefixed_error(error, problem, "--textfile: ");
	return !problem;
}
