/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(free_checks);

enum { MEMORY_BYTES = 64 << 20, PAGE_BYTES = 4096 };
#define ADDRESS 0xffff888000001000ULL

static Session *begin(void)
{
	Session *session = session_new(MEMORY_BYTES);

	session_pair(session, false);
	return session;
}

/* An event 1 us after the one before. cache NULL: unknown. */
static void take(Session *session, EventText event, const char *cache)
{
	static uint64_t time_ns = 1000000000;
	EventCache named = { 0 };

	if (cache) {
		named.name_bytes = (uint16_t)strlen(cache);
		memcpy(named.name, cache, named.name_bytes);
		event.cache = &named;
	}
	event.text = event.free ? "frees\n" : "allocates\n";
	event.length = (uint32_t)strlen(event.text);
	event.weight = 1;
	event.time_ns = time_ns += 1000;
	if (!event.pointer)
		event.pointer = ADDRESS;
	if (!event.source)
		event.source = KMT_SOURCE_CACHE;
	session_take_text(session, &event);
}

static void take_free(Session *session, uint8_t kind, const char *cache)
{
	take(session, (EventText){ .free = true, .kind = kind }, cache);
}

static FreeChecksTotals totals_of(Session *session)
{
	pairing_release(session->pairing, UINT64_MAX, 0);
	return pairing_checks(session->pairing);
}

Test(free_checks, an_object_that_is_freed_again_is_noted)
{
	g_autoptr(Session) session = begin();

	take(session, (EventText){ 0 }, "filp");
	take_free(session, KMT_KIND_CACHE, "filp");
	cr_expect(eq(u64, totals_of(session).freed_again, 0));
	take_free(session, KMT_KIND_KFREE, NULL);
	cr_expect(eq(u64, totals_of(session).freed_again, 1));
}

Test(free_checks, an_allocation_in_between_is_no_error)
{
	g_autoptr(Session) session = begin();

	for (int i = 0; i < 3; i++) {
		take(session, (EventText){ 0 }, "filp");
		take_free(session, KMT_KIND_CACHE, "filp");
	}
	cr_expect(eq(u64, totals_of(session).freed_again, 0));
}

/* RCU frees it later, which may be recorded, too. */
Test(free_checks, an_object_that_rcu_frees_is_freed_once)
{
	g_autoptr(Session) session = begin();

	take(session, (EventText){ .source = KMT_SOURCE_KMALLOC }, NULL);
	take_free(session, KMT_KIND_RCU, NULL);
	take_free(session, KMT_KIND_KFREE, NULL);
	cr_expect(eq(u64, totals_of(session).freed_again, 0));
}

/* What was freed before the run, or allocated unseen, is not known. */
Test(free_checks, an_object_whose_allocation_was_never_seen_is_not_checked)
{
	g_autoptr(Session) session = begin();

	take_free(session, KMT_KIND_KFREE, NULL);
	take_free(session, KMT_KIND_KFREE, NULL);
	cr_expect(eq(u64, totals_of(session).freed_again, 0));
}

Test(free_checks, a_loss_in_between_may_be_the_allocation)
{
	g_autoptr(Session) session = begin();

	take(session, (EventText){ 0 }, "filp");
	take_free(session, KMT_KIND_CACHE, "filp");
	pairing_release(session->pairing, UINT64_MAX, 0);
	take_free(session, KMT_KIND_CACHE, "filp");
	pairing_release(session->pairing, UINT64_MAX, UINT64_MAX - 1);
	cr_expect(eq(u64, pairing_checks(session->pairing).freed_again, 0));
}

Test(free_checks, an_object_belongs_to_the_cache_it_is_freed_to)
{
	static const struct {
		const char *own, *named;
		uint8_t kind;
		uint64_t compared, wrong;
	} cases[] = {
		{ "filp", "filp", KMT_KIND_CACHE, 1, 0 },
		{ "filp", "dentry", KMT_KIND_CACHE, 1, 1 },
		/* A copy for a cgroup, of kernels before 5.9. */
		{ "filp(12:a.service)", "filp", KMT_KIND_CACHE, 1, 0 },
		{ "filp", "kmalloc-256", KMT_KIND_KFREE, 0, 0 },
		{ "filp", NULL, KMT_KIND_CACHE, 0, 0 },
		{ NULL, "filp", KMT_KIND_CACHE, 0, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Session) session = begin();
		FreeChecksTotals totals;

		take(session, (EventText){ 0 }, cases[i].own);
		take_free(session, cases[i].kind, cases[i].named);
		totals = totals_of(session);
		cr_expect(eq(u64, totals.caches_compared, cases[i].compared), "case %zu", i);
		cr_expect(eq(u64, totals.to_other_cache, cases[i].wrong), "case %zu", i);
	}
}

Test(free_checks, pages_that_were_split_are_noted)
{
	g_autoptr(Session) session = begin();
	const EventText pages = { .source = KMT_SOURCE_PAGE, .bytes_requested = 4 * PAGE_BYTES };
	EventText freed = pages;

	freed.free = true;
	freed.kind = KMT_KIND_PAGE;
	take(session, pages, NULL);
	take(session, freed, NULL);
	cr_expect(eq(u64, totals_of(session).freed_in_parts, 0));
	take(session, pages, NULL);
	freed.bytes_requested = PAGE_BYTES;
	take(session, freed, NULL);
	cr_expect(eq(u64, totals_of(session).freed_in_parts, 1));
	take(session, freed, NULL);
	cr_expect(eq(u64, totals_of(session).freed_again, 0), "only objects are checked");
}
