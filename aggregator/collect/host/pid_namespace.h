/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether our pids are the kernel's own, or those of a container. /proc lies below root ("": this
   host's); where it does not show that, true. */
bool pid_namespace_is_first(const char *root);

/* Returns the number of that namespace (pid_namespaces(7)); 0: it is not known. */
uint64_t pid_namespace_number(const char *root);

/* What pids are elsewhere, where the kernel gives those of our namespace. */
#define PID_NAMESPACE_NOTE                                                                         \
	"pids are those of this container; what happens outside of it has pid 0 and no name"

/* Whether a kernel side that knows only the pids of the first namespace can pick the processes that
   the request names. The error names the remedy. */
bool pid_namespace_check(const char *root, bool by_pid, GError **error);
