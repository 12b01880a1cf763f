/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load whose figures are to be judged.
 *
 *   sampling_load busy|bursts|alone SECONDS PAIRS
 *
 * A quiet process makes pairs of sockets at random times, beside a busy one that makes them in a
 * loop: "quiet" makes PAIRS pairs in SECONDS, as a Poisson process. Beside it runs "beside": the
 * loop without pause (busy), or the loop for 5 to 50 ms, then a pause as long (bursts), or nothing.
 * Each of the two prints "NAME PAIRS" when it ends.
 *
 *   sampling_load steady SECONDS FACTOR
 *
 * Processes do what they do at random times, but at the same rate all the time: "opener" opens a
 * file, "mailer" sends some messages, "starter" runs programs, "quiet" makes pairs of sockets, and
 * "changed" makes pipes, FACTOR times as many. Each such action makes several allocations.
 */
#include <error.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1e9
#define BURST_S_MIN 0.005
#define BURST_S_MORE 0.045

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

static void sleep_until(double time_s)
{
	struct timespec until = { .tv_sec = (time_t)time_s };

	until.tv_nsec = (long)((time_s - (double)until.tv_sec) * NS_PER_S);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void make_pair(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		error(1, errno, "socketpair");
	close(pair[0]);
	close(pair[1]);
}

static long be_quiet(double end_s, long pairs)
{
	double time_s = now_s(), mean_s = (end_s - time_s) / (double)pairs;

	for (long i = 0; i < pairs; i++) {
		time_s -= log(1 - drand48()) * mean_s;
		sleep_until(time_s);
		make_pair();
	}
	return pairs;
}

static long loop_until(double end_s)
{
	long pairs = 0;

	for (; now_s() < end_s; pairs++)
		make_pair();
	return pairs;
}

static double burst_s(void)
{
	return BURST_S_MIN + drand48() * BURST_S_MORE;
}

static long come_and_go(double end_s)
{
	long pairs = 0;

	while (now_s() < end_s) {
		pairs += loop_until(fmin(end_s, now_s() + burst_s()));
		sleep_until(now_s() + burst_s());
	}
	return pairs;
}

static void open_file(void)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		error(1, errno, "open");
	close(fd);
}

static void make_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		error(1, errno, "pipe");
	close(ends[0]);
	close(ends[1]);
}

static void send_some(void)
{
	enum { MOST = 8 };
	const char message[MOST] = { 0 };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		error(1, errno, "socketpair");
	for (long left = lrand48() % MOST; left >= 0; left--)
		if (send(pair[0], message, sizeof(message), 0) < 0)
			error(1, errno, "send");
	close(pair[0]);
	close(pair[1]);
}

static void start_program(void)
{
	pid_t child = fork();

	if (child < 0)
		error(1, errno, "fork");
	if (!child)
		execl("/bin/true", "true", NULL);
	waitpid(child, NULL, 0);
}

/* What a process of the steady load does. */
typedef struct {
	const char *name;
	double per_second;
	void (*act)(void);
} Part;

static const Part parts[] = {
	{ "opener", 200, open_file },    { "mailer", 60, send_some },
	{ "starter", 8, start_program }, { "quiet", 40, make_pair },
	{ "changed", 100, make_pipe },
};

static long be_steady(const Part *part, double end_s, double factor)
{
	double per_second = part->per_second * (strcmp(part->name, "changed") ? 1 : factor);
	long actions = 0;

	for (double time_s = now_s(); time_s < end_s; actions++) {
		time_s -= log(1 - drand48()) / per_second;
		sleep_until(time_s);
		part->act();
	}
	return actions;
}

/* Returns in a new process, which has that name; in the parent it returns 0. */
static int begin(const char *name)
{
	pid_t child = fork();

	if (child < 0)
		error(1, errno, "fork");
	if (child)
		return 0;
	prctl(PR_SET_NAME, name);
	srand48((long)(now_s() * 1e6) + getpid());
	return 1;
}

static void finish(const char *name, long pairs)
{
	printf("%s %ld\n", name, pairs);
	exit(0);
}

int main(int argc, char **argv)
{
	double end_s;

	if (argc != 4)
		error(2, 0, "usage: %s busy|bursts|alone SECONDS PAIRS, or steady SECONDS FACTOR",
		      argv[0]);
	end_s = now_s() + strtod(argv[2], NULL);
	for (size_t i = 0; !strcmp(argv[1], "steady") && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (begin(parts[i].name))
			finish(parts[i].name, be_steady(&parts[i], end_s, strtod(argv[3], NULL)));
	if (strcmp(argv[1], "steady") && begin("quiet"))
		finish("quiet", be_quiet(end_s, strtol(argv[3], NULL, 10)));
	if (!strcmp(argv[1], "busy") && begin("beside"))
		finish("beside", loop_until(end_s));
	if (!strcmp(argv[1], "bursts") && begin("beside"))
		finish("beside", come_and_go(end_s));
	while (wait(NULL) > 0)
		;
	return 0;
}
