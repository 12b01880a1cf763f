/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/file_opener.h"

#include "base/clock.h"
#include "base/trusted_file.h"
#include "process/child.h"
#include "process/stop_signal.h"
#include "fuse_server.h"
#include "leaks.h"
#include "refused_call.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(file_opener);

enum { PLENTY = 1 << 20 };

static bool can_open(FileOpener *opener, const char *path)
{
	int file = file_opener_file(opener, path, PLENTY, NULL);

	if (file >= 0)
		close(file);
	return file >= 0;
}

static char *write_file(const char *folder, const char *name, mode_t mode)
{
	char *path = g_build_filename(folder, name, NULL);

	cr_assert(g_file_set_contents(path, "four", 4, NULL));
	cr_assert_eq(chmod(path, mode), 0);
	return path;
}

Test(file_opener, files_are_opened_and_their_users_are_known)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *open_to_all = write_file(folder, "a", 0644);
	g_autofree char *secret = write_file(folder, "b", 0600);
	unsigned use;
	int file = file_opener_file(opener, open_to_all, PLENTY, &use);

	cr_assert_geq(file, 0);
	cr_expect(file_is_place(file));
	cr_expect(use & FILE_IS_READABLE);
	close(file);
	file = file_opener_file(opener, secret, PLENTY, &use);
	cr_assert_geq(file, 0);
	cr_expect_not(use & FILE_IS_READABLE);
	close(file);
	cr_expect_eq(file_opener_file(opener, secret, 3, &use), -1);
	cr_expect_eq(errno, EFBIG);
	cr_expect_eq(file_opener_file(opener, "/no/such/file", PLENTY, NULL), -1);
	cr_expect_eq(errno, ENOENT);
	cr_expect_eq(file_opener_losses(opener).late, 0);
}

Test(file_opener, paths_may_begin_in_the_folder_of_the_program)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autofree char *here = g_get_current_dir();
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = write_file(folder, "relative", 0644);

	cr_assert_eq(chdir(folder), 0);
	cr_expect(can_open(opener, "relative"));
	cr_expect(can_open(opener, "./relative"));
	cr_expect_not(can_open(opener, "other"));
	cr_assert_eq(chdir(here), 0);
}

/* A file system whose process never answers. Returns its descriptor; -1: there is none. */
static int mount_silent(const char *folder)
{
	g_autofree char *options = NULL;
	int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (device < 0)
		return -1;
	options = g_strdup_printf("fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	if (!mount("silent", folder, "fuse", MS_NOSUID | MS_NODEV, options))
		return device;
	close(device);
	return -1;
}

Test(file_opener, a_file_system_that_never_answers_is_given_up, .timeout = 60)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *silent = g_build_filename(folder, "silent", NULL);
	g_autofree char *path = g_build_filename(silent, "file", NULL);
	g_autofree char *good = write_file(folder, "good", 0644);
	int device;

	cr_assert_eq(mkdir(silent, 0755), 0);
	device = mount_silent(silent);
	if (device < 0) {
		temporary_remove(folder);
		cr_skip("no file system can be mounted");
	}
	for (unsigned i = 1; i <= 3; i++) {
		file_opener_set_patience(opener, FILE_OPENER_LIVE_MS);
		cr_expect_not(can_open(opener, path));
		cr_expect_eq(file_opener_losses(opener).late, i);
		/* Other files are not affected. On a busy host a new process takes its time. */
		file_opener_set_patience(opener, FILE_OPENER_PATIENCE_MS);
		cr_expect(can_open(opener, good));
	}
	umount2(silent, MNT_DETACH);
	close(device);
}

/* Passes a file, and returns what can be read from what arrives; NULL: nothing arrives. */
static char *passed_text(FileOpener *opener, int file)
{
	const ChildMessage sent = { CHILD_MESSAGE_OWN, 7 };
	ChildMessage message = { 0 };
	int pair[2], received = -1;
	char text[8] = "";

	cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	if (file_opener_pass(opener, file, pair[0], &sent))
		cr_expect_eq(child_port_receive(pair[1], &message, NULL, 0, &received), 0);
	close(pair[0]);
	close(pair[1]);
	if (received < 0)
		return NULL;
	cr_expect_eq(message.value, 7);
	(void)!read(received, text, sizeof(text) - 1);
	close(received);
	return g_strdup(text);
}

Test(file_opener, a_place_is_read_by_whom_it_is_passed_to)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = write_file(folder, "a", 0644);
	int place = file_opener_file(opener, path, PLENTY, NULL);
	OpenerLook look = { 0 };
	g_autofree char *text = NULL;

	cr_assert_geq(place, 0);
	/* It stays the same file. */
	cr_assert_eq(unlink(path), 0);
	text = passed_text(opener, place);
	cr_expect_str_eq(text, "four");
	cr_expect(file_opener_look(opener, place, 1, &look));
	cr_expect_eq(look.file_bytes, 4);
	cr_expect_eq(memcmp(look.bytes, "our\0", 4), 0);
	close(place);
}

