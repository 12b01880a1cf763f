/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_cost.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(perf_pay);

static const HitCost hit_cost = { .sample_ns = 400, .hit_ns = 50, .rejected_ns = 60 };

/* With --sample=1000, nearly all hits have no sample. */
Test(perf_pay, hits_are_paid_once_sampled_or_not)
{
	HitsPaid paid = { 0 };

	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 1000, 0), 50000);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 1000, 0), 0);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 1001, 0), 50);
}

Test(perf_pay, calls_that_no_event_counts_were_rejected)
{
	HitsPaid paid = { 0 };

	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 10, 1010), 10 * 50 + 1000 * 60);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 20, 1020), 10 * 50);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 20, 2020), 1000 * 60);
}

/* The two numbers are not read at the same moment. */
Test(perf_pay, a_number_that_is_read_late_is_paid_once)
{
	HitsPaid paid = { 0 };

	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 100, 99), 100 * 50);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 100, 110), 10 * 60);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 105, 110), 5 * 50);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 105, 110), 0);
	cr_expect_eq(hits_paid_pay(&paid, &hit_cost, 106, 120), 50 + 4 * 60);
}

/* Neither reading nor hits belong to what a sample costs. */
Test(perf_pay, samples_that_found_no_room_cost_as_much_as_those_that_were_read)
{
	CpuCost cost = { .samples_ns = 10000, .hits_ns = 7000, .rest_ns = 500 };

	cpu_cost_add_reading(&cost, 90000);
	cpu_cost_add_lost(&cost, 30, 10);
	cr_expect_eq(cost.samples_ns, 10000 + 90000 + 30000);
	cpu_cost_add_lost(&cost, 10, 10);
	cr_expect_eq(cost.samples_ns, 10000 + 90000 + 40000);
	cr_expect_eq(cpu_cost_sum(&cost), 140000 + 7000 + 500);
	cpu_cost_add_lost(&cost, 10, 0);
	cr_expect_eq(cost.samples_ns, 140000);
}

/* The records of objects that are left out are read, too. */
Test(perf_pay, reading_is_paid_for_what_is_followed_by_its_number)
{
	CpuCost cost = { .taken_ns = 7 };

	cpu_cost_add_taken(&cost, 9000, 30, 90);
	cr_expect_eq(cost.taken_ns, 3007);
	cpu_cost_add_taken(&cost, 9000, 0, 0);
	cr_expect_eq(cost.taken_ns, 3007);
	/* A record may have several objects. */
	cpu_cost_add_taken(&cost, 1000, 300, 10);
	cr_expect_eq(cost.taken_ns, 4007);
}

Test(perf_pay, interrupts_by_the_program_are_paid_once)
{
	CpuCost cost = { .rest_ns = 5 };

	cpu_cost_interrupt(&cost, 1000);
	cpu_cost_interrupt(&cost, 1000);
	cpu_cost_interrupt(&cost, 1700);
	cr_expect_eq(cost.rest_ns, 1705);
	cr_expect_eq(cpu_cost_sum(&cost), 1705);
}

Test(perf_pay, the_time_of_the_program_is_shared_but_for_the_reading)
{
	ReaderTime reader = { .from_ns = 1000 };

	reader.known_ns = 3000;
	cr_expect_eq(reader_time_share(&reader, 9000, 2), 2500);
	cr_expect_eq(reader_time_share(&reader, 9100, 2), 50);
	reader.known_ns = 500; /* two clocks */
	cr_expect_eq(reader_time_share(&reader, 9500, 2), 0);
	cr_expect_eq(reader_time_share(&reader, 9500, 0), 0);
}

Test(perf_pay, what_the_program_did_before_costs_no_run)
{
	ReaderTime reader = { 0 };

	cr_expect_eq(reader_time_share(&reader, 800000, 4), 0);
	cr_expect_eq(reader_time_share(&reader, 800400, 4), 100);
}
