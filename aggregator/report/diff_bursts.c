/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How unevenly events came within a run, by row of a comparison: the blocks of time of all cells
 * are added up by row, and the variance between blocks is computed. diff_rows.c asks it for each
 * row. doc/COMPARISON.md has the formulas.
 */
#include "report/diff_rows.h"

#include <math.h>

/* One figure of a row. */
typedef struct {
	double block;   /* in the block at hand */
	double sum;     /* over blocks */
	double squares; /* of each block / its length */
} Moments;

typedef struct {
	Moments of[BLOCK_FIGURES];
} Row;

struct DiffBursts {
	Row *rows; /* owned; NULL: nothing was measured */
	uint32_t count;
	uint32_t blocks;
	double length; /* of the run, in blocks */
	bool has_values;
	bool has_times;
};

/* The blocks of a run: of events, or of held objects. */
typedef struct {
	const ViewSource *source;
	const TimeBlocks *events;
	const CellLives *lives; /* NULL: events are counted */
	TimeBlockRange range;
} Blocks;

/* The first part begins with the first event, and the last one may be short. */
static TimeBlockRange range_of_lives(const CellLives *lives, const DiffBlocksOf *run)
{
	uint64_t first_ns, part_ns = cell_lives_part_ns(lives, &first_ns);
	TimeBlockRange range = { .first_length = 1 };
	double parts;

	if (!part_ns || first_ns < run->start_ns || run->end_ns <= first_ns)
		return range;
	parts = (double)(run->end_ns - first_ns) / (double)part_ns;
	range.count = (uint32_t)MIN(ceil(parts), RUN_PARTS);
	range.last_length = parts - range.count + 1;
	range.last_is_two = range.last_length < 0.5;
	range.last_length += range.last_is_two;
	range.count -= range.last_is_two;
	range.first_length += (double)(first_ns - run->start_ns) / (double)part_ns;
	return range;
}

static Blocks blocks_of(const DiffBlocksOf *run)
{
	Blocks blocks = { .source = view_source(run->view) };
	const HeldCells *held = blocks.source->held_cells;

	if (!run->start_ns || blocks.source->merged)
		return blocks;
	if (held && held_cells_have_times(held)) {
		blocks.lives = held_cells_lives(held);
		blocks.range = range_of_lives(blocks.lives, run);
	} else if (!held) {
		blocks.events = profile_blocks(blocks.source->profile);
	}
	if (blocks.events)
		blocks.range = time_blocks_range(blocks.events, run->start_ns, run->end_ns);
	return blocks;
}

/* What a cell adds to figures in a block. */
typedef struct {
	double events;
	double value;
} Added;

static Added added_in(const Blocks *blocks, uint32_t block, uint32_t cell)
{
	const CellTimes *times;
	double events = 0;

	if (!blocks->lives)
		return (Added){
			(double)time_blocks_events(blocks->events, blocks->range, block, cell),
			time_blocks_value(blocks->events, blocks->range, block, cell),
		};
	times = cell_lives_times(blocks->lives,
				 held_cells_at(blocks->source->held_cells, cell)->number);
	do
		events += (double)times->allocated[block] - (double)times->gone[block];
	while (blocks->range.last_is_two && ++block == blocks->range.count);
	return (Added){ events, 0 };
}

static void add_cell(Row *row, const ProfileOrigin *origin, Added added)
{
	double requested = added.events * (double)origin->bytes_requested;
	double allocated = added.events * (double)origin->bytes_allocated;

	row->of[BLOCK_EVENTS].block += added.events;
	row->of[BLOCK_REQUESTED].block += requested;
	row->of[BLOCK_ALLOCATED].block += allocated;
	if (origin->bytes_allocated > origin->bytes_requested)
		row->of[BLOCK_WASTED].block += allocated - requested;
	row->of[BLOCK_VALUE].block += added.value;
	row->of[BLOCK_TIME].block += added.value;
}

