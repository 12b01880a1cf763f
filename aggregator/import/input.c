/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a file or pipe into a session: opens it, looks at its first bytes, and chooses the reader:
 * native stream, compressed recording, or an importer. One buffer of 256 KB; no seeks. A signal
 * handler's flag ends the reading, and what was read so far is reported. Here is also the wording
 * for everything that is not readable.
 */
#include "import/input.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/escape.h"
#include "import/import_types.h"
#include "base/trusted_file.h"
#include "import/kernel_record.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	CHUNK_BYTES = 256 << 10,
	SHOWN_BYTES_MAX = 60, /* of the first line of an unrecognised file */
};

/* Ctrl-C ends the input, and the data so far is reported. A second one ends the program. */
static volatile sig_atomic_t is_interrupted;

static const int interrupts[] = { SIGINT, SIGTERM };

G_STATIC_ASSERT(G_N_ELEMENTS(interrupts) == INPUT_INTERRUPTS);

static void note_interrupt(int signal)
{
	(void)signal;
	is_interrupted = 1;
}

InputInterrupts input_interrupts_catch(void)
{
	const struct sigaction noted = { .sa_handler = note_interrupt,
					 .sa_flags = (int)SA_RESETHAND };
	InputInterrupts caught;

	for (size_t i = 0; i < G_N_ELEMENTS(interrupts); i++) {
		sigaction(interrupts[i], NULL, &caught.before[i]);
		if (caught.before[i].sa_handler == SIG_DFL)
			sigaction(interrupts[i], &noted, NULL);
	}
	return caught;
}

void input_interrupts_clear(InputInterrupts *caught)
{
	for (size_t i = 0; i < G_N_ELEMENTS(interrupts); i++)
		sigaction(interrupts[i], &caught->before[i], NULL);
}

/* An open input and its current chunk. Never seeks, because the input may be a pipe. */
typedef struct {
	const char *name; /* for messages */
	int fd;
	bool may_close;
	int read_error; /* errno */
	size_t length;
	uint8_t *chunk;
} Input;

static void input_clear(Input *input)
{
	if (input->may_close)
		close(input->fd);
	g_free(input->chunk);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Input, input_clear)

/* A file that the user named may be a pipe or a device. */
static int open_file(const char *path, bool is_found)
{
	return is_found ? regular_file_open(path, REGULAR_FILE_ANY, UINT64_MAX)
			: open(path, O_RDONLY | O_CLOEXEC);
}

static bool input_open(Input *input, const char *path, bool is_found, GError **error)
{
	bool is_stdin = !strcmp(path, "-");
	struct stat status;
	bool is_open;

	input->name = is_stdin ? "standard input" : path;
	input->fd = is_stdin ? STDIN_FILENO : open_file(path, is_found);
	is_open = input->fd >= 0 && !fstat(input->fd, &status);
	if (!is_open || S_ISDIR(status.st_mode)) {
		int code = is_open ? EISDIR : errno;

		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), "%s: %s", path,
			    is_found && code == EINVAL ? "it is not a regular file"
						       : g_strerror(code));
		input->may_close = input->fd >= 0 && !is_stdin;
		return false;
	}
	input->may_close = !is_stdin;
	input->chunk = g_malloc(CHUNK_BYTES);
	return true;
}

/* Fills the chunk with at least `wanted` bytes, unless the input ends. */
static void input_fill(Input *input, size_t wanted)
{
	while (input->length < wanted && !input->read_error && !is_interrupted) {
		ssize_t got =
			read(input->fd, input->chunk + input->length, CHUNK_BYTES - input->length);

		if (got < 0 && errno != EINTR)
			input->read_error = errno;
		else if (got > 0)
			input->length += (size_t)got;
		else if (got == 0)
			return;
	}
}

/* Replaces the chunk with the next one. Returns false at the end. */
static bool input_next(Input *input)
{
	input->length = 0;
	input_fill(input, 1);
	return input->length > 0;
}

static bool read_native(Input *input, Session *session, GError **error)
{
	(void)error;
	do
		session_feed(session, input->chunk, input->length);
	while (!session->enough && input_next(input));
	session_finish(session);
	/* A complete recording has a mark at its end. A stream written by the probe module itself
	   has neither this mark nor the name of a program. */
	session->cut_short = !session->enough && run_info_text(session->info, KMT_FIELD_PROGRAM) &&
			     !run_info_number(session->info, KMT_FIELD_COMPLETE, 0);
	return true;
}

/* Files that can be converted to a readable text: the bytes at their start, and the command. */
typedef struct {
	const char *magic;
	size_t magic_bytes;
	const char *what;    /* description */
	const char *command; /* writes the text to stdout; FILE follows the command */
} Convertible;

