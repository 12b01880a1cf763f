/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load whose cost beside a tracer is to be measured:
 *
 *   cost_load KIND COUNT CPU FILE
 *
 * Does the work COUNT times on that CPU, which it has for itself. The speed of CPUs changes, so
 * slices of the work take turns with a calculation that nobody traces. Then it appends a line
 * "WORK_NS CALCULATION_NS WALL_NS TRACER_NS RATIO" to the file: the CPU time of both, the time on
 * the clock, the CPU time that the parent of this process took meanwhile, and the median ratio of
 * the first two. KIND is pipe or open, each with allocations of slab caches, poll, with one
 * kmalloc, or brk, a system call that does next to nothing.
 */
#include <error.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct {
	const char *name;
	void (*work)(void);
} Kind;

static void make_pipe(void)
{
	int pair[2];

	if (pipe(pair))
		error(1, errno, "pipe");
	close(pair[0]);
	close(pair[1]);
}

static void open_file(void)
{
	int fd = open("/dev/null", O_RDONLY);

	if (fd < 0)
		error(1, errno, "/dev/null");
	close(fd);
}

/* More of them than the kernel has room for on its stack. */
static void poll_nothing(void)
{
	static struct pollfd none[64];

	if (!none[0].fd)
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
			none[i].fd = -1;
	poll(none, sizeof(none) / sizeof(none[0]), 0);
}

static void call_kernel(void)
{
	syscall(SYS_brk, 0);
}

static const Kind kinds[] = {
	{ "pipe", make_pipe },
	{ "open", open_file },
	{ "poll", poll_nothing },
	{ "brk", call_kernel },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const Kind *find_kind(const char *name)
{
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	error(2, 0, "unknown work '%s'", name);
	return NULL;
}

/* Nobody else runs on that CPU meanwhile. */
static void stay_on(int cpu)
{
	const struct sched_param first = { .sched_priority = 1 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		error(1, errno, "CPU %d", cpu);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		error(1, errno, "real-time priority");
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The CPU time of the parent and its threads, as its CPU clock says. */
static uint64_t parent_ns(void)
{
	clockid_t clock;

	return clock_getcpuclockid(getppid(), &clock) ? 0 : now_ns(clock);
}

/* Calculates in a buffer that fits into the first cache. */
static void calculate(void)
{
	static uint32_t buffer[2048];
	static uint32_t sum = 1;

	for (int round = 0; round < 40; round++)
		for (int i = 0; i < 2048; i++) {
			sum = sum * 1664525 + buffer[i] + 1013904223;
			buffer[sum >> 21] ^= sum;
		}
}

static uint64_t work_ns(const Kind *kind, long count)
{
	uint64_t start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	for (; count > 0; count--)
		kind->work();
	return now_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
}

static uint64_t calculate_ns(void)
{
	uint64_t start_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	calculate();
	return now_ns(CLOCK_PROCESS_CPUTIME_ID) - start_ns;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { SLICES = 500 };

int main(int argc, char **argv)
{
	uint64_t tracer_ns, wall_ns, all_work_ns = 0, all_calculation_ns = 0;
	double ratios[SLICES];
	long count;
	const Kind *kind;
	FILE *file;

	if (argc != 5)
		error(2, 0, "usage: %s KIND COUNT CPU FILE", argv[0]);
	kind = find_kind(argv[1]);
	stay_on((int)strtol(argv[3], NULL, 10));
	file = fopen(argv[4], "ae");
	if (!file)
		error(1, errno, "%s", argv[4]);
	tracer_ns = parent_ns();
	wall_ns = now_ns(CLOCK_MONOTONIC);
	count = strtol(argv[2], NULL, 10) / SLICES;
	for (int i = 0; i < SLICES; i++) {
		uint64_t of_work_ns = work_ns(kind, count);
		uint64_t of_calculation_ns = calculate_ns();

		all_work_ns += of_work_ns;
		all_calculation_ns += of_calculation_ns;
		ratios[i] = (double)of_work_ns / (double)of_calculation_ns;
	}
	wall_ns = now_ns(CLOCK_MONOTONIC) - wall_ns;
	qsort(ratios, SLICES, sizeof(ratios[0]), compare);
	fprintf(file, "%llu %llu %llu %llu %f\n", (unsigned long long)all_work_ns,
		(unsigned long long)all_calculation_ns, (unsigned long long)wall_ns,
		(unsigned long long)(parent_ns() - tracer_ns), ratios[SLICES / 2]);
	return fclose(file) ? 1 : 0;
}
