/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of each cell in a ring of equally long blocks of time. When a run outgrows the ring, two
 * blocks become one, for all cells. The profile adds to it if --diff is asked; diff_bursts.c reads
 * how uneven events are.
 */
#include "count/time_blocks.h"

#include "base/saturate.h"

#include <glib.h>

enum { FIRST_SHIFT = 16 /* blocks of 65,536 ns */ };

/* Blocks are numbered from time 0 on. Block n of a cell is at n % TIME_BLOCKS, so blocks before the
   first one so far may come: CPUs deliver their events in turn. */
struct TimeBlocks {
	uint32_t *events; /* of all cells, TIME_BLOCKS each */
	float *values;    /* the same; NULL: there are none */
	uint32_t cells;
	uint32_t cells_with_values;
	uint32_t values_max; /* cells with values, at most */
	unsigned shift;      /* a block has 1 << shift ns */
	uint64_t first;      /* the blocks with events; first > last: none */
	uint64_t last;
	bool lacks_times; /* of events */
};

TimeBlocks *time_blocks_new(void)
{
	TimeBlocks *blocks = g_new0(TimeBlocks, 1);

	blocks->shift = FIRST_SHIFT;
	blocks->first = UINT64_MAX;
	blocks->values_max = UINT32_MAX;
	return blocks;
}

void time_blocks_free(TimeBlocks *blocks)
{
	if (!blocks)
		return;
	g_free(blocks->events);
	g_free(blocks->values);
	g_free(blocks);
}

static size_t index_of(uint32_t cell, uint64_t number)
{
	return (size_t)cell * TIME_BLOCKS + number % TIME_BLOCKS;
}

void time_blocks_grow(TimeBlocks *blocks, uint32_t cells)
{
	if (cells <= blocks->cells)
		return;
	blocks->events = g_renew(uint32_t, blocks->events, (size_t)cells * TIME_BLOCKS);
	memset(blocks->events + (size_t)blocks->cells * TIME_BLOCKS, 0,
	       (cells - blocks->cells) * TIME_BLOCKS_CELL_BYTES);
	blocks->cells = cells;
}

void time_blocks_limit_values(TimeBlocks *blocks, uint32_t cells)
{
	blocks->values_max = cells;
}

static void grow_values(TimeBlocks *blocks)
{
	uint32_t cells = MIN(blocks->cells, blocks->values_max);
	size_t before = (size_t)blocks->cells_with_values * TIME_BLOCKS;
	size_t wanted = (size_t)cells * TIME_BLOCKS;

	blocks->values = g_renew(float, blocks->values, wanted);
	for (size_t i = before; i < wanted; i++)
		blocks->values[i] = 0;
	blocks->cells_with_values = cells;
}

