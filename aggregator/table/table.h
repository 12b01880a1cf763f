/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/value.h"
#include "table/metric.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A Table is rows for a printer: columns, and typed values by row and column. Grids of text, JSON,
 * ndjson, CSV, Prometheus, and comparisons of the page print Tables; the screen has rows of its
 * own. A column is one TableColumn; its value is a member of a struct, or what its function
 * computes. No value is kept, so a table of many rows is small.
 */
typedef struct Table Table;
typedef struct TableColumn TableColumn;

/* Who prints a table: each has columns of its own. */
typedef enum {
	TABLE_TEXT = 1,
	TABLE_JSON = 2,
	TABLE_FLAT = 4, /* CSV and ndjson */
	TABLE_PAGE = 8,
} TableUse;

/* Rows that are sums; not each table has them. */
#define TABLE_OTHERS (UINT32_MAX - 1)
#define TABLE_ALL UINT32_MAX

struct TableColumn {
	const char *id;          /* in JSON and CSV, with the unit as suffix; NULL: only in text */
	const char *title;       /* in text */
	const char *title_human; /* for --human, where each figure has its unit; NULL: as title */
	const char *within; /* in JSON: the object that columns with this pointer share, as they
			       follow each other; null if the first is unknown. NULL: none */
	ValueType type;
	unsigned uses;     /* TableUse; 0: all */
	bool is_key;       /* sums have no value */
	bool is_optional;  /* JSON has no member, instead of null */
	bool is_right;     /* in text; numbers always are */
	bool is_short;     /* in text: a time span of at most four digits */
	bool is_fixed;     /* in text: not wider than its width */
	bool is_cut;       /* in text: a wide label is shortened */
	const char *blank; /* in text, of unknown values; NULL: "-" */
	int width;         /* in text: at least */
	/* Returns the value; texts and lists are the table's, until the next call. NULL: it is a
	   member of the row. */
	Value (*read)(Table *table, const TableColumn *column, guint row);
	size_t at;       /* ... at this offset; or a number for read() */
	size_t known_at; /* ... if the bool at this offset is true; 0: always */
	unsigned decimals;
	const void *of; /* borrowed, for read() */
};

/* A column whose value is a member of the row, whose C type goes with the type of the value. */
#define TABLE_MEMBER(name, value_type, row, member)                                                \
	.id = (name), .type = (value_type), .at = TABLE_AT_##value_type(row, member)
#define TABLE_AT_VALUE_FLAG(row, member) MEMBER_AT(bool, row, member)
#define TABLE_AT_VALUE_COUNT(row, member) MEMBER_AT(uint64_t, row, member)
#define TABLE_AT_VALUE_BYTES(row, member) MEMBER_AT(uint64_t, row, member)
#define TABLE_AT_VALUE_TIME_SPAN(row, member) MEMBER_AT(uint64_t, row, member)
#define TABLE_AT_VALUE_CHANGE(row, member) MEMBER_AT(double, row, member)
#define TABLE_AT_VALUE_TEXT(row, member)                                                           \
	_Generic(((row *)NULL)->member, char * : offsetof(row, member), const char *               \
		 : offsetof(row, member))

struct Table {
	GArray *columns; /* (element-type TableColumn) */
	guint count;     /* rows that are printed */
	uint64_t more;   /* rows that are not */
	GArray *rows;    /* of structs with members that are values, owned; or NULL */
	const void *all; /* such a struct with the sums; or NULL */
	/* For read(); borrowed. */
	const void *source;
	MetricContext context;
	uint64_t span_ns; /* figures are per second of this time; 0: they are not */
	GString *text;    /* of a value */
	char **list;      /* likewise */
	/* Private. */
	GPtrArray *owned;
};

/* Returns a table without columns. rows: taken, or NULL. Free it with table_free(). */
Table *table_new(const void *source, GArray *rows);
void table_free(Table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

/* Adds columns that have this use. */
void table_add(Table *table, const TableColumn *columns, gsize count, TableUse use);

/* Adds a column with the same value in all rows. */
void table_add_constant(Table *table, const char *id, ValueType type, Value value);

/* Return what the table keeps: a copy, or a text, "old_bytes". */
void *table_keep(Table *table, const void *data, gsize bytes);
const char *table_printf(Table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Keeps at most so many rows; the others are more. */
void table_cut(Table *table, uint64_t rows_max);

static inline const TableColumn *table_column(const Table *table, guint column)
{
	hot_assert(column < table->columns->len);
	return &g_array_index(table->columns, TableColumn, column);
}

/* Returns the value of a cell, valid until the next call. */
Value table_cell(Table *table, const TableColumn *column, guint row);

/* Returns a text as a value; it is unknown if it is empty. */
Value table_text(const GString *text);
