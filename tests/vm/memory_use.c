/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known memory of one kind, for tests of the balance:
 *
 *	memory_use KIND COUNT [CGROUP]
 *
 * waits until a byte comes on standard input, takes COUNT MiB of that kind, says "kept", and keeps
 * them until one more byte comes. COUNT of the kind dentries is a number of empty files. That of
 *sockets is of data that waits in TCP connections over the loopback device, that of small-messages
 *of messages of 3,500 bytes between Unix sockets. The kinds vmalloc and per-cpu are BPF arrays,
 *huge is the pool of hugetlb: all for root, as are more than 16 MiB in pipes and buffers of
 *messages. With the folder of a CGROUP, the memory is charged to that. The kind dying makes COUNT
 *cgroups below CGROUP, and removes them while a socket and a page of them exist.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MIB = 1 << 20, FILES_MAX = 60000, MESSAGE_BYTES = 3500, NAME_BYTES = 256 };

static char data[MIB];
static const char *cgroup; /* its folder; NULL: none was given */

static void *map(size_t bytes, int flags)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		error(1, errno, "mmap");
	return memory;
}

static void use_anonymous(unsigned long mib)
{
	memset(map(mib * MIB, 0), 1, mib * MIB);
}

/* The kernel counts the pool; the caller gives that back. */
static void use_huge(unsigned long mib)
{
	FILE *pool = fopen("/proc/sys/vm/nr_hugepages", "we");

	if (!pool || fprintf(pool, "%lu\n", mib / 2) < 0 || fclose(pool) != 0)
		error(1, errno, "nr_hugepages");
	memset(map(mib * MIB, MAP_HUGETLB), 1, mib * MIB);
}

/* Each page of page tables maps 2 MiB; what is only read is the zero page. */
static void use_page_tables(unsigned long mib)
{
	const size_t step = 2 * MIB, tables = mib * MIB / 4096;
	volatile const char *memory = map(tables * step, MAP_NORESERVE);

	if (madvise((void *)(uintptr_t)memory, tables * step, MADV_NOHUGEPAGE) != 0)
		error(1, errno, "madvise");
	for (size_t i = 0; i < tables; i++)
		(void)memory[i * step];
}

static void fill_file(int file, unsigned long mib)
{
	if (file < 0)
		error(1, errno, "file");
	for (unsigned long i = 0; i < mib; i++)
		if (write(file, data, MIB) != MIB)
			error(1, errno, "write");
}

static void use_page_cache(unsigned long mib)
{
	fill_file(open("memory_use.data", O_WRONLY | O_CREAT | O_TRUNC, 0600), mib);
	sync();
}

static void use_shared(unsigned long mib)
{
	fill_file(memfd_create("memory_use", MFD_CLOEXEC), mib);
}

static void use_pipes(unsigned long mib)
{
	for (unsigned long i = 0; i < mib; i++) {
		int pair[2];

		if (pipe(pair) != 0 || fcntl(pair[1], F_SETPIPE_SZ, MIB) != MIB)
			error(1, errno, "pipe");
		if (write(pair[1], data, MIB) != MIB)
			error(1, errno, "write");
	}
}

/* Fills a socket with messages of at most that size; returns how many bytes it has taken. */
static size_t fill(int socket, size_t message_max, size_t bytes_max)
{
	size_t bytes = 0;

	while (bytes < bytes_max) {
		size_t left = bytes_max - bytes;
		ssize_t sent =
			send(socket, data, left < message_max ? left : message_max, MSG_DONTWAIT);

		if (sent < 0 && errno != EAGAIN)
			error(1, errno, "send");
		if (sent < 0)
			break;
		bytes += (size_t)sent;
	}
	return bytes;
}

static void use_sockets(unsigned long mib)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 8) != 0 ||
	    getsockname(listener, (struct sockaddr *)&address, &length) != 0)
		error(1, errno, "listen");
	for (size_t left = mib * MIB; left;) {
		int client = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(client, (struct sockaddr *)&address, length) != 0 ||
		    accept(listener, NULL, NULL) < 0)
			error(1, errno, "connect");
		left -= fill(client, 65536, left);
	}
}

