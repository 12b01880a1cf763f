/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known work for the guest: a stated number of kernel allocations at a known place.
 *
 *	workload [-a FILE] [-t THREADS] [-f] unix-send COUNT SIZE
 *	workload [-a FILE] [-t THREADS] [-f] pipe COUNT
 *	workload [-a FILE] [-t THREADS] [-f] pipe-page COUNT
 *	workload [-a FILE] [-t THREADS] [-f] message COUNT
 *	workload [-a FILE] [-t THREADS] [-f] tcp-connect COUNT
 *	workload [-a FILE] [-f] tcp-send|tree|exec COUNT
 *	workload [-a FILE] tcp-leave COUNT
 *	workload [-a FILE] [-t THREADS] [-f] open|create|dup|socketpair|readv|setgroups|vfork COUNT
 *	workload [-a FILE] keep-sockets|keep-maps COUNT
 *	workload [-a FILE] [-t THREADS] [-f] brk|touch|file|shm|hugepage|sleep COUNT
 *	workload [-a FILE] small-pages|compact COUNT
 *	workload [-a FILE] [-t THREADS] [-f] map|malloc COUNT SIZE
 *	workload -n NAME ...	... and, when that is done, once more as a process of that name
 *	workload -N NAME -t THREADS ...	... in threads named NAME-0, NAME-1 ...
 *	workload -c CHILDREN ...	... in so many children instead, one after the other
 *	workload -k ...	stays until a byte comes on standard input when all is done
 *	workload -e ...	in a thread, three seconds after the first thread has ended
 *	workload -x ARG...	executes "workload ARG..." from a thread that is not the leader
 *
 * unix-send sends SIZE bytes COUNT times over a socket pair: one kmalloc below
 * unix_stream_sendmsg() each, when SIZE is above 704 (small heads have a cache of
 * their own) and below 3,700 (larger ones take pages). pipe makes COUNT pipes: two
 * kmallocs each, of the pipe and of its ring. pipe-page writes a byte into each of
 * them, too: one page below pipe_write(). message sends COUNT System V messages: one
 * kmalloc of 512 bytes below msgsnd() each, which next to nobody else calls.
 * tcp-connect opens COUNT connections over the loopback device, for stacks below
 * tcp_...(), of which many belong to interrupts; how many is the kernel's business.
 * open opens /dev/null COUNT times: an object of the cache filp each; create makes and
 * removes a file in the working directory COUNT times, for benchmarks; dup duplicates a
 * file descriptor, for which there is none. socketpair makes COUNT pairs of Unix sockets:
 * two each of filp and of sock_inode_cache. readv reads into 1,024 vectors COUNT times: a
 * kmalloc of 16,384 bytes below do_readv() each. setgroups sets 4,000 groups COUNT times, as
 * root: a kmalloc or kvmalloc of some 16,000 bytes each. vfork makes COUNT children that end
 * at once.
 *
 * Three more are for benchmarks: their stacks are deeper, and of many kinds. tcp-send makes
 * COUNT connections over the loopback device; each sends 1,000 bytes in both directions, four
 * times. tree makes eight folders with files in the working directory COUNT times, one after the
 * other; it lists each, copies its files, lists it again, and removes it. exec makes COUNT
 * children that execute this program, which then does nothing: give its whole path.
 *
 * tcp-leave opens COUNT connections, too, and leaves both ends of each open: the process closes
 * them when it ends, and each end then sends a packet, whose two allocations are below
 * tcp_send_fin().
 *
 * keep-sockets makes COUNT pairs, says "kept" and keeps them until a byte comes on standard
 * input. So does keep-maps with BPF arrays, as root: COUNT of 256 KB, a vmalloc range each, and
 * COUNT of an element for each CPU, a per-CPU allocation each. Before, it makes and closes as
 * many, which the kernel frees later, in a kworker.
 *
 * The rest is for probe points in programs: each has a known user stack, of functions with frame
 * pointers. brk asks COUNT times for the end of the heap; touch writes to COUNT new pages, a page
 * fault each; map maps SIZE bytes of anonymous memory COUNT times; shm gets, attaches, detaches and
 * removes a segment COUNT times; hugepage asks COUNT times for huge pages in HUGE_BYTES; sleep
 * sleeps for 20 ms COUNT times; malloc requests SIZE bytes COUNT times. file reads a byte in each
 *of the first COUNT pages of the file on standard input, after the kernel has dropped them: a major
 * fault each.
 *
 * small-pages fills COUNT huge pages with small ones, asks once that they be made huge, and keeps
 *them: use it with -k. compact leaves gaps in COUNT pages, and asks once for compaction, as root.
 *
 * -a waits until FILE exists, or where it is -, until a byte comes on standard input: that wait
 * allocates nothing on any kernel. -t does COUNT in each of THREADS threads, -f does all
 * of it once more in a forked child. At the end a line says what was done. -k gives the
 * process the name "work-done" then: neither that nor the wait after it allocates anything,
 * but ending does, where the files of the program are on 9p.
 */
