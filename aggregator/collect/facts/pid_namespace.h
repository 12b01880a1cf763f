/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether our pids are the kernel's own, not those of a container. /proc lies below root ("": this
   host's). Returns true if /proc does not show that. */
bool pid_namespace_is_first(const char *root);

/* Returns the number of our pid namespace (pid_namespaces(7)); 0: unknown. */
uint64_t pid_namespace_number(const char *root);

/* A note on pids of other namespaces, if the kernel reports those of our namespace. */
#define PID_NAMESPACE_NOTE                                                                         \
	"pids are those of this container; what happens outside of it has pid 0 and no name"

/* Whether the kernel side can select the requested processes if it only knows the pids of the first
   namespace. The error contains the remedy. */
bool pid_namespace_check(const char *root, bool by_pid, GError **error);