static void end_block(Row *row, double length)
{
	for (BlockFigure figure = BLOCK_EVENTS; figure < BLOCK_FIGURES; figure++) {
		Moments *moments = &row->of[figure];

		moments->sum += moments->block;
		moments->squares += moments->block * moments->block / length;
		moments->block = 0;
	}
}

/* Adds what a cell adds to its row, and to the sums that it is part of. */
static void add_to_rows(DiffBursts *bursts, const ProfileOrigin *origin, Added added, uint32_t row,
			DiffPlace place)
{
	if (place == DIFF_LEFT_OUT || added.events == 0)
		return;
	add_cell(&bursts->rows[row], origin, added);
	add_cell(&bursts->rows[bursts->count - 1], origin, added);
	if (place == DIFF_OTHER)
		add_cell(&bursts->rows[bursts->count - 2], origin, added);
}

static void add_block(DiffBursts *bursts, const DiffBlocksOf *run, const Blocks *blocks,
		      uint32_t block, const GByteArray *places)
{
	const ViewSource *source = blocks->source;

	for (uint32_t i = 0; i < view_source_cells(source); i++) {
		uint32_t group = run->groups->rows_of_cells[i];
		uint32_t row = group == GROUP_ROWS_NONE ? group : run->numbers[group];
		OriginId origin = view_source_cell(source, i)->origin;

		if (row != GROUP_ROWS_NONE)
			add_to_rows(bursts, profile_origin(source->profile, origin),
				    added_in(blocks, block, i), row, places->data[row]);
	}
	for (uint32_t row = 0; row < bursts->count; row++)
		end_block(&bursts->rows[row], time_blocks_length(blocks->range, block));
}

DiffBursts *diff_bursts_new(const DiffBlocksOf *run, const GByteArray *places)
{
	DiffBursts *bursts = g_new0(DiffBursts, 1);
	const Blocks blocks = blocks_of(run);
	const Profile *profile = blocks.source->profile;

	if (blocks.range.count < DIFF_BLOCKS_MIN)
		return bursts;
	bursts->count = places->len + 2;
	bursts->blocks = blocks.range.count;
	for (uint32_t block = 0; block < bursts->blocks; block++)
		bursts->length += time_blocks_length(blocks.range, block);
	bursts->has_values = !blocks.lives && profile_has_values(profile);
	bursts->has_times = bursts->has_values && profile_has_spans(profile);
	bursts->rows = g_new0(Row, bursts->count);
	for (uint32_t block = 0; block < bursts->blocks; block++)
		add_block(bursts, run, &blocks, block, places);
	return bursts;
}

void diff_bursts_free(DiffBursts *bursts)
{
	if (!bursts)
		return;
	g_free(bursts->rows);
	g_free(bursts);
}

uint32_t diff_bursts_blocks(const DiffBursts *bursts)
{
	return bursts->blocks;
}

bool diff_bursts_know(const DiffBursts *bursts, BlockFigure figure)
{
	switch (figure) {
	case BLOCK_NONE:
		return false;
	case BLOCK_VALUE:
		return bursts->rows && bursts->has_values && !bursts->has_times;
	case BLOCK_TIME:
		return bursts->rows && bursts->has_times;
	default:
		return bursts->rows;
	}
}

/* If events come at a steady rate, blocks of length 1 have this variance: the sum of
   (number - rate * length)^2 / length, divided by the degrees of freedom. */
double diff_bursts_variance(const DiffBursts *bursts, uint32_t row, BlockFigure figure)
{
	const Moments *moments = &bursts->rows[row].of[figure];
	double squares = moments->squares - moments->sum * moments->sum / bursts->length;

	g_assert(row < bursts->count);
	g_assert(figure < G_N_ELEMENTS(bursts->rows[row].of));
	return MAX(squares, 0) / (bursts->blocks - 1) * bursts->length;
}
