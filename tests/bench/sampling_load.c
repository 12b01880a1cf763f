/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A load whose sampled figures are to be judged: a quiet process makes pairs of sockets at random
 * times, beside a busy one that makes them in a loop.
 *
 *   sampling_load busy|bursts|alone SECONDS PAIRS
 *
 * The quiet process is named "quiet" and makes PAIRS pairs in SECONDS, as a Poisson process. Beside
 * it runs "beside": the loop without pause (busy), or the loop for 5 to 50 ms, then a pause as long
 * (bursts), or nothing. Each of the two prints "NAME PAIRS" when it ends.
 */
#include <error.h>
#include <errno.h>
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
		error(2, 0, "usage: %s busy|bursts|alone SECONDS PAIRS", argv[0]);
	end_s = now_s() + strtod(argv[2], NULL);
	if (begin("quiet"))
		finish("quiet", be_quiet(end_s, strtol(argv[3], NULL, 10)));
	if (!strcmp(argv[1], "busy") && begin("beside"))
		finish("beside", loop_until(end_s));
	if (!strcmp(argv[1], "bursts") && begin("beside"))
		finish("beside", come_and_go(end_s));
	while (wait(NULL) > 0)
		;
	return 0;
}
