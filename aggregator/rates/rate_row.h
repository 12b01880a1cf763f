/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_names.h"
#include "table/metric.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether allocations minus frees are known, or why not; a larger value is a stronger reason. */
typedef enum {
	RATE_NET_KNOWN,
	RATE_NET_UNCONFIRMED,  /* no free was seen, and no growth in /proc/slabinfo */
	RATE_NET_CONTRADICTED, /* /proc/slabinfo shows another growth */
	RATE_NET_UNNAMED,      /* kfree() does not report the cache */
	/* From here on for all caches: */
	RATE_NET_FILTERED,      /* others may free what the selected processes allocated */
	RATE_NET_SAMPLED,       /* allocations and frees are sampled separately */
	RATE_NET_NOT_COLLECTED, /* frees are not collected */
	RATE_NETS,
} RateNet;

/* A slab cache in an interval, or the sum of all caches. The table owns the texts. */
typedef struct {
	const char *label; /* as printed, escaped; may have "(by size)" */
	const char *name;  /* the folded name alone, escaped; NULL: unknown */
	bool by_size;      /* the name is the kmalloc class for the size */
	RowSums sums;
	LiveSums live; /* the net of the sum adds up rows with a known net */
	/* NEEDS_FREES: frees were not collected, or not all are attributed to this cache (perf
	   events do not record the cache of kfree()). NEEDS_SLABINFO, NEEDS_HELD, NEEDS_CHURN. */
	unsigned lacks;
	RateNet net_state;
	const char *busiest; /* the processes with most allocations, "comm 93 %"; NULL: unknown */
	const char *busiest_name; /* the name alone: "comm", escaped */
	double busiest_percent;   /* ... and its share of the row's allocations */
} RateRow;

/* Sets the names of a row; they are borrowed. */
void rate_row_set_cache(RateRow *row, const CacheLabel *cache);

/* Whether a row is that of a kmalloc class. If kfree() does not report the cache, frees of these
   are in the row of unknown caches, together with frees from other caches. */
bool rate_row_is_of_kmalloc(const RateRow *row);

/*
 * The columns of a rate table are metrics, and each is a sort key. Numbers are per interval and can
 * be shown per second, except instantaneous ones.
 */

/* Every table begins with these columns. */
enum { RATE_COLUMNS_FIRST = 3, RATE_COLUMNS_MAX = METRICS };
extern const Metric *const rate_columns_first[RATE_COLUMNS_FIRST];

/* The default sort key: bytes. */
extern const Metric *const rate_sort_default;

/* Writes the columns of a table, ended by NULL: the given ones and, if events were sampled, the
   margin after the first ones. It is the margin of BYTES, or of ALLOCS if the bytes are unknown. */
void rate_columns_choose(const Metric *chosen[RATE_COLUMNS_MAX + 1], const Metric *const *given,
			 bool sampled);

/* Appends the title of a column, "BYTES", or per second, "BYTES/s". */
void rate_column_append_title(GString *out, const Metric *column, bool per_second);

/* How numbers are shown. */
typedef struct {
	uint64_t span_ns; /* time span for numbers per second; 0: show totals */
	bool human;       /* bytes in KiB, MiB; else in full */
	bool estimated;   /* put "~" before estimates, i.e. all except instantaneous numbers */
} RateNumbers;

/* Appends the cell of a row, not padded: an escaped text, a number with separators, or "-" if
   unknown. */
void rate_row_append(GString *out, const RateRow *row, const Metric *column,
		     const RateNumbers *numbers);

/* Returns a number in *number, per second if span_ns is not 0. Returns false if it is unknown, or a
   text. */
bool rate_row_number(const RateRow *row, const Metric *column, uint64_t span_ns, int64_t *number);

/* Sorts rows (element-type RateRow): numbers descending, texts from A, unknown values last; then by
   label. */
void rate_rows_sort(GArray *rows, const Metric *sort);
