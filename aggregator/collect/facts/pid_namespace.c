/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether pids here are the kernel's, from /proc/self/ns. Selection by pid and the names of kprobe
 * groups depend on it.
 */
#include "collect/facts/pid_namespace.h"

#include <gio/gio.h>
#include <string.h>

bool pid_namespace_is_first(const char *root)
{
	/* PROC_PID_INIT_INO: include/linux/proc_ns.h, since 3.8 */
	static const char first[] = "pid:[4026531836]";
	g_autofree char *path = g_strconcat(root, "/proc/self/ns/pid", NULL);
	g_autofree char *ours = g_file_read_link(path, NULL);

	return !ours || g_str_equal(ours, first);
}

uint64_t pid_namespace_number(const char *root)
{
	static const char heading[] = "pid:[";
	g_autofree char *path = g_strconcat(root, "/proc/self/ns/pid", NULL);
	g_autofree char *ours = g_file_read_link(path, NULL);

	return ours && g_str_has_prefix(ours, heading)
		       ? g_ascii_strtoull(ours + strlen(heading), NULL, 10)
		       : 0;
}

bool pid_namespace_check(const char *root, bool by_pid, GError **error)
{
	if (!by_pid || pid_namespace_is_first(root))
		return true;
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "-p and --only-command work outside of containers only, where pids "
			    "are the kernel's own: run it on the host, or use --collector=perf");
	return false;
}
