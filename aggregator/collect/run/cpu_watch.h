/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * CpuWatch measures how long each CPU was online without being traced. No counter counts the events
 * lost in that time. The watch polls the online CPUs. A CPU that came online counts from the
 * previous poll, so the time is overestimated rather than underestimated.
 *
 * Times are in ns of one clock and never decrease. Measuring begins with the first poll: a
 * collector first reports which CPUs it traces, and polls when the probes are live, before the
 * command runs. So all reported spans lie in the window of the run, except for moments.
 *
 * If the list of CPUs cannot be read, a poll changes nothing: a host without that list reports no
 * loss.
 */
typedef struct CpuWatch CpuWatch;

/* root "": this host. Does not poll yet; no CPU is traced. */
CpuWatch *cpu_watch_new(const char *root);
void cpu_watch_free(CpuWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CpuWatch, cpu_watch_free)

/* Sets whether the CPU is traced while online, from now_ns on; it does not end before it has begun.
   The state survives going offline and online: a collector whose tracing ends then must call this.
 */
void cpu_watch_set_traced(CpuWatch *watch, unsigned cpu, bool traced, uint64_t now_ns);

/* Marks all CPUs that are online now as traced: for a collector that traces exactly these. */
void cpu_watch_set_online_traced(CpuWatch *watch, uint64_t now_ns);

/* Polls: reads which CPUs are online now. */
void cpu_watch_look(CpuWatch *watch, uint64_t now_ns);

/* Returns the CPUs that were online at the newest poll and are not traced (element-type guint32),
   ascending, for collectors that can start to trace them. The caller owns the array; it may be
   empty. */
GArray *cpu_watch_untraced_now(const CpuWatch *watch);

/* Returns how long CPUs were online but not traced until now_ns, summed over the CPUs. */
uint64_t cpu_watch_untraced_ns(const CpuWatch *watch, uint64_t now_ns);

/* Returns these CPUs, as "1,3-5", with bounded length. The caller frees it. */
char *cpu_watch_untraced_cpus(const CpuWatch *watch, uint64_t now_ns);

/* Appends both values as fields of an info batch if the time has grown since the last call. Returns
   whether it did. */
bool cpu_watch_write(CpuWatch *watch, GByteArray *out, uint64_t now_ns);
