/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounded file of a watch. In memory is only the state after the last reading; what is thinned
 * goes from file to file, reading by reading. tools/watch.c continues it, session/watch_log.c reads
 * it like any recording.
 */
#include "record/history_file.h"

#include "base/private_file.h"
#include "record/batch.h"
#include "record/frames.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/file.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 64 << 10,
	FRAME_READINGS = 64, /* of a thinned file */
};

struct HistoryFile {
	char *path;
	HistoryBound bound;
	GByteArray *facts;
	int fd;
	uint64_t bytes;
	guint readings;
	HistoryLines *state;
};

static bool fail(GError **error, const char *path, int code)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s", path,
		    g_strerror(code));
	return false;
}

/* Writes. */

typedef struct {
	int fd;
	int error; /* errno */
	uint64_t bytes;
} Output;

/* A FrameSink. */
static void write_out(const void *bytes, size_t length, void *user_data)
{
	Output *output = user_data;
	const uint8_t *at = bytes;

	while (length && !output->error) {
		ssize_t written = write(output->fd, at, length);

		if (written < 0 && errno != EINTR)
			output->error = errno;
		if (written <= 0)
			continue;
		at += written;
		length -= (size_t)written;
		output->bytes += (uint64_t)written;
	}
}

/* Appends a frame. On failure the file is as before. */
static bool append_frame(HistoryFile *file, const GByteArray *batches, GError **error)
{
	Output output = { .fd = file->fd };
	FrameWriter *frames = frame_writer_new(write_out, &output);
	DiskSpace space;

	if (disk_space_of(file->fd, &space) && disk_space_is_nearly_full(&space))
		output.error = ENOSPC;
	frame_writer_add(frames, batches->data, batches->len);
	frame_writer_end(frames);
	frame_writer_free(frames);
	if (!output.error) {
		file->bytes += output.bytes;
		return true;
	}
	if (!ftruncate(file->fd, (off_t)file->bytes))
		lseek(file->fd, (off_t)file->bytes, SEEK_SET);
	return fail(error, file->path, output.error);
}

/* Reads. */

/* A file that is read: its readings, and whether it is the file of a watch. */
typedef struct {
	HistoryReader *reader;
	bool is_foreign;
} Input;

/* A BatchVisitor. */
static void take_batch(const Batch *batch, void *user_data)
{
	Input *input = user_data;

	input->is_foreign |=
		batch->header.kind != KMT_BATCH_INFO && batch->header.kind != KMT_BATCH_HISTORY;
	history_reader_take(batch, input->reader);
}

/* A RecordingSink. */
static void feed_batches(const void *bytes, size_t length, void *user_data)
{
	batch_reader_feed(user_data, bytes, length);
}

/* Passes the batches of a file, compressed or not. Returns false with errno set. */
static bool read_batches(int fd, BatchReader *batches, RecordingReader *frames)
{
	g_autofree uint8_t *chunk = g_malloc(CHUNK_BYTES);
	bool is_plain = false;
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, chunk, CHUNK_BYTES, at)) > 0) {
		if (!at)
			is_plain = !recording_recognises(chunk, (size_t)got);
		at += got;
		if (is_plain)
			batch_reader_feed(batches, chunk, (size_t)got);
		else
			recording_reader_feed(frames, chunk, (size_t)got);
	}
	batch_reader_finish(batches);
	return got == 0;
}

/* Passes each reading of a file to visit. */
static bool read_history(const char *path, int fd, HistoryVisitor visit, void *user_data,
			 GError **error)
{
	g_autoptr(HistoryReader) reader = history_reader_new(visit, user_data);
	Input input = { .reader = reader };
	g_autoptr(BatchReader) batches = batch_reader_new(take_batch, &input);
	g_autoptr(RecordingReader) frames = recording_reader_new(feed_batches, batches, error);
	BatchReaderTotals totals;

	if (!frames)
		return false;
	if (!read_batches(fd, batches, frames))
		return fail(error, path, errno);
	history_reader_finish(reader);
	totals = batch_reader_totals(batches);
	/* A file that a crash left empty has nothing to lose. */
	if (!input.is_foreign && !totals.unknown && (totals.batches || !totals.damaged_bytes))
		return true;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "%s is not the recording of a watch: name another file", path);
	return false;
}

/* Thinning. */

/* A HistoryVisitor. */
static void note_time(const HistoryTime *time, const HistoryLines *changes,
		      const HistoryLines *state, void *user_data)
{
	(void)changes;
	(void)state;
	g_array_append_val((GArray *)user_data, time->at_ns);
}

typedef struct {
	FrameWriter *frames;
	GByteArray *bytes;
	const GArray *stays;
	HistoryLines *pending; /* changes since the last reading that stays */
	HistoryLines *state;   /* after it */
	guint index;
	guint written;
} Thinning;

