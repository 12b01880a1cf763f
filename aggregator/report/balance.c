/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The balance: where all memory of a host is. Its parts are a table of sums of figures
 * (names/host_state.h), made so that no page is in two of them; what is left of MemTotal stands in
 * no counter. slab_readings.c has the caches; text and JSON print both.
 */
#include "report/slab_readings.h"

#include "base/clock.h"

enum { FIGURES_OF_A_PART = 2 };
#define NO_FIGURE HOST_MEMORY_TOTAL /* it is in no part */

/* A part is a sum of figures, less what another part has of them. */
typedef struct {
	const char *id;
	const char *title;
	HostFigure plus[FIGURES_OF_A_PART];
	HostFigure less;
} BalancePart;

static const BalancePart parts[] = {
	{ .id = "free", .title = "free", .plus = { HOST_MEMORY_FREE } },
	{ .id = "anonymous", .title = "programs (anonymous)", .plus = { HOST_ANONYMOUS } },
	{ .id = "page_cache",
	  .title = "page cache",
	  .plus = { HOST_PAGE_CACHE },
	  .less = HOST_SHARED },
	{ .id = "shared", .title = "shared memory, tmpfs", .plus = { HOST_SHARED } },
	{ .id = "swap_cache", .title = "swap cache", .plus = { HOST_SWAP_CACHE } },
	{ .id = "compressed", .title = "zswap, zram", .plus = { HOST_COMPRESSED } },
	{ .id = "huge_pages", .title = "huge pages (hugetlb)", .plus = { HOST_HUGE_PAGES } },
	{ .id = "slab_unreclaimable",
	  .title = "slab, unreclaimable",
	  .plus = { HOST_SLAB_UNRECLAIMABLE } },
	{ .id = "slab_reclaimable",
	  .title = "slab, reclaimable",
	  .plus = { HOST_SLAB_RECLAIMABLE } },
	{ "other_reclaimable",
	  "reclaimable, not slab",
	  { HOST_RECLAIMABLE },
	  .less = HOST_SLAB_RECLAIMABLE },
	{ .id = "kernel_stacks", .title = "kernel stacks", .plus = { HOST_KERNEL_STACKS } },
	{ .id = "page_tables",
	  .title = "page tables",
	  .plus = { HOST_PAGE_TABLES, HOST_SECONDARY_PAGE_TABLES } },
	{ .id = "per_cpu", .title = "per-CPU", .plus = { HOST_PER_CPU } },
	{ .id = "vmalloc",
	  .title = "vmalloc",
	  .plus = { HOST_VMALLOC },
	  .less = HOST_STACKS_IN_VMALLOC },
	{ .id = "balloon", .title = "balloon", .plus = { HOST_BALLOON_IN_TOTAL } },
};

/* People look for these, so they are shown however small they are. */
static bool is_always_shown(const BalanceRow *row)
{
	return g_str_equal(row->part, "free") || g_str_equal(row->part, "slab_unreclaimable") ||
	       g_str_equal(row->part, "in_no_counter");
}

/* A page of the swap cache may be mapped, and is then anonymous, too. The lists for reclaim have
   each page once. */
static void leave_out_mapped_swap_cache(HostState *state)
{
	uint64_t *numbers = state->numbers;
	uint64_t others = numbers[HOST_ANONYMOUS] + numbers[HOST_PAGE_CACHE];
	uint64_t listed = MAX(numbers[HOST_LISTED], others);

	if (state->known[HOST_LISTED])
		numbers[HOST_SWAP_CACHE] = MIN(numbers[HOST_SWAP_CACHE], listed - others);
}

static uint64_t bytes_of(const BalancePart *part, const HostState *state)
{
	uint64_t bytes = 0, less = 0;

	for (int i = 0; i < FIGURES_OF_A_PART; i++)
		if (part->plus[i] != NO_FIGURE)
			bytes += state->numbers[part->plus[i]];
	if (part->less != NO_FIGURE)
		less = state->numbers[part->less];
	return bytes - MIN(less, bytes);
}

