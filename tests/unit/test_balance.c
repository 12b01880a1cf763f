/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The balance: each figure of the host stands in one part, and the parts are all memory. */
#include "report/slab_readings.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(balance);

#define SECOND_NS 1000000000ULL
enum { MIB = 1 << 20, TOTAL_MIB = 100000 };

/* Each figure is another number of MiB, with one binary digit, so that each sum shows its terms. */
static const char whole[] = "total_bytes 104857600000\n"
			    "free_bytes 1048576\n"                     /* 1 */
			    "anonymous_bytes 2097152\n"                /* 2 */
			    "page_cache_bytes 12582912\n"              /* 4 + 8 */
			    "shared_bytes 8388608\n"                   /* 8 */
			    "swap_cache_bytes 16777216\n"              /* 16 */
			    "compressed_bytes 33554432\n"              /* 32 */
			    "huge_pages_bytes 67108864\n"              /* 64 */
			    "slab_unreclaimable_bytes 134217728\n"     /* 128 */
			    "slab_reclaimable_bytes 268435456\n"       /* 256 */
			    "reclaimable_bytes 805306368\n"            /* 256 + 512 */
			    "kernel_stacks_bytes 1073741824\n"         /* 1024 */
			    "page_tables_bytes 2147483648\n"           /* 2048 */
			    "secondary_page_tables_bytes 4294967296\n" /* 4096 */
			    "per_cpu_bytes 8589934592\n"               /* 8192 */
			    "vmalloc_bytes 18253611008\n"              /* 1024 + 16384 */
			    "stacks_in_vmalloc_bytes 1073741824\n"     /* 1024 */
			    "balloon_bytes 34359738368\n"              /* 32768 */
			    "balloon_in_total_bytes 34359738368\n"
			    "ram_bytes 109951162777\n";

static HostState state_of(const char *text)
{
	g_autoptr(GString) copy = g_string_new(text);

	return host_state_parse(copy);
}

/* Returns the balance of two readings, one second apart; start may be "". */
static Table *balance_of(const char *start, const char *end, TableUse use)
{
	static SlabTable slabs;

	slabs = (SlabTable){ .memory = { state_of(start), state_of(end), SECOND_NS },
			     .rows_max = SLAB_TABLE_ROWS,
			     .cpus = 2 };
	return balance_table_new(&slabs, use);
}

static const BalanceRow *row_of(const Table *table, const char *part)
{
	for (guint i = 0; i < table->count; i++) {
		const BalanceRow *row = &g_array_index(table->rows, BalanceRow, i);

		if (g_str_equal(row->part, part))
			return row;
	}
	return NULL;
}

static void expect_mib(const Table *table, const char *part, uint64_t mib)
{
	const BalanceRow *row = row_of(table, part);

	cr_assert_not_null(row, "%s", part);
	cr_expect(eq(u64, row->bytes / MIB, mib), "%s", part);
}

Test(balance, each_figure_stands_in_one_part)
{
	g_autoptr(Table) table = balance_of("", whole, TABLE_JSON);

	expect_mib(table, "free", 1);
	expect_mib(table, "anonymous", 2);
	expect_mib(table, "page_cache", 4);
	expect_mib(table, "shared", 8);
	expect_mib(table, "swap_cache", 16);
	expect_mib(table, "compressed", 32);
	expect_mib(table, "huge_pages", 64);
	expect_mib(table, "slab_unreclaimable", 128);
	expect_mib(table, "slab_reclaimable", 256);
	expect_mib(table, "other_reclaimable", 512);
	expect_mib(table, "kernel_stacks", 1024);
	expect_mib(table, "page_tables", 2048 + 4096);
	expect_mib(table, "per_cpu", 8192);
	expect_mib(table, "vmalloc", 16384);
	expect_mib(table, "balloon", 32768);
	expect_mib(table, "in_no_counter", TOTAL_MIB - 65535);
	cr_expect_null(row_of(table, "counted_twice"));
}

Test(balance, the_parts_add_up_to_all_memory)
{
	g_autoptr(Table) table = balance_of(whole, whole, TABLE_JSON);
	uint64_t sum = 0;

	for (guint i = 0; i < table->count; i++)
		sum += g_array_index(table->rows, BalanceRow, i).bytes;
	cr_expect(eq(u64, sum, (uint64_t)TOTAL_MIB * MIB));
}

