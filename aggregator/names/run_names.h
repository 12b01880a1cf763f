/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * RunNames names the runs of a report, each of which has a recording, and their hosts. Runs are
 * numbered from 0, in the order in which they are added.
 *
 * A host is told by its name and its boot. If two hosts have one name, their labels also contain
 * the boot, or else the file, with its folders if files have one name. All labels are escaped.
 */
typedef struct RunNames RunNames;

/* What a recording says of its run. Not yet escaped; each may be NULL. */
typedef struct {
	const char *host;
	const char *boot_id;
	const char *path;       /* of the recording; NULL: it is not from a file */
	uint64_t start_time_ns; /* 0: unknown */
} RunIdentity;

/* hide_host: hosts and recordings get numbers instead of their names. Free it with
   run_names_free(). */
RunNames *run_names_new(bool hide_host);
void run_names_free(RunNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RunNames, run_names_free)

/* Adds the next run. Call it before any label is asked for. Returns its number. */
uint32_t run_names_add(RunNames *names, const RunIdentity *run);

/* Adds a run of no host: that of what found no room. */
uint32_t run_names_add_unknown(RunNames *names);

/* Returns the number of different hosts. */
uint32_t run_names_hosts(const RunNames *names);

/* Returns the number of a run's host. */
uint32_t run_names_host_of(const RunNames *names, uint32_t run);

/* Returns the label of a run's host, borrowed: "db1", "db1 (boot 4f0c1d2e)". */
const char *run_names_host(const RunNames *names, uint32_t run);

/* Returns the label of its recording, borrowed: the file's path as given. */
const char *run_names_recording(const RunNames *names, uint32_t run);

/* Returns when a run began; 0: unknown. */
uint64_t run_names_start_time_ns(const RunNames *names, uint32_t run);
