/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command, its output thrown away, and appends a line "CPU WALL KILOBYTES" to a file: the
 * seconds of CPU time of all its processes, those on the clock, and the most memory that one of
 * them had. measure FILE COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	fprintf(stderr, "measure: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	double start = now_seconds();
	struct rusage usage;
	FILE *samples;
	pid_t child;
	int status = -1;

	if (argc < 3 || !(samples = fopen(argv[1], "ae")))
		return 2;
	child = fork();
	if (child == 0)
		run(argv + 2);
	if (child < 0 || wait4(child, &status, 0, &usage) < 0)
		return 1;
	fprintf(samples, "%.6f %.6f %ld\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
		now_seconds() - start, usage.ru_maxrss);
	fclose(samples);
	/* 3: reported, but something was lost; a measurement all the same. */
	return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3) ? 0 : 1;
}
