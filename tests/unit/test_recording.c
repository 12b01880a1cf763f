/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/recording.h"

#include "event_batch.h"
#include "leaks.h"
#include "base/private_file.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(recording);

/* A folder with a recording in it. */
typedef struct {
	char *folder;
	char *path;
	char *part;
} Files;

static Files files_new(void)
{
	Files files = { .folder = temporary_folder() };

	files.path = g_build_filename(files.folder, "r.kmr", NULL);
	files.part = g_strconcat(files.path, ".part", NULL);
	return files;
}

static void files_clear(Files *files)
{
	temporary_free(files->folder);
	g_free(files->path);
	g_free(files->part);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Files, files_clear)

/* A stream of heartbeats that compresses badly. */
static GByteArray *stream_new(uint32_t batches)
{
	GByteArray *stream = g_byte_array_new();
	g_autoptr(GRand) numbers = g_rand_new_with_seed(1);

	for (uint32_t i = 0; i < batches; i++) {
		EventBatch batch = event_batch_begin(stream, 0, i, 1000 * i);

		for (int beat = 0; beat < 20; beat++)
			event_batch_heartbeat(&batch, g_rand_int(numbers), 0, g_rand_int(numbers));
		event_batch_end(&batch, 0);
	}
	return stream;
}

static void record(Recording *recording, const GByteArray *stream)
{
	BatchReader *reader = batch_reader_new(recording_add_batch, recording);

	batch_reader_feed(reader, stream->data, stream->len);
	batch_reader_free(reader);
}

/* A RecordingSink. */
static void append(const void *bytes, size_t length, void *user_data)
{
	g_byte_array_append(user_data, bytes, length);
}

/* Returns what a file gives back; *complete: whether it ends where a frame does. */
static GByteArray *read_back(const void *bytes, size_t length, bool *complete)
{
	GByteArray *stream = g_byte_array_new();
#ifdef HAVE_ZSTD
	RecordingReader *reader = recording_reader_new(append, stream, NULL);

	recording_reader_feed(reader, bytes, length);
	*complete = recording_reader_is_complete(reader);
	recording_reader_free(reader);
#else
	append(bytes, length, stream);
	*complete = true;
#endif
	return stream;
}

static void contents(const char *path, GByteArray *out)
{
	char *bytes;
	gsize length;

	bytes = file_read(path, &length);
	g_byte_array_append(out, (guint8 *)bytes, length);
	g_free(bytes);
}

static void expect_same_stream(const char *path, const GByteArray *stream)
{
	g_autoptr(GByteArray) file = g_byte_array_new();
	g_autoptr(GByteArray) got = NULL;
	bool complete;

	contents(path, file);
	got = read_back(file->data, file->len, &complete);
	cr_expect(complete);
	cr_assert(eq(sz, got->len, stream->len));
	cr_expect(zero(int, memcmp(got->data, stream->data, stream->len)));
}

Test(recording, it_gives_the_same_stream_back)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) stream = stream_new(100);
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);

	record(recording, stream);
	cr_expect(eq(ptr, (void *)recording_problem(recording), NULL));
	cr_assert(recording_close(recording, NULL));
	expect_same_stream(files.path, stream);
}

Test(recording, one_to_a_stream_is_the_stream_as_it_is)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) stream = stream_new(100);
	g_autoptr(GByteArray) got = g_byte_array_new();
	int fd = open(files.path, O_WRONLY | O_CREAT, 0600);
	g_autoptr(Recording) recording = recording_to_stream(fd);

	record(recording, stream);
	recording_tick(recording);
	cr_expect(eq(ptr, (void *)recording_part(recording), NULL));
	cr_assert(recording_close(recording, NULL));
	cr_assert(zero(int, close(fd)), "it stays the caller's");
	contents(files.path, got);
	cr_assert(eq(sz, got->len, stream->len));
	cr_expect(zero(int, memcmp(got->data, stream->data, stream->len)));
}

