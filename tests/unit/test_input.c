/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/format.h"
#include "import/input.h"
#include "import/kernel_record.h"

#include "event_batch.h"
#include "leaks.h"
#include "record/batch_writer.h"
#include "record/recording.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/ioctl.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(input);

enum { MEMORY_BYTES = 64 << 20, EVENTS = 100, BATCHES = 300 };

/* Events as the emitter writes them, then what a program says of a whole recording. */
static GByteArray *stream_new(bool with_program, bool complete)
{
	static const uint32_t frames[] = { 0x81000010, 0x81000020, 0x81000030 };
	const InfoField program = { KMT_FIELD_PROGRAM, 0, "kmalloc-top" };
	const InfoField end = { KMT_FIELD_COMPLETE, 1, NULL };
	GByteArray *stream = g_byte_array_new();

	if (with_program)
		batch_write_info(stream, &program, 1);
	for (uint32_t i = 0; i < BATCHES; i++) {
		EventBatch batch = event_batch_begin(stream, 0, i, 1000 * i);
		uint16_t origin;

		event_batch_task(&batch, 7, "worker");
		origin = event_batch_origin(&batch, frames, 3, 100, 128);
		for (uint32_t event = 0; event < EVENTS; event++)
			event_batch_event(&batch, KMT_RECORD_ALLOC, origin, event, KMT_CONTEXT_TASK,
					  0x1000 + 64 * event);
		event_batch_end(&batch, EVENTS * (i + 1));
	}
	if (complete)
		batch_write_info(stream, &end, 1);
	return stream;
}

/* Reads bytes through a file; returns whether that worked. */
static bool read_bytes(const void *bytes, size_t length, Session *session, GError **error)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "in", NULL);
	bool done;

	temporary_write(folder, "in", bytes, length);
	done = input_read(path, session, error);
	return done;
}

Test(input, a_native_stream_is_read)
{
	g_autoptr(GByteArray) stream = stream_new(true, true);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	cr_assert(read_bytes(stream->data, stream->len, session, NULL));
	cr_expect(eq(u64, profile_totals(session->profile).events, EVENTS * BATCHES));
	cr_expect(not(session->cut_short));
	cr_expect(not(session->imported));
}

Test(input, what_the_probe_module_alone_wrote_needs_no_end)
{
	g_autoptr(GByteArray) stream = stream_new(false, false);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	cr_assert(read_bytes(stream->data, stream->len, session, NULL));
	cr_expect(not(session->cut_short));
}

Test(input, a_recording_without_its_last_field_is_cut_short)
{
	g_autoptr(GByteArray) stream = stream_new(true, false);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	cr_assert(read_bytes(stream->data, stream->len, session, NULL));
	cr_expect(session->cut_short);
	cr_expect(eq(u64, profile_totals(session->profile).events, EVENTS * BATCHES));
}

Test(input, standard_input_may_be_a_pipe)
{
	g_autoptr(GByteArray) stream = stream_new(true, true);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	int ends[2];
	pid_t writer;

	cr_assert(eq(int, pipe(ends), 0));
	writer = fork();
	if (!writer) {
		for (guint at = 0; at < stream->len;)
			at += (guint)write(ends[1], stream->data + at, MIN(stream->len - at, 777));
		_exit(0);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	cr_assert(input_read("-", session, NULL));
	cr_expect(eq(u64, profile_totals(session->profile).events, EVENTS * BATCHES));
	cr_expect(not(session->cut_short));
}

/* Writes all but the last byte, and interrupts the reader when it has read that. */
static void G_GNUC_NORETURN write_and_interrupt(int fd, const GByteArray *stream)
{
	int unread = 1;

	for (guint at = 0; at + 1 < stream->len;)
		at += (guint)write(fd, stream->data + at, MIN(stream->len - 1 - at, 4096));
	while (!ioctl(fd, FIONREAD, &unread) && unread)
		g_usleep(1000);
	kill(getppid(), SIGINT);
	pause();
	_exit(0);
}

Test(input, an_interrupt_leaves_what_was_read, .timeout = 60)
{
	g_autoptr(GByteArray) stream = stream_new(true, true);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	struct sigaction after;
	int ends[2];
	pid_t writer;

	cr_assert(eq(int, pipe(ends), 0));
	signal(SIGINT, SIG_DFL);
	writer = fork();
	if (!writer)
		write_and_interrupt(ends[1], stream);
	dup2(ends[0], STDIN_FILENO);
	cr_assert(input_read("-", session, NULL));
	kill(writer, SIGKILL);
	cr_expect(eq(u64, profile_totals(session->profile).events, EVENTS * BATCHES));
	cr_expect(not(session->cut_short));
	cr_expect(ne(ptr, (void *)run_info_text(session->info, KMT_FIELD_BOUND), NULL));
	/* The next one ends the program as before. */
	sigaction(SIGINT, NULL, &after);
	cr_expect(after.sa_handler == SIG_DFL);
}

#ifdef HAVE_ZSTD
static void record_stream(const GByteArray *stream, const char *path)
{
	g_autoptr(Recording) recording = recording_create(path, UINT64_MAX, NULL);
	BatchReader *reader = batch_reader_new(recording_add_batch, recording);

	batch_reader_feed(reader, stream->data, stream->len);
	batch_reader_free(reader);
	cr_assert(recording_close(recording, NULL));
}

static void recorded(const GByteArray *stream, char **bytes, gsize *length)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "r.kmr", NULL);

	record_stream(stream, path);
	*bytes = file_read(path, length);
}

