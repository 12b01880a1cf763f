/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "callsite_skip.h"
#include "table/stack_rows.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdbool.h>

/* Dimensions of a table, and those that --by takes: a text table has no room for more. */
enum { DIMENSIONS_MAX = 8, BY_KEYS_MAX = 3 };

/* The member of a cell that determines its group. Each member is looked up once, however many cells
   have it. */
typedef enum {
	MEMBER_TASK,    /* TaskId */
	MEMBER_ORIGIN,  /* OriginId */
	MEMBER_STACK,   /* row of StackRows */
	MEMBER_CONTEXT, /* enum KmtContext */
	MEMBER_FREER,   /* OriginId of frees + 1; 0: the objects are held */
	MEMBER_AGE,     /* class of ages */
} GroupMember;

/* The data for group labels. Everything is borrowed. */
typedef struct {
	const ViewSource *source;
	const StackRows *stacks;
	const CallsiteSkip *skip; /* functions that are not call sites; NULL: only the allocators */
	bool whole;               /* do not shorten names */
} GroupNaming;

/* A way to group cells: a key of --by. dimension.c has their table. To add one: its functions, a
   row in dimension.c, a line in doc/options.man. */
typedef struct {
	const char *name;  /* "process" */
	const char *title; /* of its column */
	const char *help;
	GroupMember member;
	bool interrupts_apart; /* softirq and hardirq are groups of their own */
	bool of_held;          /* only for held objects that were found by pairing */
	bool of_allocations;   /* only for allocations and held objects ... */
	bool of_hits;          /* ... or only for hits of probe points */
	bool of_lines;         /* needs source lines */
	bool of_runs;          /* tells runs apart; tables with a column for each fact of the run
				  have no column for it */
	bool is_function;      /* labels begin with the name of a function */
	/* Appends the identity of a member, any bytes: members with equal bytes are one group. */
	void (*identify)(const GroupNaming *naming, uint32_t member, GString *out);
	/* Appends the escaped label of a group, from its newest member; for tasks, the one seen
	   last. */
	void (*label)(const GroupNaming *naming, uint32_t member, GString *out);
	/* Orders groups by their newest members; NULL: by label. If not NULL, labels may have many
	   lines and are made only for printing. */
	int (*compare)(const GroupNaming *naming, uint32_t a, uint32_t b);
} Dimension;

/* All dimensions; the last entry has no name. */
extern const Dimension dimensions[];

/* Returns the dimension with this name, or NULL. */
const Dimension *dimension_lookup(const char *name);

/* Returns the names of the dimensions of hits, or of allocations, separated by ", ". The caller
   frees them. */
char *dimension_names(bool hits);

/* Whether a dimension is for hits of probe points, or else for allocations. */
static inline bool dimension_fits(const Dimension *dimension, bool hits)
{
	return hits ? !dimension->of_allocations : !dimension->of_hits;
}

/* Whether its groups are the stacks themselves. */
static inline bool dimension_is_stack(const Dimension *dimension)
{
	return dimension->member == MEMBER_STACK && dimension->compare;
}

/* Parses "process,cache" into keys, ended by NULL. Returns false with error set (G_OPTION_ERROR) if
   a name is unknown. hits: only names that fit these. */
bool dimensions_parse(const char *text, bool hits, const Dimension *keys[DIMENSIONS_MAX + 1],
		      GError **error);

/* Sets keys, ended by NULL, to those of these names, "process,cache", that fit the events; hits:
   of probe points, else allocations. */
void dimensions_choose(const char *names, bool hits, const Dimension *keys[DIMENSIONS_MAX + 1]);

/* Returns the position of the dimension with this name in keys, which must have it. */
guint dimensions_position(const Dimension *const *keys, const char *name);

/* Returns the frame of an origin's call site. */
Frame dimension_call_site(const GroupNaming *naming, uint32_t origin);

/* Whether keys contains a dimension with this name; one that needs source lines. */
bool dimensions_have(const Dimension *const *keys, const char *name);
bool dimensions_have_lines(const Dimension *const *keys);
