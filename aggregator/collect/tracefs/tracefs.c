/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the folder of the kernel's tracepoints on a mounted tracefs or debugfs. If none is mounted,
 * a helper process mounts one in a namespace of its own and passes the open folder back. All later
 * files are opened relative to that descriptor.
 */
#include "config.h"

#include "collect/tracefs/tracefs.h"

#include "process/fork.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* The filesystems that contain the tracepoints. If the kernel has tracefs, debugfs only has an
   automount point for it. */
static const struct TraceType {
	const char *name; /* as in /proc/mounts */
	long magic;
	const char *kmem; /* path from the filesystem's root */
} trace_types[] = {
	{ "tracefs", TRACEFS_MAGIC, "/events/kmem" },
	{ "debugfs", DEBUGFS_MAGIC, "/tracing/events/kmem" }, /* before 4.1 */
};

/* Any folder works as mount point: the namespace ends at once. These exist on every host. */
static const char *const mount_places[] = { "/sys/kernel/tracing", "/sys", "/proc", "/tmp" };

/* Returns the text of a file below root; NULL: unreadable. */
static char *read_below(const char *root, const char *path)
{
	g_autofree char *whole_path = g_strconcat(root, path, NULL);
	char *text = NULL;

	return g_file_get_contents(whole_path, &text, NULL, NULL) ? text : NULL;
}

/* Chooses the filesystem that has the tracepoints on this kernel. */
static const struct TraceType *choose_type(const char *root)
{
	g_autofree char *text = read_below(root, "/proc/filesystems");

	return text && !strstr(text, "\ttracefs\n") ? &trace_types[1] : &trace_types[0];
}

static bool is_readable(const char *root, const char *path, const struct TraceType *type)
{
	struct statfs status;

	if (access(path, R_OK | X_OK))
		return false;
	/* Another filesystem may be mounted on top: this can be checked on this host only. */
	return *root || (!statfs(path, &status) && status.f_type == type->magic);
}

/* The type of the filesystem cannot be checked in this case. */
static bool is_unreadable(const char *root, const char *path, const struct TraceType *type)
{
	(void)root;
	(void)type;
	return access(path, R_OK | X_OK) && errno == EACCES;
}

typedef bool (*KmemTest)(const char *root, const char *path, const struct TraceType *type);

/* Returns the kmem folder on the first mount that has the type and passes the test, or NULL. */
static char *find_kmem(const char *root, KmemTest test)
{
	const struct TraceType *type = choose_type(root);
	g_autofree char *text = read_below(root, "/proc/mounts");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) words = g_strsplit(*line, " ", 4);
		g_autofree char *path = NULL;

		if (g_strv_length(words) < 4 || !g_str_equal(words[2], type->name))
			continue;
		path = g_strconcat(root, words[1], type->kmem, NULL);
		if (test(root, path, type))
			return g_steal_pointer(&path);
	}
	return NULL;
}

char *tracefs_find_kmem(const char *root)
{
	return find_kmem(root, is_readable);
}

char *tracefs_find_unreadable_kmem(const char *root)
{
	return find_kmem(root, is_unreadable);
}

/* The helper runs between fork and _exit: only calls that are safe there. */

/* Mounts the filesystem in a private namespace, and opens the folder. Returns -1 with errno set. */
static int mount_and_open(const struct TraceType *type)
{
	char path[64];

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -1;
	for (size_t i = 0; i < G_N_ELEMENTS(mount_places); i++) {
		if (mount("tracefs", mount_places[i], type->name, MS_NOSUID | MS_NODEV | MS_NOEXEC,
			  NULL)) {
			if (errno == ENOENT || errno == ENOTDIR || errno == EBUSY)
				continue;
			return -1;
		}
		g_strlcpy(path, mount_places[i], sizeof(path));
		g_strlcat(path, type->kmem, sizeof(path));
		return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return -1;
}

int tracefs_open_kmem_alone(void)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < G_N_ELEMENTS(trace_types); i++)
		fd = mount_and_open(&trace_types[i]);
	return fd;
}

/* Space for one descriptor in a message. */
typedef union {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
} DescriptorSpace;

/* Sends the descriptor or, if it is -1, the error number. */
static void send_descriptor(int socket_fd, int passed_fd, int error_number)
{
	struct iovec data = { &error_number, sizeof(error_number) };
	DescriptorSpace space = { .bytes = { 0 } };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };

	if (passed_fd >= 0) {
		message.msg_control = space.bytes;
		message.msg_controllen = sizeof(space.bytes);
		space.head.cmsg_level = SOL_SOCKET;
		space.head.cmsg_type = SCM_RIGHTS;
		space.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&space.head), &passed_fd, sizeof(passed_fd));
	}
	while (sendmsg(socket_fd, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		continue;
}

static void G_GNUC_NORETURN run_helper(const struct TraceType *type, int socket_fd)
{
	int fd;

	watchdog_forget();
	fd = mount_and_open(type);
	send_descriptor(socket_fd, fd, errno);
	_exit(0);
}

/* In the program: receives the descriptor from the helper. Returns -1 with errno set. */
static int receive_descriptor(int socket_fd)
{
	int error_number = 0, fd;
	struct iovec data = { &error_number, sizeof(error_number) };
	DescriptorSpace space = { .bytes = { 0 } };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = space.bytes,
		.msg_controllen = sizeof(space.bytes),
	};
	struct cmsghdr *head;
	ssize_t got;

	do
		got = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	head = CMSG_FIRSTHDR(&message);
	if (got == sizeof(error_number) && head && head->cmsg_len == CMSG_LEN(sizeof(int)) &&
	    head->cmsg_type == SCM_RIGHTS) {
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
		return fd;
	}
	errno = got == sizeof(error_number) ? error_number : ECHILD;
	return -1;
}

/* Returns -1 with errno set. */
static int open_with_helper(const struct TraceType *type)
{
	int sockets[2], fd, cause;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -1;
	pid = child_signals_fork();
	if (!pid) {
		close(sockets[0]);
		run_helper(type, sockets[1]);
	}
	cause = errno;
	close(sockets[1]);
	fd = -1;
	if (pid > 0) {
		fd = receive_descriptor(sockets[0]);
		cause = errno;
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	close(sockets[0]);
	errno = cause;
	return fd;
}

/* Returns the reason and the remedy; cause is an errno. */
static const char *problem_of(const char *root, int cause)
{
	g_autofree char *lockdown = read_below(root, "/sys/kernel/security/lockdown");

	if (geteuid())
		return "only root can read them: run it with sudo";
	if (lockdown && strstr(lockdown, "[confidentiality]"))
		return "the kernel is locked down (lockdown=confidentiality), which hides them: "
		       "boot with lockdown=integrity or without";
	if (cause == EPERM || cause == EACCES)
		return "this root may not mount tracefs (no CAP_SYS_ADMIN), as in a container: "
		       "run it on the host";
	if (cause == ENODEV || cause == ENOENT)
		return "this kernel was built without them: boot one with "
		       "CONFIG_EVENT_TRACING=y, or report a recording of another host with -i "
		       "FILE";
	return g_strerror(cause);
}

int tracefs_open_kmem(const char *root, GError **error)
{
	g_autofree char *path = tracefs_find_kmem(root);
	int fd = -1;

	errno = ENOENT;
	if (path)
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else if (!*root && !geteuid())
		fd = open_with_helper(choose_type(root));
	if (fd < 0) {
		int cause = errno;

		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(cause),
			    "the kernel's tracepoints cannot be opened: %s",
			    problem_of(root, cause));
	}
	return fd;
}