Test(recording, a_reader_of_the_stream_may_leave)
{
	g_autoptr(GByteArray) stream = stream_new(1);
	g_autoptr(GError) error = NULL;
	g_autoptr(Recording) recording = NULL;
	int pair[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert(zero(int, pipe(pair)));
	recording = recording_to_stream(pair[1]);
	record(recording, stream);
	cr_expect(not(recording_reader_left(recording)));
	close(pair[0]);
	record(recording, stream);
	cr_expect(recording_reader_left(recording));
	cr_expect(
		eq(str, (char *)recording_problem(recording), "whoever read the stream has left"));
	cr_expect(not(recording_close(recording, &error)));
	close(pair[1]);
}

Test(recording, it_has_its_name_only_when_it_is_whole)
{
	g_auto(Files) files = files_new();
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);

	cr_expect(g_file_test(files.part, G_FILE_TEST_EXISTS));
	cr_expect(not(g_file_test(files.path, G_FILE_TEST_EXISTS)));
	cr_assert(recording_close(recording, NULL));
	cr_expect(not(g_file_test(files.part, G_FILE_TEST_EXISTS)));
	cr_expect(g_file_test(files.path, G_FILE_TEST_EXISTS));
}

Test(recording, one_that_was_not_closed_stays_readable_as_a_part)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) stream = stream_new(20000); /* more than a frame */
	g_autoptr(GByteArray) file = g_byte_array_new();
	g_autoptr(GByteArray) got = NULL;
	bool complete;

	Recording *recording = recording_create(files.path, UINT64_MAX, NULL);
	record(recording, stream);
	recording_free(recording);
	contents(files.part, file);
	got = read_back(file->data, file->len, &complete);
	cr_expect(lt(sz, 4 << 20, got->len));
	cr_assert(le(sz, got->len, stream->len));
	cr_expect(zero(int, memcmp(got->data, stream->data, got->len)));
}

Test(recording, only_its_owner_may_read_it)
{
	g_auto(Files) files = files_new();
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);
	struct stat status;

	cr_assert(recording_close(recording, NULL));
	cr_assert(zero(int, stat(files.path, &status)));
	cr_expect(eq(int, status.st_mode & 0777, 0600));
}

/* Whether the kernel takes this process for one of that user's login, or knows of no logins. */
static bool log_in_as(const char *uid)
{
	FILE *file = fopen("/proc/self/loginuid", "r+e");
	bool written;

	if (!file)
		return errno == ENOENT;
	written = fputs(uid, file) >= 0;
	return !fclose(file) && written;
}

static void expect_owner_under_sudo(const Files *files, uid_t uid, gid_t gid)
{
	g_autoptr(Recording) recording = NULL;
	struct stat status;

	g_setenv("SUDO_UID", "65534", TRUE);
	g_setenv("SUDO_GID", "65533", TRUE);
	recording = recording_create(files->path, UINT64_MAX, NULL);
	cr_assert(zero(int, stat(files->part, &status)));
	cr_expect(eq(u32, status.st_uid, uid));
	cr_expect(eq(u32, status.st_gid, gid));
}

Test(recording, under_sudo_it_belongs_to_the_user)
{
	g_auto(Files) files = files_new();

	if (geteuid())
		expect_owner_under_sudo(&files, geteuid(), getegid());
	else if (log_in_as("65534"))
		expect_owner_under_sudo(&files, 65534, 65533);
	else
		cr_skip_test("the login of this process cannot be changed");
}

/* Anybody may have set the variables of root's shell. */
Test(recording, it_stays_with_root_whom_another_user_did_not_call)
{
	g_auto(Files) files = files_new();

	if (geteuid() || access("/proc/self/loginuid", F_OK) || !log_in_as("0"))
		cr_skip_test("only root may change a login, where the kernel knows logins");
	expect_owner_under_sudo(&files, 0, getegid());
}

static void expect_refused(const Files *files, const char *why)
{
	g_autoptr(GError) error = NULL;

	cr_assert(eq(ptr, recording_create(files->path, UINT64_MAX, &error), NULL));
	cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
	cr_expect(ne(ptr, strstr(error->message, why), NULL), "%s", error->message);
	cr_expect(ne(ptr, strstr(error->message, files->path), NULL), "%s", error->message);
}

Test(recording, nothing_is_overwritten)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) file = g_byte_array_new();

	temporary_write(files.folder, "r.kmr", "mine", 4);
	expect_refused(&files, "exists already");
	contents(files.path, file);
	cr_expect(eq(sz, file->len, 4));
	unlink(files.path);
	temporary_write(files.folder, "r.kmr.part", "mine", 4);
	expect_refused(&files, "cut short");
}

