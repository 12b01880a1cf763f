/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: lets one allocation or one system call of a program fail, or read or write less than
 * it was asked for. TORTURE_KIND says which of the three, TORTURE_AT the how many-th since main()
 * began; 0: none. TORTURE_COUNTER is a file that the program and its children map: the count, then
 * for each the hash of its call path, of all (TORTURE_AT 0) or of the one that failed.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum {
	KIND_NONE,
	KIND_MEMORY,
	KIND_CALLS,
	KIND_SHORT,
} Kind;

enum { FRAMES_MAX = 64 };

static Kind kind;
static uint64_t fails_at;
static _Atomic uint64_t *counter; /* NULL until main() begins */
static uint64_t paths_max;        /* room behind the count */

/* FNV-1a over the return addresses. The loader must not place programs at random. */
static uint64_t hash_path(void)
{
	void *frames[FRAMES_MAX];
	int depth = backtrace(frames, FRAMES_MAX);
	uint64_t hash = 0xcbf29ce484222325;

	for (int i = 0; i < depth; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * 0x100000001b3;
	return hash;
}

/* Whether this is the one. */
static bool is_due(Kind of)
{
	uint64_t at;

	if (!counter || kind != of)
		return false;
	at = atomic_fetch_add(counter, 1) + 1;
	if ((!fails_at || at == fails_at) && at <= paths_max)
		atomic_store(counter + at, hash_path());
	return at == fails_at;
}

static bool call_fails(int error)
{
	if (!is_due(KIND_CALLS))
		return false;
	errno = error;
	return true;
}

static bool memory_fails(void)
{
	if (!is_due(KIND_MEMORY))
		return false;
	errno = ENOMEM;
	return true;
}

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

/* dlsym() may allocate: the allocator is called by the names that glibc has for this. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
	return memory_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return memory_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return memory_fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memory_fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (memory_fails())
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

/* Asked for nothing, or for one byte, a call cannot do less. */
static size_t shortened(size_t size)
{
	return size > 1 && is_due(KIND_SHORT) ? size / 2 : size;
}

ssize_t read(int fd, void *bytes, size_t size)
{
	return call_fails(EIO) ? -1 : REAL(read)(fd, bytes, shortened(size));
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	return call_fails(EIO) ? -1 : REAL(pread)(fd, bytes, shortened(size), at);
}

ssize_t pread64(int fd, void *bytes, size_t size, off64_t at)
{
	return call_fails(EIO) ? -1 : REAL(pread64)(fd, bytes, shortened(size), at);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	/* Messages are how the program says what failed. */
	if (fd == STDERR_FILENO)
		return REAL(write)(fd, bytes, size);
	return call_fails(ENOSPC) ? -1 : REAL(write)(fd, bytes, shortened(size));
}

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

/* parameters and arguments are those of the function, in parentheses. */
#define OPEN(name, parameters, arguments)                                                          \
	int name parameters                                                                        \
	{                                                                                          \
		va_list rest;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(rest, flags);                                                             \
		mode = mode_of(flags, rest);                                                       \
		va_end(rest);                                                                      \
		return call_fails(EMFILE) ? -1 : REAL(name) arguments;                             \
	}
OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

FILE *fopen(const char *path, const char *mode)
{
	return call_fails(EMFILE) ? NULL : REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return call_fails(EMFILE) ? NULL : REAL(fopen64)(path, mode);
}

DIR *opendir(const char *path)
{
	return call_fails(EMFILE) ? NULL : REAL(opendir)(path);
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return call_fails(ENOMEM) ? MAP_FAILED
				  : REAL(mmap)(at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	return call_fails(ENOMEM) ? MAP_FAILED
				  : REAL(mmap64)(at, size, protection, flags, fd, offset);
}

int fstat(int fd, struct stat *status)
{
	return call_fails(EIO) ? -1 : REAL(fstat)(fd, status);
}

int fstat64(int fd, struct stat64 *status)
{
	return call_fails(EIO) ? -1 : REAL(fstat64)(fd, status);
}

off_t lseek(int fd, off_t offset, int from)
{
	return call_fails(EIO) ? -1 : REAL(lseek)(fd, offset, from);
}

off64_t lseek64(int fd, off64_t offset, int from)
{
	return call_fails(EIO) ? -1 : REAL(lseek64)(fd, offset, from);
}

/* Like the kernel's, it closes the file also if it fails. */
int close(int fd)
{
	int status = REAL(close)(fd);

	return call_fails(EIO) ? -1 : status;
}

int pipe(int fds[2])
{
	return call_fails(EMFILE) ? -1 : REAL(pipe)(fds);
}

int pipe2(int fds[2], int flags)
{
	return call_fails(EMFILE) ? -1 : REAL(pipe2)(fds, flags);
}

pid_t fork(void)
{
	return call_fails(EAGAIN) ? -1 : REAL(fork)();
}

int fcntl64(int fd, int command, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, command);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	return call_fails(EMFILE) ? -1 : REAL(fcntl64)(fd, command, argument);
}

int rename(const char *from, const char *to)
{
	return call_fails(ENOSPC) ? -1 : REAL(rename)(from, to);
}

int fsync(int fd)
{
	return call_fails(EIO) ? -1 : REAL(fsync)(fd);
}

int ftruncate64(int fd, off64_t size)
{
	return call_fails(ENOSPC) ? -1 : REAL(ftruncate64)(fd, size);
}

int memfd_create(const char *name, unsigned flags)
{
	return call_fails(EMFILE) ? -1 : REAL(memfd_create)(name, flags);
}

static int (*real_main)(int, char **, char **);

/* What fails before main() fails in the libraries' own start: no reader has begun. */
static int counted_main(int argc, char **argv, char **environment)
{
	const char *path = getenv("TORTURE_COUNTER"), *of = getenv("TORTURE_KIND");
	const char *at = getenv("TORTURE_AT");
	int fd = path ? REAL(open)(path, O_RDWR | O_CLOEXEC) : -1;
	off_t size = REAL(lseek)(fd, 0, SEEK_END);
	void *map = size <= 0 ? MAP_FAILED
			      : REAL(mmap)(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED,
					   fd, 0);

	if (map == MAP_FAILED || !of || !at)
		abort();
	REAL(close)(fd);
	kind = !strcmp(of, "memory") ? KIND_MEMORY : !strcmp(of, "calls") ? KIND_CALLS : KIND_SHORT;
	fails_at = strtoull(at, NULL, 10);
	paths_max = (uint64_t)size / sizeof(*counter) - 1;
	hash_path(); /* the first backtrace() loads a library */
	counter = map;
	return real_main(argc, argv, environment);
}

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
		      void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
		      void *stack_end)
{
	real_main = start;
	return ((__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main"))(
		counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
