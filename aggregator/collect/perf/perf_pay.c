/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic: what hits, lost samples and the reader's own time cost. perf_cpus.c and perf_read.c
 * keep the numbers.
 */
#include "collect/perf/perf_pay.h"

/* Returns how far a number has risen above the one of before, which it replaces. */
static uint64_t raise_to(uint64_t *before, uint64_t now)
{
	uint64_t more = now > *before ? now - *before : 0;

	*before += more;
	return more;
}

uint64_t hits_paid_pay(HitsPaid *paid, const HitCost *cost, uint64_t counted, uint64_t calls)
{
	uint64_t rejected = calls > counted ? calls - counted : 0;

	return raise_to(&paid->counted, counted) * cost->hit_ns +
	       raise_to(&paid->rejected, rejected) * cost->rejected_ns;
}

void cpu_cost_add_lost(CpuCost *cost, uint64_t lost, uint64_t read)
{
	uint64_t of_read_ns = cost->samples_ns - cost->lost_ns - cost->reading_ns;
	uint64_t ns = read ? of_read_ns / read * lost : 0;

	cost->lost_ns += ns;
	cost->samples_ns += ns;
}

void cpu_cost_interrupt(CpuCost *cost, uint64_t interrupted_ns)
{
	cost->rest_ns += raise_to(&cost->interrupted_ns, interrupted_ns);
}

uint64_t reader_time_share(ReaderTime *reader, uint64_t now_ns, unsigned cpus)
{
	uint64_t spent_ns =
		reader->from_ns && now_ns > reader->from_ns ? now_ns - reader->from_ns : 0;
	uint64_t rest_ns = spent_ns > reader->known_ns ? spent_ns - reader->known_ns : 0;

	*reader = (ReaderTime){ .from_ns = now_ns };
	return cpus ? rest_ns / cpus : 0;
}