/* 100 MiB are in the lists for reclaim, 90 of them anonymous: some of the swap cache is mapped. */
Test(balance, a_page_of_the_swap_cache_that_is_mapped_counts_once)
{
	g_autoptr(Table) table = balance_of("",
					    "total_bytes 1048576000\nfree_bytes 0\n"
					    "anonymous_bytes 94371840\nswap_cache_bytes 31457280\n"
					    "listed_bytes 104857600\n",
					    TABLE_JSON);

	expect_mib(table, "swap_cache", 10);
	expect_mib(table, "in_no_counter", 900);
}

Test(balance, parts_that_are_more_than_all_memory_are_counted_twice)
{
	g_autoptr(Table) table = balance_of(
		"", "total_bytes 10485760\nfree_bytes 10485760\nanonymous_bytes 2097152\n",
		TABLE_JSON);

	expect_mib(table, "counted_twice", 2);
	expect_mib(table, "in_no_counter", 0);
}

Test(balance, without_total_or_free_memory_there_is_none)
{
	g_autoptr(Table) table =
		balance_of("", "free_bytes 5\nslab_reclaimable_bytes 4\n", TABLE_JSON);

	cr_expect(eq(u32, table->count, 0));
	table_free(table);
	table = balance_of("", "total_bytes 5\nslab_reclaimable_bytes 4\n", TABLE_JSON);
	cr_expect(eq(u32, table->count, 0));
}

/* Of what is below 1 %, one part grew by 2 MiB. */
Test(balance, for_people_small_parts_are_one_row_unless_they_changed)
{
	static const char start[] = "total_bytes 1048576000\nfree_bytes 943718400\n"
				    "anonymous_bytes 52428800\nper_cpu_bytes 1048576\n"
				    "kernel_stacks_bytes 1048576\npage_tables_bytes 1048576\n"
				    "slab_unreclaimable_bytes 1048576\n";
	static const char end[] = "total_bytes 1048576000\nfree_bytes 941621248\n"
				  "anonymous_bytes 52428800\nper_cpu_bytes 1048576\n"
				  "kernel_stacks_bytes 1048576\npage_tables_bytes 3145728\n"
				  "slab_unreclaimable_bytes 1048576\n";
	static const char *const wanted[] = { "free",        "anonymous",          "in_no_counter",
					      "page_tables", "slab_unreclaimable", "others" };
	g_autoptr(Table) table = balance_of(start, end, TABLE_TEXT);

	cr_assert(eq(u32, table->count, G_N_ELEMENTS(wanted)));
	for (guint i = 0; i < table->count; i++)
		cr_expect_str_eq(g_array_index(table->rows, BalanceRow, i).part, wanted[i]);
	expect_mib(table, "others", 2);
	cr_expect_str_eq(row_of(table, "others")->title, "2 smaller parts (--all)");
	cr_expect(eq(dbl, row_of(table, "page_tables")->change_bytes, 2 * MIB));
}

/* 30 MiB of 1,000, and 1 MiB that grew by less than noise. */
Test(balance, for_people_tcp_stands_below_what_is_in_no_counter)
{
	static const char text[] = "total_bytes 1048576000\nfree_bytes 0\n"
				   "tcp_buffers_bytes 31457280\n";
	g_autoptr(Table) table = balance_of(text, text, TABLE_TEXT);

	cr_assert(eq(u32, table->count, 3));
	cr_expect_str_eq(g_array_index(table->rows, BalanceRow, 0).part, "in_no_counter");
	cr_expect_str_eq(g_array_index(table->rows, BalanceRow, 1).part, "tcp_buffers");
	expect_mib(table, "in_no_counter", 1000);
	expect_mib(table, "tcp_buffers", 30);
	table_free(table);
	table = balance_of(text, text, TABLE_JSON);
	cr_expect_null(row_of(table, "tcp_buffers"));
	table_free(table);
	table = balance_of("", "total_bytes 1048576000\nfree_bytes 0\ntcp_buffers_bytes 1048576\n",
			   TABLE_TEXT);
	cr_expect_null(row_of(table, "tcp_buffers"));
}
