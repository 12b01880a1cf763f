/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/run_memory.h"
#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(memory_watch);

enum { STAPIO = 101, MAX_MB = 16, CPUS = 4, CPUS_MB = CPUS / 4 };

static void write_process(const char *root, pid_t pid, unsigned resident_kb, unsigned swapped_kb)
{
	g_autofree char *text = g_strdup_printf("Name:\tVmRSS: 7 kB\nVmHWM:\t 9999999 kB\n"
						"VmRSS:\t %u kB\nRssFile:\t 9 kB\n"
						"VmSwap:\t %u kB\n",
						resident_kb, swapped_kb);

	fake_host_write_of_process(root, (unsigned)pid, "status", text);
}

static FakeHost *host_with_stapio(unsigned resident_kb, unsigned swapped_kb)
{
	FakeHost *root = fake_host_new();

	write_process(root, STAPIO, resident_kb, swapped_kb);
	return root;
}

static char *problem_of(const char *root)
{
	const MemoryWatch watch = {
		.root = root, .bytes_max = MAX_MB << 20, .cpus = CPUS, .stapio = STAPIO
	};

	return memory_watch_problem(&watch);
}

Test(memory_watch, stapio_may_hold_what_max_memory_says_and_its_own_buffers)
{
	g_autoptr(FakeHost) root = host_with_stapio((MAX_MB + CPUS_MB) << 10, 0);
	g_autofree char *problem = problem_of(root);

	cr_expect(eq(ptr, problem, NULL));
}

Test(memory_watch, a_stapio_that_holds_more_is_reported_with_the_option_that_helps)
{
	g_autoptr(FakeHost) root = host_with_stapio(((MAX_MB + CPUS_MB) << 10) + 4, 0);
	g_autofree char *problem = problem_of(root);

	cr_assert(ne(ptr, problem, NULL));
	cr_expect(ne(ptr, strstr(problem, "stapio held 17 MB"), NULL), "%s", problem);
	cr_expect(ne(ptr, strstr(problem, "--max-memory"), NULL), "%s", problem);
}

Test(memory_watch, what_was_swapped_out_counts)
{
	g_autoptr(FakeHost) root = host_with_stapio(1 << 10, (MAX_MB + CPUS_MB) << 10);
	g_autofree char *problem = problem_of(root);

	cr_expect(ne(ptr, problem, NULL));
}

Test(memory_watch, this_program_has_a_bound_of_its_own)
{
	g_autoptr(FakeHost) root = host_with_stapio(1 << 10, 0);
	g_autofree char *within = NULL;
	g_autofree char *above = NULL;

	g_set_prgname("slabstack");
	write_process(root, getpid(), (2 * MAX_MB + 64) << 10, 0);
	within = problem_of(root);
	cr_expect(eq(ptr, within, NULL), "%s", within);
	write_process(root, getpid(), ((2 * MAX_MB + 64) << 10) + 4, 0);
	above = problem_of(root);
	cr_assert(ne(ptr, above, NULL));
	cr_expect(g_str_has_prefix(above, "slabstack held 96 MB"), "%s", above);
}

Test(memory_watch, a_host_without_figures_is_no_problem)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autofree char *problem = problem_of(root);

	cr_expect(eq(ptr, problem, NULL));
}

Test(memory_watch, without_a_bound_nothing_is_too_much)
{
	g_autoptr(FakeHost) root = host_with_stapio(999 << 10, 0);
	const MemoryWatch watch = { .root = root, .stapio = STAPIO };
	g_autofree char *problem = memory_watch_problem(&watch);

	cr_expect(eq(ptr, problem, NULL));
}

/* The kernel's own file, as no fixture can be sure to have it. */
Test(memory_watch, a_process_of_this_host_is_found)
{
	cr_expect(lt(u64, 100 << 10, process_memory("", getpid())));
}
