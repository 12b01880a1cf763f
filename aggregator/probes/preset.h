/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "probes/expression.h"
#include "probes/probe_spec.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Preset is what a run observes: probe points, what is computed from their events, and how it is
 * shown. It comes from a key file (doc/PRESETS.md), which is untrusted, or from probe points of
 * the command line. All texts are printable.
 */

typedef enum {
	PRESET_RANKED,    /* a ranking of stacks, by count or weight */
	PRESET_DURATIONS, /* a ranking by the time between two points of a thread */
	PRESET_LIST,      /* the events, in their order */
} PresetView;

typedef enum {
	PRESET_UNIT_NONE, /* events */
	PRESET_UNIT_BYTES,
	PRESET_UNIT_PAGES,
	PRESET_UNIT_NS,
} PresetUnit;

typedef enum {
	PRESET_STACKS_BOTH,
	PRESET_STACKS_KERNEL,
	PRESET_STACKS_USER,
	PRESET_STACKS_NONE,
} PresetStacks;

/* The collectors that can run it: bits. */
typedef enum { PRESET_BY_PERF = 1, PRESET_BY_STAP = 2 } PresetCollectors;

/* What the run must be limited to: bits, of which one is enough; 0: nothing. */
typedef enum { PRESET_NEEDS_COMMAND = 1, PRESET_NEEDS_PID = 2 } PresetNeeds;

/* A formula over the values of an event. */
typedef struct {
	char *text;
	Expression *expression;
	char *stap; /* the same in SystemTap's language, or NULL */
} PresetFormula;

/* A number of a column that has a name: a bit, or the whole. */
typedef struct {
	char *name;
	uint64_t number;
} PresetName;

/* How lists show the numbers of a column. */
typedef enum {
	PRESET_SHOW_DECIMAL,
	PRESET_SHOW_HEX,
	PRESET_SHOW_FLAGS,
	PRESET_SHOW_NAME
} PresetShow;

/* A column: summed up in rankings, shown for each event in lists. */
typedef struct {
	char *column; /* capitals, digits and '_' */
	PresetFormula formula;
	bool is_at_begin; /* of a pair: evaluated at the first point */
	bool is_optional; /* empty where the event lacks a field, instead of an error */
	PresetShow show;
	GArray *names; /* of PresetName: of PRESET_SHOW_FLAGS and PRESET_SHOW_NAME; else NULL */
} PresetValue;

/* Appends a number as lists show it: "0x7f0000001000", "IPC_CREAT|0666". */
void preset_value_append(const PresetValue *value, int64_t number, GString *out);

/* A probe point, or a pair of points of one thread: from begin to the next end. */
typedef struct {
	char *name;
	GPtrArray *probe;      /* of ProbeSpec: alternatives; of a pair, its end */
	GPtrArray *begin;      /* of a pair; else NULL */
	GPtrArray *stap;       /* for SystemTap, of PROBE_STAP, instead of probe; or NULL */
	GPtrArray *stap_begin; /* likewise, instead of begin */
	PresetFormula weight;  /* what an event counts; no expression: 1 */
	PresetFormula where;   /* which events count; no expression: all */
	PresetFormula begin_where;
	GPtrArray *values; /* of PresetValue */
	char *missing;     /* why a kernel may lack this point, or NULL */
} PresetPoint;

typedef struct {
	char *name;
	char *title;
	char *description; /* or NULL */
	char *noun;        /* what an event is called: "page fault" */
	char *nouns;
	char *by;          /* keys to group by, as of --by; or NULL */
	char *user_stacks; /* as of --user-stacks; or NULL */
	GStrv columns;     /* of lists: preset_columns and columns of values; or NULL */
	GPtrArray *points; /* of PresetPoint, at least one */
	PresetView view;
	PresetUnit unit; /* of the weight */
	PresetStacks stacks;
	unsigned collectors; /* bits of PresetCollectors */
	unsigned needs;      /* bits of PresetNeeds */
} Preset;

/* The columns of lists that need no formula; ends with NULL. */
extern const char *const preset_columns[];

/* Parses the text of a key file. file: its name for errors, "FILE: [GROUP] KEY: what is wrong and
   what helps". Returns a preset, owned by the caller, or NULL with error set (G_OPTION_ERROR). */
Preset *preset_parse(const char *file, const char *text, GError **error);

/* Returns a preset of the command line's probe points, ending with NULL; a point for each. begin:
   if given, the only probe is the end of this pair. */
Preset *preset_of_probes(const char *const *probes, const char *begin, GError **error);

/* Frees it, and all that it owns. */
void preset_free(Preset *preset);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Preset, preset_free)

/* Parse a formula of the command line (--weight, --where) and put it into all points. */
bool preset_set_weight(Preset *preset, const char *text, GError **error);
bool preset_set_where(Preset *preset, const char *text, GError **error);

/* Makes the preset a list with these columns (--print), separated by commas: preset_columns, and
   formulas, of pairs at their end. */
bool preset_set_columns(Preset *preset, const char *text, GError **error);
