/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of pairing that a report takes: one scan over all live objects adds up ages and doubts
 * for each cell, then cells are listed as the report wants them, whole, by age or by who freed
 * them. table/ counts these instead of the profile's cells.
 */
#include "held/held_cells.h"

#include "base/hot_assert.h"

static const unsigned age_limits_s[AGE_CLASSES] = { 1, 10, 60, 600, 0 };

#define NS_PER_S 1000000000ULL

/* The objects of a cell that are held, as tracked. */
typedef struct {
	uint64_t oldest_ns; /* ages */
	uint64_t youngest_ns;
	uint32_t held;
	uint32_t doubtful;
	uint32_t first_kept; /* allocated in the first half of the run */
	uint32_t ages[AGE_CLASSES];
} Scan;

struct HeldCells {
	const Pairing *pairing; /* borrowed */
	HeldChoice choice;
	HeldMoment moment;
	uint64_t scale;
	uint64_t half_ns; /* end of the first half of the run */
	unsigned half;    /* parts of the run in the first half */
	unsigned parts;
	Scan *scans; /* owned, by cell of the profile */
	/* Owned, by cache of the profile: an address was allocated again though no free was seen,
	   so frees of other objects may be missed, too. */
	bool *misses_frees;
	GArray *cells; /* (element-type HeldCell), owned */
};

void held_age_append(unsigned age_class, GString *out)
{
	unsigned from_s = age_class ? age_limits_s[age_class - 1] : 0;
	unsigned to_s = age_limits_s[age_class];

	if (!from_s)
		g_string_append_printf(out, "below %u s", to_s);
	else if (to_s)
		g_string_append_printf(out, "%u to %u s", from_s, to_s);
	else
		g_string_append_printf(out, "from %u s", from_s);
}

/* A LiveVisitor. */
static void scan_object(const LiveObject *object, void *user_data)
{
	HeldCells *cells = user_data;
	Scan *scan = &cells->scans[object->cell];
	uint64_t end_ns = cells->moment.end_ns;
	/* 0 means that the age is not known. */
	uint64_t age_ns = end_ns > object->time_ns ? end_ns - object->time_ns : 1;
	unsigned class = 0;

	if (age_ns < cells->choice.min_age_ns)
		return;
	scan->youngest_ns = scan->held ? MIN(scan->youngest_ns, age_ns) : age_ns;
	scan->oldest_ns = MAX(scan->oldest_ns, age_ns);
	scan->held++;
	scan->doubtful += object->time_ns <= cells->moment.last_loss_ns;
	scan->first_kept += object->time_ns < cells->half_ns;
	while (age_limits_s[class] && age_ns >= age_limits_s[class] * NS_PER_S)
		class ++;
	scan->ages[class]++;
}

/* The halves of the run are equally long, as far as its parts allow it. */
static void set_halves(HeldCells *cells)
{
	uint64_t start_ns;
	uint64_t part_ns = cell_lives_part_ns(pairing_lives(cells->pairing), &start_ns);
	uint64_t end_ns = MAX(cells->moment.end_ns, start_ns);

	cells->parts = (unsigned)MIN((end_ns - start_ns) / part_ns + 1, RUN_PARTS);
	cells->half = (unsigned)(((end_ns - start_ns) / 2 + part_ns / 2) / part_ns);
	cells->half = MIN(cells->half, RUN_PARTS);
	cells->half_ns = start_ns + cells->half * part_ns;
}

static CacheId cache_of(const HeldCells *cells, uint32_t number)
{
	const Profile *profile = pairing_profile(cells->pairing);

	return profile_origin(profile, profile_cell(profile, number)->origin)->cache;
}

/* If the cache is not known, only the cell is. */
static bool misses_frees(const HeldCells *cells, uint32_t number)
{
	return cell_lives_life(pairing_lives(cells->pairing), number)->recycled ||
	       cells->misses_frees[cache_of(cells, number)];
}

static void find_missed_frees(HeldCells *cells)
{
	const CellLives *lives = pairing_lives(cells->pairing);

	cells->misses_frees = g_new0(bool, profile_cache_count(pairing_profile(cells->pairing)));
	for (uint32_t i = 0; i < cell_lives_count(lives); i++)
		if (cell_lives_life(lives, i)->recycled && cache_of(cells, i) > CACHE_ID_OVERFLOW)
			cells->misses_frees[cache_of(cells, i)] = true;
}

static HeldCell whole_cell(const HeldCells *cells, uint32_t number)
{
	const CellLives *lives = pairing_lives(cells->pairing);
	const CellLife *life = cell_lives_life(lives, number);
	const Scan *scan = &cells->scans[number];
	uint64_t scale = cells->scale;
	uint64_t at_peak = cell_lives_at_peak(lives, number, scale);
	bool is_doubtful = misses_frees(cells, number);
	HeldCell cell = {
		.cell = *profile_cell(pairing_profile(cells->pairing), number),
		.sums = {
			.allocated = life->live * scale + life->freed + life->recycled,
			.freed = life->freed,
			.freed_early = life->freed_early,
			.freed_apart = life->freed_apart,
			.recycled = life->recycled,
			.doubtful = (is_doubtful ? scan->held : scan->doubtful) * scale,
			.peak_objects = at_peak,
			.peak_bytes = saturate_product(at_peak, life->bytes),
			.oldest_ns = scan->oldest_ns,
			.youngest_ns = scan->youngest_ns,
			.scale = scale,
			.peak_variance = (double)life->bytes * (double)life->bytes *
					 (double)at_peak * (double)(scale - 1),
		},
		.number = number,
		.freer = ORIGIN_ID_NONE,
		.age_class = AGE_CLASS_NONE,
	};

	cell.cell.kind = CELL_OF_HELD;
	cell.cell.events = scan->held * scale;
	if (cells->choice.at_peak) {
		cell.cell.events = at_peak;
		cell.sums.doubtful = cells->moment.last_loss_ns || is_doubtful ? at_peak : 0;
		cell.sums.oldest_ns = cell.sums.youngest_ns = 0;
	}
	cell.cell.failed = 0;
	cell.cell.variance = saturate_product(cell.cell.events, scale - 1);
	return cell;
}

