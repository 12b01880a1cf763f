/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/run_memory.h"
#include "collect/facts/host_facts.h"
#include "collect/perf/perf_ring.h"
#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

TEST_SUITE_WITHOUT_LEAKS(buffer_plan);

#define MB (1ULL << 20)
#define GB (1ULL << 30)

static const struct {
	BufferRequest request;
	const char *text;
} plans[] = {
	/* 16 MB for each CPU, when there is plenty. */
	{ { 0, 0, 2, true, false, 31 * GB, 0 }, "32 MB (16 MB x 2 CPUs), MemAvailable 31 GB" },
	{ { 0, 0, 1, true, false, 31 * GB, 0 }, "16 MB (16 MB x 1 CPU), MemAvailable 31 GB" },
	/* Where it is not known how much there is, too. */
	{ { 0, 0, 2, true, false, 0, 0 }, "32 MB (16 MB x 2 CPUs), MemAvailable unknown" },
	/* 1/32 of what is available. */
	{ { 0, 0, 128, true, false, 16 * GB, 0 }, "512 MB (4 MB x 128 CPUs), MemAvailable 16 GB" },
	{ { 0, 0, 2, true, false, 200 * MB, 0 }, "6 MB (3 MB x 2 CPUs), MemAvailable 200 MB" },
	/* 1 GB. */
	{ { 0, 0, 128, true, false, 999 * GB, 0 },
	  "1024 MB (8 MB x 128 CPUs), MemAvailable 999 GB" },
	{ { 0, 0, 128, false, false, 999 * GB, 0 },
	  "1024 MB (one for all CPUs), MemAvailable 999 GB" },
	/* One buffer for all is of the same size in all. */
	{ { 0, 0, 2, false, false, 31 * GB, 0 }, "32 MB (one for all CPUs), MemAvailable 31 GB" },
	{ { 0, 0, 2, false, false, 200 * MB, 0 }, "6 MB (one for all CPUs), MemAvailable 200 MB" },
	{ { 64, 0, 2, false, false, 31 * GB, 0 }, "64 MB (one for all CPUs), MemAvailable 31 GB" },
	/* Nothing is smaller than a megabyte for each buffer: then it says so. */
	{ { 0, 0, 64, true, false, 1023 * MB, 0 },
	  "64 MB (1 MB x 64 CPUs), MemAvailable 1023 MB; that is above 1/32 of it, but no "
	  "CPU can have less" },
	{ { 1, 0, 64, true, false, 64 * MB, 0 }, "64 MB (1 MB x 64 CPUs), MemAvailable 64 MB" },
	/* What was asked for is divided, and more than the default may be. */
	{ { 512, 0, 128, true, false, 31 * GB, 0 },
	  "512 MB (4 MB x 128 CPUs), MemAvailable 31 GB" },
	{ { 100, 0, 3, true, false, 200 * MB, 0 }, "99 MB (33 MB x 3 CPUs), MemAvailable 200 MB" },
	{ { 1 << 20, 0, 2, true, false, 0, 0 },
	  "8190 MB (4095 MB x 2 CPUs), MemAvailable unknown; that is less than asked for, but no "
	  "CPU can have more" },
	{ { 8191, 0, 2, true, false, 31 * GB, 0 },
	  "8190 MB (4095 MB x 2 CPUs), MemAvailable 31 GB" },
	{ { 5000, 0, 2, false, false, 31 * GB, 0 },
	  "4095 MB (one for all CPUs), MemAvailable 31 GB; that is less than asked for, but it "
	  "cannot be larger" },
	/* Each buffer's size wins. */
	{ { 512, 8, 4, true, false, 31 * GB, 0 }, "32 MB (8 MB x 4 CPUs), MemAvailable 31 GB" },
	{ { 0, 8, 4, false, false, 31 * GB, 0 }, "8 MB (one for all CPUs), MemAvailable 31 GB" },
	/* A ring is a power of two. */
	{ { 0, 0, 2, true, true, 200 * MB, 0 }, "4 MB (2 MB x 2 CPUs), MemAvailable 200 MB" },
	{ { 100, 0, 1, true, true, 31 * GB, 0 }, "64 MB (64 MB x 1 CPU), MemAvailable 31 GB" },
	{ { 4096, 0, 2, true, true, 31 * GB, 0 },
	  "4096 MB (2048 MB x 2 CPUs), MemAvailable 31 GB" },
	/* The kernel has bounds, too, and staprun's hold all the same. */
	{ { 3000, 0, 2, true, true, 31 * GB, 1024 },
	  "2048 MB (1024 MB x 2 CPUs), MemAvailable 31 GB; that is less than asked for, but no CPU "
	  "can have more" },
	{ { 2048, 0, 2, true, true, 31 * GB, 1024 },
	  "2048 MB (1024 MB x 2 CPUs), MemAvailable 31 GB" },
	{ { 4097, 0, 1, true, true, 31 * GB, 1 << 18 },
	  "2048 MB (2048 MB x 1 CPU), MemAvailable 31 GB; that is less than asked for, but no CPU "
	  "can have more" },
	/* There is always a CPU. */
	{ { 0, 0, 0, true, false, 10 * GB - 1, 0 },
	  "16 MB (16 MB x 1 CPU), MemAvailable 10239 MB" },
};

