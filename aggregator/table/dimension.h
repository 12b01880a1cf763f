/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "callsite_skip.h"
#include "table/stack_rows.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdbool.h>

enum { DIMENSIONS_MAX = 3 };

/* The part of a counter that decides its group: each is looked at once, however many counters
   have it. */
typedef enum {
	MEMBER_TASK,    /* TaskId */
	MEMBER_ORIGIN,  /* OriginId */
	MEMBER_STACK,   /* row of StackRows */
	MEMBER_CONTEXT, /* enum KmtContext */
} GroupMember;

/* What names groups. Everything is borrowed. */
typedef struct {
	const ViewSource *source;
	const StackRows *stacks;
	const CallsiteSkip *skip; /* whose frames are no call sites; NULL: the allocators' only */
	bool whole;               /* no name is shortened */
} GroupNaming;

/* A way to group counters: what --by takes. There is one table of them. To add one: its functions,
   a row in dimension.c, a line in doc/options.man. */
typedef struct {
	const char *name;  /* "process" */
	const char *title; /* of its column */
	const char *help;
	GroupMember member;
	bool interrupts_apart; /* softirq and hardirq are groups of their own */
	/* Appends bytes, any ones: members for which they are equal are one group. */
	void (*identify)(const GroupNaming *naming, uint32_t member, GString *out);
	/* Appends the label of a group by its newest member, escaped; of tasks, by the one seen
	   last. */
	void (*label)(const GroupNaming *naming, uint32_t member, GString *out);
	/* Orders groups by their newest members; NULL: by label. With it labels may be many lines,
	   and are made only to be printed. */
	int (*compare)(const GroupNaming *naming, uint32_t a, uint32_t b);
} Dimension;

/* All dimensions, ended by one without name. */
extern const Dimension dimensions[];

/* Returns the dimension of that name, or NULL. */
const Dimension *dimension_lookup(const char *name);

/* Reads "process,cache" into dimensions, ended by NULL. Returns false with error set
   (G_OPTION_ERROR) when it names something else. */
bool dimensions_parse(const char *text, const Dimension *keys[DIMENSIONS_MAX + 1], GError **error);

/* Whether one of that name is among them. */
bool dimensions_have(const Dimension *const *keys, const char *name);
