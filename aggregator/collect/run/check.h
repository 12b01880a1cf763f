/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "collect/facts/stap_tool.h"
#include "base/private_file.h"

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/*
 * --check: reports whether a run would start here and what it would find, in one line per topic.
 * Creates, changes and loads nothing. Runs no program except "stap -V".
 *
 * To add a line, add a function and its row to check.c or to the collector's own table.
 */
typedef enum {
	CHECK_OK,
	CHECK_NOTE, /* a run would start, but its content, cost or leftovers are unusual */
	CHECK_FAIL, /* a run would not start */
} CheckVerdict;

/* Other files that the options ask the run to open. */
typedef struct {
	const char *report;   /* -O; NULL: stdout */
	const char *symbols;  /* --kallsyms; NULL: none */
	const char *counters; /* --textfile; NULL: none */
} CheckFiles;

/* The host and the run to check. Everything is borrowed. */
typedef struct CheckHost {
	const char *root; /* folder of /proc, /sys, /lib/modules and programs; "": this host's */
	uid_t user;
	const char *release;            /* of the kernel, as in uname -r */
	const char *version;            /* of the kernel, as in uname -v */
	const char *machine;            /* as in uname -m */
	const CollectorType *collector; /* NULL: the one that a run would choose */
	const CollectRequest *request;
	CheckFiles files;
	const StapTool *stap;      /* for a run; NULL: not usable */
	const char *stap_problem;  /* why stap is NULL, with the remedy */
	const char *script_folder; /* NULL: the installed scripts */
	const char *cache_folder;  /* of modules; NULL: this user's */
	bool (*disk_space)(const char *folder, DiskSpace *space);
} CheckHost;

/* One line of the output. */
typedef struct CheckRow {
	const char *topic;
	/* Appends the text: one line, for CHECK_FAIL with the remedy. The caller escapes it. If the
	   text stays empty, no line is printed. */
	CheckVerdict (*look)(const CheckHost *host, GString *text);
} CheckRow;

/* Prints a line for each row that has text, and finally whether a run would start. Returns whether
   it would. */
bool check_print(const CheckHost *host, FILE *out);

/* Checks this host. collector is as in CheckHost. */
bool check_this_host(const CollectorType *collector, const CollectRequest *request,
		     CheckFiles files, FILE *out);

/* Returns the collector that a run chooses on this host. Sets *why to the reason why no better
   collector was chosen (the caller frees it), or to NULL if the best one was chosen. */
const CollectorType *check_choose_collector(const CollectRequest *request, char **why);

/* For rows: appends the error's message and frees it. Returns CHECK_FAIL. */
CheckVerdict check_failed(GString *text, GError *error);

/* For rows: appends "31 GB" or "512 MB". */
void check_append_size(GString *text, uint64_t bytes);

/* For rows, if frees are paired: appends what is recorded, at how many instructions a free. */
void check_append_held(GString *text, const char *instructions);

/* For rows: returns the content of a file below the host's root, without trailing white space, or
   NULL. */
char *check_read(const CheckHost *host, const char *path);

/* The rows of each collector, in its NAME_check.c. A row without topic ends them. */
extern const CheckRow stap_checks[];
extern const CheckRow perf_checks[];

/* CollectorType.is_ready of the collector stap. */
bool stap_is_ready(const CheckHost *host, GString *lacks);
