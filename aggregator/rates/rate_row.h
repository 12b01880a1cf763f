/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/metric.h"

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
	RowSums sums;
	LiveSums live; /* the net of the sum is that of the rows where it is known */
	/* NEEDS_FREES: frees were not collected, or are not all of this cache's, as perf events do
	   not say whose memory kfree() gives back; NEEDS_SLABINFO. */
	unsigned lacks;
	RateNet net_state;
	const char *busiest; /* the processes with most allocations, "comm 93 %"; NULL: unknown */
	const char *busiest_name; /* the same: "comm", escaped */
	double busiest_percent;   /* ... and its share of the allocations of this row */
} RateRow;

/*
 * The columns of a table of rates are metrics; each is a sort key, too. Numbers are of an interval,
 * and can be shown per second, unless they are of an instant.
 */

/* Every table begins with these. */
enum { RATE_COLUMNS_FIRST = 3, RATE_COLUMNS_MAX = METRICS };
extern const Metric *const rate_columns_first[RATE_COLUMNS_FIRST];

/* What a table is sorted by if the user names nothing: bytes. */
extern const Metric *const rate_sort_default;

/* Writes the columns of a table, ended by NULL: those given, and where events were sampled the
   margin behind the first ones. It is that of BYTES; of ALLOCS, where their bytes are not known. */
void rate_columns_choose(const Metric *chosen[RATE_COLUMNS_MAX + 1], const Metric *const *given,
			 bool sampled);

/* Appends the title of a column, "BYTES", or per second, "BYTES/s". */
void rate_column_append_title(GString *out, const Metric *column, bool per_second);

/* How numbers are shown. */
typedef struct {
	uint64_t span_ns; /* what they are of, to be shown per second; 0: as they are */
	bool human;       /* bytes in KiB, MiB; else in full */
	bool estimated;   /* they are scaled up: "~" stands before each but those of an instant */
} RateNumbers;

/* Appends what a row has in a column, not padded: an escaped text, a number with separators, or "-"
   where it is not known. */
void rate_row_append(GString *out, const RateRow *row, const Metric *column,
		     const RateNumbers *numbers);

/* Reads a number, per second where span_ns is not 0. Returns false where it is not known, or a
   text. */
bool rate_row_number(const RateRow *row, const Metric *column, uint64_t span_ns, int64_t *number);

/* Sorts rows (element-type RateRow): numbers from the largest, texts from A, at last what is not
   known; then by label. */
void rate_rows_sort(GArray *rows, const Metric *sort);
