/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaks of known kinds, for tests of verdicts:
 *
 *	memory_leak RATE SECONDS KIND...
 *
 * starts a process of the name leak-KIND for each KIND, which takes RATE objects a second for so
 * many seconds, or until this program is killed, and keeps them until its end. Processes of the
 * kinds "queue" and "cgroup" are many: each object is left behind by a process of its own, and the
 * first process removes them at the end. Cgroups of v2 are made below /sys/fs/cgroup/memory_leak,
 * and the files of "tmpfs" in a folder memory_leak.files. The kinds "module", "worker" and "thread"
 * need the module of vmtest.c, whose objects stay. The kinds from "churn" on keep nothing that
 * could be called a leak: they close what they open at once ("churn"), or after 500 others
 * ("ring"), look for files that do not exist ("names"), fill the page cache ("write"), close what
 * was opened before the time ("free"), or run programs, as a build does ("exec").
 */
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 64, RING = 500, MESSAGE_BYTES = 200, OBJECTS_MAX = 30000, FREED_LATER = 10000 };

static int queues[OBJECTS_MAX], pids[OBJECTS_MAX];

static const char files_folder[] = "memory_leak.files",
		  cgroups_folder[] = "/sys/fs/cgroup/memory_leak";

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
	(void)signal_number;
	stopped = 1;
}

static void must(long result, const char *what)
{
	if (result < 0)
		error(1, errno, "%s", what);
}

static void leak_socket(unsigned n)
{
	int pair[2];

	(void)n;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
}

static void leak_tcp(unsigned n)
{
	(void)n;
	must(socket(AF_INET, SOCK_STREAM, 0), "socket");
}

static void leak_netlink(unsigned n)
{
	(void)n;
	must(socket(AF_NETLINK, SOCK_RAW, 0), "socket");
}

static void leak_epoll(unsigned n)
{
	(void)n;
	must(epoll_create1(0), "epoll_create1");
}

static void leak_pipe(unsigned n)
{
	int ends[2];

	(void)n;
	must(pipe(ends), "pipe");
}

/* Each takes one page; a pipe has room for 16. */
static void leak_pages(unsigned n)
{
	static char page[4096];
	static int ends[2];

	if (n % 16 == 1)
		must(pipe(ends), "pipe");
	must(write(ends[1], page, sizeof(page)), "write");
}

/* Names of files that exist in tmpfs cannot be taken back. */
static void leak_tmpfs(unsigned n)
{
	char name[NAME_BYTES];

	if (n == 1 && mkdir(files_folder, 0700) != 0 && errno != EEXIST)
		error(1, errno, "%s", files_folder);
	snprintf(name, sizeof(name), "%s/%u", files_folder, n);
	must(close(open(name, O_WRONLY | O_CREAT, 0600)), name);
}

static void leak_file(unsigned n)
{
	(void)n;
	must(open("/dev/null", O_RDONLY), "/dev/null");
}

static void leak_eventfd(unsigned n)
{
	(void)n;
	must(eventfd(0, 0), "eventfd");
}

static void leak_timerfd(unsigned n)
{
	(void)n;
	must(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
}

/* Neighbours differ in their rights, so that each is a mapping of its own. */
static void leak_mapping(unsigned n)
{
	void *memory =
		mmap(NULL, 4096, n % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory == MAP_FAILED ? -1 : 0, "mmap");
}

static void leak_message(unsigned n)
{
	static int queue;
	struct {
		long type;
		char text[MESSAGE_BYTES];
	} message = { .type = 1 };

	/* A queue holds 16,384 bytes. */
	if (n % 50 == 1) {
		queue = msgget(IPC_PRIVATE, 0600);
		must(queue, "msgget");
		queues[n % OBJECTS_MAX] = queue + 1;
	}
	must(msgsnd(queue, &message, MESSAGE_BYTES, 0), "msgsnd");
}

static void leak_zombie(unsigned n)
{
	pid_t child = fork();

	(void)n;
	must(child, "fork");
	if (!child)
		_exit(0);
}

/* Lets a child that ends do it; it returns the id. */
static int by_child(int (*create)(void))
{
	int ends[2], id = -1;
	pid_t child;

	must(pipe(ends), "pipe");
	child = fork();
	must(child, "fork");
	if (!child) {
		id = create();
		must(write(ends[1], &id, sizeof(id)), "write");
		_exit(0);
	}
	must(read(ends[0], &id, sizeof(id)), "read");
	must(id, "an object of IPC");
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	return id;
}

static int new_queue(void)
{
	return msgget(IPC_PRIVATE, 0600);
}

static void leak_queue(unsigned n)
{
	queues[n % OBJECTS_MAX] = by_child(new_queue) + 1;
}

static void cgroup_name(char name[NAME_BYTES], unsigned n)
{
	snprintf(name, NAME_BYTES, "%s/%u", cgroups_folder, n);
}

static int new_cgroup(void)
{
	char name[NAME_BYTES];

	cgroup_name(name, (unsigned)getpid());
	return mkdir(name, 0700) == 0 ? getpid() : -1;
}

static void leak_cgroup(unsigned n)
{
	pids[n % OBJECTS_MAX] = by_child(new_cgroup);
}

static void write_to_module(const char *parameter)
{
	static int file;
	char name[NAME_BYTES];

	if (!file) {
		snprintf(name, sizeof(name), "/sys/module/vmtest_first/parameters/%s", parameter);
		file = open(name, O_WRONLY);
	}
	must(write(file, "1", 1), parameter);
}

static void leak_module(unsigned n)
{
	(void)n;
	write_to_module("keep");
}

static void leak_worker(unsigned n)
{
	(void)n;
	write_to_module("worker_keeps");
}

static void leak_thread(unsigned n)
{
	(void)n;
	write_to_module("threads");
}

static void leak_churn(unsigned n)
{
	int pair[2];

	(void)n;
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	close(pair[0]);
	close(pair[1]);
}

static void leak_ring(unsigned n)
{
	static int ring[RING];

	if (ring[n % RING])
		close(ring[n % RING]);
	ring[n % RING] = eventfd(0, 0);
	must(ring[n % RING], "eventfd");
}

/* Unlike tmpfs, sysfs remembers them. */
static void leak_names(unsigned n)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "/sys/kernel/no-such-file.%d.%u", (int)getpid(), n);
	access(name, F_OK);
}

