/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/function_symbols.h"
#include "collect/tracefs/tracepoint_format.h"
#include "probes/probe_spec.h"
#include "process/child.h"

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * From a probe point, as the user writes it, to the perf events of this kernel that observe it.
 *
 * Functions of the kernel and of programs are probed through the PMUs kprobe and uprobe (since
 * 4.17): such a probe belongs to the descriptor of its perf event. It is in no list of tracefs, and
 * ends with the descriptor, however the process ends.
 */

/* Where points are looked up. Everything is borrowed. */
typedef struct {
	const char *root;   /* folder of /proc and /sys; "": this host's */
	int kmem_folder_fd; /* tracefs folder events/kmem (tracefs_open_kmem()); -1: none */
	pid_t pid;          /* the process whose libraries are meant; 0: none */
} PointHost;

/* A perf event to open: the fields of struct perf_event_attr that select it, and its properties. */
typedef struct {
	ProbeType probe;
	uint32_t type;
	uint64_t config;
	char *config1;    /* owned: function, or path of a file; NULL: none */
	int file;         /* owned: the place of that file, which config1 names; 0: none */
	uint64_t config2; /* offset in the function or file; without config1, an address */
	bool is_return;   /* it is hit when a function returns */
	char *name;       /* owned: to display, "vmscan:mm_vmscan_kswapd_wake", "k:do_sys_open" */
	TracepointFormat *format; /* owned: of a tracepoint's records; else NULL */
	char *arguments;          /* owned: operands of a USDT site, "8@%rdi -4@$5"; else NULL */
	FunctionTypes *types;     /* owned: of a kernel function; NULL: unknown */
	/* The stack of the current process explains the event. Not so in interrupts, which come
	   from anywhere. */
	bool runs_in_user;
	/* The kernel records its own frames. It does not at the entry and exit of system calls
	   (perf_syscall_enter() in kernel/trace/trace_syscalls.c passes the user's registers), and
	   has none in code of programs. */
	bool has_kernel_stack;
	bool needs_registers; /* its arguments are in registers: see PointColumn */
	bool is_entry;        /* where a program's function begins: it has no frame yet */
	bool has_address;     /* PERF_SAMPLE_ADDR gives the address of the fault */
} PointEvent;

enum { POINT_EVENTS_MAX = 1024 }; /* of one probe point */

/* Returns the events of a probe point, at least one (element-type PointEvent, owned), or NULL with
   error set, in one line with the remedy. A tracepoint's globs, several functions of one name and
   the sites of a USDT probe give several. Opens no event. */
GPtrArray *point_events_find(const PointHost *host, const ProbeSpec *spec, GError **error);

/* Frees an event. A GDestroyNotify. */
void point_event_free(void *event);

/* Sets size, type, config, config1 and config2 of the attributes; the others stay. The event must
   live until it is opened. */
void point_event_attr(const PointEvent *event, struct perf_event_attr *attr);

/* Opens the event, disabled, and closes it again. Returns false with error set if the kernel
   refuses it. */
bool point_event_try(const PointEvent *event, GError **error);

/*
 * Lets a process of its own open events (element-type PointEvent) in programs, disabled, and hold
 * them until the caller ends it: child_leave(). Others are left out. The kernel reads the code of a
 * probe in whoever opens it first, and a file system may never answer. While the events are held,
 * opening them again reads nothing: the kernel knows the code (UPROBE_COPY_INSN in
 * kernel/events/uprobes.c), and processes that run it have their own copy of the page.
 * Returns false with error set if the kernel refuses one, or does not open it in time.
 */
bool point_events_hold(Child *holder, const GPtrArray *events, GError **error);
