/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/slabs/cache_probes.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(cache_sites);

static EventCache named(const char *name)
{
	EventCache cache = { .name_bytes = (uint16_t)strlen(name) };

	memcpy(cache.name, name, cache.name_bytes);
	return cache;
}

static void enter(CacheSites *sites, CacheCalls *calls, CacheCall call, const char *name)
{
	EventCache cache = named(name ? name : "");

	cache_sites_enter(sites, calls, &call, name ? &cache : NULL);
}

/* Expects the name of a call's cache; NULL: it is not known. */
static void expect(CacheSites *sites, CacheCalls *calls, CacheCall call, const char *name)
{
	const EventCache *found = cache_sites_leave(sites, calls, &call);
	g_autofree char *text = found ? g_strndup(found->name, found->name_bytes) : NULL;

	cr_expect_eq(g_strcmp0(text, name), 0, "%s instead of %s", text, name);
}

#define TASK(site, tid) ((CacheCall){ site, tid, KMT_CONTEXT_TASK })
#define SOFTIRQ(site, tid) ((CacheCall){ site, tid, KMT_CONTEXT_SOFTIRQ })

Test(cache_sites, a_call_site_of_one_cache_is_learned)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();

	expect(sites, calls, TASK(100, 1), NULL);
	enter(sites, calls, TASK(100, 1), "filp");
	expect(sites, calls, TASK(100, 1), "filp");
	/* A call that was not recorded, of any task. */
	expect(sites, calls, TASK(100, 1), "filp");
	expect(sites, calls, SOFTIRQ(100, 7), "filp");
	expect(sites, NULL, TASK(100, 8), "filp");
	expect(sites, calls, TASK(101, 1), NULL);
}

Test(cache_sites, at_a_call_site_of_several_caches_each_call_decides)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();

	enter(sites, calls, TASK(100, 1), "TCP");
	enter(sites, calls, TASK(100, 2), "UDP");
	/* An interrupt of the second one, at the same place. */
	enter(sites, calls, SOFTIRQ(100, 2), "RAW");
	expect(sites, calls, SOFTIRQ(100, 2), "RAW");
	expect(sites, calls, TASK(100, 2), "UDP");
	expect(sites, calls, TASK(100, 1), "TCP");
	/* Their calls are over: another one may be of any. */
	expect(sites, calls, TASK(100, 1), NULL);
	expect(sites, NULL, TASK(100, 2), NULL);
}

Test(cache_sites, a_call_within_a_call_hides_nothing)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();

	enter(sites, calls, TASK(100, 1), "TCP");
	enter(sites, calls, TASK(100, 2), "UDP");
	enter(sites, calls, TASK(200, 1), "sheaf");
	expect(sites, calls, TASK(200, 1), "sheaf");
	expect(sites, calls, TASK(100, 1), "TCP");
}

Test(cache_sites, after_a_loss_old_calls_are_ignored)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();

	enter(sites, calls, TASK(100, 1), "TCP");
	enter(sites, calls, TASK(100, 2), "UDP");
	enter(sites, calls, TASK(200, 2), "filp");
	cache_calls_forget(calls);
	expect(sites, calls, TASK(100, 1), NULL);
	expect(sites, calls, TASK(200, 2), "filp");
}

Test(cache_sites, only_the_call_itself_is_taken)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();
	const EventCache *found;

	enter(sites, calls, TASK(100, 1), "TCP");
	cr_expect_null(cache_sites_take(sites, calls, &TASK(100, 2)));
	found = cache_sites_take(sites, calls, &TASK(100, 1));
	cr_assert_not_null(found);
	cr_expect_eq(memcmp(found->name, "TCP", 3), 0);
	cr_expect_null(cache_sites_take(sites, calls, &TASK(100, 1)));
	expect(sites, calls, TASK(100, 1), "TCP");
}

Test(cache_sites, a_cache_that_could_not_be_read_is_not_known)
{
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();

	enter(sites, calls, TASK(100, 1), NULL);
	expect(sites, calls, TASK(100, 1), NULL);
	enter(sites, calls, TASK(100, 1), "filp");
	expect(sites, calls, TASK(100, 1), "filp");
	/* It may be of another one, too. */
	expect(sites, calls, TASK(100, 1), NULL);
}

Test(cache_sites, what_finds_no_room_is_not_known_and_what_did_stays)
{
	enum { SITES = 10000, CACHES = 3000 };
	g_autoptr(CacheSites) sites = cache_sites_new();
	g_autoptr(CacheCalls) calls = cache_calls_new();
	unsigned known = 0;

	enter(sites, calls, TASK(1, 1), "first");
	for (unsigned i = 0; i < CACHES; i++) {
		g_autofree char *name = g_strdup_printf("cache-%u", i);

		enter(sites, calls, TASK(1000000 + i, 1), name);
	}
	for (unsigned i = 0; i < SITES; i++)
		enter(sites, calls, TASK(2 + i, 1), "first");
	for (unsigned i = 0; i < SITES; i++) {
		const CacheCall call = TASK(2 + i, 9);

		known += cache_sites_leave(sites, calls, &call) != NULL;
	}
	cr_expect(known > 1000 && known < SITES, "%u", known);
	expect(sites, calls, TASK(1, 9), "first");
	expect(sites, calls, TASK(1000000, 9), "cache-0");
	/* A call still has its cache, if there is room for that. */
	enter(sites, calls, TASK(SITES + 1, 1), "first");
	expect(sites, calls, TASK(SITES + 1, 1), "first");
}