/* Fills a row for each part that the kernel shows. */
static void add_parts(GArray *rows, const HostState *start, const HostState *end)
{
	for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
		const BalancePart *part = &parts[i];
		const BalanceRow row = {
			.part = part->id,
			.title = part->title,
			.start = bytes_of(part, start),
			.bytes = bytes_of(part, end),
		};

		if (end->known[part->plus[0]])
			g_array_append_val(rows, row);
	}
}

/* Adds what is left of all memory. In a container the files may be of different hosts; then the
   parts are more than all. */
static void add_rest(GArray *rows, uint64_t start_total, uint64_t total)
{
	BalanceRow rest = { .part = "in_no_counter", .title = "in no counter" };
	BalanceRow twice = { .part = "counted_twice", .title = "counted twice (-)" };
	uint64_t start = 0, end = 0;

	for (guint i = 0; i < rows->len; i++) {
		start += g_array_index(rows, BalanceRow, i).start;
		end += g_array_index(rows, BalanceRow, i).bytes;
	}
	rest.start = start_total - MIN(start, start_total);
	rest.bytes = total - MIN(end, total);
	twice.start = start - MIN(start, start_total);
	twice.bytes = end - MIN(end, total);
	g_array_append_val(rows, rest);
	if (twice.bytes)
		g_array_append_val(rows, twice);
}

static int compare_rows(const void *a, const void *b)
{
	const BalanceRow *of_a = a, *of_b = b;

	return (of_a->bytes < of_b->bytes) - (of_a->bytes > of_b->bytes);
}

static bool is_large(const BalanceRow *row, const MemorySpan *memory)
{
	enum { SHARE_MIN = 100 };

	return row->bytes >= memory->end.numbers[HOST_MEMORY_TOTAL] / SHARE_MIN;
}

static bool has_changed(const BalanceRow *row, uint64_t noise)
{
	return MAX(row->bytes, row->start) - MIN(row->bytes, row->start) > noise;
}

/* Parts that are not shown on their own. */
typedef struct {
	BalanceRow sum;
	guint count;
} Folded;

static void fold_row(GArray *rows, guint index, Folded *folded)
{
	const BalanceRow row = g_array_index(rows, BalanceRow, index);

	folded->sum.title = row.title;
	folded->sum.start += row.start;
	folded->sum.bytes += row.bytes;
	folded->count++;
	g_array_remove_index(rows, index);
}

/* Puts the largest first, and parts that are small and did not change into one row; also others if
   there would be more than rows_max. */
static void fold_small(Table *table, const MemorySpan *memory, uint64_t noise, guint rows_max)
{
	Folded folded = { .sum.part = "others" };
	GArray *rows = table->rows;

	g_array_sort(rows, compare_rows);
	for (guint i = rows->len; i-- > 0;) {
		const BalanceRow *row = &g_array_index(rows, BalanceRow, i);

		if (!is_always_shown(row) && !is_large(row, memory) && !has_changed(row, noise))
			fold_row(rows, i, &folded);
	}
	for (guint i = rows->len; i-- > 0 && rows->len + (folded.count ? 1 : 0) > rows_max;)
		if (!is_always_shown(&g_array_index(rows, BalanceRow, i)))
			fold_row(rows, i, &folded);
	if (folded.count > 1)
		folded.sum.title = table_printf(table, "%u smaller parts (--all)", folded.count);
	if (folded.count)
		g_array_append_val(rows, folded.sum);
}

/* Returns how many rows a terminal has room for, beside the lines above and below them: of -d,
   of all memory, titles, some caches, what is left out, reclaimable ones, cgroups, a prompt. */
static guint balance_rows_max(const SlabTable *slabs)
{
	enum { OTHER_LINES = 14, ROWS_MIN = 4 };
	guint lines = slabs->terminal.lines;

	return lines ? MAX(lines, OTHER_LINES + ROWS_MIN) - OTHER_LINES : UINT32_MAX;
}

/* Sockets are what fills memory without a counter most often. Their packets are also in slab
   caches, so this is a row below that part, and no part. */
