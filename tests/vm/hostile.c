/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of a stranger, for the case of hostile files.
 *
 *	hostile make KIND FILE         makes a program of itself whose sections are a lie of this
 *kind hostile beat SECONDS           calls getsid() every few milliseconds, in this program's code
 *	hostile steady COUNT           the same, so often, in a function of another name
 *	hostile generated SECONDS      the same in generated code, without a name
 *	hostile libraries COUNT FILE   maps so many copies of a file as code, and waits to be ended
 *	hostile paths COUNT            maps a file with a path of 3,800 bytes so often as code
 *	hostile serve FOLDER FILE      FOLDER/file has the contents of FILE, until it is stopped
 *	hostile largest COMMAND ...    prints the memory of the largest process, in KB; its status
 */
#include "fuse_server.h"

#include <elf.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	BEATS_PER_SECOND = 200,
	SYMBOLS = 1000000, /* 24 MB, and a name of each */
	NAME_BYTES = 16,
	PAGE_BYTES = 65536, /* of no machine more */
	DEPTH = 15,         /* of folders with long names */
};

static void check(bool is_good, const char *what)
{
	if (!is_good)
		error(1, errno, "%s", what);
}

static void wait_a_beat(void)
{
	const struct timespec beat = { .tv_nsec = 1000000000 / BEATS_PER_SECOND };

	nanosleep(&beat, NULL);
}

/* Without a function of libc, which hides its caller where it has no frame pointer. */
static inline __attribute__((always_inline)) void call_getsid(void)
{
#if defined(__x86_64__)
	long number = SYS_getsid;

	__asm__ volatile("syscall" : "+a"(number) : "D"(0L) : "rcx", "r11", "memory");
#else
	syscall(SYS_getsid, 0);
#endif
}

static void beat(char **arguments)
{
	unsigned long count = strtoul(arguments[0], NULL, 10) * BEATS_PER_SECOND;

	for (unsigned long i = 0; i < count; i++) {
		call_getsid();
		wait_a_beat();
	}
}

static void call_steadily(char **arguments)
{
	unsigned long count = strtoul(arguments[0], NULL, 10);

	for (unsigned long i = 0; i < count; i++) {
		call_getsid();
		wait_a_beat();
	}
}

/* Code that calls getsid(0). Where none is known for the machine, nothing is hit. */
static const unsigned char code[] = {
#if defined(__x86_64__)
	0x55, 0x48, 0x89, 0xe5, 0x31, 0xff, 0xb8, 0x7c, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3,
#elif defined(__aarch64__)
	0x00, 0x00, 0x80, 0xd2, 0x88, 0x13, 0x80, 0xd2, 0x01, 0, 0, 0xd4, 0xc0, 0x03, 0x5f, 0xd6,
#else
	0,
#endif
};

static void generated(char **arguments)
{
	unsigned long count = strtoul(arguments[0], NULL, 10) * BEATS_PER_SECOND;
	void *memory =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void);

	check(memory != MAP_FAILED, "mmap");
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache(memory, (char *)memory + sizeof(code));
	check(!mprotect(memory, PAGE_BYTES, PROT_READ | PROT_EXEC), "mprotect");
	memcpy(&call, &memory, sizeof(call));
	for (unsigned long i = 0; sizeof(code) > 1 && i < count; i++) {
		call();
		wait_a_beat();
	}
}

static void copy(const char *from, int to)
{
	static char piece[1 << 16];
	int file = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	check(file >= 0, from);
	while ((length = read(file, piece, sizeof(piece))) > 0)
		check(write(to, piece, (size_t)length) == length, "write");
	close(file);
}

static void libraries(char **arguments)
{
	unsigned long count = strtoul(arguments[0], NULL, 10);

	for (unsigned long i = 0; i < count; i++) {
		char path[32];
		int file;

		snprintf(path, sizeof(path), "library-%lu", i);
		file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		check(file >= 0, path);
		copy(arguments[1], file);
		check(mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) !=
			      MAP_FAILED,
		      "mmap");
		close(file);
	}
	pause();
}

static void enter_deep_folder(void)
{
	char name[NAME_MAX];

	memset(name, 'p', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < DEPTH; i++) {
		check(!mkdir(name, 0755) || errno == EEXIST, "mkdir");
		check(!chdir(name), "chdir");
	}
}

static void paths(char **arguments)
{
	unsigned long count = strtoul(arguments[0], NULL, 10);
	int file;

	enter_deep_folder();
	file = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0755);
	check(file >= 0 && !ftruncate(file, PAGE_BYTES), "file");
	for (unsigned long i = 0; i < count; i++)
		check(mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) !=
			      MAP_FAILED,
		      "mmap");
	pause();
}

