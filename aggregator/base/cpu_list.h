/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Lists of CPUs as the kernel writes them: "0-3,8". */

/* A higher number in a list is damage, as it is in the stream. */
enum { CPU_LIST_CPUS_MAX = 65536 };

/* Returns the CPUs that the text names (element-type guint32), ascending; NULL when it is no such
   list or names none. A line's end may follow it. The caller owns them. */
GArray *cpu_list_parse(const char *text);

/* The same of the file ROOT/sys/devices/system/cpu/NAME; NULL also when it cannot be read. root "":
   this host's. */
GArray *cpu_list_read(const char *root, const char *name);

/* Returns the list of CPUs that are ascending (element-type guint32). One longer than bytes_max is
   cut behind a comma, and "..." follows. The caller frees it. */
char *cpu_list_text(const GArray *cpus, gsize bytes_max);