/* The run() of a child. */
static void answer_with_file(int socket, const int *fds, void *data)
{
	char text[8];
	ssize_t bytes = read(fds[0], text, sizeof(text));

	(void)data;
	child_port_answer(socket, text, bytes > 0 ? (size_t)bytes : 0);
}

static char *call_child(void (*run)(int socket, const int *fds, void *data), int place,
			unsigned seconds, char **problem)
{
	const ChildType type = {
		.name = "kmt-test",
		.rights = CHILD_READS,
		.limits = { .address_space_bytes = PLENTY * 64, .data_bytes = PLENTY * 64 },
		.run = run,
	};
	const ChildCall call = { .type = &type,
				 .fds = &place,
				 .fds_count = 1,
				 .patience_ns = (uint64_t)seconds * NS_PER_SECOND,
				 .answer_bytes_max = PLENTY };
	GString *answer = g_string_new(NULL);

	child_call(&call, answer, problem);
	return g_string_free(answer, FALSE);
}

static char *read_by_child(int place, char **problem)
{
	return call_child(answer_with_file, place, 2, problem);
}

/* More than the ids of processes that are remembered. */
Test(file_opener, hundreds_of_files_are_read_one_after_the_other, .timeout = 60)
{
	enum { FILES = 300 };
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = write_file(folder, "a", 0644);
	int place = file_opener_file(opener, path, PLENTY, NULL);
	unsigned read = 0;

	for (int i = 0; i < FILES; i++) {
		g_autofree char *problem = NULL;
		g_autofree char *text = read_by_child(place, &problem);

		read += g_str_equal(text, "four");
	}
	cr_expect_eq(read, FILES);
	/* No process starts and ends in less; those that are forgotten count. */
	cr_expect_gt(child_cpu_ns(), (uint64_t)FILES * 10000);
	close(place);
}

/* close() and fstat() of an open file would wait for the server, and so would the test. */
Test(file_opener, a_file_system_that_stops_later_is_not_waited_for, .timeout = 60)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *four = write_file(folder, "four", 0644);
	g_autofree char *mounted = g_build_filename(folder, "mounted", NULL);
	g_autofree char *path = g_build_filename(mounted, "file", NULL);
	g_autofree char *before = NULL, *after = NULL, *read = NULL, *again = NULL;
	g_autofree char *problem = NULL, *late = NULL;
	OpenerLook look;
	FuseServer fuse;
	int place;

	cr_assert_eq(mkdir(mounted, 0755), 0);
	if (!fuse_server_start(&fuse, mounted, four)) {
		temporary_remove(folder);
		cr_skip("no file system can be mounted");
	}
	place = file_opener_file(opener, path, PLENTY, NULL);
	cr_assert_geq(place, 0);
	/* On a busy host, the first try may be late. */
	for (int i = 0; !before && i < 3; i++)
		before = passed_text(opener, place);
	cr_expect_str_eq(before, "four");
	read = read_by_child(place, &problem);
	cr_expect_str_eq(read, "four");
	fuse_server_stop(&fuse);
	after = passed_text(opener, place);
	cr_expect_null(after);
	file_opener_set_patience(opener, FILE_OPENER_LIVE_MS);
	cr_expect_not(file_opener_look(opener, place, 0, &look));
	again = read_by_child(place, &late);
	cr_expect_str_eq(again, "");
	cr_expect_not_null(late);
	close(place);
	cr_expect_geq(file_opener_losses(opener).late, 2);
	fuse_server_end(&fuse);
}

/* The run() of a child that has much to do. */
static void answer_after_work(int socket, const int *fds, void *data)
{
	const uint64_t work_ns = 300000000;

	(void)fds, (void)data;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < work_ns)
		continue;
	child_port_answer(socket, "done", strlen("done"));
}

/* Each of them would take two seconds. One that works may go on. */
Test(file_opener, after_a_signal_what_hangs_is_given_up_soon, .timeout = 120)
{
	enum { READS = 100 };
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *four = write_file(folder, "four", 0644);
	g_autofree char *mounted = g_build_filename(folder, "mounted", NULL);
	g_autofree char *path = g_build_filename(mounted, "file", NULL);
	g_autofree char *worked = NULL, *no_problem = NULL;
	FuseServer fuse;
	int place;

	cr_assert_eq(mkdir(mounted, 0755), 0);
	if (!fuse_server_start(&fuse, mounted, four)) {
		temporary_remove(folder);
		cr_skip("no file system can be mounted");
	}
	place = file_opener_file(opener, path, PLENTY, NULL);
	cr_assert_geq(place, 0);
	fuse_server_stop(&fuse);
	stop_signal_catch();
	raise(SIGINT);
	cr_expect_eq(stop_signal_take(), 1);
	worked = call_child(answer_after_work, -1, 60, &no_problem);
	cr_expect_str_eq(worked, "done", "%s", no_problem);
	for (int i = 0; i < READS; i++) {
		g_autofree char *problem = NULL;
		g_autofree char *read = read_by_child(place, &problem);

		cr_expect_str_eq(problem, "a signal ended the reading");
		cr_expect_not(can_open(opener, path));
	}
	close(place);
	fuse_server_end(&fuse);
}