static uint32_t sum_of(uint32_t a, uint32_t b)
{
	return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

static void merge_events(const TimeBlocks *blocks, uint32_t cell)
{
	uint32_t merged[TIME_BLOCKS] = { 0 };

	for (uint64_t n = blocks->first; n <= blocks->last; n++) {
		uint32_t *sum = &merged[n / 2 % TIME_BLOCKS];

		*sum = sum_of(*sum, blocks->events[index_of(cell, n)]);
	}
	memcpy(blocks->events + index_of(cell, 0), merged, sizeof(merged));
}

static void merge_values(const TimeBlocks *blocks, uint32_t cell)
{
	float merged[TIME_BLOCKS] = { 0 };

	for (uint64_t n = blocks->first; n <= blocks->last; n++)
		merged[n / 2 % TIME_BLOCKS] += blocks->values[index_of(cell, n)];
	memcpy(blocks->values + index_of(cell, 0), merged, sizeof(merged));
}

/* Makes one block of two, for all cells. */
static void time_blocks_widen(TimeBlocks *blocks)
{
	for (uint32_t cell = 0; cell < blocks->cells; cell++)
		merge_events(blocks, cell);
	for (uint32_t cell = 0; cell < blocks->cells_with_values; cell++)
		merge_values(blocks, cell);
	blocks->shift++;
	blocks->first /= 2;
	blocks->last /= 2;
}

/* Returns the number of the block of a time, which is kept from now on. */
static uint64_t time_blocks_keep(TimeBlocks *blocks, uint64_t time_ns)
{
	uint64_t number = time_ns >> blocks->shift;

	if (G_UNLIKELY(blocks->first > blocks->last))
		blocks->first = blocks->last = number;
	while (G_UNLIKELY(MAX(blocks->last, number) - MIN(blocks->first, number) >= TIME_BLOCKS)) {
		time_blocks_widen(blocks);
		number = time_ns >> blocks->shift;
	}
	blocks->last = MAX(blocks->last, number);
	blocks->first = MIN(blocks->first, number);
	return number;
}

void time_blocks_add(TimeBlocks *blocks, uint32_t cell, uint64_t time_ns, uint64_t events)
{
	uint32_t *sum;

	blocks->lacks_times |= !time_ns;
	if (!time_ns || cell >= blocks->cells)
		return;
	sum = &blocks->events[index_of(cell, time_blocks_keep(blocks, time_ns))];
	*sum = sum_of(*sum, (uint32_t)MIN(events, UINT32_MAX));
}

void time_blocks_add_value(TimeBlocks *blocks, uint32_t cell, uint64_t time_ns, double value)
{
	if (!time_ns || cell >= MIN(blocks->cells, blocks->values_max))
		return;
	if (cell >= blocks->cells_with_values)
		grow_values(blocks);
	blocks->values[index_of(cell, time_ns >> blocks->shift)] += (float)value;
}

/* Returns the range of blocks of that width. Less than half a block at an edge is a part of the
   next one: few events in a short time would say little. */
static TimeBlockRange range_of(uint64_t start_ns, uint64_t end_ns, unsigned shift)
{
	const double ns = (double)(1ULL << shift);
	uint64_t first = start_ns >> shift, last = (end_ns - 1) >> shift;
	TimeBlockRange range = {
		.first = first,
		.first_length = 1 - (double)(start_ns - (first << shift)) / ns,
		.last_length = (double)(end_ns - (last << shift)) / ns,
	};

	if (last - first >= TIME_BLOCKS || last == first)
		return range;
	range.count = (uint32_t)(last - first + 1);
	range.first_is_two = range.first_length < 0.5;
	range.last_is_two = range.last_length < 0.5;
	range.first_length += range.first_is_two;
	range.last_length += range.last_is_two;
	range.count -= MIN(range.first_is_two + range.last_is_two, (int)range.count);
	return range;
}

TimeBlockRange time_blocks_range(const TimeBlocks *blocks, uint64_t start_ns, uint64_t end_ns)
{
	TimeBlockRange range = { .count = 0 };

	if (blocks->lacks_times || end_ns <= start_ns)
		return range;
	for (unsigned more = 0; !range.count && blocks->shift + more < 63 && more < 31; more++) {
		range = range_of(start_ns, end_ns, blocks->shift + more);
		range.width = 1U << more;
		if (start_ns >> (blocks->shift + more) == (end_ns - 1) >> (blocks->shift + more))
			break;
	}
	return range;
}

double time_blocks_length(TimeBlockRange range, uint32_t block)
{
	return block == 0 ? range.first_length : block + 1 == range.count ? range.last_length : 1;
}

/* The kept blocks in a block of a range: [from, until). */
typedef struct {
	uint64_t from, until;
} Kept;

static Kept kept_in(const TimeBlocks *blocks, TimeBlockRange range, uint32_t block)
{
	uint64_t from = range.first + block + (range.first_is_two && block > 0);
	uint64_t until = from + 1 + (range.first_is_two && block == 0) +
			 (range.last_is_two && block + 1 == range.count);

	return (Kept){ MAX(from * range.width, blocks->first),
		       MIN(until * range.width, blocks->last + 1) };
}

uint64_t time_blocks_events(const TimeBlocks *blocks, TimeBlockRange range, uint32_t block,
			    uint32_t cell)
{
	const Kept kept = kept_in(blocks, range, block);
	uint64_t events = 0;

	for (uint64_t n = kept.from; cell < blocks->cells && n < kept.until; n++)
		events += blocks->events[index_of(cell, n)];
	return events;
}

double time_blocks_value(const TimeBlocks *blocks, TimeBlockRange range, uint32_t block,
			 uint32_t cell)
{
	const Kept kept = kept_in(blocks, range, block);
	double value = 0;

	for (uint64_t n = kept.from; cell < blocks->cells_with_values && n < kept.until; n++)
		value += (double)blocks->values[index_of(cell, n)];
	return value;
}

size_t time_blocks_memory(const TimeBlocks *blocks)
{
	return blocks->cells * TIME_BLOCKS_CELL_BYTES +
	       blocks->cells_with_values * TIME_BLOCKS_CELL_VALUE_BYTES;
}
