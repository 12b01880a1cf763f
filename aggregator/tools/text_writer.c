/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that writes texts to stdout from a bounded queue; what finds no room is dropped and
 * counted. So a slow reader delays nothing.
 */
#include "tools/text_writer.h"

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
	GQueue waiting;   /* (element-type utf8), owned */
	guint dropped;    /* number since the last accepted text */
	bool finish;      /* no more texts will come */
	bool done;        /* the thread has stopped writing */
	bool reader_left; /* not an error */
	int problem;      /* errno; 0: none */
};

static bool write_all(TextWriter *writer, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t written = write(STDOUT_FILENO, text, length);
		int code = errno;

		if (written < 0 && code == EINTR)
			continue;
		if (written < 0) {
			g_mutex_lock(&writer->lock);
			writer->reader_left = code == EPIPE;
			writer->problem = code;
			g_mutex_unlock(&writer->lock);
			return false;
		}
		text += written;
		length -= (size_t)written;
	}
	return true;
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
	bool written = true;
	char *text;

	while (written && (text = next_text(writer))) {
		written = write_all(writer, text);
		g_free(text);
	}
	g_mutex_lock(&writer->lock);
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
	problem = writer->reader_left ? 0 : writer->problem;
	writer_free(writer);
	if (problem)
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem),
			    "writing the %ss: %s", what, g_strerror(problem));
	return !problem;
}