static void insert_tcp_buffers(GArray *rows, const MemorySpan *memory, uint64_t noise)
{
	BalanceRow tcp = { .part = "tcp_buffers",
			   .title = "  of it TCP packets, up to",
			   .start = memory->start.numbers[HOST_TCP_BUFFERS],
			   .bytes = memory->end.numbers[HOST_TCP_BUFFERS] };
	guint at = 0;

	while (at < rows->len &&
	       !g_str_equal(g_array_index(rows, BalanceRow, at).part, "in_no_counter"))
		at++;
	if (at < rows->len && (is_large(&tcp, memory) || has_changed(&tcp, noise)))
		g_array_insert_val(rows, at + 1, tcp);
}

static Value share_of(Table *table, const TableColumn *column, guint row)
{
	const MemorySpan *memory = table->source;

	(void)column;
	return (Value){ .known = true,
			.number = g_array_index(table->rows, BalanceRow, row).bytes,
			.other = memory->end.numbers[HOST_MEMORY_TOTAL] };
}

#define MEMBER(name, type, member) TABLE_MEMBER(name, type, BalanceRow, member)

static const TableColumn columns[] = {
	{ MEMBER("part", VALUE_TEXT, part), .uses = TABLE_JSON },
	{ MEMBER("title", VALUE_TEXT, title), .title = "MEMORY", .uses = TABLE_TEXT | TABLE_PAGE },
	{ MEMBER("bytes_start", VALUE_BYTES, start), .known_at = offsetof(BalanceRow, has_change),
	  .uses = TABLE_JSON },
	{ MEMBER("bytes", VALUE_BYTES, bytes), .title = "SIZE" },
	{ .id = "share_percent", .title = "SHARE%", .type = VALUE_SHARE, .read = share_of },
	{ MEMBER("change_bytes_per_second", VALUE_CHANGE, change_bytes),
	  .known_at = offsetof(BalanceRow, has_change), .title = "CHANGE/s" },
};

static const TableColumn grown = { MEMBER(NULL, VALUE_CHANGE, grown_bytes),
				   .known_at = offsetof(BalanceRow, has_change),
				   .title = "CHANGE" };
static const TableColumn grown_data = { MEMBER("change_bytes", VALUE_CHANGE, grown_bytes),
					.known_at = offsetof(BalanceRow, has_change) };

static void add_changes(GArray *rows, const MemorySpan *memory)
{
	for (guint i = 0; i < rows->len; i++) {
		BalanceRow *row = &g_array_index(rows, BalanceRow, i);

		row->has_change = memory->span_ns && memory->start.known[HOST_MEMORY_TOTAL];
		row->grown_bytes = (double)row->bytes - (double)row->start;
		row->change_bytes =
			row->grown_bytes * NS_PER_SECOND / (double)MAX(memory->span_ns, 1);
	}
}

Table *balance_table_new(const SlabTable *slabs, TableUse use)
{
	enum { WIDE_COLUMNS = 80 };
	const MemorySpan *memory = &slabs->memory;
	HostState start = memory->start, end = memory->end;
	uint64_t total = end.numbers[HOST_MEMORY_TOTAL], noise = slab_table_noise(slabs);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(BalanceRow));
	Table *table = table_new(memory, rows);

	leave_out_mapped_swap_cache(&start);
	leave_out_mapped_swap_cache(&end);
	if (total && end.known[HOST_MEMORY_FREE]) {
		add_parts(rows, &start, &end);
		add_rest(rows, start.numbers[HOST_MEMORY_TOTAL], total);
	}
	if (rows->len && use == TABLE_TEXT && slabs->rows_max < UINT32_MAX)
		fold_small(table, memory, noise, balance_rows_max(slabs));
	if (use == TABLE_TEXT)
		insert_tcp_buffers(rows, memory, noise);
	add_changes(rows, memory);
	table->count = rows->len;
	table_add(table, columns, G_N_ELEMENTS(columns), use);
	if (use == TABLE_JSON)
		table_add(table, &grown_data, 1, use);
	else if (slab_table_shows_grown(slabs, WIDE_COLUMNS))
		table_add(table, &grown, 1, use);
	return table;
}