/* The sections of a hostile program: nothing, symbols, their names. */
typedef struct {
	Elf64_Shdr nothing, symbols, names;
} Sections;

static Sections sections_of(const char *kind, uint64_t at)
{
	const uint64_t symbols_bytes = (uint64_t)SYMBOLS * sizeof(Elf64_Sym);
	Sections sections = {
		.symbols = { .sh_type = SHT_SYMTAB,
			     .sh_offset = at,
			     .sh_size = symbols_bytes,
			     .sh_link = 2,
			     .sh_info = 1,
			     .sh_addralign = 8,
			     .sh_entsize = sizeof(Elf64_Sym) },
		.names = { .sh_type = SHT_STRTAB,
			   .sh_offset = at + symbols_bytes,
			   .sh_size = (uint64_t)SYMBOLS * NAME_BYTES,
			   .sh_addralign = 1 },
	};

	/* More than the file has, than memory has, or than numbers have. */
	if (!strcmp(kind, "beyond"))
		sections.symbols.sh_size = sections.names.sh_size = (uint64_t)1 << 40;
	if (!strcmp(kind, "wraps"))
		sections.symbols.sh_size = UINT64_MAX - at + 2;
	return sections;
}

static void write_symbols(int file)
{
	static Elf64_Sym symbols[1000];
	static char names[1000][NAME_BYTES];

	for (unsigned i = 0; i < SYMBOLS; i += 1000) {
		for (unsigned j = 0; j < 1000; j++)
			symbols[j] = (Elf64_Sym){ .st_name = (i + j) * NAME_BYTES,
						  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						  .st_shndx = 1,
						  .st_value = i + j,
						  .st_size = 1 };
		check(write(file, symbols, sizeof(symbols)) == sizeof(symbols), "write");
	}
	for (unsigned i = 0; i < SYMBOLS; i += 1000) {
		for (unsigned j = 0; j < 1000; j++)
			snprintf(names[j], NAME_BYTES, "hostile_%u", i + j);
		check(write(file, names, sizeof(names)) == sizeof(names), "write");
	}
}

static void make(char **arguments)
{
	int file = open(arguments[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	const char *kind = arguments[0];
	Sections sections;
	Elf64_Ehdr header;
	uint64_t at;

	check(file >= 0, arguments[1]);
	copy("/proc/self/exe", file);
	at = ((uint64_t)lseek(file, 0, SEEK_END) + 7) & ~7ULL;
	sections = sections_of(kind, at);
	check(lseek(file, (off_t)at, SEEK_SET) >= 0, "lseek");
	if (!strcmp(kind, "symbols"))
		write_symbols(file);
	at = ((uint64_t)lseek(file, 0, SEEK_END) + 7) & ~7ULL;
	check(pread(file, &header, sizeof(header), 0) == sizeof(header), "read");
	header.e_shoff = at;
	header.e_shnum = sizeof(sections) / sizeof(Elf64_Shdr);
	header.e_shstrndx = 2;
	check(pwrite(file, &sections, sizeof(sections), (off_t)at) == sizeof(sections), "write");
	check(pwrite(file, &header, sizeof(header), 0) == sizeof(header), "write");
	close(file);
}

static void serve(char **arguments)
{
	FuseServer fuse;

	check(fuse_server_start(&fuse, arguments[0], arguments[1]), "a file system");
	printf("%d\n", (int)fuse.server);
	fflush(stdout);
	waitpid(fuse.server, NULL, 0);
}

static void largest(char **arguments)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		execvp(arguments[0], arguments);
		_exit(127);
	}
	check(waitpid(pid, &status, 0) == pid && !getrusage(RUSAGE_CHILDREN, &usage), "wait");
	printf("%ld %d\n", usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static const struct {
	const char *name;
	int arguments; /* at least */
	void (*run)(char **arguments);
} modes[] = {
	{ "make", 2, make },
	{ "beat", 1, beat },
	{ "steady", 1, call_steadily },
	{ "generated", 1, generated },
	{ "libraries", 2, libraries },
	{ "paths", 1, paths },
	{ "serve", 2, serve },
	{ "largest", 1, largest },
};

int main(int argc, char **argv)
{
	/* Nothing of it outlives the case. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[1], modes[i].name) && argc - 2 >= modes[i].arguments) {
			modes[i].run(argv + 2);
			return 0;
		}
	return 2;
}
