/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/process/child_sandbox.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEBIBYTES(number) ((uint64_t)(number) << 20)

static const ChildLimits limits = {
	.address_space_bytes = MEBIBYTES(512),
	.data_bytes = MEBIBYTES(64),
};

/* Whether something is possible in a process that is confined. */
typedef bool (*Attempt)(void);

static bool succeeds_confined(Attempt attempt)
{
	pid_t pid = fork();
	int status;

	cr_assert_geq(pid, 0);
	if (!pid) {
		child_sandbox_drop_privileges();
		child_sandbox_close(&limits);
		_exit(attempt() ? 0 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "%#x", (unsigned)status);
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
	return !kill(getppid(), 0) || errno != EPERM;
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

#if !defined(__x86_64__) && !defined(__aarch64__)
	cr_skip_test("system calls are not filtered on this machine");
#endif
	for (gsize i = 0; i < G_N_ELEMENTS(attempts); i++)
		cr_expect_not(succeeds_confined(attempts[i].attempt), "%s", attempts[i].what);
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
	cr_expect(succeeds_confined(allocates_less));
	cr_expect_not(succeeds_confined(allocates_more));
	cr_expect_not(succeeds_confined(maps_more));
}

/* A report of a large recording has a lot, and its child begins with a copy. */
Test(child_sandbox, memory_of_the_program_does_not_count)
{
	void *much = mmap(NULL, MEBIBYTES(1024), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	cr_assert_neq(much, MAP_FAILED);
	cr_expect(succeeds_confined(allocates_less));
	cr_expect_not(succeeds_confined(allocates_more));
	munmap(much, MEBIBYTES(1024));
}

#endif