#include <dirent.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	THREADS_MAX = 64,
	COUNT_MAX = 1000 * 1000 * 1000,
	SEND_BYTES_MAX = 3700,
	MESSAGE_BYTES = 512 - 48, /* less what the kernel puts before it */
	VECTORS = 1024,           /* the most that a system call takes */
	GROUPS = 4000,
	MAP_BYTES = 256 << 10, /* more than kmalloc is asked for */
	POLL_NS = 10 * 1000 * 1000,
	TCP_SENDS = 4, /* of a connection of tcp-send, in each direction */
	TCP_BYTES = 1000,
	TREE_FOLDERS = 8,
	TREE_FILES = 16, /* in each folder */
	TREE_FILE_BYTES = 2 * 4096 + 1000,
	PATH_BYTES = 64,
	NAME_BYTES = 16, /* of a thread, as the kernel has it */
	HUGE_BYTES = 4 << 20,
	HUGE_PAGE_BYTES = 2 << 20, /* on x86 */
	SLEEP_NS = 20 * 1000 * 1000,
	SHM_BYTES = 8192,
	BYTES_MAX = 1 << 30,
};

#define COMPACT_FILE "/proc/sys/vm/compact_memory"

typedef struct {
	const char *name;
	void (*work)(unsigned long count, size_t size);
	unsigned long size_max; /* 0: takes no SIZE */
} Kind;

typedef struct {
	const Kind *kind;
	unsigned long count;
	size_t size;
	unsigned long threads;
	const char *threads_name; /* NULL: they have that of the process */
	atomic_ulong threads_named;
} Plan;

static void send_unix(unsigned long count, size_t size)
{
	static const char zeros[SEND_BYTES_MAX];
	char received[SEND_BYTES_MAX];
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		error(1, errno, "socketpair");
	for (unsigned long i = 0; i < count; i++) {
		if (send(pair[0], zeros, size, 0) != (ssize_t)size)
			error(1, errno, "send");
		if (recv(pair[1], received, size, MSG_WAITALL) != (ssize_t)size)
			error(1, errno, "recv");
	}
	if (close(pair[0]) != 0 || close(pair[1]) != 0)
		error(1, errno, "close");
}

static void make_pipes(unsigned long count, size_t size)
{
	int pair[2];

	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		if (pipe(pair) != 0)
			error(1, errno, "pipe");
		if (close(pair[0]) != 0 || close(pair[1]) != 0)
			error(1, errno, "close");
	}
}

static void make_pipes_with_page(unsigned long count, size_t size)
{
	int pair[2];

	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		if (pipe(pair) != 0)
			error(1, errno, "pipe");
		if (write(pair[1], "", 1) != 1)
			error(1, errno, "write");
		if (close(pair[0]) != 0 || close(pair[1]) != 0)
			error(1, errno, "close");
	}
}

static void send_messages(unsigned long count, size_t size)
{
	struct {
		long type;
		char text[MESSAGE_BYTES];
	} message = { .type = 1 };
	int queue = msgget(IPC_PRIVATE, 0600);

	(void)size;
	if (queue < 0)
		error(1, errno, "msgget");
	for (unsigned long i = 0; i < count; i++) {
		if (msgsnd(queue, &message, sizeof(message.text), 0) != 0)
			error(1, errno, "msgsnd");
		if (msgrcv(queue, &message, sizeof(message.text), 0, 0) < 0)
			error(1, errno, "msgrcv");
	}
	if (msgctl(queue, IPC_RMID, NULL) != 0)
		error(1, errno, "msgctl");
}

