/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The state of a host's memory at one time, and its text in a stream (KMT_BATCH_MEMORY): a line
 * "KEY NUMBER" for each known figure. Counters begin at the boot of the host.
 */
typedef enum {
	/* From /proc/meminfo. */
	HOST_MEMORY_TOTAL,
	HOST_MEMORY_FREE,
	HOST_MEMORY_AVAILABLE,
	HOST_SLAB,
	HOST_SLAB_UNRECLAIMABLE,
	HOST_SLAB_RECLAIMABLE,
	HOST_VMALLOC,
	HOST_PER_CPU,
	HOST_PAGE_TABLES,
	HOST_KERNEL_STACKS,
	HOST_HUGE_PAGES,
	HOST_ANONYMOUS,
	HOST_PAGE_CACHE,  /* with buffers and shared memory, without the swap cache */
	HOST_SHARED,      /* files of tmpfs, shared and anonymous memory of several processes */
	HOST_SWAP_CACHE,  /* pages of programs that are in the swap, too */
	HOST_RECLAIMABLE, /* slab caches and other memory of the kernel that it can shrink */
	HOST_SECONDARY_PAGE_TABLES, /* of virtual machines and of an IOMMU; since Linux 6.1 */
	/* Memory of programs and files by the kernel's lists for reclaim, where each page is once;
	   with pages that reclaim and compaction took from the lists (/proc/vmstat). */
	HOST_LISTED,
	/* Pages of programs that zswap and zram compressed (/proc/vmstat, since Linux 4.8). */
	HOST_COMPRESSED,
	/* Free pages that CPUs keep in lists of their own (/proc/zoneinfo). MemFree and
	   MemAvailable lack them: up to some 190 MiB for each CPU and zone on Linux 6.18. */
	HOST_MEMORY_FREE_ON_CPUS,
	/* What TCP counts for its packets (/proc/net/sockstat): pages outside of slab caches, but
	   for small packets and the heads of all. */
	HOST_TCP_BUFFERS,
	/* Pages that a balloon driver took for the hypervisor: since Linux 6.16 of all drivers,
	   else of those that count events (virtio; parts of VMware's). */
	HOST_BALLOON,
	/* Pages taken less pages given back, by these events (/proc/vmstat); only while figures are
	   read. */
	HOST_BALLOON_BY_EVENTS,
	/* Of a balloon's pages, those that are still in MemTotal; only where it was asked for. */
	HOST_BALLOON_IN_TOTAL,
	/* Of kernel stacks and of vmalloc memory, if stacks are allocated there
	   (CONFIG_VMAP_STACK); only where it was asked for. */
	HOST_STACKS_IN_VMALLOC,
	HOST_RAM, /* with what the kernel reserved at boot; likewise (/proc/iomem, for root) */
	/* Counters of /proc/vmstat. */
	HOST_MAJOR_FAULTS, /* page faults that waited for a disk */
	/* Allocations that had to free memory first. The kernel's allocstall counts only reclaim
	   for the host, not for a cgroup (do_try_to_free_pages(), mm/vmscan.c). */
	HOST_RECLAIM_STALLS,
	HOST_OOM_KILLS, /* since Linux 4.13 */
	/* /proc/pressure/memory, since Linux 4.20: us in which some tasks, or all tasks that had
	   something to do, waited for memory. */
	HOST_PRESSURE_SOME_US,
	HOST_PRESSURE_FULL_US,
	HOST_FIGURES,
} HostFigure;

/* The files that show figures. */
typedef enum { IN_MEMINFO, IN_ZONEINFO, IN_VMSTAT, IN_PRESSURE, IN_SOCKSTAT, HOST_FILES } HostFile;

/* Lines of a file that begin so, after blanks. */
typedef struct {
	HostFile file;
	const char *line;
	unsigned unit; /* of the number: so many bytes; 1 also of a count and of us; 0: pages */
	bool is_less;  /* the number counts against the others */
} HostPlace;

enum { HOST_PLACES = 4 };

/* What is known of a figure. Numbers of several lines are added up: since Linux 4.10 each zone has
   an "allocstall". */
typedef struct {
	const char *key; /* the number is in bytes, in us, or a count */
	HostPlace places[HOST_PLACES];
} HostFigureKind;

/* By HostFigure. */
extern const HostFigureKind host_figures[HOST_FIGURES];

typedef struct {
	uint64_t numbers[HOST_FIGURES];
	bool known[HOST_FIGURES];
} HostState;

/* Parses a text of a stream, which may contain anything; NULL: nothing is known. Skips lines that
   are not a known key and a number below 2^64 - 1. Of several lines with one key the first counts.
   Free and available memory then contain the free pages in the lists of CPUs. */
HostState host_state_parse(const GString *text);

/* Appends the text of the known figures. */
void host_state_append(GString *out, const HostState *state);

/* Returns how many bytes of a balloon are not in MemTotal. */
uint64_t host_state_balloon_outside_total(const HostState *state);

/* Returns how many bytes more the kernel uses outside of slab caches at the end than at the start:
   memory that is neither free, nor in slab caches, nor of programs (with their page tables and
   kernel stacks), nor of files, nor in a balloon. May be negative; 0 if free or total memory is not
   known. */
int64_t host_state_taken_outside_slab(const HostState *start, const HostState *end);
