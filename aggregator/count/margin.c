/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Margins of estimates. A cell has the variance of its events; this file scales it by the scatter
 * that the run measured, adds it up over the cells of a row, and makes a percentage of it. table/
 * adds, report/ asks. doc/SAMPLING.md has the reasons.
 */
#include "count/margin.h"

#include "record/format.h"
#include "base/hot_assert.h"

#include <math.h>

/* 95 % of a normal distribution lie within this many standard errors of the mean. */
#define STANDARD_ERRORS 1.96
#define MILLION 1e6F

enum { SCATTER_OF_DRAWS = 100 };

static double margin_square(double number)
{
	return number * number;
}

static double margin_wasted(const ProfileOrigin *origin)
{
	return origin->bytes_allocated > origin->bytes_requested
		       ? (double)(origin->bytes_allocated - origin->bytes_requested)
		       : 0;
}

/* Reads the scatter of the rows that have one. Older streams have one for all. */
static void read_scatter(Sampling *sampling, const RunInfo *info)
{
	enum { NUMBERS = 3 /* of a row */ };
	const char *rows = run_info_text(info, KMT_FIELD_SCATTER_ROWS);
	uint64_t all = run_info_number(info, KMT_FIELD_SAMPLING_SCATTER, SCATTER_OF_DRAWS);
	g_auto(GStrv) parts = g_strsplit(rows ? rows : "", " ", NUMBERS * SCATTER_ROWS + 1);

	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		sampling->scatter[i].percent = (uint32_t)MIN(all, UINT32_MAX);
	for (guint i = 0; i + NUMBERS <= g_strv_length(parts); i += NUMBERS) {
		uint64_t row = g_ascii_strtoull(parts[i], NULL, 10);
		uint64_t percent = g_ascii_strtoull(parts[i + 1], NULL, 10);

		if (row >= SCATTER_ROWS)
			continue;
		sampling->scatter[row].percent = (uint32_t)MIN(percent, UINT32_MAX);
		sampling->scatter[row].part =
			(float)g_ascii_strtoull(parts[i + 2], NULL, 10) / MILLION;
	}
}

Sampling sampling_of(const Profile *profile, const RunInfo *info)
{
	ProfileTotals totals = profile_totals(profile);
	Sampling sampling = { .of_sample = 0 };

	if (totals.samples)
		sampling.of_sample = totals.samples_variance / (double)totals.samples;
	sampling.variance = totals.samples_variance;
	read_scatter(&sampling, info);
	return sampling;
}

/* A loop that keeps time with the period sees all samples of a place in a block, or none. So the
   scatter of a place grows with the number of its samples in a block. */
double sampling_scatter(const Sampling *sampling, unsigned row, const ProfileCell *cell)
{
	double more = (double)sampling->scatter[row].percent / SCATTER_OF_DRAWS - 1;
	double part = sampling->variance > 0 ? (double)cell->variance / sampling->variance : 0;
	double of_place = sampling->scatter[row].part;

	hot_assert(row < G_N_ELEMENTS(sampling->scatter));
	if (of_place > 0)
		more *= part / of_place;
	return 1 + MAX(more, 0);
}

CellSampling sampling_of_cell(const Sampling *sampling, const Profile *profile,
			      const ProfileCell *cell)
{
	unsigned row = scatter_row(profile_task(profile, cell->task)->tgid);

	return (CellSampling){ sampling->of_sample, sampling_scatter(sampling, row, cell) };
}

double variance_of_cell(const ProfileCell *cell, CellSampling sampling)
{
	/* A saturated sum has no upper bound. */
	return cell->variance == UINT64_MAX ? INFINITY : (double)cell->variance * sampling.scatter;
}

void variance_add_cell(Variance *sum, const ProfileCell *cell, const ProfileOrigin *origin,
		       CellSampling sampling)
{
	double variance = variance_of_cell(cell, sampling);

	sum->of_sample = MAX(sum->of_sample, sampling.of_sample);
	if (!cell->variance)
		return;
	sum->allocations += variance;
	/* All events of an origin have the same sizes. Size 0 has no error. */
	if (origin->bytes_requested)
		sum->bytes_requested += variance * margin_square((double)origin->bytes_requested);
	if (origin->bytes_allocated)
		sum->bytes_allocated += variance * margin_square((double)origin->bytes_allocated);
	if (margin_wasted(origin) > 0)
		sum->bytes_wasted += variance * margin_square(margin_wasted(origin));
}

void variance_add(Variance *sum, const Variance *added)
{
	sum->of_sample = MAX(sum->of_sample, added->of_sample);
	sum->allocations += added->allocations;
	sum->bytes_requested += added->bytes_requested;
	sum->bytes_allocated += added->bytes_allocated;
	sum->bytes_wasted += added->bytes_wasted;
}

double variance_of_events(const Variance *row)
{
	return row->allocations + MARGIN_MORE_SAMPLES * row->of_sample;
}

double variance_of_amount(const Variance *row, double variance, double amount, uint64_t events)
{
	double each = amount / (double)MAX(events, 1);

	return variance + MARGIN_MORE_SAMPLES * row->of_sample * margin_square(each);
}

double margin_percent(double variance, uint64_t estimate)
{
	if (variance <= 0 || !estimate)
		return 0;
	return MIN(STANDARD_ERRORS * sqrt(variance) / (double)estimate * 100, MARGIN_PERCENT_MAX);
}