/* Returns a listening socket on the loopback device, and where it listens. */
static int listen_tcp(struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (listener < 0)
		error(1, errno, "socket");
	if (bind(listener, (const struct sockaddr *)address, sizeof(*address)) != 0)
		error(1, errno, "bind");
	if (listen(listener, 1) != 0)
		error(1, errno, "listen");
	if (getsockname(listener, (struct sockaddr *)address, &length) != 0)
		error(1, errno, "getsockname");
	return listener;
}

typedef struct {
	int client, server;
} Connection;

static Connection connect_to(int listener, const struct sockaddr_in *address)
{
	Connection made = { .client = socket(AF_INET, SOCK_STREAM, 0) };

	if (made.client < 0)
		error(1, errno, "socket");
	if (connect(made.client, (const struct sockaddr *)address, sizeof(*address)) != 0)
		error(1, errno, "connect");
	made.server = accept(listener, NULL, NULL);
	if (made.server < 0)
		error(1, errno, "accept");
	return made;
}

static void send_tcp(int from, int to)
{
	static char bytes[TCP_BYTES];

	if (send(from, bytes, sizeof(bytes), 0) != sizeof(bytes))
		error(1, errno, "send");
	if (recv(to, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes))
		error(1, errno, "recv");
}

static void use_tcp(unsigned long count, int sends)
{
	struct sockaddr_in address;
	int listener = listen_tcp(&address);

	for (unsigned long i = 0; i < count; i++) {
		Connection made = connect_to(listener, &address);

		for (int j = 0; j < sends; j++) {
			send_tcp(made.client, made.server);
			send_tcp(made.server, made.client);
		}
		if (close(made.client) != 0 || close(made.server) != 0)
			error(1, errno, "close");
	}
	if (close(listener) != 0)
		error(1, errno, "close");
}

static void connect_tcp(unsigned long count, size_t size)
{
	(void)size;
	use_tcp(count, 0);
}

static void send_over_tcp(unsigned long count, size_t size)
{
	(void)size;
	use_tcp(count, TCP_SENDS);
}

static void allow_files(unsigned long count)
{
	const struct rlimit files = { count, count };

	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		error(1, errno, "setrlimit");
}

static void leave_tcp(unsigned long count, size_t size)
{
	struct sockaddr_in address;
	int listener = listen_tcp(&address);

	(void)size;
	allow_files(2 * count + 64);
	for (unsigned long i = 0; i < count; i++)
		connect_to(listener, &address);
}

static void open_files(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		int file = open("/dev/null", O_RDONLY);

		if (file < 0)
			error(1, errno, "open");
		if (close(file) != 0)
			error(1, errno, "close");
	}
}

static void create_files(unsigned long count, size_t size)
{
	static const char name[] = "workload.created";

	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		int file = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

		if (file < 0)
			error(1, errno, "%s", name);
		if (close(file) != 0 || unlink(name) != 0)
			error(1, errno, "%s", name);
	}
}

/* What is done to each file of a tree, by its path. */
typedef void (*FileWork)(const char *path);

static void write_file(const char *path)
{
	static const char bytes[TREE_FILE_BYTES];
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (file < 0 || write(file, bytes, sizeof(bytes)) != sizeof(bytes) || close(file) != 0)
		error(1, errno, "%s", path);
}

static void copy_file(const char *path)
{
	char bytes[TREE_FILE_BYTES], copy[PATH_BYTES + 1];
	int file = open(path, O_RDONLY);

	if (file < 0 || read(file, bytes, sizeof(bytes)) != sizeof(bytes) || close(file) != 0)
		error(1, errno, "%s", path);
	snprintf(copy, sizeof(copy), "%s~", path);
	write_file(copy);
}

static void remove_file(const char *path)
{
	char copy[PATH_BYTES + 1];

	snprintf(copy, sizeof(copy), "%s~", path);
	if (unlink(path) != 0 || unlink(copy) != 0)
		error(1, errno, "%s", path);
}

static void work_on_files(const char *folder, FileWork work)
{
	char path[PATH_BYTES];

	for (int i = 0; i < TREE_FILES; i++) {
		snprintf(path, sizeof(path), "%s/file%d", folder, i);
		work(path);
	}
}

