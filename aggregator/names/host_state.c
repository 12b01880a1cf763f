/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text form of the state of memory, for both sides: memory_facts.c writes it, facts.c
 * and slab_readings.c read it. One table has the key of each figure, and where the host shows it.
 * Also computes how much memory was taken outside of slab caches.
 */
#include "names/host_state.h"

#include "base/text_part.h"

enum { COUNT = 1, KIB = 1024, PAGES = 0 };

const HostFigureKind host_figures[HOST_FIGURES] = {
	[HOST_MEMORY_TOTAL] = { "total_bytes", { { IN_MEMINFO, "MemTotal:", KIB } } },
	[HOST_MEMORY_FREE] = { "free_bytes", { { IN_MEMINFO, "MemFree:", KIB } } },
	[HOST_MEMORY_AVAILABLE] = { "available_bytes", { { IN_MEMINFO, "MemAvailable:", KIB } } },
	[HOST_SLAB] = { "slab_bytes", { { IN_MEMINFO, "Slab:", KIB } } },
	[HOST_SLAB_UNRECLAIMABLE] = { "slab_unreclaimable_bytes",
				      { { IN_MEMINFO, "SUnreclaim:", KIB } } },
	[HOST_SLAB_RECLAIMABLE] = { "slab_reclaimable_bytes",
				    { { IN_MEMINFO, "SReclaimable:", KIB } } },
	[HOST_VMALLOC] = { "vmalloc_bytes", { { IN_MEMINFO, "VmallocUsed:", KIB } } },
	[HOST_PER_CPU] = { "per_cpu_bytes", { { IN_MEMINFO, "Percpu:", KIB } } },
	[HOST_PAGE_TABLES] = { "page_tables_bytes", { { IN_MEMINFO, "PageTables:", KIB } } },
	[HOST_KERNEL_STACKS] = { "kernel_stacks_bytes", { { IN_MEMINFO, "KernelStack:", KIB } } },
	[HOST_HUGE_PAGES] = { "huge_pages_bytes", { { IN_MEMINFO, "Hugetlb:", KIB } } },
	[HOST_ANONYMOUS] = { "anonymous_bytes", { { IN_MEMINFO, "AnonPages:", KIB } } },
	[HOST_PAGE_CACHE] = { "page_cache_bytes",
			      { { IN_MEMINFO, "Cached:", KIB }, { IN_MEMINFO, "Buffers:", KIB } } },
	[HOST_SHARED] = { "shared_bytes", { { IN_MEMINFO, "Shmem:", KIB } } },
	[HOST_SWAP_CACHE] = { "swap_cache_bytes", { { IN_MEMINFO, "SwapCached:", KIB } } },
	[HOST_RECLAIMABLE] = { "reclaimable_bytes", { { IN_MEMINFO, "KReclaimable:", KIB } } },
	[HOST_SECONDARY_PAGE_TABLES] = { "secondary_page_tables_bytes",
					 { { IN_MEMINFO, "SecPageTables:", KIB } } },
	[HOST_LISTED] = { "listed_bytes",
			  { { IN_MEMINFO, "Active:", KIB },
			    { IN_MEMINFO, "Inactive:", KIB },
			    { IN_MEMINFO, "Unevictable:", KIB },
			    { IN_VMSTAT, "nr_isolated_", PAGES } } },
	[HOST_COMPRESSED] = { "compressed_bytes", { { IN_VMSTAT, "nr_zspages ", PAGES } } },
	[HOST_MEMORY_FREE_ON_CPUS] = { "free_on_cpus_bytes", { { IN_ZONEINFO, "count:", PAGES } } },
	[HOST_TCP_BUFFERS] = { "tcp_buffers_bytes", { { IN_SOCKSTAT, "TCP:", PAGES } } },
	[HOST_BALLOON] = { "balloon_bytes", { { IN_MEMINFO, "Balloon:", KIB } } },
	[HOST_BALLOON_BY_EVENTS] = { "balloon_by_events_bytes",
				     { { IN_VMSTAT, "balloon_inflate ", PAGES },
				       { IN_VMSTAT, "balloon_deflate ", PAGES, true } } },
	[HOST_BALLOON_IN_TOTAL] = { "balloon_in_total_bytes", { { 0 } } },
	[HOST_STACKS_IN_VMALLOC] = { "stacks_in_vmalloc_bytes", { { 0 } } },
	[HOST_RAM] = { "ram_bytes", { { 0 } } },
	[HOST_MAJOR_FAULTS] = { "major_faults", { { IN_VMSTAT, "pgmajfault ", COUNT } } },
	[HOST_RECLAIM_STALLS] = { "reclaim_stalls", { { IN_VMSTAT, "allocstall", COUNT } } },
	[HOST_OOM_KILLS] = { "oom_kills", { { IN_VMSTAT, "oom_kill ", COUNT } } },
	[HOST_PRESSURE_SOME_US] = { "pressure_some_us", { { IN_PRESSURE, "some ", COUNT } } },
	[HOST_PRESSURE_FULL_US] = { "pressure_full_us", { { IN_PRESSURE, "full ", COUNT } } },
};

