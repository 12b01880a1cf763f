/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "collect/run/cpu_watch.h"

#include "fake_host.h"
#include "leaks.h"
#include "session/session.h"
#include "made_session.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(cpu_watch);

enum { MEMORY_BYTES = 64 << 20 };

/* A host whose CPUs come and go as the test says, and the watch over it. */
typedef struct {
	FakeHost *root;
	CpuWatch *watch;
} Host;

static void set_online(const Host *host, const char *list)
{
	fake_host_set_cpus_online(host->root, list);
}

/* The CPUs that are online now are traced. */
static Host host_new(const char *online)
{
	Host host = { .root = fake_host_new() };

	host.watch = cpu_watch_new(host.root);
	set_online(&host, online);
	cpu_watch_set_online_traced(host.watch, 50);
	return host;
}

static void host_clear(Host *host)
{
	cpu_watch_free(host->watch);
	fake_host_free(host->root);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Host, host_clear)

static void look(const Host *host, const char *online, uint64_t now_ns)
{
	set_online(host, online);
	cpu_watch_look(host->watch, now_ns);
}

static void expect_untraced(const Host *host, uint64_t now_ns, uint64_t wanted_ns, const char *cpus)
{
	g_autofree char *text = cpu_watch_untraced_cpus(host->watch, now_ns);

	cr_expect(eq(u64, cpu_watch_untraced_ns(host->watch, now_ns), wanted_ns));
	cr_expect(eq(str, text, (char *)cpus));
}

static char *untraced_now(const Host *host)
{
	g_autoptr(GArray) cpus = cpu_watch_untraced_now(host->watch);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < cpus->len; i++)
		g_string_append_printf(text, "%u ", g_array_index(cpus, guint32, i));
	return g_string_free(text, FALSE);
}

Test(cpu_watch, cpus_that_are_traced_and_stay_lose_nothing)
{
	g_auto(Host) host = host_new("0-3\n");

	look(&host, "0-3\n", 100);
	look(&host, "0-3\n", 600);
	expect_untraced(&host, 1000, 0, "");
}

Test(cpu_watch, a_cpu_that_comes_counts_from_the_look_before)
{
	g_auto(Host) host = host_new("0\n");

	look(&host, "0\n", 100);
	look(&host, "0\n", 600);
	look(&host, "0-1\n", 1100);
	expect_untraced(&host, 1100, 500, "1");
	look(&host, "0-1\n", 1600);
	expect_untraced(&host, 1700, 1100, "1");
}

Test(cpu_watch, a_cpu_that_comes_counts_until_it_is_traced)
{
	g_auto(Host) host = host_new("0\n");

	look(&host, "0\n", 100);
	look(&host, "0-1\n", 600);
	cpu_watch_set_traced(host.watch, 1, true, 650);
	look(&host, "0-1\n", 1100);
	expect_untraced(&host, 2000, 550, "1");
}

Test(cpu_watch, a_cpu_that_comes_counts_until_it_goes)
{
	g_auto(Host) host = host_new("0\n");

	look(&host, "0\n", 100);
	look(&host, "0-1\n", 600);
	look(&host, "0\n", 1100);
	look(&host, "0\n", 1600);
	expect_untraced(&host, 2000, 1000, "1");
	look(&host, "0-1\n", 2100);
	expect_untraced(&host, 2200, 1000 + 600, "1");
}

Test(cpu_watch, a_traced_cpu_that_goes_and_comes_back_is_traced)
{
	g_auto(Host) host = host_new("0-1\n");
	g_autofree char *cpus = NULL;

	look(&host, "0-1\n", 100);
	look(&host, "0\n", 600);
	look(&host, "0-1\n", 1100);
	expect_untraced(&host, 2000, 0, "");
	/* It is online again: it counts when its tracing ends. */
	cpu_watch_set_traced(host.watch, 1, false, 2000);
	cpus = untraced_now(&host);
	cr_expect(eq(str, cpus, "1 "));
	expect_untraced(&host, 2100, 100, "1");
}

Test(cpu_watch, tracing_that_ended_counts_from_there)
{
	g_auto(Host) host = host_new("0-1\n");

	look(&host, "0-1\n", 100);
	cpu_watch_set_traced(host.watch, 1, false, 300);
	expect_untraced(&host, 400, 100, "1");
	cpu_watch_set_traced(host.watch, 1, false, 500);
	cpu_watch_set_traced(host.watch, 1, true, 600);
	cpu_watch_set_traced(host.watch, 1, true, 700);
	expect_untraced(&host, 800, 300, "1");
}

Test(cpu_watch, tracing_does_not_end_before_it_began)
{
	g_auto(Host) host = host_new("0-1\n");

	look(&host, "0-1\n", 100);
	cpu_watch_set_traced(host.watch, 1, false, 0);
	expect_untraced(&host, 150, 150 - 50, "1");
	cpu_watch_set_traced(host.watch, 1, true, 200);
	cpu_watch_set_traced(host.watch, 1, false, 100);
	expect_untraced(&host, 230, 150 + 30, "1");
}