/* Only numbers of held objects are known by age. */
static void add_by_age(HeldCells *cells, uint32_t number)
{
	const Scan *scan = &cells->scans[number];

	for (unsigned class = 0; class < AGE_CLASSES; class ++) {
		HeldCell part = whole_cell(cells, number);

		if (!scan->ages[class])
			continue;
		part.sums = (HeldSums){ 0 };
		part.age_class = (uint8_t) class;
		part.cell.events = scan->ages[class] * cells->scale;
		part.cell.variance = saturate_product(part.cell.events, cells->scale - 1);
		g_array_append_val(cells->cells, part);
	}
}

static void add_cell(HeldCells *cells, uint32_t number)
{
	HeldCell cell = whole_cell(cells, number);

	if (cells->choice.by_age) {
		add_by_age(cells, number);
		return;
	}
	/* What was freed is in the cells of its freers. */
	if (cells->choice.by_freer) {
		cell.sums.allocated -= cell.sums.freed;
		cell.sums.freed = cell.sums.freed_early = cell.sums.freed_apart = 0;
	}
	if (cell.cell.events || cell.sums.allocated || cell.sums.peak_objects)
		g_array_append_val(cells->cells, cell);
}

static void add_freers(HeldCells *cells)
{
	const GArray *freers = freers_all(pairing_freers(cells->pairing));

	for (guint i = 0; i < freers->len; i++) {
		const Freer *freer = &g_array_index(freers, Freer, i);
		HeldCell part = whole_cell(cells, freer->cell);

		if (cell_lives_life(pairing_lives(cells->pairing), freer->cell)->own)
			continue;
		part.cell.events = part.cell.variance = 0;
		part.freer = freer->origin;
		part.sums = (HeldSums){
			.allocated = freer->freed,
			.freed = freer->freed,
			.freed_early = freer->freed_early,
			.freed_apart = freer->freed_apart,
			.scale = cells->scale,
		};
		g_array_append_val(cells->cells, part);
	}
}

HeldCells *held_cells_new(const Pairing *pairing, HeldChoice choice, HeldMoment moment)
{
	const CellLives *lives = pairing_lives(pairing);
	HeldCells *cells = g_new0(HeldCells, 1);

	cells->pairing = pairing;
	cells->choice = choice;
	cells->moment = moment;
	cells->scale = pairing_totals(pairing).scale;
	cells->scans = g_new0(Scan, cell_lives_count(lives));
	cells->cells = g_array_new(FALSE, FALSE, sizeof(HeldCell));
	set_halves(cells);
	find_missed_frees(cells);
	pairing_each_object(pairing, scan_object, cells);
	for (uint32_t i = 0; i < cell_lives_count(lives); i++)
		if (!cell_lives_life(lives, i)->own)
			add_cell(cells, i);
	if (choice.by_freer)
		add_freers(cells);
	return cells;
}

void held_cells_free(HeldCells *cells)
{
	if (!cells)
		return;
	g_array_unref(cells->cells);
	g_free(cells->misses_frees);
	g_free(cells->scans);
	g_free(cells);
}

uint32_t held_cells_count(const HeldCells *cells)
{
	return cells->cells->len;
}

const HeldCell *held_cells_at(const HeldCells *cells, uint32_t index)
{
	hot_assert(index < cells->cells->len);
	return &g_array_index(cells->cells, HeldCell, index);
}

bool held_cells_have_times(const HeldCells *cells)
{
	return !cells->choice.by_age && !cells->choice.by_freer && !cells->choice.at_peak;
}

static void add_over_time(const HeldCells *cells, const CellTimes *times, HeldTimes *sum)
{
	uint64_t held = 0;

	for (unsigned i = 0; i < cells->parts; i++) {
		held += times->allocated[i];
		held -= MIN(held, times->gone[i]);
		saturate_add(&sum->held[i], held);
		saturate_add(i < cells->half ? &sum->first_allocated : &sum->second_allocated,
			     times->allocated[i]);
	}
}

void held_cells_add_times(const HeldCells *cells, const HeldCell *cell, HeldTimes *sum)
{
	const CellTimes *times = cell_lives_times(pairing_lives(cells->pairing), cell->number);
	const Scan *scan = &cells->scans[cell->number];

	if (!held_cells_have_times(cells))
		return;
	for (unsigned i = 0; i < AGE_CLASSES; i++)
		saturate_add(&sum->ages[i], scan->ages[i] * cells->scale);
	for (unsigned i = 0; i < LIFE_CLASSES; i++)
		saturate_add(&sum->lifetimes[i], times->lifetimes[i]);
	add_over_time(cells, times, sum);
	saturate_add(&sum->first_kept, scan->first_kept * cells->scale);
	saturate_add(&sum->second_kept, (scan->held - scan->first_kept) * cells->scale);
}

bool held_cells_are_whole(const HeldCells *cells)
{
	return !cells->choice.by_age;
}

const CellLives *held_cells_lives(const HeldCells *cells)
{
	return pairing_lives(cells->pairing);
}

unsigned held_cells_parts(const HeldCells *cells)
{
	return cells->parts;
}

const HeldChoice *held_cells_choice(const HeldCells *cells)
{
	return &cells->choice;
}