/* The file has no name, so nothing is left of it. */
static void leak_write(unsigned n)
{
	static char data[1 << 16];
	static FILE *file;

	(void)n;
	if (!file)
		file = tmpfile();
	must(file ? 0 : -1, "tmpfile");
	must((long)fwrite(data, 1, sizeof(data), file) - (long)sizeof(data), "write");
}

static void leak_free(unsigned n)
{
	close((int)n + STDERR_FILENO);
}

static void leak_exec(unsigned n)
{
	pid_t child;

	(void)n;
	child = fork();
	must(child, "fork");
	if (!child) {
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static const struct {
	const char *name;
	void (*leak)(unsigned n);
} kinds[] = {
	{ "socket", leak_socket },   { "tcp", leak_tcp },         { "netlink", leak_netlink },
	{ "epoll", leak_epoll },     { "pipe", leak_pipe },       { "file", leak_file },
	{ "eventfd", leak_eventfd }, { "timerfd", leak_timerfd }, { "mapping", leak_mapping },
	{ "message", leak_message }, { "zombie", leak_zombie },   { "queue", leak_queue },
	{ "pages", leak_pages },     { "tmpfs", leak_tmpfs },     { "cgroup", leak_cgroup },
	{ "module", leak_module },   { "worker", leak_worker },   { "thread", leak_thread },
	{ "churn", leak_churn },     { "ring", leak_ring },       { "names", leak_names },
	{ "write", leak_write },     { "free", leak_free },       { "exec", leak_exec },
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void remove_objects(void)
{
	char name[NAME_BYTES];

	for (unsigned i = 0; i < OBJECTS_MAX; i++) {
		if (queues[i])
			msgctl(queues[i] - 1, IPC_RMID, NULL);
		cgroup_name(name, (unsigned)pids[i]);
		if (pids[i])
			rmdir(name);
	}
}

static void run(const char *kind, double rate, double seconds)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	const struct rlimit files = { 60000, 60000 };
	double start_s = now_s();
	char name[NAME_BYTES];
	unsigned n = 0, which = 0;

	while (which < sizeof(kinds) / sizeof(*kinds) && strcmp(kinds[which].name, kind) != 0)
		which++;
	if (which == sizeof(kinds) / sizeof(*kinds))
		error(2, 0, "%s: no such kind", kind);
	snprintf(name, sizeof(name), "leak-%s", kind);
	prctl(PR_SET_NAME, name);
	signal(SIGTERM, stop);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; !strcmp(kind, "free") && i < FREED_LATER; i++)
		must(eventfd(0, 0), "eventfd");
	while (!stopped && now_s() < start_s + seconds) {
		while (!stopped && n < (now_s() - start_s) * rate)
			kinds[which].leak(++n);
		nanosleep(&pause, NULL);
	}
	remove_objects();
}

int main(int argc, char **argv)
{
	if (argc < 4)
		error(2, 0, "usage: memory_leak RATE SECONDS KIND...");
	for (int i = 3; i < argc; i++) {
		pid_t child = fork();

		must(child, "fork");
		if (!child) {
			run(argv[i], atof(argv[1]), atof(argv[2]));
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
