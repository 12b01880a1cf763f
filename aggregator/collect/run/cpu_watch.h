/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * CpuWatch knows how long each CPU was online without being traced: a loss whose events no counter
 * counts. It sees which CPUs are online only when it looks, so a CPU that came online counts from
 * the previous look: rather too much than too little.
 *
 * Times are in ns of one clock, and never go back. What counts begins with the first look: a
 * collector says which CPUs it traces, and takes it when the probes are live, before the command
 * runs. Then all spans that the watch reports lie in the window of the run, except for moments.
 *
 * Where the list of CPUs cannot be read, a look changes nothing: on a host that never shows it, no
 * loss is reported.
 */
typedef struct CpuWatch CpuWatch;

/* root "": this host. Looks at nothing yet; no CPU is traced. */
CpuWatch *cpu_watch_new(const char *root);
void cpu_watch_free(CpuWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CpuWatch, cpu_watch_free)

/* From now_ns on the CPU is traced whenever it is online, or is not. It stays so when it goes and
   comes back: a collector whose tracing ends with that says so. */
void cpu_watch_set_traced(CpuWatch *watch, unsigned cpu, bool traced, uint64_t now_ns);

/* The same for all that are online now: what a collector traces that takes these and no others. */
void cpu_watch_set_online_traced(CpuWatch *watch, uint64_t now_ns);

/* Reads which CPUs are online now. */
void cpu_watch_look(CpuWatch *watch, uint64_t now_ns);

/* Whether the CPU was online at the newest look. */
bool cpu_watch_is_online(const CpuWatch *watch, unsigned cpu);

/* Returns the CPUs that were online at the newest look and are not traced (element-type guint32),
   ascending: a collector that can opens them. The caller owns them; there may be none. */
GArray *cpu_watch_untraced_now(const CpuWatch *watch);

/* How long CPUs were online and not traced until now_ns: the sum over the CPUs. */
uint64_t cpu_watch_untraced_ns(const CpuWatch *watch, uint64_t now_ns);

/* Returns those CPUs, as "1,3-5", of bounded length. The caller frees it. */
char *cpu_watch_untraced_cpus(const CpuWatch *watch, uint64_t now_ns);

/* Appends both as fields of an info batch, if there is more than the last time. Returns whether. */
bool cpu_watch_write(CpuWatch *watch, GByteArray *out, uint64_t now_ns);
