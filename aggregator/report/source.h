/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "rank/view.h"
#include "session.h"

/* What a report is about. */
typedef enum {
	REPORT_STACKS,      /* call stacks, or with --by a table of groups */
	REPORT_SLABSTACK,   /* the same of slab caches: by process and stack, unless --by says so */
	REPORT_SLAB_CACHES, /* which slab caches grow */
	REPORT_INFO,        /* a recording */
} ReportKind;

/* What a report is made of. Everything is borrowed. */
typedef struct {
	const char *command; /* whose report it is */
	const Session *session;
	const View *view;
	const ViewOptions *options;
	const char *exclude; /* argument of -e, for the banner; NULL: none */
	/* Whose allocations these are: resolved; NULL: those of all slab caches. */
	const CacheQuery *caches;
	const char *caches_asked; /* as given */
	bool quiet;               /* no banner */
	bool details;   /* bytes and top processes of each stack; of groups: whole names */
	bool human;     /* bytes as KiB, MiB ... */
	bool all;       /* no bound of rows */
	bool show_host; /* the host's name may be printed */
} ReportSource;
