/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about hits: sums over time spans, and how far user stacks reach. Called by model.c. All of
 * it is kept in the facts.
 */
#include "report/facts.h"

#include "base/saturate.h"
#include "symbols/user_frame.h"

/* The spans that filters on processes and the like keep. What has no begin or no end belongs to no
   stack. */
static void set_spans(Facts *facts, const Durations *durations, const RowSums *kept)
{
	DurationTotals totals = durations_totals(durations);

	fact_set_number(facts, FACT_SPANS, kept->summary.allocations);
	fact_set_number(facts, FACT_SPANS_TIME, kept->hits.time_ns);
	fact_set_number(facts, FACT_SPANS_TIME_MAX, kept->hits.time_max_ns);
	fact_set_number(facts, FACT_SPANS_OPEN, totals.open);
	fact_set_number(facts, FACT_SPANS_NOT_BEGUN, totals.not_begun);
	fact_set_number(facts, FACT_SPANS_NOT_ENDED, totals.not_ended);
}

/* How far the user's part of a stack reaches. */
typedef enum { USER_NONE, USER_CUT, USER_WHOLE } UserReach;

static UserReach reach_of(const Session *session, StackId stack)
{
	UserPlace places[KMT_STACK_DEPTH_MAX];
	uint32_t count;

	if (stack == STACK_ID_NONE)
		return USER_NONE;
	count = profile_stack_places(session->profile, stack, places);
	if (!count)
		return USER_NONE;
	return user_places_reach_start(session->user_names, places, count) ? USER_WHOLE : USER_CUT;
}

/* The share is one of all hits that should have a user stack, also of those that lack it. */
static void set_user_stacks(Facts *facts, const Session *session)
{
	const Profile *profile = session->profile;
	uint64_t all = 0, whole = 0, without = 0;

	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		UserReach reach = reach_of(session, origin->stack);

		if (reach != USER_NONE || origin->unplaced)
			saturate_add(&all, cell->events);
		else if (cell->context == KMT_CONTEXT_TASK)
			saturate_add(&without, cell->events);
		if (reach == USER_WHOLE)
			saturate_add(&whole, cell->events);
	}
	/* A kernel thread has no user stack. Those that were not unwound are known of the whole
	   run. */
	saturate_add(&all, MIN(without, fact_number(facts, FACT_NOT_UNWOUND)));
	fact_set_number(facts, FACT_USER_STACKS, all);
	fact_set_number(facts, FACT_USER_STACKS_WHOLE, whole);
}

void facts_set_hits(Facts *facts, const Session *session, const RowSums *kept)
{
	if (session->durations)
		set_spans(facts, session->durations, kept);
	if (fact_number(facts, FACT_USER_DEPTH))
		set_user_stacks(facts, session);
}
