/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The offset of a member, which must be of that type: whoever reads at an offset cannot see it. */
#define MEMBER_AT(type, row, member) _Generic(((row *)NULL)->member, type : offsetof(row, member))

/* The type of a value, and its unit. */
typedef enum {
	VALUE_TEXT,   /* not yet escaped */
	VALUE_LABEL,  /* a text that is escaped, perhaps of many lines */
	VALUE_LIST,   /* of texts */
	VALUE_FRAMES, /* of a stack */
	VALUE_FLAG,
	VALUE_COUNT,
	VALUE_DIFFERENCE, /* of counts: may be negative */
	VALUE_RANGE,      /* a count between two bounds */
	VALUE_BYTES,
	VALUE_SHARE,     /* a part of a whole: in percent */
	VALUE_PERCENT,   /* in percent; part and whole are unknown */
	VALUE_REAL,      /* any number */
	VALUE_ROUNDED,   /* ... with that many decimals */
	VALUE_CHANGE,    /* of bytes, to whole ones */
	VALUE_TIME_SPAN, /* ns; in seconds */
	VALUE_NS,
	VALUE_TIME, /* ns since 1970 */
} ValueType;

typedef struct {
	bool known;
	/* Count, low end, part, ns, stack; a flag is 0 or 1, a difference an int64_t. */
	uint64_t number;
	uint64_t other; /* high end, whole, decimals */
	double percent;
	double real;
	const char *text; /* borrowed */
	char **list;      /* borrowed, as text is */
	const void *of;   /* the StackRows of a stack, borrowed */
} Value;
