/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Lists of CPUs in the kernel's format: "0-3,8". */

/* Higher numbers are damage, as in a stream. */
enum { CPU_LIST_CPUS_MAX = 65536 };

/* Returns the CPUs of the text (element-type guint32), ascending; NULL if it is empty or has
   another format. The text may end in a newline. The caller owns the array. */
GArray *cpu_list_parse(const char *text);

/* Like cpu_list_parse(), for the file ROOT/sys/devices/system/cpu/NAME; also NULL if it cannot be
   read. root "": this host. */
GArray *cpu_list_read(const char *root, const char *name);

/* Returns the list of ascending CPUs (element-type guint32) as text. A list longer than bytes_max
   is cut after a comma and ends in "...". The caller frees it. */
char *cpu_list_text(const GArray *cpus, gsize bytes_max);