/* A stranger may have thousands of files, each of which comes just in time. */
Test(file_opener, slow_files_are_bounded_together, .timeout = 120)
{
	enum { OPEN_MS = 900, MANY = 40 };
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *four = write_file(folder, "four", 0644);
	g_autofree char *mounted = g_build_filename(folder, "mounted", NULL);
	g_autofree char *path = g_build_filename(mounted, "file", NULL);
	FuseServer fuse;
	int opened = 0;

	cr_assert_eq(mkdir(mounted, 0755), 0);
	if (!fuse_server_start_slow(&fuse, mounted, four, OPEN_MS)) {
		temporary_remove(folder);
		cr_skip("no file system can be mounted");
	}
	while (opened < MANY && can_open(opener, path))
		opened++;
	cr_expect_geq(opened, 1);
	/* Each one takes at least OPEN_MS. */
	cr_expect_leq(opened, FILE_OPENER_ALL_MS / OPEN_MS + 2);
	cr_expect_not(can_open(opener, four));
	cr_expect_str_eq(file_opener_losses(opener).problem,
			 "opening files took 10 s in all: the other ones were not opened");
	fuse_server_end(&fuse);
}

/* Anybody may have a lease on a file that others wait for. */
Test(file_opener, a_lease_is_not_waited_for, .timeout = 60)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = write_file(folder, "leased", 0644);
	int file = open(path, O_RDWR | O_CLOEXEC);

	if (fcntl(file, F_SETSIG, SIGURG) || fcntl(file, F_SETLEASE, F_WRLCK))
		cr_skip("no leases on this file system");
	cr_expect_not(can_open(opener, path));
	cr_expect_eq(file_opener_losses(opener).late, 0);
	close(file);
}

/* Returns why a file was not opened. */
static char *reason_of(FileOpener *opener, const char *path)
{
	cr_expect_eq(file_opener_file(opener, path, PLENTY, NULL), -1);
	return file_opener_reason(opener, errno);
}

Test(file_opener, each_failure_has_its_own_reason)
{
	g_autoptr(FileOpener) opener = file_opener_new(""), refused = file_opener_new("");
	g_autofree char *gone = reason_of(opener, "/no/such/file");
	g_autofree char *stopped = NULL, *first = NULL, *second = NULL;
	static const char why[] = "the process that reads files of others cannot give up its "
				  "rights: capset(): Operation not permitted";

	cr_expect_str_eq(gone, "No such file or directory");
	cr_expect_null(file_opener_mapped_path(opener, 0, "no-such-library"));
	cr_expect_eq(errno, ENOENT);
	stop_signal_catch();
	raise(SIGINT);
	stopped = reason_of(opener, "/etc/passwd");
	cr_expect_str_eq(stopped, "a signal ended the opening");
	stop_signal_take();
	if (!refused_call_from_now(SYS_capset))
		cr_skip("no filter of system calls");
	first = reason_of(refused, "/etc/passwd");
	cr_expect_str_eq(first, why);
	second = reason_of(refused, "/etc/passwd");
	cr_expect_str_eq(second, why);
	cr_expect_eq(file_opener_losses(refused).late, 0);
}

Test(file_opener, after_a_signal_nothing_is_opened)
{
	g_autoptr(FileOpener) opener = file_opener_new("");

	cr_expect(can_open(opener, "/etc/passwd"));
	stop_signal_catch();
	raise(SIGINT);
	cr_expect_not(can_open(opener, "/etc/passwd"));
	cr_expect_eq(stop_signal_take(), 1);
	cr_expect(can_open(opener, "/etc/passwd"));
	cr_expect_eq(file_opener_losses(opener).late, 0);
}

/* A FileOpenerTaker. */
static void take_lines(const char *lines, size_t bytes, void *user_data)
{
	cr_expect_eq(lines[bytes - 1], '\n');
	g_string_append_len(user_data, lines, (gssize)bytes);
}

Test(file_opener, what_is_mapped_is_that_of_this_process_too)
{
	g_autoptr(FileOpener) opener = file_opener_new("");
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *wanted = g_strdup_printf("m 99 %d ", getpid());

	file_opener_scan(opener, 99, false, take_lines, text);
	cr_expect_not_null(strstr(text->str, wanted));
	cr_expect_eq(file_opener_losses(opener).processes, 0);
}
