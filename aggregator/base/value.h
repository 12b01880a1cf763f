/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The type of a value, and its unit. */
typedef enum {
	VALUE_TEXT, /* not yet escaped */
	VALUE_LIST, /* of texts */
	VALUE_FLAG,
	VALUE_COUNT,
	VALUE_DIFFERENCE, /* of counts: may be negative */
	VALUE_RANGE,      /* a count between two bounds */
	VALUE_BYTES,
	VALUE_SHARE,     /* a part of a whole: in percent */
	VALUE_PERCENT,   /* in percent; part and whole are unknown */
	VALUE_REAL,      /* any number */
	VALUE_TIME_SPAN, /* ns; in seconds */
	VALUE_NS,
	VALUE_TIME, /* ns since 1970 */
} ValueType;

typedef struct {
	bool known;
	uint64_t number; /* count, low end, part, ns; a flag is 0 or 1; a difference as int64_t */
	uint64_t other;  /* high end, whole */
	double percent;
	double real;
	const char *text; /* borrowed */
	char **list;      /* owned */
} Value;
