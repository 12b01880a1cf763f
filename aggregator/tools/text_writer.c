/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that write texts, so that who is slow delays nothing. A TextWriter writes to stdout from
 * a bounded queue; what finds no room is dropped and counted. A TextFile, for --textfile, replaces
 * a file with the newest text; only the newest waits. tool.c and rate_run.c hand them texts.
 */
#include "tools/text_writer.h"

#include "base/private_file.h"
#include "process/watchdog.h"

#include <errno.h>
#include <gio/gio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum {
	WAITING_MAX = 64, /* number of texts */
	PIECE_BYTES = 64 << 10,
	FINISH_SECONDS_MAX = 5,
};

struct TextWriter {
	bool may_wait;
	const char *what; /* borrowed */
	GThread *thread;
	GMutex lock; /* protects the fields below */
	GCond changed;
	GQueue waiting; /* (element-type utf8), owned */
	guint dropped;  /* number since the last accepted text */
	bool finish;    /* no more texts will come */
	bool done;      /* the thread has stopped writing */
	int problem;    /* errno; EPIPE: the reader has left, which is no error; 0: none */
};

/* Returns 0, or errno. */
static int write_whole(int descriptor, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t written = write(descriptor, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return errno;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}

/* Returns the next text; NULL: no more will come. */
static char *next_text(TextWriter *writer)
{
	char *text;

	g_mutex_lock(&writer->lock);
	while (!(text = g_queue_pop_head(&writer->waiting)) && !writer->finish)
		g_cond_wait(&writer->changed, &writer->lock);
	g_cond_broadcast(&writer->changed);
	g_mutex_unlock(&writer->lock);
	return text;
}

static gpointer write_texts(gpointer data)
{
	TextWriter *writer = data;
	int problem = 0;
	char *text;

	while (!problem && (text = next_text(writer))) {
		problem = write_whole(STDOUT_FILENO, text);
		g_free(text);
	}
	g_mutex_lock(&writer->lock);
	writer->problem = problem;
	writer->done = true;
	g_cond_broadcast(&writer->changed);
	g_mutex_unlock(&writer->lock);
	return NULL;
}

TextWriter *text_writer_new(bool may_wait, const char *what)
{
	TextWriter *writer = g_new0(TextWriter, 1);

	/* If the pipe's reader closes it, write() must return an error. */
	signal(SIGPIPE, SIG_IGN);
	writer->may_wait = may_wait;
	writer->what = what;
	g_mutex_init(&writer->lock);
	g_cond_init(&writer->changed);
	g_queue_init(&writer->waiting);
	writer->thread = g_thread_new("writer", write_texts, writer);
	return writer;
}

static void push_dropped(TextWriter *writer)
{
	if (writer->dropped)
		g_printerr("%s: %u %ss were not printed: the reader of the output is too slow\n",
			   g_get_prgname(), writer->dropped, writer->what);
	writer->dropped = 0;
}

void text_writer_give(TextWriter *writer, char *text)
{
	g_mutex_lock(&writer->lock);
	while (writer->may_wait && !writer->done &&
	       g_queue_get_length(&writer->waiting) >= WAITING_MAX)
		g_cond_wait(&writer->changed, &writer->lock);
	if (!writer->done && g_queue_get_length(&writer->waiting) < WAITING_MAX) {
		push_dropped(writer);
		g_queue_push_tail(&writer->waiting, g_steal_pointer(&text));
		g_cond_broadcast(&writer->changed);
	} else if (!writer->done) {
		writer->dropped++;
	}
	g_mutex_unlock(&writer->lock);
	g_free(text);
}

/* A cookie_write_function_t. */
static ssize_t give_piece(void *cookie, const char *bytes, size_t length)
{
	text_writer_give(cookie, g_strndup(bytes, length));
	return (ssize_t)length;
}

FILE *text_writer_open(TextWriter *writer)
{
	FILE *stream = fopencookie(writer, "w", (cookie_io_functions_t){ .write = give_piece });

	setvbuf(stream, NULL, _IOFBF, PIECE_BYTES);
	return stream;
}

bool text_writer_skips(TextWriter *writer)
{
	bool skips;

	g_mutex_lock(&writer->lock);
	skips = !writer->done && !g_queue_is_empty(&writer->waiting);
	writer->dropped += skips;
	g_mutex_unlock(&writer->lock);
	return skips;
}

bool text_writer_has_ended(TextWriter *writer)
{
	bool ended;

	g_mutex_lock(&writer->lock);
	ended = writer->done;
	g_mutex_unlock(&writer->lock);
	return ended;
}

/* Returns whether the thread has written everything. */
static bool wait_for_end(TextWriter *writer)
{
	gint64 until = g_get_monotonic_time() + FINISH_SECONDS_MAX * G_USEC_PER_SEC;
	bool done;

	g_mutex_lock(&writer->lock);
	writer->finish = true;
	g_cond_broadcast(&writer->changed);
	while (!writer->done &&
	       (writer->may_wait ? (g_cond_wait(&writer->changed, &writer->lock), true)
				 : g_cond_wait_until(&writer->changed, &writer->lock, until)))
		continue;
	done = writer->done;
	push_dropped(writer);
	g_mutex_unlock(&writer->lock);
	return done;
}

static void writer_free(TextWriter *writer)
{
	g_thread_join(writer->thread);
	g_queue_foreach(&writer->waiting, (GFunc)(void (*)(void))g_free, NULL);
	g_queue_clear(&writer->waiting);
	g_mutex_clear(&writer->lock);
	g_cond_clear(&writer->changed);
	g_free(writer);
}

bool text_writer_finish(TextWriter *writer, GError **error)
{
	const char *what = writer->what;
	int problem;

	/* Its thread is blocked in write(), so its data is not freed before the process ends. */
	if (!wait_for_end(writer)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
			    "the last %ss were not printed: nobody reads stdout", writer->what);
		return false;
	}
	problem = writer->problem == EPIPE ? 0 : writer->problem;
	writer_free(writer);
	if (problem)
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem),
			    "writing the %ss: %s", what, g_strerror(problem));
	return !problem;
}

