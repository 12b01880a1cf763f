/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tracefs/tracefs.h"

#include "fake_host.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(tracefs);

#define MODERN "nodev\tproc\nnodev\tdebugfs\nnodev\ttracefs\n"
#define OLD "nodev\tproc\nnodev\tdebugfs\n"
#define DEBUGFS "debugfs /sys/kernel/debug debugfs rw 0 0\n"

static FakeHost *host_new(const char *filesystems, const char *mounts)
{
	FakeHost *root = fake_host_new();

	fake_host_write(root, "proc/filesystems", filesystems);
	fake_host_write(root, "proc/mounts", mounts);
	fake_host_write(root, FAKE_HOST_TRACEFS "/events/kmem/here", "");
	fake_host_write(root, "sys/kernel/debug/tracing/events/kmem/there", "");
	return root;
}

/* Whether the folder that is opened on such a host has the file. */
static bool opens_folder_with(const char *filesystems, const char *mounts, const char *name)
{
	g_autoptr(FakeHost) root = host_new(filesystems, mounts);
	g_autoptr(GError) error = NULL;
	int fd = tracefs_open_kmem(root, &error);
	bool has = fd >= 0 && !faccessat(fd, name, F_OK, 0);

	cr_expect_eq(fd < 0, error != NULL);
	if (fd >= 0) {
		cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
	}
	return has;
}

static char *read_whole(const char *path)
{

	return file_read(path, NULL);
}

Test(tracefs, the_place_where_it_is_mounted_is_opened)
{
	cr_expect(
		opens_folder_with(MODERN, "tracefs /sys/kernel/tracing tracefs rw 0 0\n", "here"));
	cr_expect(opens_folder_with(
		MODERN, DEBUGFS "tracefs /sys/kernel/debug/tracing tracefs rw 0 0\n", "there"));
}

Test(tracefs, a_place_that_only_has_the_name_is_not_opened)
{
	cr_expect_not(opens_folder_with(MODERN, "", "here"));
	cr_expect_not(opens_folder_with(MODERN, "none /sys/kernel/tracing tmpfs rw 0 0\n", "here"));
	/* Looking there would mount it. */
	cr_expect_not(opens_folder_with(MODERN, DEBUGFS, "there"));
}

Test(tracefs, a_kernel_without_tracefs_has_it_in_debugfs)
{
	cr_expect(opens_folder_with(OLD, DEBUGFS, "there"));
}

static void expect_problem(const char *lockdown, const char *expected)
{
	g_autoptr(FakeHost) root = host_new(MODERN, "");
	GError *error = NULL;

	fake_host_write(root, "sys/kernel/security/lockdown", lockdown);
	cr_expect(eq(int, tracefs_open_kmem(root, &error), -1));
	cr_assert_not_null(error);
	cr_expect_not_null(strstr(error->message, expected), "%s", error->message);
	cr_expect_null(strchr(error->message, '\n'));
	g_error_free(error);
}

Test(tracefs, what_is_in_the_way_is_reported_with_the_remedy)
{
	if (geteuid()) {
		expect_problem("none integrity [confidentiality]\n", "sudo");
		return;
	}
	expect_problem("none integrity [confidentiality]\n", "lockdown=integrity");
	expect_problem("none [integrity] confidentiality\n", "CONFIG_EVENT_TRACING");
}

/* Whether this process may do what the helper does. */
static bool can_mount(void)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		      mount("none", "/tmp", "tracefs", 0, NULL));
	waitpid(pid, &status, 0);
	return !status;
}

Test(tracefs, on_this_host_no_mount_changes_and_no_process_is_left)
{
	g_autofree char *mounts_before = read_whole("/proc/self/mountinfo");
	g_autofree char *mounts_after = NULL;
	g_autoptr(GError) error = NULL;
	char text[64] = "";
	int fd, file;

	if (geteuid() || !can_mount())
		cr_skip("only where tracefs can be mounted");
	fd = tracefs_open_kmem("", &error);
	cr_assert_null(error, "%s", error ? error->message : "");
	mounts_after = read_whole("/proc/self/mountinfo");
	cr_expect_str_eq(mounts_before, mounts_after);
	cr_expect(eq(int, waitpid(-1, NULL, WNOHANG), -1));
	cr_expect(eq(int, errno, ECHILD));
	cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* The helper and its namespace are gone. */
	file = openat(fd, "kmalloc/format", O_RDONLY);
	cr_assert_gt(read(file, text, sizeof(text) - 1), 0);
	cr_expect(g_str_has_prefix(text, "name: kmalloc\nID: "), "%s", text);
	close(file);
	close(fd);
}
