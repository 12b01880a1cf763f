/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/made_tables.h"

enum { FIRST_SECOND = 1795220000, NS = 1000000000 };

const Metric *const made_columns[] = { &metrics[METRIC_CACHE], &metrics[METRIC_ALLOCATIONS],
				       &metrics[METRIC_BYTES_ALLOCATED], NULL };

static void add_row(RateTable *table, const char *label, const char *name, uint64_t allocations,
		    uint64_t bytes_each)
{
	RateRow row = {
		.label = text_pool_keep(table->texts, label),
		.name = text_pool_keep(table->texts, name),
		.sums.summary = { .allocations = allocations,
				  .bytes_allocated = allocations * bytes_each },
		.lacks = NEEDS_SLABINFO,
	};

	g_array_append_val(table->rows, row);
	row_sums_add(&table->sum.sums, &row.sums);
}

RateTable *made_table(uint64_t number)
{
	RateTable *table = g_new0(RateTable, 1);

	table->number = number;
	table->start_ns = number * NS;
	table->end_ns = table->start_ns + NS;
	table->realtime_ns = (FIRST_SECOND + number) * NS;
	table->load_average = g_strdup("0.38 0.21 0.12 1/342 13297");
	table->rows = g_array_new(FALSE, FALSE, sizeof(RateRow));
	table->texts = text_pool_new();
	table->sum = (RateRow){ .label = "(all caches)", .lacks = NEEDS_SLABINFO };
	table->events_lost = loss_exactly(number == 3 ? 7 : 0);
	table->cost_percent = 1.1;
	add_row(table, "dentry", "dentry", 1000, 192);
	add_row(table, "filp", "filp", 100 * (number + 1), 256);
	add_row(table, "kmalloc-64 (also: eventpoll_pwq)", "kmalloc-64", 500, 64);
	add_row(table, "(no cache: pages)", NULL, 2, 4096);
	for (unsigned i = 0; i < 40; i++) {
		g_autofree char *name = g_strdup_printf("small_cache_%02u", i);

		add_row(table, name, name, 40 - i, 8);
	}
	/* Neither wide nor strange characters may spoil the columns. */
	add_row(table, "\346\274\242\345\255\227_cache", "\346\274\242\345\255\227_cache", 60, 8);
	rate_rows_sort(table->rows, rate_sort_default);
	return table;
}

static void add_detail(GArray *rows, const char *label, uint64_t allocations, FrameList *frames)
{
	RateDetailRow row = {
		.label = g_strdup(label),
		.sums.summary = { .allocations = allocations,
				  .bytes_allocated = allocations * 256 },
		.frames = frames,
	};

	g_array_append_val(rows, row);
}

static FrameList *opening_frames(void)
{
	static const Frame frames[] = {
		{ .text = "alloc_empty_file+0x51/0xd0" },
		{ .text = "do_sys_openat2+0x7a/0xc0" },
		{ .text = "nf_hook+0x10/0x20 [nf_tables]" },
	};

	return frame_list_new(frames, G_N_ELEMENTS(frames));
}

static FrameList *socket_frames(void)
{
	static const Frame frames[] = {
		{ .text = "sock_alloc_file+0x1/0x2" },
		{ .text = "__sys_socket+0x3/0x4" },
	};

	return frame_list_new(frames, G_N_ELEMENTS(frames));
}

RateDetail *made_detail(const char *cache, double seconds, const char *key)
{
	RateDetail *detail = rate_detail_empty(cache, NULL);
	bool by_process = g_str_equal(key, "process");

	detail->seconds = seconds;
	detail->sums.summary = (StackSummary){ .allocations = 100, .bytes_allocated = 25600 };
	add_detail(detail->groups, by_process ? "nginx" : "/system.slice/nginx.service", 90, NULL);
	add_detail(detail->groups, by_process ? "cat" : "/user.slice", 10, NULL);
	add_detail(detail->stacks, "do_sys_openat2", 70, opening_frames());
	add_detail(detail->stacks, "__sys_socket", 30, socket_frames());
	return detail;
}