/* Files. */

struct TextFile {
	const char *path; /* borrowed */
	GThread *thread;
	GError *problem; /* of the thread: why the newest text is not in the file; NULL: it is */
	GMutex lock;     /* protects the fields below */
	GCond changed;
	char *waiting; /* owned; NULL: none */
	bool finish;   /* no more texts will come */
};

/* text NULL: only tries whether the file could be written. */
static bool text_file_replace(const char *path, const char *text, GError **error)
{
	g_autoptr(PrivateFile) file = private_file_create_public(path, error);
	WatchdogItem item = { .kind = WATCHDOG_FILE };
	bool written;
	int problem;

	if (!file)
		return false;
	item.path = private_file_part(file);
	watchdog_add(&item);
	problem = text ? write_whole(private_file_descriptor(file), text) : 0;
	if (problem)
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem), "%s: %s", item.path,
			    g_strerror(problem));
	written = text && !problem && private_file_commit(file, error);
	if (!written)
		private_file_discard(file);
	watchdog_withdraw(&item);
	return written || !text;
}

/* Returns the newest text; NULL: no more will come. */
static char *newest_text(TextFile *file)
{
	char *text;

	g_mutex_lock(&file->lock);
	while (!file->waiting && !file->finish)
		g_cond_wait(&file->changed, &file->lock);
	text = g_steal_pointer(&file->waiting);
	g_mutex_unlock(&file->lock);
	return text;
}

static gpointer replace_texts(gpointer data)
{
	TextFile *file = data;
	char *text;

	while ((text = newest_text(file))) {
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
	file->thread = g_thread_new("textfile", replace_texts, file);
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
