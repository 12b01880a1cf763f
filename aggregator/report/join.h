/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_rows.h"

#include <glib.h>

/*
 * A Join gives the rows of two runs that mean the same the same number.
 *
 * Labels are compared as printed, but for "(by size)" of caches. Stacks are the same if their
 * functions are, from the innermost to the outermost: neither addresses nor offsets matter, as they
 * change with each boot and each build. A function is known by its name without what compilers
 * append to it. That of a program also by its file, as many programs have a main().
 *
 * Functions that were inlined count only in code whose source lines are known of both runs.
 */
typedef struct Join Join;

typedef enum { JOIN_OLD, JOIN_NEW, JOIN_SIDES } JoinSide;

/* stacks: of each side; borrowed. Free it with join_free(). */
Join *join_new(const StackRows *const stacks[JOIN_SIDES]);
void join_free(Join *join);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Join, join_free)

/* Returns the number of a row of that side's groups, from 0: that of equal rows before, else the
   next one. The groups of both sides must have the same keys. */
uint32_t join_number(Join *join, JoinSide side, const GroupRows *groups, const GroupRow *row);

/* Returns the modules whose source lines are known of one run only (element-type utf8), in the
   order of their names; borrowed. */
const GPtrArray *join_half_known(const Join *join);

/* Returns the length of a function's name without what compilers append: "foo" of
   "foo.isra.0.cold". */
size_t join_name_length(const char *function);
