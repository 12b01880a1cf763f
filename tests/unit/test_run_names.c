/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/run_names.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(run_names);

#define BOOT_A "4f0c1d2e-0000-0000-0000-000000000001"
#define BOOT_B "9a8b7c6d-0000-0000-0000-000000000002"

enum { UNKNOWN = 0, RUNS_MAX = 5 };

/* Runs after that of what finds no room, up to the first one without a path. */
static RunNames *names_of(bool hide_host, const RunIdentity *runs)
{
	RunNames *names = run_names_new(hide_host);

	run_names_add_unknown(names);
	for (; runs->path; runs++)
		run_names_add(names, runs);
	return names;
}

static void expect_host(const RunNames *names, uint32_t run, const char *label)
{
	cr_expect(eq(str, (char *)run_names_host(names, run), (char *)label));
}

static void expect_recording(const RunNames *names, uint32_t run, const char *label)
{
	cr_expect(eq(str, (char *)run_names_recording(names, run), (char *)label));
}

Test(run_names, a_host_has_its_name_alone_if_no_other_has_it)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", BOOT_A, "x/a.kmr" },
					     { "db2", BOOT_B, "x/b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "db1");
	expect_host(names, 2, "db2");
	expect_recording(names, 1, "x/a.kmr");
	expect_recording(names, 2, "x/b.kmr");
}

Test(run_names, runs_of_one_boot_are_of_one_host)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", BOOT_A, "a.kmr" },
					     { "db1", BOOT_A, "b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "db1");
	expect_host(names, 2, "db1");
	cr_expect(eq(u32, run_names_host_of(names, 1), run_names_host_of(names, 2)));
	cr_expect(eq(u32, run_names_hosts(names), 1));
	expect_recording(names, 1, "a.kmr");
	expect_recording(names, 2, "b.kmr");
}

Test(run_names, hosts_with_equal_names_have_their_boots)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", BOOT_A, "a.kmr" },
					     { "db1", BOOT_B, "b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "db1 (boot 4f0c1d2e)");
	expect_host(names, 2, "db1 (boot 9a8b7c6d)");
	cr_expect(eq(u32, run_names_hosts(names), 2));
}

Test(run_names, hosts_with_equal_names_and_without_boot_have_their_files)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", NULL, "x/a.kmr" },
					     { "db1", NULL, "x/b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "db1 (a.kmr)");
	expect_host(names, 2, "db1 (b.kmr)");
}

Test(run_names, equal_names_of_files_are_told_apart_by_their_folders)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", NULL, "x/a.kmr" },
					     { "db1", NULL, "y/a.kmr" },
					     { NULL, NULL, "z/a.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "db1 (x/a.kmr)");
	expect_host(names, 2, "db1 (y/a.kmr)");
	expect_host(names, 3, "z/a.kmr");
}

Test(run_names, a_host_without_name_has_its_boot_or_its_file)
{
	const RunIdentity runs[RUNS_MAX] = { { NULL, BOOT_A, "a.kmr" }, { "", "", "x/b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "boot 4f0c1d2e");
	expect_host(names, 2, "b.kmr");
}

Test(run_names, a_host_of_which_nothing_is_known_has_a_label)
{
	const RunIdentity nothing = { NULL };
	g_autoptr(RunNames) names = run_names_new(false);

	run_names_add(names, &nothing);
	expect_host(names, 0, "(unknown host)");
	expect_recording(names, 0, "(unknown recording)");
}

Test(run_names, hidden_hosts_and_recordings_have_numbers)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", BOOT_A, "db1-a.kmr" },
					     { "db2", BOOT_B, "db2-b.kmr" },
					     { "db1", BOOT_A, "db1-c.kmr" } };
	g_autoptr(RunNames) names = names_of(true, runs);

	expect_host(names, 1, "host 1");
	expect_host(names, 2, "host 2");
	expect_host(names, 3, "host 1");
	expect_recording(names, 1, "recording 1");
	expect_recording(names, 3, "recording 3");
}

Test(run_names, what_found_no_room_is_of_no_host_and_not_counted)
{
	const RunIdentity runs[RUNS_MAX] = { { "db1", BOOT_A, "a.kmr" } };
	g_autoptr(RunNames) shown = names_of(false, runs);
	g_autoptr(RunNames) hidden = names_of(true, runs);

	expect_host(shown, UNKNOWN, "(unknown host)");
	expect_host(hidden, UNKNOWN, "(unknown host)");
	expect_recording(hidden, UNKNOWN, "(unknown recording)");
	expect_recording(hidden, 1, "recording 1");
	expect_host(hidden, 1, "host 1");
	cr_expect(eq(u32, run_names_hosts(shown), 1));
}

Test(run_names, labels_are_escaped)
{
	const RunIdentity runs[RUNS_MAX] = { { "d\033b", "\0331234567890", "x/\033a.kmr" },
					     { "d\033b", NULL, "x/\033b.kmr" } };
	g_autoptr(RunNames) names = names_of(false, runs);

	expect_host(names, 1, "d\\x1bb (boot \\x1b1234567)");
	expect_host(names, 2, "d\\x1bb (\\x1bb.kmr)");
	expect_recording(names, 1, "x/\\x1ba.kmr");
}
