/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct btf;

/*
 * Single facts of this host and process. /proc lies below root ("": this host's).
 */

/* Returns what stands between two texts in the first line that begins with the first of them and
   contains the second, or NULL; after "" is the end of the line. The caller frees it. */
char *line_value(const char *text, const char *before, const char *after);

/* The same for the text of a file. Returns NULL if it cannot be read. */
char *line_value_of_file(const char *path, const char *before, const char *after);

/* Returns the effective capabilities of this process, one bit per capability number; all bits if
   /proc does not show them. */
uint64_t capabilities_effective(const char *root);

/* Whether our pids are the kernel's own, not those of a container. Returns true if /proc does not
   show that. */
bool pid_namespace_is_first(const char *root);

/* Whether our users are the kernel's own. Returns true if /proc does not show that. */
bool user_namespace_is_first(const char *root);

/* Returns the number of our pid namespace (pid_namespaces(7)); 0: unknown. */
uint64_t pid_namespace_number(const char *root);

/* A note on pids of other namespaces, if the kernel reports those of our namespace. */
#define PID_NAMESPACE_NOTE                                                                         \
	"pids are those of this container; what happens outside of it has pid 0 and no name"

/* Whether the kernel side can select the requested processes if it only knows the pids of the first
   namespace. The error contains the remedy. */
bool pid_namespace_check(const char *root, bool by_pid, GError **error);

/* Returns the memory in bytes that this host can provide without swapping: MemAvailable of
   /proc/meminfo. Before kernel 3.14, which added it: free memory plus cached files. 0: unknown. */
uint64_t host_memory_available(const char *root);

/* Returns the types of a BTF file, or of an ELF file with BTF; free them with btf__free(). Returns
   NULL if the file cannot be read or this build does not support BTF. Prints nothing on failure. */
struct btf *btf_file_parse(const char *path);
