/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single facts of this host and process, each read from a text of the kernel when it is asked for:
 * a value of a line, capabilities, namespaces, available memory; and BTF, through libbpf. No state.
 * Collectors and --check ask.
 */
#include "config.h"

#include "collect/facts/host_facts.h"

#include <gio/gio.h>
#include <string.h>

#ifdef HAVE_LIBBPF
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#endif

char *line_value(const char *text, const char *before, const char *after)
{
	gsize before_bytes = strlen(before);

	for (const char *line = text; *line;) {
		gsize line_bytes = strcspn(line, "\n");

		if (strncmp(line, before, before_bytes) == 0) {
			const char *value = line + before_bytes;
			gsize value_bytes = line_bytes - before_bytes;
			const char *end = *after ? g_strstr_len(value, (gssize)value_bytes, after)
						 : value + value_bytes;

			if (end)
				return g_strndup(value, (gsize)(end - value));
		}
		line += line_bytes + (line[line_bytes] == '\n');
	}
	return NULL;
}

char *line_value_of_file(const char *path, const char *before, const char *after)
{
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? line_value(text, before, after)
							    : NULL;
}

uint64_t capabilities_effective(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/self/status", NULL);
	g_autofree char *effective = line_value_of_file(path, "CapEff:\t", "");

	return effective ? g_ascii_strtoull(effective, NULL, 16) : UINT64_MAX;
}

/* Returns "pid:[4026531836]" for the kind "pid"; NULL: /proc does not show it. */
static char *namespace_of(const char *root, const char *kind)
{
	g_autofree char *path = g_strconcat(root, "/proc/self/ns/", kind, NULL);

	return g_file_read_link(path, NULL);
}

/* PROC_PID_INIT_INO and PROC_USER_INIT_INO: include/linux/proc_ns.h, since 3.8 */

bool pid_namespace_is_first(const char *root)
{
	g_autofree char *ours = namespace_of(root, "pid");

	return !ours || g_str_equal(ours, "pid:[4026531836]");
}

bool user_namespace_is_first(const char *root)
{
	g_autofree char *ours = namespace_of(root, "user");

	return !ours || g_str_equal(ours, "user:[4026531837]");
}

uint64_t pid_namespace_number(const char *root)
{
	static const char heading[] = "pid:[";
	g_autofree char *ours = namespace_of(root, "pid");

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

/* Returns the bytes in a line "NAME:  123 kB"; 0: no such line. */
static uint64_t line_bytes(const char *text, const char *name)
{
	g_autofree char *kilobytes = line_value(text, name, "");

	return kilobytes ? g_ascii_strtoull(kilobytes, NULL, 10) << 10 : 0;
}

uint64_t host_memory_available(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/meminfo", NULL);
	g_autofree char *text = NULL;
	uint64_t available;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	available = line_bytes(text, "MemAvailable:");
	return available ? available : line_bytes(text, "MemFree:") + line_bytes(text, "Cached:");
}

#ifdef HAVE_LIBBPF
static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

struct btf *btf_file_parse(const char *path)
{
	struct btf *btf;

	libbpf_set_print(print_nothing);
	btf = btf__parse(path, NULL);
	return libbpf_get_error(btf) ? NULL : btf;
}
#else
struct btf *btf_file_parse(const char *path)
{
	(void)path;
	return NULL;
}
#endif