/* As find and ls do: reads the folder and the facts of its members. */
static void list_folder(const char *folder)
{
	DIR *open_folder = opendir(folder);
	const struct dirent *member;
	struct stat facts;

	if (!open_folder)
		error(1, errno, "%s", folder);
	while ((member = readdir(open_folder)))
		if (fstatat(dirfd(open_folder), member->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
			error(1, errno, "%s/%s", folder, member->d_name);
	if (closedir(open_folder) != 0)
		error(1, errno, "%s", folder);
}

static void make_trees(unsigned long count, size_t size)
{
	char folder[PATH_BYTES / 2];

	(void)size;
	for (unsigned long i = 0; i < count * TREE_FOLDERS; i++) {
		snprintf(folder, sizeof(folder), "workload.%lu", i % TREE_FOLDERS);
		if (mkdir(folder, 0700) != 0)
			error(1, errno, "%s", folder);
		work_on_files(folder, write_file);
		list_folder(folder);
		work_on_files(folder, copy_file);
		list_folder(folder);
		work_on_files(folder, remove_file);
		if (rmdir(folder) != 0)
			error(1, errno, "%s", folder);
	}
}

static void duplicate_file(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		int file = dup(STDOUT_FILENO);

		if (file < 0)
			error(1, errno, "dup");
		if (close(file) != 0)
			error(1, errno, "close");
	}
}

static void make_socket_pairs(unsigned long count, size_t size)
{
	int pair[2];

	(void)size;
	for (unsigned long i = 0; i < count; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			error(1, errno, "socketpair");
		if (close(pair[0]) != 0 || close(pair[1]) != 0)
			error(1, errno, "close");
	}
}

static void read_vectors(unsigned long count, size_t size)
{
	char bytes[VECTORS];
	struct iovec vectors[VECTORS];
	int file = open("/dev/zero", O_RDONLY);

	(void)size;
	if (file < 0)
		error(1, errno, "/dev/zero");
	for (size_t i = 0; i < VECTORS; i++)
		vectors[i] = (struct iovec){ &bytes[i], 1 };
	for (unsigned long i = 0; i < count; i++)
		if (readv(file, vectors, VECTORS) != VECTORS)
			error(1, errno, "readv");
	if (close(file) != 0)
		error(1, errno, "close");
}

static void set_groups(unsigned long count, size_t size)
{
	gid_t groups[GROUPS];

	(void)size;
	for (size_t i = 0; i < GROUPS; i++)
		groups[i] = (gid_t)i + 1;
	for (unsigned long i = 0; i < count; i++)
		if (setgroups(GROUPS, groups) != 0)
			error(1, errno, "setgroups");
}

static void make_child(void)
{
	pid_t child = vfork();

	if (child < 0)
		error(1, errno, "vfork");
	if (child == 0)
		_exit(0);
	if (waitpid(child, NULL, 0) != child)
		error(1, errno, "waitpid");
}

static void make_children(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++)
		make_child();
}

/* Not by /proc/self/exe: that would make inodes of each child. */
static void execute_child(void)
{
	static char nothing[] = "dup", zero[] = "0";
	char *const argv[] = { program_invocation_name, nothing, zero, NULL };
	pid_t child = fork();
	int status;

	if (child < 0)
		error(1, errno, "fork");
	if (child == 0) {
		close(STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(1);
	}
	if (waitpid(child, &status, 0) != child)
		error(1, errno, "waitpid");
	if (status != 0)
		error(1, 0, "cannot execute %s: give its whole path", argv[0]);
}

static void execute_children(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++)
		execute_child();
}

static void wait_for_byte(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) < 0)
		error(1, errno, "standard input");
}

static void keep_sockets(unsigned long count, size_t size)
{
	int pair[2];

	(void)size;
	allow_files(2 * count + 64);
	for (unsigned long i = 0; i < count; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			error(1, errno, "socketpair");
	puts("kept");
	fflush(stdout);
	wait_for_byte();
}

/* Returns a BPF array of one element. */
static int make_map(enum bpf_map_type type, unsigned bytes)
{
	union bpf_attr attr;
	int map;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = sizeof(int);
	attr.value_size = bytes;
	attr.max_entries = 1;
	map = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	if (map < 0)
		error(1, errno, "bpf: BPF_MAP_CREATE");
	return map;
}

static void make_maps(unsigned long count, bool stay)
{
	for (unsigned long i = 0; i < count; i++) {
		int range = make_map(BPF_MAP_TYPE_ARRAY, MAP_BYTES);
		int per_cpu = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(long));

		if (!stay && (close(range) != 0 || close(per_cpu) != 0))
			error(1, errno, "close");
	}
}