static void use_small_messages(unsigned long mib)
{
	const int buffer = 16 * MIB;

	for (size_t left = mib * MIB; left;) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0 ||
		    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)) != 0)
			error(1, errno, "socketpair");
		left -= fill(pair[0], MESSAGE_BYTES, left);
	}
}

static void make_array(uint32_t type, uint32_t value_bytes, uint32_t entries)
{
	union bpf_attr attr = {
		.map_type = type, .key_size = 4, .value_size = value_bytes, .max_entries = entries
	};

	if (syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)) < 0)
		error(1, errno, "BPF array");
}

static void use_vmalloc(unsigned long mib)
{
	for (unsigned long i = 0; i < mib; i++)
		make_array(BPF_MAP_TYPE_ARRAY, 4096, MIB / 4096);
}

/* Of each MiB, each CPU has its part. */
static void use_per_cpu(unsigned long mib)
{
	enum { VALUE_BYTES = 8192 };
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_CONF);

	for (unsigned long i = 0; i < mib; i++)
		make_array(BPF_MAP_TYPE_PERCPU_ARRAY, VALUE_BYTES, MIB / VALUE_BYTES / cpus);
}

static void use_dentries(unsigned long count)
{
	if (mkdir("memory_use.names", 0700) != 0 && errno != EEXIST)
		error(1, errno, "mkdir");
	for (unsigned long i = 0; i < count; i++) {
		char name[NAME_BYTES];
		int file;

		snprintf(name, sizeof(name), "memory_use.names/%lu", i);
		file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (file < 0 || close(file) != 0)
			error(1, errno, "%s", name);
	}
}

static void enter(const char *folder)
{
	char name[NAME_BYTES];
	FILE *processes;

	snprintf(name, sizeof(name), "%s/cgroup.procs", folder);
	processes = fopen(name, "we");
	if (!processes || fprintf(processes, "%d\n", (int)getpid()) < 0 || fclose(processes) != 0)
		error(1, errno, "%s", name);
}

/* v2 charges no process of a cgroup that has others below: this one comes from above. */
static void use_dying(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		char name[NAME_BYTES], above[NAME_BYTES];

		snprintf(name, sizeof(name), "%s/%lu", cgroup, i);
		snprintf(above, sizeof(above), "%s/..", cgroup);
		if (mkdir(name, 0700) != 0)
			error(1, errno, "%s", name);
		enter(name);
		if (write(memfd_create("memory_use", MFD_CLOEXEC), data, 1) != 1 ||
		    socket(AF_INET, SOCK_DGRAM, 0) < 0)
			error(1, errno, "%s", name);
		enter(above);
		if (rmdir(name) != 0)
			error(1, errno, "%s", name);
	}
}

static const struct {
	const char *name;
	void (*use)(unsigned long count);
} kinds[] = {
	{ "anonymous", use_anonymous },     { "page-cache", use_page_cache },
	{ "shared", use_shared },           { "huge", use_huge },
	{ "page-tables", use_page_tables }, { "pipes", use_pipes },
	{ "sockets", use_sockets },         { "small-messages", use_small_messages },
	{ "vmalloc", use_vmalloc },         { "per-cpu", use_per_cpu },
	{ "dentries", use_dentries },       { "dying", use_dying },
};

static void wait_for_byte(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) < 0)
		error(1, errno, "standard input");
}

int main(int argc, char **argv)
{
	const struct rlimit files = { FILES_MAX, FILES_MAX };
	/* BPF arrays count before Linux 5.11. */
	const struct rlimit locked = { RLIM_INFINITY, RLIM_INFINITY };

	if (argc != 3 && argc != 4)
		error(2, 0, "usage: memory_use KIND COUNT [CGROUP]");
	cgroup = argc == 4 ? argv[3] : NULL;
	memset(data, 1, sizeof(data));
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_MEMLOCK, &locked);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		if (cgroup && kinds[i].use != use_dying)
			enter(cgroup);
		wait_for_byte();
		kinds[i].use(strtoul(argv[2], NULL, 10));
		puts("kept");
		fflush(stdout);
		wait_for_byte();
		return 0;
	}
	error(2, 0, "no such kind: %s", argv[1]);
}
