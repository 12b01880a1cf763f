/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/child_sandbox.h"

#include "refused_call.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEBIBYTES(number) ((uint64_t)(number) << 20)

static const ChildLimits limits = {
	.address_space_bytes = MEBIBYTES(512),
	.data_bytes = MEBIBYTES(64),
};

static pid_t program; /* the parent of what is confined */

/* Whether something is possible in a process that is confined. */
typedef bool (*Attempt)(void);

static bool succeeds_confined(ChildRights rights, Attempt attempt)
{
	pid_t pid;
	int status;

	program = getpid();
	child_sandbox_choose_user();
	pid = fork();

	cr_assert_geq(pid, 0);
	if (!pid) {
		if (child_sandbox_drop_privileges(rights) || child_sandbox_close(rights, &limits))
			_exit(2);
		_exit(attempt() ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "%#x", (unsigned)status);
	cr_assert_neq(WEXITSTATUS(status), 2, "no sandbox");
	return !WEXITSTATUS(status);
}

static bool opens_a_file(void)
{
	return open("/dev/null", O_RDONLY) >= 0 || errno != EPERM;
}

static bool makes_a_file(void)
{
	return memfd_create("file", 0) >= 0 || errno != EPERM;
}

static bool makes_a_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EPERM;
}

static bool makes_an_internet_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM, 0) >= 0 || errno != EPERM;
}

static bool starts_a_process(void)
{
	return fork() >= 0 || errno != EPERM;
}

static bool runs_a_program(void)
{
	char *const arguments[] = { "true", NULL };

	return !execv("/bin/true", arguments) || errno != EPERM;
}

static bool signals_its_parent(void)
{
	return !kill(program, 0) || errno != EPERM;
}

static bool makes_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

static bool raises_its_limits(void)
{
	const struct rlimit more = { RLIM_INFINITY, RLIM_INFINITY };

	return !setrlimit(RLIMIT_DATA, &more) || errno != EPERM;
}

Test(child_sandbox, nothing_but_open_files_is_left)
{
	static const struct {
		Attempt attempt;
		const char *what;
	} attempts[] = {
		{ opens_a_file, "opens a file" },
		{ makes_a_file, "makes a file" },
		{ makes_a_socket, "makes a socket" },
		{ makes_an_internet_socket, "makes an internet socket" },
		{ starts_a_process, "starts a process" },
		{ runs_a_program, "runs a program" },
		{ signals_its_parent, "signals its parent" },
		{ makes_code, "makes code" },
		{ raises_its_limits, "raises its limits" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(attempts); i++)
		cr_expect_not(succeeds_confined(CHILD_READS, attempts[i].attempt), "%s",
			      attempts[i].what);
}

static bool allocates(size_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static bool allocates_less(void)
{
	return allocates(MEBIBYTES(32));
}

static bool allocates_more(void)
{
	return allocates(MEBIBYTES(65));
}

static bool maps_more(void)
{
	return mmap(NULL, MEBIBYTES(513), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

/* AddressSanitizer needs terabytes of addresses. */
#if !defined(__SANITIZE_ADDRESS__)

Test(child_sandbox, memory_is_bounded)
{
	cr_expect(succeeds_confined(CHILD_READS, allocates_less));
	cr_expect_not(succeeds_confined(CHILD_READS, allocates_more));
	cr_expect_not(succeeds_confined(CHILD_READS, maps_more));
}

/* A report of a large recording has a lot, and its child begins with a copy. */
Test(child_sandbox, memory_of_the_program_does_not_count)
{
	void *much = mmap(NULL, MEBIBYTES(1024), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert_neq(much, MAP_FAILED);
	cr_expect(succeeds_confined(CHILD_READS, allocates_less));
	cr_expect_not(succeeds_confined(CHILD_READS, allocates_more));
	munmap(much, MEBIBYTES(1024));
}

#endif

/* What opens files for the program. */

static bool opens_a_file_for_writing(void)
{
	return open("/dev/null", O_WRONLY) >= 0 || errno != EPERM;
}

static bool makes_a_file_by_name(void)
{
	return open("/tmp/child-sandbox-made", O_RDONLY | O_CREAT, 0600) >= 0 || errno != EPERM;
}

static bool looks_into_a_process(void)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/maps", program);

	return open(path, O_RDONLY) >= 0;
}

Test(child_sandbox, openers_only_open_for_reading)
{
	static const struct {
		Attempt attempt;
		const char *what;
	} attempts[] = {
		{ opens_a_file_for_writing, "opens a file for writing" },
		{ makes_a_file_by_name, "makes a file by name" },
		{ makes_a_file, "makes a file" },
		{ makes_a_socket, "makes a socket" },
		{ starts_a_process, "starts a process" },
		{ runs_a_program, "runs a program" },
		{ signals_its_parent, "signals its parent" },
		{ makes_code, "makes code" },
	};

	cr_expect(succeeds_confined(CHILD_OPENS, opens_a_file));
	cr_expect(succeeds_confined(CHILD_OPENS, looks_into_a_process));
	for (gsize i = 0; i < G_N_ELEMENTS(attempts); i++)
		cr_expect_not(succeeds_confined(CHILD_OPENS, attempts[i].attempt), "%s",
			      attempts[i].what);
}

static bool has_the_user_of_a_process(void)
{
	g_autoptr(GDir) folder = g_dir_open("/proc", 0, NULL);
	const char *name;
	struct stat status;

	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *path = g_build_filename("/proc", name, NULL);

		if (g_ascii_isdigit(*name) && !stat(path, &status) && status.st_uid == getuid() &&
		    g_ascii_strtoll(name, NULL, 10) != getpid())
			return true;
	}
	return false;
}

/* Dropped privileges, and no more: so the process can look. */
Test(child_sandbox, its_user_is_nobody_elses)
{
	pid_t pid;
	int status;

	if (geteuid())
		cr_skip("needs root");
	child_sandbox_choose_user();
	pid = fork();
	if (!pid) {
		if (child_sandbox_drop_privileges(CHILD_READS))
			_exit(2);
		_exit(getuid() && getuid() != 65534 && getgid() == getuid() &&
				      !getgroups(0, NULL) && !has_the_user_of_a_process()
			      ? 0
			      : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect_eq(status, 0, "%#x", (unsigned)status);
}

static const char *step_refused(uint16_t number)
{
	const char *problem;

	if (!refused_call_from_now(number))
		return NULL;
	problem = child_sandbox_drop_privileges(CHILD_READS);
	return problem ? problem : child_sandbox_close(CHILD_READS, &limits);
}

Test(child_sandbox, a_step_that_is_refused_is_an_error)
{
	static const struct {
		uint16_t number;
		const char *step;
	} refusals[] = {
		{ SYS_setgroups, "setgroups()" },     { SYS_setresgid, "setresgid()" },
		{ SYS_setresuid, "setresuid()" },     { SYS_capset, "capset()" },
		{ SYS_prctl, "PR_SET_NO_NEW_PRIVS" },
	};

	if (geteuid())
		cr_skip("needs root");
	child_sandbox_choose_user();
	for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(g_strcmp0(step_refused(refusals[i].number), refusals[i].step) != 0);
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_expect_eq(status, 0, "%s", refusals[i].step);
	}
}