static void keep_maps(unsigned long count, size_t size)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };

	(void)size;
	/* Maps are locked memory up to 5.10. */
	setrlimit(RLIMIT_MEMLOCK, &all);
	allow_files(2 * count + 64);
	make_maps(count, false);
	make_maps(count, true);
	puts("kept");
	fflush(stdout);
	wait_for_byte();
}

/* The calling function then has a frame, even if it calls no other. */
static inline __attribute__((always_inline)) void need_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

/* Not libc's function: it has no frame, and a stack then lacks its caller. */
static inline __attribute__((always_inline)) long call_kernel(long number, const long arguments[6])
{
#ifdef __x86_64__
	register long fourth __asm__("r10") = arguments[3];
	register long fifth __asm__("r8") = arguments[4];
	register long sixth __asm__("r9") = arguments[5];
	long result;

	need_frame();
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]),
			   "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
#else
	return syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		       arguments[5]);
#endif
}

static __attribute__((noinline)) void ask_for_heap(void)
{
	if (call_kernel(SYS_brk, (const long[6]){ 0 }) <= 0)
		error(1, 0, "brk");
}

static void move_heap(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++)
		ask_for_heap();
}

static char *map_bytes(size_t bytes)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		error(1, errno, "mmap");
	return memory;
}

static void unmap_bytes(char *memory, size_t bytes)
{
	if (munmap(memory, bytes) != 0)
		error(1, errno, "munmap");
}

static __attribute__((noinline)) void touch_page(char *page)
{
	need_frame();
	*(volatile char *)page = 1;
}

static void touch_memory(unsigned long count, size_t size)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = map_bytes(count * page_bytes);

	(void)size;
	/* Kernels without huge pages do not know it. */
	madvise(memory, count * page_bytes, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < count; i++)
		touch_page(memory + i * page_bytes);
	unmap_bytes(memory, count * page_bytes);
}

static __attribute__((noinline)) void read_page(const char *page)
{
	need_frame();
	(void)*(const volatile char *)page;
}

static void read_file(unsigned long count, size_t size)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = count * page_bytes;
	char *memory = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
	int failure = posix_fadvise(STDIN_FILENO, 0, 0, POSIX_FADV_DONTNEED);

	(void)size;
	/* By MADV_RANDOM the kernel reads no page ahead. */
	if (memory == MAP_FAILED || failure != 0 || madvise(memory, bytes, MADV_RANDOM) != 0)
		error(1, failure ? failure : errno, "standard input");
	for (unsigned long i = 0; i < count; i++)
		read_page(memory + i * page_bytes);
	unmap_bytes(memory, bytes);
}

/* They stay until the process ends. */
static void make_small_pages(unsigned long count, size_t size)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = count * HUGE_PAGE_BYTES;
	char *memory = map_bytes(bytes + HUGE_PAGE_BYTES);

	(void)size;
	memory += -(uintptr_t)memory % HUGE_PAGE_BYTES;
	if (madvise(memory, bytes, MADV_NOHUGEPAGE) != 0)
		error(1, errno, "madvise");
	for (size_t i = 0; i < bytes; i += page_bytes)
		touch_page(memory + i);
	if (madvise(memory, bytes, MADV_HUGEPAGE) != 0)
		error(1, errno, "madvise");
}

static __attribute__((noinline)) void ask_for_compaction(int file)
{
	const long arguments[6] = { file, (long)"1", 1 };

	if (call_kernel(SYS_write, arguments) != 1)
		error(1, 0, "%s", COMPACT_FILE);
}

static void compact_memory(unsigned long count, size_t size)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), bytes = count * page_bytes;
	char *memory = map_bytes(bytes);
	int file = open(COMPACT_FILE, O_WRONLY);

	(void)size;
	if (file < 0)
		error(1, errno, "%s", COMPACT_FILE);
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += page_bytes)
		touch_page(memory + i);
	for (size_t i = 0; i < bytes; i += 2 * page_bytes)
		if (madvise(memory + i, page_bytes, MADV_DONTNEED) != 0)
			error(1, errno, "madvise");
	ask_for_compaction(file);
	close(file);
	unmap_bytes(memory, bytes);
}

static __attribute__((noinline)) char *map_once(size_t bytes)
{
	const long arguments[6] = { 0, (long)bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 };

	return (char *)call_kernel(SYS_mmap, arguments);
}

