/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_rows.h"
#include "table/table.h"

#include <glib.h>

/*
 * A Join gives the rows of two runs that mean the same the same number.
 *
 * Labels are compared as printed, but for "(by size)" of caches. Stacks are the same if their
 * functions are, from the innermost to the outermost: neither addresses nor offsets matter, as they
 * change with each boot and each build. A function is known by its name without what compilers
 * append to it. That of a program also by its file, as many programs have a main().
 *
 * Functions that were inlined count only in code whose source lines are known of both runs.
 */
typedef struct Join Join;

typedef enum { JOIN_OLD, JOIN_NEW, JOIN_SIDES } JoinSide;

/* stacks: of each side; borrowed. Free it with join_free(). */
Join *join_new(const StackRows *const stacks[JOIN_SIDES]);
void join_free(Join *join);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Join, join_free)

/* Returns the number of a row of that side's groups, from 0: that of equal rows before, else the
   next one. The groups of both sides must have the same keys. */
uint32_t join_number(Join *join, JoinSide side, const GroupRows *groups, const GroupRow *row);

/* Returns the modules whose source lines are known of one run only (element-type utf8), in the
   order of their names; borrowed. */
const GPtrArray *join_half_known(const Join *join);

/* Returns the length of a function's name without what compilers append: "foo" of
   "foo.isra.0.cold". */
size_t join_name_length(const char *function);

/*
 * DiffBursts measures by how much figures of rows differ between runs of the same load: from how
 * unevenly events came within a run. A run is cut into blocks of time, equally long, and the
 * variance of a row's figure in them is that of the whole, as far as blocks are independent. It
 * contains sampling. A load that trends has a large one. Of held objects, what a block adds to them
 * counts: allocations without frees.
 */
typedef struct DiffBursts DiffBursts;

/* With fewer blocks nothing is measured. */
enum { DIFF_BLOCKS_MIN = 7 };

/* A run. Everything is borrowed for the call. */
typedef struct {
	const View *view;
	const GroupRows *groups;
	/* By GroupRow.number: the row of the comparison; or GROUP_ROWS_NONE. */
	const uint32_t *numbers;
	uint64_t start_ns; /* of what was observed; 0: not known */
	uint64_t end_ns;
} DiffBlocksOf;

/* Where a row of a comparison is. */
typedef enum { DIFF_LEFT_OUT, DIFF_SHOWN, DIFF_OTHER } DiffPlace;

/* places: (element-type guint8) the DiffPlace of each row. The sums of the others, and of all that
   are not left out, follow the rows. Free it with diff_bursts_free(). */
DiffBursts *diff_bursts_new(const DiffBlocksOf *run, const GByteArray *places);
void diff_bursts_free(DiffBursts *bursts);

/* Returns the number of blocks; 0: nothing was measured. */
uint32_t diff_bursts_blocks(const DiffBursts *bursts);

/* Whether a figure was measured. */
bool diff_bursts_know(const DiffBursts *bursts, BlockFigure figure);

/* Returns the variance of such a figure in a row; those of the others and of all have the numbers
   rows and rows + 1. */
double diff_bursts_variance(const DiffBursts *bursts, uint32_t row, BlockFigure figure);

/*
 * DiffRows compares the rows of two runs. Rows that mean the same (Join) are one; those of a
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

/* Returns a row, or that of the sums TABLE_OTHERS and TABLE_ALL. */
const DiffRow *diff_rows_at(const DiffRows *rows, guint row);

/* Returns the row of a run; NULL: that run has none. */
const GroupRow *diff_rows_of(const DiffRows *rows, const DiffRow *row, JoinSide side);

/* Returns the run that labels a row: the newer one, unless the row is gone. */
JoinSide diff_row_side(const DiffRow *row);

/* Returns how a metric changed in a row. */
DiffFigures diff_row_figures(const DiffRows *rows, const DiffRow *row, const Metric *metric);

/* Returns what the figures of a metric are divided by: the largest of several is not. */
DiffPer diff_rows_per(const DiffRows *rows, const Metric *metric);

/* Whether the noise of the metric that ranks is known of any row. */
bool diff_rows_know_noise(const DiffRows *rows);
