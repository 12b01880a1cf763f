/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/diff_bursts.h"
#include "report/join.h"
#include "table/group_rows.h"

#include <glib.h>

/*
 * DiffRows compares the rows of two runs. Rows that mean the same (join.h) are one; those of a
 * single run are there, too. The larger side of a row decides whether filters on numbers keep it.
 * Rows are ranked by how much the metric changed, and limited to the top.
 */
typedef struct {
	double change;             /* of the metric that ranks */
	uint32_t rows[JOIN_SIDES]; /* in groups, plus 1; 0: that run has no such row */
	uint32_t number;           /* in order of coming; then come others, and all */
} DiffRow;

/* What the figures of both runs are divided by, before they are compared. */
typedef enum {
	DIFF_PER_AUTO,   /* that which fits the runs: model.c */
	DIFF_PER_RUN,    /* by nothing */
	DIFF_PER_SECOND, /* of the observed time */
	DIFF_PER_EVENTS, /* DIFF_EVENTS of all allocations, or hits, before filters on stacks */
	DIFF_PERS,
} DiffPer;

enum { DIFF_EVENTS = 1000 };

typedef struct {
	const char *name;   /* value of --per */
	const char *suffix; /* of names in JSON: "_per_second" */
	const char *words;  /* in text: " per second" */
} DiffUnit;

/* By DiffPer. */
extern const DiffUnit diff_units[DIFF_PERS];

/* How a figure changed. */
typedef enum {
	DIFF_SAME,
	DIFF_NOISE,   /* no more than by chance */
	DIFF_UNKNOWN, /* changed; the noise of this figure is not known of any row */
	/* More than if events were independent, but the runs do not show how uneven they are. */
	DIFF_UNCLEAR,
	DIFF_NEW,
	DIFF_GONE,
	DIFF_MORE,
	DIFF_LESS,
	DIFF_CHANGES,
} DiffChange;

/* By DiffChange: "same", "noise", ... */
extern const char *const diff_change_names[DIFF_CHANGES];

/* A figure of both runs, in the unit of the metric's JSON member, divided as requested. */
typedef struct {
	double before;
	double after;
	double change;
	double percent; /* the change in percent of before; not finite: before is 0 */
	double noise;   /* the change that chance does not exceed; infinite: not known */
	DiffChange what;
} DiffFigures;

/* The figures that all formats have, by name, and where they are in DiffFigures. */
enum { DIFF_FIGURES = 4 };
extern const struct DiffFigure {
	const char *name;
	size_t at;
} diff_figures[DIFF_FIGURES];

/* Returns one of them. */
double diff_figure(const DiffFigures *figures, size_t at);

/* A run. Everything is borrowed. */
typedef struct {
	const View *view;
	uint64_t duration_ns; /* observed; 0: not known */
	uint64_t events;      /* as in DIFF_PER_EVENTS */
	uint64_t start_ns;    /* of what was observed, on the clock of its events; 0: not known */
	uint64_t end_ns;
} DiffRun;

typedef struct {
	const View *views[JOIN_SIDES];
	GroupRows *groups[JOIN_SIDES]; /* owned; their rows that mean the same are added up */
	GArray *rows;                  /* (element-type DiffRow), owned, ranked */
	const Metric *rank;
	DiffPer per;
	double errors;              /* of each row's noise: noise_errors() ... */
	double errors_measured;     /* ... with a variance that was measured; 0: none was */
	uint64_t compared;          /* rows, of which those not kept by filters are left out */
	uint64_t exceeding;         /* of these: changed by more than noise */
	uint64_t unclear;           /* rows that are DIFF_UNCLEAR; not those of DIFF_UNKNOWN */
	RowSums all[JOIN_SIDES];    /* of the compared rows */
	RowSums others[JOIN_SIDES]; /* of those beyond the top */
	DiffRow of_all, of_others;  /* the rows of these sums */
	const GArray *drops; /* (element-type FilterDrop): per filter on numbers, then the top */
	const GPtrArray *half_known; /* join_half_known() */
	/* Private. */
	Join *join;
	FilterChain *filters;
	ViewOptions grouping;
	double factors[JOIN_SIDES];
	GByteArray *places;          /* (element-type guint8) DiffPlace of each row */
	GArray *numbers[JOIN_SIDES]; /* (element-type guint32) rows of the groups' rows */
	DiffBursts *bursts[JOIN_SIDES];
} DiffRows;

/* Compares two runs; options->by must have a key. Everything must outlive the result; free it with
   diff_rows_free(). */
DiffRows *diff_rows_new(const DiffRun runs[JOIN_SIDES], const ViewOptions *options, DiffPer per);
void diff_rows_free(DiffRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DiffRows, diff_rows_free)

/* Returns the row of a run; NULL: that run has none. */
const GroupRow *diff_rows_of(const DiffRows *rows, const DiffRow *row, JoinSide side);

/* Returns its sums; those of no row are 0. */
const RowSums *diff_row_sums(const DiffRows *rows, const DiffRow *row, JoinSide side);

/* Returns the run that labels a row: the newer one, unless the row is gone. */
JoinSide diff_row_side(const DiffRow *row);

/* Returns how a metric changed in a row. */
DiffFigures diff_row_figures(const DiffRows *rows, const DiffRow *row, const Metric *metric);

/* Returns what the figures of a metric are divided by: the largest of several is not. */
DiffPer diff_rows_per(const DiffRows *rows, const Metric *metric);

/* Whether the noise of the metric that ranks is known of any row. */
bool diff_rows_know_noise(const DiffRows *rows);