static void map_memory(unsigned long count, size_t size)
{
	for (unsigned long i = 0; i < count; i++)
		unmap_bytes(map_once(size), size);
}

static __attribute__((noinline)) void use_segment(void)
{
	int segment = shmget(IPC_PRIVATE, SHM_BYTES, IPC_CREAT | 0600);
	void *memory;

	if (segment < 0)
		error(1, errno, "shmget");
	memory = shmat(segment, NULL, 0);
	if ((intptr_t)memory == -1 || shmdt(memory) != 0)
		error(1, errno, "shmat");
	if (shmctl(segment, IPC_RMID, NULL) != 0)
		error(1, errno, "shmctl");
}

static void use_segments(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++)
		use_segment();
}

static __attribute__((noinline)) void ask_for_huge_page(char *memory)
{
	const long arguments[6] = { (long)memory, HUGE_BYTES, MADV_HUGEPAGE };

	if (call_kernel(SYS_madvise, arguments) != 0)
		error(1, 0, "madvise");
}

static void ask_for_huge_pages(unsigned long count, size_t size)
{
	char *memory = map_bytes(HUGE_BYTES);

	(void)size;
	for (unsigned long i = 0; i < count; i++)
		ask_for_huge_page(memory);
	unmap_bytes(memory, HUGE_BYTES);
}

static __attribute__((noinline)) void sleep_once(void)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };

	const long arguments[6] = { CLOCK_MONOTONIC, 0, (long)&pause };

	if (call_kernel(SYS_clock_nanosleep, arguments) != 0)
		error(1, 0, "clock_nanosleep");
}

static void sleep_often(unsigned long count, size_t size)
{
	(void)size;
	for (unsigned long i = 0; i < count; i++)
		sleep_once();
}

static __attribute__((noinline)) void request_once(size_t bytes)
{
	void *volatile memory = malloc(bytes);

	if (!memory)
		error(1, errno, "malloc");
	free(memory);
}

static void request_memory(unsigned long count, size_t size)
{
	/* In glibc before 2.34 the first malloc() calls another one: malloc_hook_ini(). */
	void *volatile first = malloc(1);

	free(first);
	for (unsigned long i = 0; i < count; i++)
		request_once(size);
}

static const Kind kinds[] = {
	{ "unix-send", send_unix, SEND_BYTES_MAX },
	{ "pipe", make_pipes, 0 },
	{ "pipe-page", make_pipes_with_page, 0 },
	{ "message", send_messages, 0 },
	{ "tcp-connect", connect_tcp, 0 },
	{ "tcp-leave", leave_tcp, 0 },
	{ "open", open_files, 0 },
	{ "create", create_files, 0 },
	{ "dup", duplicate_file, 0 },
	{ "socketpair", make_socket_pairs, 0 },
	{ "readv", read_vectors, 0 },
	{ "setgroups", set_groups, 0 },
	{ "vfork", make_children, 0 },
	{ "tcp-send", send_over_tcp, 0 },
	{ "tree", make_trees, 0 },
	{ "exec", execute_children, 0 },
	{ "keep-sockets", keep_sockets, 0 },
	{ "keep-maps", keep_maps, 0 },
	{ "brk", move_heap, 0 },
	{ "touch", touch_memory, 0 },
	{ "file", read_file, 0 },
	{ "small-pages", make_small_pages, 0 },
	{ "compact", compact_memory, 0 },
	{ "map", map_memory, BYTES_MAX },
	{ "shm", use_segments, 0 },
	{ "hugepage", ask_for_huge_pages, 0 },
	{ "sleep", sleep_often, 0 },
	{ "malloc", request_memory, BYTES_MAX },
};

static void name_thread(Plan *plan)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s-%lu", plan->threads_name,
		 atomic_fetch_add(&plan->threads_named, 1));
	prctl(PR_SET_NAME, name);
}

static void *thread_main(void *data)
{
	Plan *plan = data;

	if (plan->threads_name)
		name_thread(plan);
	plan->kind->work(plan->count, plan->size);
	return NULL;
}

static void *work_alone(void *data)
{
	const Plan *plan = data;

	sleep(3);
	plan->kind->work(plan->count, plan->size);
	return NULL;
}