Test(recording, no_symbolic_link_is_followed)
{
	g_auto(Files) files = files_new();
	g_autofree char *target = g_build_filename(files.folder, "target", NULL);

	cr_assert(zero(int, symlink("target", files.part)));
	expect_refused(&files, "exists already");
	unlink(files.part);
	cr_assert(zero(int, symlink("target", files.path)));
	expect_refused(&files, "not a regular file");
	cr_expect(not(g_file_test(target, G_FILE_TEST_EXISTS)));
}

Test(recording, a_path_that_cannot_be_a_file_is_refused)
{
	static const char *const paths[] = { "", "/", "/tmp/", "/no/such/folder/r.kmr" };

	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect(eq(ptr, recording_create(paths[i], UINT64_MAX, &error), NULL));
		cr_expect(ne(ptr, error, NULL));
	}
}

Test(recording, its_bound_is_a_problem_that_ends_the_run)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) stream = stream_new(20000);
	g_autoptr(Recording) recording = recording_create(files.path, 100000, NULL);

	record(recording, stream);
	cr_assert(ne(ptr, (void *)recording_problem(recording), NULL));
	cr_expect(ne(ptr, strstr(recording_problem(recording), "--record-max"), NULL));
	/* What follows is still part of it. */
	cr_assert(recording_close(recording, NULL));
	expect_same_stream(files.path, stream);
}

Test(recording, a_full_disk_is_a_problem_and_leaves_the_part)
{
	g_auto(Files) files = files_new();
	g_autoptr(GByteArray) stream = stream_new(20000);
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);
	g_autoptr(GError) error = NULL;
	struct stat status;
	int full = open("/dev/full", O_WRONLY);
	int fd;

	/* The recording's descriptor is the one that has its file open. */
	cr_assert(zero(int, stat(files.part, &status)));
	for (fd = 3; fd < 100; fd++) {
		struct stat other;

		if (!fstat(fd, &other) && other.st_ino == status.st_ino &&
		    other.st_dev == status.st_dev)
			break;
	}
	cr_assert(eq(int, dup2(full, fd), fd));
	close(full);
	record(recording, stream);
	cr_assert(ne(ptr, (void *)recording_problem(recording), NULL));
	cr_expect(ne(ptr, strstr(recording_problem(recording), "No space left"), NULL));
	cr_assert(not(recording_close(recording, &error)));
	cr_expect(ne(ptr, strstr(error->message, files.part), NULL), "%s", error->message);
	cr_expect(g_file_test(files.part, G_FILE_TEST_EXISTS));
	cr_expect(not(g_file_test(files.path, G_FILE_TEST_EXISTS)));
}

Test(recording, a_discarded_one_leaves_nothing)
{
	g_auto(Files) files = files_new();
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);

	recording_discard(recording);
	cr_expect(not(g_file_test(files.part, G_FILE_TEST_EXISTS)));
}

#ifdef HAVE_ZSTD
static GByteArray *recorded_file(const GByteArray *stream)
{
	g_auto(Files) files = files_new();
	g_autoptr(Recording) recording = recording_create(files.path, UINT64_MAX, NULL);
	GByteArray *file = g_byte_array_new();

	record(recording, stream);
	recording_close(recording, NULL);
	contents(files.path, file);
	return file;
}

Test(recording, one_cut_anywhere_is_read_up_to_there_and_reported)
{
	g_autoptr(GByteArray) stream = stream_new(150);
	g_autoptr(GByteArray) file = recorded_file(stream);
	size_t longest = 0;

	cr_expect(recording_recognises(file->data, file->len));
	for (size_t length = 1; length < file->len; length += 61) {
		bool complete;
		g_autoptr(GByteArray) got = read_back(file->data, length, &complete);

		cr_expect(not(complete), "cut at %zu", length);
		cr_assert(le(sz, got->len, stream->len));
		if (got->len)
			cr_expect(zero(int, memcmp(got->data, stream->data, got->len)));
		longest = MAX(longest, got->len);
	}
	cr_expect(lt(sz, 0, longest));
}

