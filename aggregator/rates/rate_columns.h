/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/margin.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether allocations less frees are known, and why not; the larger, the weightier. */
typedef enum {
	RATE_NET_KNOWN,
	RATE_NET_UNCONFIRMED,  /* no free was seen, nor growth in /proc/slabinfo */
	RATE_NET_CONTRADICTED, /* /proc/slabinfo has another growth */
	RATE_NET_UNNAMED,      /* kfree() does not say whose memory it gives back */
	/* From here on of no cache at all: */
	RATE_NET_FILTERED,      /* others may free what the processes that count allocated */
	RATE_NET_SAMPLED,       /* allocations and frees are sampled apart */
	RATE_NET_NOT_COLLECTED, /* frees are not */
	RATE_NETS,
} RateNet;

/* A slab cache in an interval, or the sum of all. Texts are owned by the table. */
typedef struct {
	const char *label; /* as printed, escaped; may have "(by size)" */
	const char *name;  /* the folded name alone, escaped; NULL: it is not known */
	bool by_size;      /* the name is the class of kmalloc that has room for the size */
	uint64_t allocations;
	uint64_t failed;
	uint64_t frees;
	/* Whether frees are all of this cache's: they may not have been collected, and perf events
	   do not say whose memory kfree() gives back. */
	bool frees_known;
	RateNet net_state;
	int64_t net; /* allocations less frees; of the sum: of the rows where it is known */
	uint64_t bytes_allocated;
	uint64_t bytes_requested;
	Variance variance;   /* of allocations and their bytes, where they are sampled */
	const char *busiest; /* the processes with most allocations, "comm 93 %"; NULL: unknown */
	const char *busiest_name; /* the same: "comm", escaped */
	double busiest_percent;   /* ... and its share of the allocations of this row */
	int64_t objects_in_use;   /* by /proc/slabinfo; -1: not known */
} RateRow;

/*
 * What a table of rates has columns of; each is a sort key, too. To add one: a row in the table.
 *
 * A column has either a text, a number or a margin; numbers are of an interval, and can be shown
 * per second, unless they are of an instant.
 */
typedef struct {
	const char *name;   /* as options take it: "allocs" */
	const char *alias;  /* the same, of another tool; NULL: none */
	const char *member; /* of an object of JSON: it says the unit */
	const char *title;
	const char *help;
	int width;                               /* of the cells, at least */
	const char *(*text)(const RateRow *row); /* NULL: the text is not known; or a number: */
	bool (*number)(const RateRow *row, int64_t *number); /* false: it is not known */
	double (*margin)(const RateRow *row);                /* in percent */
	bool instant;
	bool bytes; /* the number is one of bytes: it can have a unit */
	/* What must be collected to fill it. */
	bool needs_frees;
	bool needs_slabinfo;
	bool needs_processes;
} RateColumn;

/* All columns, ended by one without name; every table begins with the first RATE_COLUMNS_FIRST. */
enum { RATE_COLUMNS_FIRST = 3, RATE_COLUMNS_MAX = 16 };
extern const RateColumn rate_columns[];

/* What a table is sorted by if the user names nothing: bytes. */
extern const RateColumn *const rate_sort_default;

/* The margin of BYTES; of ALLOCS, where their bytes are not known. Nobody need ask for it: it is
   shown where events were sampled. */
extern const RateColumn rate_margin_column;

/* Writes the columns of a table, ended by NULL: those given, and where events were sampled the
   margin behind BYTES. */
void rate_columns_choose(const RateColumn *chosen[RATE_COLUMNS_MAX + 1],
			 const RateColumn *const *given, bool sampled);

/* Returns the column of a name or alias, or NULL. */
const RateColumn *rate_column_lookup(const char *name);

/* Appends the title of a column, "BYTES", or per second, "BYTES/s". */
void rate_column_append_title(GString *out, const RateColumn *column, bool per_second);

/* How numbers are shown. */
typedef struct {
	uint64_t span_ns; /* what they are of, to be shown per second; 0: as they are */
	bool human;       /* bytes in KiB, MiB; else in full */
	bool estimated;   /* they are scaled up: "~" stands before each but those of an instant */
} RateNumbers;

/* Appends what a row has in a column, not padded: an escaped text, a number with separators, or "-"
   where it is not known. */
void rate_column_append(GString *out, const RateColumn *column, const RateRow *row,
			const RateNumbers *numbers);

/* Reads a number, per second where span_ns is not 0. Returns false where it is not known, or a
   text. */
bool rate_column_number(const RateColumn *column, const RateRow *row, uint64_t span_ns,
			int64_t *number);

/* Sorts rows (element-type RateRow): numbers from the largest, texts from A, at last what is not
   known; then by label. */
void rate_rows_sort(GArray *rows, const RateColumn *sort);
