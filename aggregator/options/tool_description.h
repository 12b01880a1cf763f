/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/option_rules.h"
#include "options/options.h"
#include "report/model.h"

/* The commands of the suite, as the option table names them. */
typedef enum {
	TOOL_KMALLOC_TOP = 1 << 0,
	TOOL_SLABSTACK = 1 << 1,
	TOOL_SLABRATETOP = 1 << 2,
	TOOLS_ALL = (1 << 3) - 1,
	TOOLS_OF_REPORTS = TOOL_KMALLOC_TOP | TOOL_SLABSTACK, /* they print one at the end */
} ToolBit;

/* What a tool does while its stream comes, in place of a report at its end. */
typedef struct {
	/* Before the first byte. Returns a state for the others, or NULL with error set. */
	void *(*begin)(Options *options, Session *session, GError **error);
	/* Called ten times a second in a live run; returns false when the run is to end. */
	bool (*tick)(Session *session, void *state);
	/* The stream has ended, or never began; frees the state. Returns false with error set where
	   something could not be shown. */
	bool (*end)(void *state, GError **error);
} ToolStream;

/* An example of the help text. */
typedef struct {
	const char *purpose; /* what it shows, or for what */
	const char *command; /* as typed by root */
} ToolExample;

/*
 * A command of the suite: its name, its defaults and its report. What it does is the same for all.
 * To add one: a file with such a table and a main(), a bit, its rows in the option table.
 */
struct Tool {
	const char *name;            /* as it is called; its messages begin with it */
	const char *usage;           /* what may follow its name */
	const char *purpose;         /* a line or two */
	const ToolExample *examples; /* ended by one without command */
	ToolBit bit;
	unsigned events;  /* bits of ProbeKindBit that it observes by default */
	bool caches_only; /* what it shows is of slab caches, as pages are not */
	const char *by;   /* what its report is grouped by unless --by says so; NULL: nothing */
	/* Takes a word that is no option; returns false with error set when it is one too many, or
	   nothing. NULL: there can be none. */
	bool (*take_word)(Options *options, const char *word, GError **error);
	const OptionRule *rules;  /* of its own, ended by one of NULL; NULL: none */
	bool sites_only;          /* no stacks unless they are asked for */
	const ToolStream *stream; /* NULL: it reports at the end: */
	ReportKind report;
	/* Where nothing was named that it could trace: reads what REPORT_SLAB_CACHES shows,
	   which may take a while, and returns false with error set where there is nothing. NULL: it
	   traces all. */
	const char *const *overview_options; /* long names of those that it obeys, ended by NULL */
	bool (*read_overview)(const Options *options, Session *session, GError **error);
};