Test(buffer_plan, sizes_are_bounded_and_shown)
{
	for (size_t i = 0; i < G_N_ELEMENTS(plans); i++) {
		g_autofree char *text = NULL;
		BufferPlan plan;

		cr_assert(buffer_plan_init(&plan, &plans[i].request, NULL), "%s", plans[i].text);
		text = buffer_plan_text(&plan);
		cr_expect_str_eq(text, plans[i].text);
	}
}

Test(buffer_plan, buffers_for_the_ends_of_slabs_are_shown)
{
	const BufferRequest request = { 0, 0, 2, true, true, 31 * GB, 0 };
	g_autofree char *text = NULL;
	BufferPlan plan;

	cr_assert(buffer_plan_init(&plan, &request, NULL));
	plan.slab_bytes = 1 * MB;
	text = buffer_plan_text(&plan);
	cr_expect_str_eq(text, "32 MB (16 MB x 2 CPUs), and 1024 KB for the ends of slabs, "
			       "MemAvailable 31 GB");
	cr_expect_eq(buffer_plan_bytes(&plan), 32 * MB);
}

static const struct {
	BufferRequest request;
	const char *remedy;
} refused[] = {
	{ { 101, 0, 1, true, false, 200 * MB, 0 }, "use --buffer 100 or less" },
	{ { 102, 0, 2, true, false, 200 * MB, 0 }, "use --buffer 100 or less" },
	/* What it names is divisible. */
	{ { 200, 0, 3, true, false, 200 * MB, 0 }, "use --buffer 99 or less" },
	{ { 101, 0, 64, false, false, 200 * MB, 0 }, "use --buffer 100 or less" },
	{ { 0, 64, 4, true, false, 200 * MB, 0 }, "use --buffer 100 or less" },
	{ { 1024, 0, 64, true, false, 64 * MB, 0 }, "use --buffer 64 or less" },
	/* What no buffer can have was asked for all the same, and so was what is no power of two.
	 */
	{ { 100000, 0, 2, true, false, 22 * GB, 0 }, "use --buffer 8190 or less" },
	{ { 100000, 0, 2, true, true, 22 * GB, 0 }, "use --buffer 4096 or less" },
	{ { 100000, 0, 2, true, true, 22 * GB, 1024 }, "use --buffer 2048 or less" },
	{ { 101, 0, 2, true, true, 200 * MB, 0 }, "use --buffer 64 or less" },
};

Test(buffer_plan, more_than_half_of_the_memory_is_refused_and_the_most_that_is_sensible_named)
{
	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autoptr(GError) error = NULL;
		BufferPlan plan;

		cr_assert(not(buffer_plan_init(&plan, &refused[i].request, &error)), "%s",
			  refused[i].remedy);
		cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
		cr_expect(g_str_has_suffix(error->message, refused[i].remedy), "%s",
			  error->message);
		cr_expect(eq(ptr, strchr(error->message, '\n'), NULL));
	}
}

Test(buffer_plan, the_refusal_shows_what_was_requested)
{
	const BufferRequest of_each = { 0, 64, 4, true, false, 200 * MB, 0 };
	const BufferRequest of_all = { 100000, 0, 2, true, true, 22 * GB, 0 };
	g_autoptr(GError) error = NULL;
	BufferPlan plan;

	cr_assert(not(buffer_plan_init(&plan, &of_each, &error)));
	cr_expect(g_str_has_prefix(error->message, "buffers of 256 MB are"), "%s", error->message);
	g_clear_error(&error);
	cr_assert(not(buffer_plan_init(&plan, &of_all, &error)));
	cr_expect(g_str_has_prefix(error->message, "buffers of 100000 MB are"), "%s",
		  error->message);
}

Test(buffer_plan, what_it_names_as_sensible_is_accepted)
{
	for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
		BufferRequest request = refused[i].request;
		BufferPlan plan;

		request.megabytes_per_buffer = 0;
		request.megabytes = strtoul(strpbrk(refused[i].remedy, "0123456789"), NULL, 10);
		cr_expect(buffer_plan_init(&plan, &request, NULL), "%s", refused[i].remedy);
	}
}

/* Of 2 GB for a CPU the kernel finds no room for the table of the pages. */
Test(buffer_plan, perf_events_get_no_ring_that_cannot_be_mapped)
{
	const CollectBounds bounds = { .buffer_megabytes = 4096 };
	BufferPlan plan;

	if (sysconf(_SC_PAGESIZE) != 4096)
		cr_skip_test("pages of another size");
	cr_assert(perf_plan_buffers(&plan, &bounds, 2, 31 * GB, NULL));
	cr_expect(eq(u64, buffer_plan_bytes(&plan), 2 * GB));
	cr_expect(plan.below_asked);
}

static uint64_t available(const char *meminfo)
{
	g_autoptr(FakeHost) host = fake_host_new();

	if (meminfo)
		fake_host_write(host, "proc/meminfo", meminfo);
	return host_memory_available(host);
}

Test(buffer_plan, the_available_memory_is_the_kernels_own_figure_where_it_has_one)
{
	cr_expect(eq(u64, available("MemTotal:  900 kB\nMemFree: 1 kB\nMemAvailable:    300 kB\n"),
		     300 << 10));
	/* Before 3.14; SwapCached is something else. */
	cr_expect(eq(u64,
		     available("MemTotal: 900 kB\nMemFree: 100 kB\nBuffers: 7 kB\n"
			       "Cached: 50 kB\nSwapCached: 9 kB\n"),
		     150 << 10));
	cr_expect(eq(u64, available("nonsense"), 0));
	cr_expect(eq(u64, available(NULL), 0));
}