Test(input, a_compressed_recording_is_read)
{
	g_autoptr(GByteArray) stream = stream_new(true, true);
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autofree char *file = NULL;
	gsize length;

	recorded(stream, &file, &length);
	cr_assert(read_bytes(file, length, session, NULL));
	cr_expect(eq(u64, profile_totals(session->profile).events, EVENTS * BATCHES));
	cr_expect(not(session->cut_short));
}

Test(input, a_recording_cut_at_any_byte_is_read_up_to_there)
{
	g_autoptr(GByteArray) stream = stream_new(true, true);
	g_autofree char *file = NULL;
	uint64_t before = 0;
	gsize length;

	recorded(stream, &file, &length);
	for (gsize cut = 5; cut < length; cut += 1 + length / 50) {
		g_autoptr(Session) session = session_new(MEMORY_BYTES);

		cr_assert(read_bytes(file, cut, session, NULL));
		cr_expect(session->cut_short, "cut at %zu", cut);
		cr_expect(ge(u64, profile_totals(session->profile).events, before));
		before = profile_totals(session->profile).events;
	}
}
#endif

Test(input, a_text_format_is_imported)
{
	static const char text[] = " 0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]\n"
				   " 0xffffffff8002a1c4 : __alloc_skb+0x6d/0x14a [kernel]\n"
				   "41\n";
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	cr_assert(read_bytes(text, strlen(text), session, NULL));
	cr_expect(session->imported);
	cr_expect(eq(u64, profile_totals(session->profile).events, 41));
}

static void expect_error(const void *bytes, size_t length, const char *words)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) error = NULL;

	cr_assert(not(read_bytes(bytes, length, session, &error)));
	cr_expect(ne(ptr, strstr(error->message, words), NULL), "%s", error->message);
	cr_expect(eq(ptr, strpbrk(error->message, "\n\033"), NULL));
}

Test(input, an_unknown_content_is_an_error_that_shows_its_first_line)
{
	expect_error("hello \033[31m\nworld\n", 18,
		     "no known stream format (first line: 'hello \\033");
	expect_error("", 0, "empty");
}

Test(input, a_packed_file_is_an_error_with_the_remedy)
{
	expect_error("\x1f\x8b\x08\0\0", 5, "gzip -dc");
	expect_error("\xfd"
		     "7zXZ\0",
		     6, "xz -dc");
	expect_error("BZh91AY", 7, "bzip2 -dc");
	expect_error("\x04\x22\x4d\x18@", 5, "lz4 -dc");
}

Test(input, a_perf_data_file_is_an_error_with_the_command_that_converts_it)
{
	expect_error("PERFILE2h\0\0\0", 12, "perf script -i FILE | ");
	/* zstd, of a text, and not of a recording */
	expect_error("\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello", 14, "zstd");
	expect_error("2ELIFREP\0\0\0h", 12, "perf script -i FILE | ");
}

Test(input, a_file_that_cannot_be_read_is_an_error)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) missing = NULL;
	g_autoptr(GError) folder = NULL;

	cr_assert(not(input_read("/no/such/file", session, &missing)));
	cr_expect(eq(str, missing->message, (char *)"/no/such/file: No such file or directory"));
	cr_assert(not(input_read("/etc", session, &folder)));
	cr_expect(eq(str, folder->message, (char *)"/etc: Is a directory"));
}

/* Found in a folder of somebody else: nobody would ever write to them. */
Test(input, a_pipe_in_a_folder_is_an_error, .timeout = 20)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *record = g_build_filename(folder, "kmalloc-64.alloc_traces", NULL);
	g_autofree char *bytes = g_build_filename(folder, "object_size", NULL);
	const KernelRecordRequest request = {
		.root = "",
		.record = kernel_record_lookup("alloc_traces"),
		.files = { folder },
	};
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GError) of_record = NULL;
	g_autoptr(GError) of_recording = NULL;

	cr_assert_eq(mkfifo(record, 0600), 0);
	cr_assert_eq(mkfifo(bytes, 0600), 0);
	cr_assert(not(kernel_record_read(&request, session, &of_record)));
	cr_expect(ne(ptr, strstr(of_record->message, "it is not a regular file"), NULL), "%s",
		  of_record->message);
	cr_assert(not(input_read_found(record, session, &of_recording)));
	cr_expect(ne(ptr, strstr(of_recording->message, "it is not a regular file"), NULL), "%s",
		  of_recording->message);
}