Test(cpu_watch, tracing_that_ended_with_its_cpu_counts_when_that_comes_back)
{
	g_auto(Host) host = host_new("0-1\n");

	look(&host, "0-1\n", 100);
	look(&host, "0\n", 600);
	cpu_watch_set_traced(host.watch, 1, false, 600);
	expect_untraced(&host, 900, 0, "");
	look(&host, "0-1\n", 1100);
	expect_untraced(&host, 1100, 500, "1");
}

Test(cpu_watch, nothing_counts_before_the_first_look)
{
	g_auto(Host) host = host_new("0\n");

	set_online(&host, "0-1\n");
	cpu_watch_set_traced(host.watch, 2, false, 60);
	expect_untraced(&host, 100, 0, "");
	cpu_watch_look(host.watch, 100);
	expect_untraced(&host, 100, 0, "");
	expect_untraced(&host, 130, 30, "1");
}

Test(cpu_watch, the_times_of_all_cpus_are_one_sum)
{
	g_auto(Host) host = host_new("0,2\n");

	look(&host, "0,2\n", 100);
	look(&host, "0,2-4,9\n", 200);
	cpu_watch_set_traced(host.watch, 9, true, 250);
	expect_untraced(&host, 300, 200 + 200 + 150, "3-4,9");
}

Test(cpu_watch, cpus_that_came_or_left_are_returned)
{
	g_auto(Host) host = host_new("0\n");
	g_autofree char *before = NULL;
	g_autofree char *came = NULL;
	g_autofree char *left = NULL;

	look(&host, "0\n", 100);
	before = untraced_now(&host);
	look(&host, "0-2\n", 200);
	came = untraced_now(&host);
	cpu_watch_set_traced(host.watch, 1, true, 210);
	left = untraced_now(&host);
	cr_expect(eq(str, before, (char *)""));
	cr_expect(eq(str, came, (char *)"1 2 "));
	cr_expect(eq(str, left, (char *)"2 "));
}

Test(cpu_watch, a_list_that_cannot_be_read_says_nothing)
{
	g_auto(Host) host = { .root = fake_host_new() };

	host.watch = cpu_watch_new(host.root);
	cpu_watch_set_online_traced(host.watch, 50);
	cpu_watch_look(host.watch, 100);
	cpu_watch_look(host.watch, 200);
	expect_untraced(&host, 300, 0, "");
	look(&host, "rubbish\n", 400);
	look(&host, "0-99999999\n", 500);
	expect_untraced(&host, 600, 0, "");
}

Test(cpu_watch, a_look_that_fails_changes_nothing)
{
	g_auto(Host) host = host_new("0\n");

	look(&host, "0\n", 100);
	look(&host, "\n", 200);
	look(&host, "0-1\n", 300);
	look(&host, "\n", 400);
	expect_untraced(&host, 500, 400, "1");
}

Test(cpu_watch, the_list_of_many_cpus_is_cut)
{
	g_auto(Host) host = host_new("0\n");
	GString *list = g_string_new("0");
	g_autofree char *cpus = NULL;

	look(&host, "0\n", 100);
	for (unsigned cpu = 2; cpu < 2000; cpu += 2)
		g_string_append_printf(list, ",%u", cpu);
	look(&host, list->str, 200);
	cpus = cpu_watch_untraced_cpus(host.watch, 300);
	cr_expect(lt(sz, strlen(cpus), 110));
	cr_expect(g_str_has_prefix(cpus, "2,4,6,8,"), "%s", cpus);
	cr_expect(g_str_has_suffix(cpus, ",..."), "%s", cpus);
	g_string_free(list, TRUE);
}

/* Whether something was written at that time, which the session then has. */
static bool write_news(const Host *host, Session *session, uint64_t now_ns)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	bool wrote = cpu_watch_write(host->watch, bytes, now_ns);

	cr_expect(eq(int, wrote, bytes->len > 0));
	if (wrote)
		made_session_feed(session, bytes);
	return wrote;
}

Test(cpu_watch, news_is_written_whenever_there_is_more)
{
	g_auto(Host) host = host_new("0\n");
	g_autoptr(Session) session = session_new(MEMORY_BYTES);

	look(&host, "0\n", 100);
	cr_expect(not(write_news(&host, session, 150)));
	look(&host, "0-1\n", 200);
	cr_expect(write_news(&host, session, 250));
	cr_expect(eq(u64, run_info_number(session->info, KMT_FIELD_UNTRACED_NS, 0), 150));
	cpu_watch_set_traced(host.watch, 1, true, 300);
	cr_expect(write_news(&host, session, 350));
	cr_expect(not(write_news(&host, session, 450)));
	cr_expect(eq(u64, run_info_number(session->info, KMT_FIELD_UNTRACED_NS, 0), 200));
	cr_expect(eq(str, (char *)run_info_text(session->info, KMT_FIELD_UNTRACED_CPUS), "1"));
}

/* The kernel's own file, as no fixture can be sure to have it. */
Test(cpu_watch, a_cpu_of_this_host_is_found)
{
	g_autoptr(CpuWatch) watch = cpu_watch_new("");
	g_autoptr(GArray) cpus = NULL;

	cpu_watch_look(watch, 100);
	cpus = cpu_watch_untraced_now(watch);
	cr_expect(lt(uint, 0, cpus->len));
}