static const Convertible convertibles[] = {
	{ "PERFILE2", 8, "a perf.data file", "perf script -i" },
	/* In the other byte order, and from perf 2.6. */
	{ "2ELIFREP", 8, "a perf.data file", "perf script -i" },
	{ "PERFFILE", 8, "a perf.data file", "perf script -i" },
	{ "\x1f\x8b", 2, "compressed by gzip", "gzip -dc" },
	{ "\xfd"
	  "7zXZ",
	  5, "compressed by xz", "xz -dc" },
	{ "BZh", 3, "compressed by bzip2", "bzip2 -dc" },
	{ "\x04\x22\x4d\x18", 4, "compressed by lz4", "lz4 -dc" },
};

/* A zstd file that does not contain a recording. */
static const Convertible foreign_zstd = { NULL, 0, "compressed by zstd, but not a recording",
					  "zstd -dc" };

static const Convertible *convertible_of(const Input *input)
{
	for (size_t i = 0; i < G_N_ELEMENTS(convertibles); i++)
		if (input->length >= convertibles[i].magic_bytes &&
		    !memcmp(input->chunk, convertibles[i].magic, convertibles[i].magic_bytes))
			return &convertibles[i];
	return NULL;
}

static bool fail_convertible(const Input *input, const Convertible *file, GError **error)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: %s: convert it, with '%s FILE | %s -i -'", input->name, file->what,
		    file->command, g_get_prgname());
	return false;
}

/* A RecordingSink. */
static void feed_session(const void *bytes, size_t length, void *user_data)
{
	session_feed(user_data, bytes, length);
}

static bool read_recording(Input *input, Session *session, GError **error)
{
	g_autoptr(RecordingReader) reader = recording_reader_new(feed_session, session, error);
	BatchReaderTotals totals;

	if (!reader)
		return false;
	do
		recording_reader_feed(reader, input->chunk, input->length);
	while (!session->enough && input_next(input));
	session_finish(session);
	session->cut_short =
		!session->enough && (!recording_reader_is_complete(reader) ||
				     !run_info_number(session->info, KMT_FIELD_COMPLETE, 0));
	totals = batch_reader_totals(session->reader);
	return totals.batches || totals.unknown || !totals.damaged_bytes ||
	       fail_convertible(input, &foreign_zstd, error);
}

/* The name may be from a folder that somebody else made. */
static void warn_of_input(const Input *input, const char *what)
{
	g_autoptr(GString) name = g_string_new(NULL);

	escape_append(name, input->name);
	g_printerr("%s: %s: %s\n", g_get_prgname(), name->str, what);
}

/* Returns whether there was anything of the format. */
static bool read_text(Input *input, Session *session, const ImportType *type)
{
	Import *import = import_begin(type, session);
	g_autofree char *what = NULL;
	uint64_t unread;
	bool has_read;

	session->imported = true;
	session->read_as = type->name;
	if (session->text_page_bytes)
		session_set_number(session, KMT_FIELD_PAGE_BYTES, session->text_page_bytes);
	session->source_is_silent = type->is_silent_of_loss;
	do
		import_feed(import, (const char *)input->chunk, input->length);
	while (!session->enough && input_next(input));
	has_read = session->enough || !type->has_read || type->has_read(import);
	unread = import_finish(import);
	/* A middle part that was left out is not unreadable. */
	if (session->enough || !has_read)
		return has_read;
	session->unreadable_lines += unread;
	if (!unread)
		return true;
	what = g_strdup_printf("%" G_GUINT64_FORMAT " lines could not be read as %s", unread,
			       type->name);
	warn_of_input(input, what);
	return true;
}

/* wanted: what the input is not. */
static bool fail_unknown(const Input *input, const char *wanted, GError **error)
{
	const Convertible *convertible = convertible_of(input);
	const uint8_t *end = memchr(input->chunk, '\n', input->length);
	size_t length = end ? (size_t)(end - input->chunk) : input->length;
	g_autofree char *line = g_strndup((const char *)input->chunk, MIN(length, SHOWN_BYTES_MAX));
	g_autofree char *shown = g_strescape(line, NULL);

	if (convertible)
		return fail_convertible(input, convertible, error);
	if (!input->length)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: it is empty",
			    input->name);
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: %s (first line: '%s')",
			    input->name, wanted, shown);
	return false;
}

static bool fail_foreign(const Input *input, const ForeignText *foreign, GError **error)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: it is %s, which is not read%s%s", input->name, foreign->what,
		    foreign->remedy ? ": " : "", foreign->remedy ? foreign->remedy : "");
	return false;
}

static bool fail_page_size(const Input *input, GError **error)
{
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "%s: a recording knows its page size: --page-size is for texts", input->name);
	return false;
}

