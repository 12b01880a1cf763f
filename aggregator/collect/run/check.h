/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "collect/host/stap_tool.h"
#include "base/disk_space.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * --check: whether a run would start here, and what it would find, a line each. Nothing is made,
 * changed or loaded, and nothing is run but "stap -V".
 *
 * To add a line: a function and its row in check.c, or in the collector's own table.
 */
typedef enum {
	CHECK_OK,
	CHECK_NOTE, /* a run would start; what it shows, costs or leaves is not as usual */
	CHECK_FAIL, /* a run would not start */
} CheckVerdict;

/* Other files that the options ask the run to open. */
typedef struct {
	const char *report;  /* -O; NULL: stdout */
	const char *symbols; /* --kallsyms; NULL: none */
} CheckFiles;

/* The host and the run that are looked at. Everything is borrowed. */
typedef struct CheckHost {
	const char *root; /* /proc, /sys, /lib/modules and programs lie below; "": this host's */
	uid_t user;
	const char *release;            /* of the kernel, as uname -r says it */
	const char *version;            /* likewise, uname -v */
	const char *machine;            /* likewise, uname -m */
	const CollectorType *collector; /* NULL: the one that a run would choose */
	const CollectRequest *request;
	CheckFiles files;
	const StapTool *stap;      /* for a run; NULL: there is none */
	const char *stap_problem;  /* why not, and the remedy */
	const char *script_folder; /* NULL: the installed scripts */
	const char *cache_folder;  /* of modules; NULL: this user's */
	bool (*disk_space)(const char *folder, DiskSpace *space);
} CheckHost;

/* One line of the answer. */
typedef struct CheckRow {
	const char *topic;
	/* Appends the text: one line, for CHECK_FAIL with the remedy. It is escaped when printed.
	   No text: there is nothing to say, and no line. */
	CheckVerdict (*look)(const CheckHost *host, GString *text);
} CheckRow;

/* Prints a line for each row that has something to say, and last whether a run would start, which
   is returned. */
bool check_print(const CheckHost *host, FILE *out);

/* The same for this host; collector as CheckHost.collector. */
bool check_this_host(const CollectorType *collector, const CollectRequest *request,
		     CheckFiles files, FILE *out);

/* Returns the collector that a run chooses on this host, and says in *why, which the caller frees,
   why it is no better one; NULL: it is the best. */
const CollectorType *check_choose_collector(const CollectRequest *request, char **why);

/* For rows: appends the error's message and frees it. Returns CHECK_FAIL. */
CheckVerdict check_failed(GString *text, GError *error);

/* For rows: appends "31 GB" or "512 MB". */
void check_append_size(GString *text, uint64_t bytes);

/* For rows: returns the content of a file below the host's root, without the space at its end, or
   NULL. */
char *check_read(const CheckHost *host, const char *path);

/* The rows of each collector, in its NAME_check.c; ended by a row without topic. */
extern const CheckRow stap_checks[];
extern const CheckRow perf_checks[];

/* As CollectorType.is_ready of the collector stap. */
bool stap_is_ready(const CheckHost *host, GString *lacks);