/* The process is then one whose id is not that of any thread that lives. */
static void end_first(Plan *plan)
{
	pthread_t thread;
	int failure = pthread_create(&thread, NULL, work_alone, plan);

	if (failure != 0)
		error(1, failure, "pthread_create");
	pthread_exit(NULL);
}

/* The main thread works only when it is the only one. */
static __attribute__((noinline, noclone)) void plan_run(Plan *plan)
{
	pthread_t threads[THREADS_MAX];

	if (plan->threads == 1) {
		plan->kind->work(plan->count, plan->size);
		return;
	}
	for (unsigned long i = 0; i < plan->threads; i++) {
		int failure = pthread_create(&threads[i], NULL, thread_main, plan);

		if (failure != 0)
			error(1, failure, "pthread_create");
	}
	for (unsigned long i = 0; i < plan->threads; i++) {
		int failure = pthread_join(threads[i], NULL);

		if (failure != 0)
			error(1, failure, "pthread_join");
	}
}

static void plan_run_in_child(Plan *plan)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		error(1, errno, "fork");
	if (child == 0) {
		plan_run(plan);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		error(1, errno, "waitpid");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		error(1, 0, "the child failed");
}

static void wait_for_file(const char *path)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	while (access(path, F_OK) != 0) {
		if (errno != ENOENT)
			error(1, errno, "%s", path);
		if (nanosleep(&pause, NULL) != 0)
			error(1, errno, "nanosleep");
	}
}

static unsigned long parse_number(const char *text, unsigned long max)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno != 0 || *text < '0' || *text > '9' || *end != '\0' || number > max)
		error(2, 0, "not a number up to %lu: %s", max, text);
	return number;
}

static const Kind *kind_lookup(const char *name, int argument_count)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0 &&
		    argument_count == (kinds[i].size_max ? 2 : 1))
			return &kinds[i];
	fputs("workload: give one of these:\n", stderr);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		fprintf(stderr, "\t%s COUNT%s\n", kinds[i].name, kinds[i].size_max ? " SIZE" : "");
	exit(2);
}

static void *exec_rest(void *argv)
{
	execv("/proc/self/exe", argv);
	error(1, errno, "execv");
	return NULL;
}

/* As runtimes with threads do: execve then takes over the leader's tid. */
static void exec_from_thread(char **argv)
{
	pthread_t thread;
	int failure = pthread_create(&thread, NULL, exec_rest, argv);

	if (failure != 0)
		error(1, failure, "pthread_create");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	static Plan plan = { .threads = 1 };
	const char *new_name = NULL;
	unsigned long children = 0;
	bool forked = false, stays = false, ends_first = false;
	int option;

	if (argc > 2 && strcmp(argv[1], "-x") == 0)
		exec_from_thread(argv + 1);
	while ((option = getopt(argc, argv, "a:c:n:N:t:fke")) != -1) {
		if (option == 'a' && strcmp(optarg, "-") == 0)
			wait_for_byte();
		else if (option == 'a')
			wait_for_file(optarg);
		else if (option == 'n')
			new_name = optarg;
		else if (option == 'c')
			children = parse_number(optarg, COUNT_MAX);
		else if (option == 'N')
			plan.threads_name = optarg;
		else if (option == 't')
			plan.threads = parse_number(optarg, THREADS_MAX);
		else if (option == 'f')
			forked = true;
		else if (option == 'k')
			stays = true;
		else if (option == 'e')
			ends_first = true;
		else
			return 2;
	}
	argv += optind;
	plan.kind = kind_lookup(argv[0] ? argv[0] : "", argc - optind - 1);
	plan.count = parse_number(argv[1], COUNT_MAX);
	plan.size = argv[2] ? parse_number(argv[2], plan.kind->size_max) : 0;

	if (ends_first)
		end_first(&plan);
	for (unsigned long i = 0; i < children; i++)
		plan_run_in_child(&plan);
	if (!children)
		plan_run(&plan);
	if (forked)
		plan_run_in_child(&plan);
	if (new_name) {
		prctl(PR_SET_NAME, new_name);
		plan_run(&plan);
	}
	printf("workload: %s %lu times in each of %lu threads%s%s\n", plan.kind->name, plan.count,
	       plan.threads, forked ? ", once more in a child" : "",
	       new_name ? ", once more by another name" : "");
	if (stays) {
		prctl(PR_SET_NAME, "work-done");
		wait_for_byte();
	}
	return 0;
}
