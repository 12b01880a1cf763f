/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/option_rules.h"
#include "options/options.h"
#include "report/model.h"
#include "session/session.h"

/* The commands of the suite, as bits for the option table. */
typedef enum {
	TOOL_KMALLOC_TOP = 1 << 0,
	TOOL_SLABSTACK = 1 << 1,
	TOOL_SLABRATETOP = 1 << 2,
	TOOL_STACK_TOP = 1 << 3,
	TOOLS_ALL = (1 << 4) - 1,
	TOOLS_OF_REPORTS = TOOL_KMALLOC_TOP | TOOL_SLABSTACK | TOOL_STACK_TOP, /* at the end */
	TOOLS_OF_ALLOCATIONS = TOOL_KMALLOC_TOP | TOOL_SLABSTACK | TOOL_SLABRATETOP,
	TOOLS_OF_ALLOCATION_REPORTS = TOOL_KMALLOC_TOP | TOOL_SLABSTACK,
} ToolBit;

/* What a tool does during its stream, instead of a report at the end. */
typedef struct {
	/* Called before the first byte. Returns a state for the others, or NULL with error set. */
	void *(*begin)(Options *options, Session *session, GError **error);
	/* Called ten times a second in a live run. Returns false to end the run. */
	bool (*tick)(Session *session, void *state);
	/* Called when the stream has ended, or could not begin. Frees the state. Returns false with
	   error set if some output failed. */
	bool (*end)(void *state, GError **error);
} ToolStream;

/* An example of the help text. */
typedef struct {
	const char *purpose; /* what it shows or is for */
	const char *command; /* as typed by root */
} ToolExample;

/*
 * A command of the suite: its name, its defaults and its report. The rest is the same for all. To
 * add one, add a file with such a table and a main(), a bit, and its rows in the option table.
 */
struct Tool {
	const char *name;            /* command name; its messages begin with it */
	const char *usage;           /* words that may follow its name */
	const char *purpose;         /* one or two lines */
	const ToolExample *examples; /* ended by one without command */
	ToolBit bit;
	unsigned events;  /* bits of ProbeKindBit that it observes by default */
	bool caches_only; /* it only shows slab caches, no pages */
	const char *by;   /* default of --by; NULL: none */
	/* Completes its options, after all were taken. Returns false with error set if they do not
	   fit together. NULL: nothing to do. */
	bool (*finish)(Options *options, GError **error);
	/* Called when facts of a recording are known, before its events, and at its end. Makes what
	   was not asked for as the recorded run showed it. NULL: the options alone decide. */
	void (*take_live_view)(Options *options, const Session *session);
	/* Prints what --list asks for, and what could not be read to stderr. Returns whether the
	   list is complete. NULL: it has no such option. */
	bool (*list)(FILE *out);
	/* Handles a word that is not an option. Returns false with error set if there is one too
	   many or it is invalid. NULL: no such words. */
	bool (*take_word)(Options *options, const char *word, GError **error);
	const OptionRule *rules;  /* its own rules, NULL-terminated; NULL: none */
	bool shows_memory;        /* its reports begin with the state of the host's memory */
	bool sites_only;          /* no stacks unless requested */
	const ToolStream *stream; /* NULL: it reports at the end: */
	ReportKind report;
	/* Called if no traceable object was named. Reads the data of REPORT_SLAB_CACHES, which may
	   take a while. Returns false with error set if there is none. NULL: traces all. */
	const char *const *overview_options; /* long names of its options, NULL-terminated */
	bool (*read_overview)(const Options *options, Session *session, GError **error);
	/* Called instead, if --watch is given: runs until it is stopped. Returns false with error
	   set if it cannot begin. */
	bool (*watch)(const Options *options, GError **error);
};

/* By which metrics this tool can rank: -s. */
static inline MetricUse tool_ranks(const Tool *tool)
{
	if (tool->stream)
		return METRIC_RATES;
	return tool->bit == TOOL_STACK_TOP ? METRIC_OF_HITS : METRIC_RANKS;
}

/* Whether a format can show reports of this tool. */
static inline bool tool_renders(const Tool *tool, const Renderer *renderer)
{
	return renderer->reports & RENDERS(tool->stream ? REPORT_INTERVAL : tool->report);
}