static bool read_by_content(Input *input, Session *session, GError **error)
{
	size_t sniffed = MIN(input->length, IMPORT_SNIFF_BYTES);
	const ForeignText *foreign = NULL;
	bool is_stream = batch_reader_recognises(input->chunk, input->length);
	const ImportType *type;

	if (is_stream || recording_recognises(input->chunk, input->length)) {
		if (session->text_page_bytes)
			return fail_page_size(input, error);
		return is_stream ? read_native(input, session, error)
				 : read_recording(input, session, error);
	}
	type = import_type_recognise((const char *)input->chunk, sniffed);
	if ((!type || type->takes_any_lines) && !convertible_of(input))
		foreign = foreign_text_find((const char *)input->chunk, sniffed);
	if (foreign)
		return fail_foreign(input, foreign, error);
	if (!type)
		return fail_unknown(input, "no known stream format", error);
	read_text(input, session, type);
	session_finish(session);
	return true;
}

/* Opens an input and reads its first bytes. Returns false with error set if there are none because
   of an error or interrupt. */
static bool input_begin(Input *input, const char *path, bool is_found, GError **error)
{
	if (!input_open(input, path, is_found, error))
		return false;
	input_fill(input, IMPORT_SNIFF_BYTES);
	if (!input->length && is_interrupted) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s: interrupted",
			    input->name);
		return false;
	}
	if (!input->length && input->read_error) {
		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(input->read_error), "%s: %s",
			    input->name, g_strerror(input->read_error));
		return false;
	}
	return true;
}

static void input_end(const Input *input, Session *session)
{
	static const char bound[] = "interrupted while the input was read";

	/* What was read until then is reported. */
	if (input->read_error) {
		session->cut_short = true;
		warn_of_input(input, g_strerror(input->read_error));
	}
	if (!is_interrupted)
		return;
	/* The rest of the stream was not requested; it is neither damaged nor lost. */
	session->enough = true;
	session->cut_short = false;
	run_info_set_text(session->info, KMT_FIELD_BOUND, bound, strlen(bound));
}

static bool read_any(const char *path, bool is_found, Session *session, GError **error)
{
	g_auto(InputInterrupts) caught = input_interrupts_catch();
	g_auto(Input) input = { 0 };

	kernel_record_describe(path, &session->held_record);
	if (!input_begin(&input, path, is_found, error) || !read_by_content(&input, session, error))
		return false;
	input_end(&input, session);
	return true;
}

bool input_read(const char *path, Session *session, GError **error)
{
	return read_any(path, false, session, error);
}

bool input_read_found(const char *path, Session *session, GError **error)
{
	return read_any(path, true, session, error);
}

static void take_info(const Batch *batch, void *user_data)
{
	if (batch->header.kind == KMT_BATCH_INFO)
		run_info_read_batch(user_data, batch);
}

/* A RecordingSink. */
static void feed_reader(const void *bytes, size_t length, void *user_data)
{
	batch_reader_feed(user_data, bytes, length);
}

void input_read_info(const char *path, RunInfo *info)
{
	g_autoptr(BatchReader) batches = batch_reader_new(take_info, info);
	g_autoptr(RecordingReader) reader = NULL;
	g_auto(Input) input = { 0 };

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || !input_begin(&input, path, true, NULL))
		return;
	if (recording_recognises(input.chunk, input.length))
		reader = recording_reader_new(feed_reader, batches, NULL);
	else if (!batch_reader_recognises(input.chunk, input.length))
		return;
	do
		if (reader)
			recording_reader_feed(reader, input.chunk, input.length);
		else
			feed_reader(input.chunk, input.length, batches);
	while (input_next(&input));
}

bool input_is_interrupted(void)
{
	return is_interrupted;
}

bool input_read_text(const char *path, bool is_found, const ImportType *type, Session *session,
		     GError **error)
{
	g_auto(InputInterrupts) caught = input_interrupts_catch();
	g_auto(Input) input = { 0 };
	bool (*accepts)(const char *, size_t) = type->accepts ? type->accepts : type->recognises;
	g_autofree char *wanted = g_strdup_printf("no %s", type->name);
	bool may_follow;

	if (!input_begin(&input, path, is_found, error))
		return false;
	/* The format may come behind what was read so far. */
	may_follow = type->has_read && input.length >= IMPORT_SNIFF_BYTES;
	if (!may_follow &&
	    !accepts((const char *)input.chunk, MIN(input.length, IMPORT_SNIFF_BYTES)))
		return fail_unknown(&input, wanted, error);
	if (!read_text(&input, session, type) && !is_interrupted && !input.read_error) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: it has %s", input.name,
			    wanted);
		return false;
	}
	input_end(&input, session);
	return true;
}
