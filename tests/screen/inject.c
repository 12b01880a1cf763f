/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types the line of its argument into each terminal that it can reach, its standard files and its
 * controlling terminal, as if the user had typed the line (TIOCSTI of tty_ioctl(4)). Its status is
 * how many terminals took the line.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int type(int fd, const char *line)
{
	for (; *line; line++)
		if (ioctl(fd, TIOCSTI, line))
			return 0;
	return !ioctl(fd, TIOCSTI, "\n");
}

int main(int argc, char **argv)
{
	int typed = 0;

	if (argc != 2)
		return 100;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		typed += type(fd, argv[1]);
	return typed + type(open("/dev/tty", O_RDWR | O_CLOEXEC), argv[1]);
}