Test(recording, a_damaged_one_is_reported)
{
	g_autoptr(GByteArray) stream = stream_new(150);
	g_autoptr(GByteArray) file = recorded_file(stream);

	for (size_t at = 0; at < file->len; at += 97) {
		bool complete;
		g_autoptr(GByteArray) got = NULL;

		file->data[at] ^= 0x41;
		got = read_back(file->data, file->len, &complete);
		file->data[at] ^= 0x41;
		cr_expect(not(complete), "byte %zu", at);
	}
}

Test(recording, damage_to_one_frame_leaves_the_others)
{
	g_autoptr(GByteArray) first = stream_new(50);
	g_autoptr(GByteArray) second = stream_new(70);
	g_autoptr(GByteArray) file = recorded_file(first);
	g_autoptr(GByteArray) more = recorded_file(second);
	g_autoptr(GByteArray) got = NULL;
	bool complete;

	memset(file->data + file->len / 2, 0x55, 9);
	g_byte_array_append(file, more->data, more->len);
	got = read_back(file->data, file->len, &complete);
	cr_expect(not(complete));
	cr_assert(ge(sz, got->len, second->len));
	cr_expect(zero(int, memcmp(got->data + got->len - second->len, second->data, second->len)));
}

Test(recording, it_can_be_read_in_any_chunks)
{
	g_autoptr(GByteArray) stream = stream_new(50);
	g_autoptr(GByteArray) file = recorded_file(stream);

	for (size_t chunk = 1; chunk < 3000; chunk += 411) {
		g_autoptr(GByteArray) got = g_byte_array_new();
		g_autoptr(RecordingReader) reader = recording_reader_new(append, got, NULL);

		for (size_t at = 0; at < file->len; at += chunk)
			recording_reader_feed(reader, file->data + at, MIN(chunk, file->len - at));
		cr_expect(recording_reader_is_complete(reader));
		cr_assert(eq(sz, got->len, stream->len));
		cr_expect(zero(int, memcmp(got->data, stream->data, got->len)));
	}
}
#endif

Test(recording, a_private_file_may_replace_a_regular_one_only_when_asked)
{
	g_auto(Files) files = files_new();
	g_autoptr(PrivateFile) file = NULL;
	g_autoptr(GByteArray) got = g_byte_array_new();

	temporary_write(files.folder, "r.kmr", "old", 3);
	cr_expect(eq(ptr, private_file_create(files.path, false, NULL), NULL));
	cr_expect(eq(ptr, private_file_create("/dev/null", true, NULL), NULL));
	file = private_file_create(files.path, true, NULL);
	cr_assert(ne(ptr, file, NULL));
	cr_assert(eq(int, (int)write(private_file_descriptor(file), "newer", 5), 5));
	contents(files.path, got);
	cr_expect(eq(sz, got->len, 3));
	cr_assert(private_file_commit(file, NULL));
	contents(files.path, got);
	cr_expect(zero(int, memcmp(got->data, "oldnewer", 8)));
}

Test(recording, checking_a_private_file_says_what_creating_says_and_creates_nothing)
{
	g_auto(Files) files = files_new();
	g_autofree char *nowhere = g_build_filename(files.folder, "none", "r.kmr", NULL);

	cr_expect(private_file_check(files.path, false, NULL));
	cr_expect(not(g_file_test(files.part, G_FILE_TEST_EXISTS)));
	cr_expect(not(private_file_check(nowhere, false, NULL)));
	temporary_write(files.folder, "r.kmr", "old", 3);
	cr_expect(not(private_file_check(files.path, false, NULL)));
	cr_expect(private_file_check(files.path, true, NULL));
	temporary_write(files.folder, "r.kmr.part", "cut", 3);
	cr_expect(not(private_file_check(files.path, true, NULL)));
}

Test(recording, a_file_that_somebody_creates_meanwhile_is_kept)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "file", NULL);
	g_autoptr(PrivateFile) file = private_file_create(path, false, NULL);
	g_autofree char *kept = NULL;
	g_autoptr(GError) error = NULL;

	temporary_write(folder, "file", "theirs", -1);
	cr_expect(not(private_file_commit(file, &error)));
	cr_assert_not_null(error);
	cr_expect_not_null(strstr(error->message, "file.part"), "%s", error->message);
	kept = file_read(path, NULL);
	cr_expect_str_eq(kept, "theirs");
}
