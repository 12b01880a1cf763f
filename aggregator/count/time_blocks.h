/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * TimeBlocks counts the events of each cell of a profile in blocks of time, all equally long. How
 * much these numbers differ shows how unevenly events come: if one system call makes several
 * allocations, by more than independent events would.
 *
 * At most TIME_BLOCKS blocks are kept: when more time passes, two become one. Cells come with their
 * first events. Integers only; floating point numbers for values.
 */
typedef struct TimeBlocks TimeBlocks;

enum { TIME_BLOCKS = 32 };

/* The memory of each cell, without values. */
#define TIME_BLOCKS_CELL_BYTES (TIME_BLOCKS * sizeof(uint32_t))

/* The blocks of a run. The first and the last one are of other lengths than the rest. */
typedef struct {
	uint64_t first; /* private */
	uint32_t width; /* private: in blocks as they are kept */
	bool first_is_two;
	bool last_is_two;
	uint32_t count;
	double first_length; /* in lengths of the others */
	double last_length;
} TimeBlockRange;

/* Free it with time_blocks_free(). */
TimeBlocks *time_blocks_new(void);
void time_blocks_free(TimeBlocks *blocks);

/* Makes room for this number of cells. */
void time_blocks_grow(TimeBlocks *blocks, uint32_t cells);

/* Counts events of a cell. Time 0 is not known: then there is no range. Numbers saturate. */
void time_blocks_add(TimeBlocks *blocks, uint32_t cell, uint64_t time_ns, uint64_t events);

/* The additional memory of each cell with values. */
#define TIME_BLOCKS_CELL_VALUE_BYTES (TIME_BLOCKS * sizeof(float))

/* Only the first cells have values: at most so many. */
void time_blocks_limit_values(TimeBlocks *blocks, uint32_t cells);

/* Adds a value of such events, all together, for which there may be no room yet. Called after
   time_blocks_add(). */
void time_blocks_add_value(TimeBlocks *blocks, uint32_t cell, uint64_t time_ns, double value);

/* Returns the blocks between two times: TIME_BLOCKS at most. Count 0: there are none, or events
   without times. */
TimeBlockRange time_blocks_range(const TimeBlocks *blocks, uint64_t start_ns, uint64_t end_ns);

/* Returns the length of a block, in lengths of those between the first and the last one. */
double time_blocks_length(TimeBlockRange range, uint32_t block);

/* Returns the events, and the sum of the values, of a cell in a block of a range. */
uint64_t time_blocks_events(const TimeBlocks *blocks, TimeBlockRange range, uint32_t block,
			    uint32_t cell);
double time_blocks_value(const TimeBlocks *blocks, TimeBlockRange range, uint32_t block,
			 uint32_t cell);

/* Returns the memory in use, in bytes. */
size_t time_blocks_memory(const TimeBlocks *blocks);
