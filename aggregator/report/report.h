/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "rank/group_rows.h"
#include "rank/view.h"
#include "session.h"

#include <stdio.h>

/* What a printer may look at. Everything is borrowed. */
typedef struct {
	const Session *session;
	const View *view;
	const ViewOptions *options;
	const GroupRows *groups; /* NULL: stacks; the printer makes them where options ask for it */
	const char *exclude;     /* argument of -e, for the banner; NULL: none */
	const char *group_noun;  /* what the report calls one of them: "row"; with groups only */
	/* Whose allocations these are: resolved; NULL: those of all slab caches. */
	const CacheQuery *caches;
	const char *caches_asked; /* as given */
	bool quiet;               /* no banner */
	bool details;   /* bytes and top processes of each stack; of groups: whole names */
	bool human;     /* bytes as KiB, MiB ... */
	bool all;       /* no bound of rows */
	bool show_host; /* the host's name may be printed */
} Report;

/* The Perl tool's layout, and after its summary what explains the report. */
void report_print_text(const Report *report, FILE *out);

/* Returns what helps against the largest part of the loss, or NULL. can_load: SystemTap's collector
   can be used there. */
const char *report_loss_remedy(const Session *session, bool can_load);
