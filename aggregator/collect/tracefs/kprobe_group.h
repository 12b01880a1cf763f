/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/tracepoint_format.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The kprobes of this process. They are defined in tracefs (kprobe_events), because only there a
 * probe can read memory, in a group named after our pid. They do nothing until they are opened as
 * perf events. The group is registered with the watchdog.
 */
typedef struct KprobeGroup KprobeGroup;

/* The functions that may be probed. A kernel has some of them. */
typedef enum {
	/* The entries of the slab allocator; each passes its return address to the tracepoint. */
	KPROBE_CACHE_ALLOC,
	KPROBE_CACHE_ALLOC_LRU,
	KPROBE_CACHE_ALLOC_NODE,
	KPROBE_CACHE_ALLOC_NOPROF,
	KPROBE_CACHE_ALLOC_LRU_NOPROF,
	KPROBE_CACHE_ALLOC_NODE_NOPROF,
	KPROBE_CACHE_ALLOCS, /* not a function: the number of those above */
	/* Functions without a tracepoint. */
	KPROBE_KVFREE_CALL_RCU = KPROBE_CACHE_ALLOCS,
	KPROBE_CACHE_FREE_BULK,
	KPROBE_CACHE_ALLOC_BULK,
	KPROBE_CACHE_ALLOC_BULK_NOPROF,
	/* Returns the pages of a slab. */
	KPROBE_FREE_SLAB,
	KPROBE_FUNCTIONS
} KprobeFunction;

/* Returns the functions that the kernel has, as bits, from /proc/kallsyms below root ("": this
   host's). */
unsigned kprobe_functions_there(const char *root);

/* Where the arguments of a function are at its entry, in tracefs syntax. */
typedef struct {
	const char *machine; /* as in uname() */
	const char *arguments[3];
	const char *return_address;
} KprobeRegisters;

/* Returns the registers of a machine, or NULL. */
const KprobeRegisters *kprobe_registers(const char *machine);

/* Makes a group without probes. kmem_folder_fd is the tracefs folder events/kmem, borrowed until
   kprobe_group_free(). */
KprobeGroup *kprobe_group_new(int kmem_folder_fd);

/* Removes its probes. Close their perf events first. */
void kprobe_group_free(KprobeGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KprobeGroup, kprobe_group_free)

/* Defines a probe: type ("p", "r64"), function and arguments as in kprobe_events. Returns 0 or an
   errno. */
int kprobe_group_define(KprobeGroup *group, const char *type, KprobeFunction function,
			const char *arguments);

/* Returns the layout of a probe's records; NULL: the probe does not exist. The caller frees it. */
TracepointFormat *kprobe_group_read_format(const KprobeGroup *group, KprobeFunction function);

/* What the kernel counts of probes, from kprobe_profile in tracefs. */
typedef struct {
	uint64_t hits;   /* calls of their handlers, on all CPUs; counted first of all */
	uint64_t missed; /* hits without a call: another probe's handler was active on that CPU */
} KprobeCounts;

/* Reads the sums of the group's probes of the wanted functions (bits by KprobeFunction) since they
   were defined. Returns false if it has none, or they cannot be read. */
bool kprobe_group_count(KprobeGroup *group, unsigned wanted, KprobeCounts *counts);

/* Removes the probes of processes that have ended. kmem_folder_fd as above; /proc lies below root
   ("": this host's). */
void kprobe_groups_clean(int kmem_folder_fd, const char *root);

/* Removes a group's probes, even while a process is closing their events, in a process that has no
   descriptor of tracefs: for watchdog_start(). Allocates nothing. */
void kprobe_group_undo(const char *name);

/* Returns why the kernel refused a probe; problem is an errno. */
const char *kprobe_refusal(int problem);

/* Returns why a host has no kprobes: kmem_folder is its tracefs folder events/kmem, including the
   root; NULL: no obstacle found. */
const char *kprobe_problem(const char *root, const char *kmem_folder);