/* A HistoryVisitor. The last reading always stays. */
static void thin_reading(const HistoryTime *time, const HistoryLines *changes,
			 const HistoryLines *state, void *user_data)
{
	Thinning *thinning = user_data;

	(void)state;
	g_assert(thinning->index < thinning->stays->len);
	history_lines_add(thinning->pending, changes);
	if (!g_array_index(thinning->stays, bool, thinning->index++))
		return;
	g_byte_array_set_size(thinning->bytes, 0);
	history_lines_write(thinning->pending, thinning->bytes, time->clock_ns);
	frame_writer_add(thinning->frames, thinning->bytes->data, thinning->bytes->len);
	history_lines_add(thinning->state, thinning->pending);
	history_lines_clear(thinning->pending);
	if (++thinning->written % FRAME_READINGS == 0)
		frame_writer_end(thinning->frames);
}

/* Copies the facts, and the readings that stay, to another file. */
static bool copy_thinned(const HistoryFile *file, int from, Output *output, Thinning *thinning,
			 GError **error)
{
	bool is_read;

	thinning->frames = frame_writer_new(write_out, output);
	frame_writer_add(thinning->frames, file->facts->data, file->facts->len);
	frame_writer_end(thinning->frames);
	is_read = from < 0 || read_history(file->path, from, thin_reading, thinning, error);
	frame_writer_end(thinning->frames);
	frame_writer_free(thinning->frames);
	return is_read && (!output->error || fail(error, file->path, output->error));
}

/* Goes on with another file that is complete. It is locked before it has its name. */
static void go_on_with(HistoryFile *file, const Output *output, Thinning *thinning)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = fcntl(output->fd, F_DUPFD_CLOEXEC, 0);
	file->bytes = output->bytes;
	file->readings = thinning->written;
	history_lines_free(file->state);
	file->state = g_steal_pointer(&thinning->state);
}

static bool write_thinned(HistoryFile *file, int from, const GArray *times, guint most,
			  PrivateFile *to, GError **error)
{
	g_autoptr(GArray) stays = history_choose(times, most);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(HistoryLines) pending = history_lines_new();
	Thinning thinning = {
		.bytes = bytes,
		.stays = stays,
		.pending = pending,
		.state = history_lines_new(),
	};
	Output output = { .fd = private_file_descriptor(to) };
	bool is_written;

	flock(output.fd, LOCK_EX | LOCK_NB);
	is_written = copy_thinned(file, from, &output, &thinning, error) &&
		     private_file_commit(to, error);
	if (is_written)
		go_on_with(file, &output, &thinning);
	history_lines_free(thinning.state);
	return is_written;
}

/* Replaces the file by one with at most that many readings; from < 0: there is none yet. */
static bool replace_file(HistoryFile *file, int from, guint most, GError **error)
{
	g_autofree char *part = g_strconcat(file->path, ".part", NULL);
	g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(PrivateFile) to = NULL;

	if (from >= 0 && !read_history(file->path, from, note_time, times, error))
		return false;
	/* Whoever has the lock makes this file: one that is there was left by a crash. */
	unlink(part);
	to = private_file_create(file->path, true, error);
	if (!to)
		return false;
	if (write_thinned(file, from, times, most, to, error))
		return true;
	private_file_discard(to);
	return false;
}

/* Opens the file as it is, with the lock. Returns -1 with error set, or -1: there is none. */
static int open_locked(const char *path, GError **error)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno != ENOENT)
		fail(error, path, errno);
	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	close(fd);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_BUSY,
		    "%s: another watch writes it: end that one, or name another file", path);
	return -1;
}

HistoryFile *history_file_open(const char *path, HistoryBound bound, const GByteArray *facts,
			       GError **error)
{
	g_autoptr(HistoryFile) file = g_new0(HistoryFile, 1);
	GError *problem = NULL;
	bool is_open;
	int before;

	file->fd = -1;
	file->path = g_strdup(path);
	file->bound = bound;
	file->facts = g_byte_array_new();
	g_byte_array_append(file->facts, facts->data, facts->len);
	before = open_locked(path, &problem);
	is_open = !problem && replace_file(file, before, bound.readings_max, &problem);
	if (before >= 0)
		close(before);
	if (is_open)
		return g_steal_pointer(&file);
	g_propagate_error(error, problem);
	return NULL;
}

void history_file_free(HistoryFile *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	history_lines_free(file->state);
	g_byte_array_unref(file->facts);
	g_free(file->path);
	g_free(file);
}

const HistoryLines *history_file_state(const HistoryFile *file)
{
	return file->state;
}

guint history_file_readings(const HistoryFile *file)
{
	return file->readings;
}

/* Merges a quarter of the readings into others, if there are too many or they take too much. */
static bool keep_bound(HistoryFile *file, GError **error)
{
	guint most = file->readings - file->readings / 4;
	bool is_replaced;
	int from;

	if (file->readings < file->bound.readings_max && file->bytes < file->bound.bytes_max)
		return true;
	from = open(file->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return fail(error, file->path, errno);
	is_replaced = replace_file(file, from, most, error);
	close(from);
	return is_replaced;
}

bool history_file_add(HistoryFile *file, const HistoryLines *changes, uint64_t time_ns,
		      GError **error)
{
	g_autoptr(GByteArray) batches = g_byte_array_new();

	history_lines_write(changes, batches, time_ns);
	if (!keep_bound(file, error) || !append_frame(file, batches, error))
		return false;
	history_lines_add(file->state, changes);
	file->readings++;
	return true;
}