/* In a container, /proc/meminfo may be of the container, and /proc/zoneinfo of the host. */
static void count_free_on_cpus(HostState *state)
{
	static const HostFigure figures[] = { HOST_MEMORY_FREE, HOST_MEMORY_AVAILABLE };
	uint64_t total = state->numbers[HOST_MEMORY_TOTAL];
	uint64_t on_cpus = state->numbers[HOST_MEMORY_FREE_ON_CPUS];

	if (on_cpus > total || state->numbers[HOST_MEMORY_FREE] > total - on_cpus)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++)
		if (state->known[figures[i]])
			state->numbers[figures[i]] =
				MIN(state->numbers[figures[i]], total - on_cpus) + on_cpus;
}

HostState host_state_parse(const GString *text)
{
	TextPart rest = { text ? text->str : "", text ? text->len : 0 };
	HostState state = { 0 };
	TextPart line;

	while (text_part_next_line(&rest, &line)) {
		TextPart key = text_part_next_word(&line);
		TextPart word = text_part_next_word(&line);
		uint64_t number;
		int figure = 0;

		if (line.length || !text_part_decimal_64(word, &number) || number == UINT64_MAX)
			continue;
		while (figure < HOST_FIGURES && !text_part_is(key, host_figures[figure].key))
			figure++;
		if (figure == HOST_FIGURES || state.known[figure])
			continue;
		state.known[figure] = true;
		state.numbers[figure] = number;
	}
	count_free_on_cpus(&state);
	return state;
}

void host_state_append(GString *out, const HostState *state)
{
	for (int figure = 0; figure < HOST_FIGURES; figure++)
		if (state->known[figure])
			g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "\n",
					       host_figures[figure].key, state->numbers[figure]);
}

/* Memory that no figure explains, modulo 2^64: a recording may contain any numbers. */
static uint64_t outside_slab(const HostState *state)
{
	const uint64_t *numbers = state->numbers;
	/* CPUs add pages to the lists in batches, some time after they were allocated. A page that
	   ends or is swapped is neither anonymous nor in the cache for a time. So each way may miss
	   some pages, and none counts a page twice. */
	uint64_t of_programs =
		MAX(numbers[HOST_LISTED], numbers[HOST_ANONYMOUS] + numbers[HOST_PAGE_CACHE]);

	return numbers[HOST_MEMORY_TOTAL] - numbers[HOST_MEMORY_FREE] - numbers[HOST_SLAB] -
	       numbers[HOST_PAGE_TABLES] - numbers[HOST_KERNEL_STACKS] - numbers[HOST_HUGE_PAGES] -
	       numbers[HOST_COMPRESSED] - numbers[HOST_BALLOON_IN_TOTAL] - of_programs;
}

uint64_t host_state_balloon_outside_total(const HostState *state)
{
	uint64_t balloon = state->numbers[HOST_BALLOON];

	return balloon - MIN(balloon, state->numbers[HOST_BALLOON_IN_TOTAL]);
}

int64_t host_state_taken_outside_slab(const HostState *start, const HostState *end)
{
	for (int figure = 0; figure <= HOST_MEMORY_FREE_ON_CPUS; figure++)
		if (start->known[figure] != end->known[figure])
			return 0;
	if (!end->known[HOST_MEMORY_TOTAL] || !end->known[HOST_MEMORY_FREE])
		return 0;
	return (int64_t)(outside_slab(end) - outside_slab(start));
}
