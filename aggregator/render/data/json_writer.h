/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes JSON, one value at a time, the same in every locale. name is the member of the open
 * object, or NULL for an element of an array. Names are constants; texts are not trusted.
 */
typedef struct {
	GString *out;
	bool comma; /* private: put one before the next value */
} JsonWriter;

/* Writes what was made so far to a file and forgets it, if that is much: for long documents. */
void json_spill(JsonWriter *json, FILE *out);

/* Opens an object, '{', or an array, '['; json_close() takes the closing bracket. */
void json_open(JsonWriter *json, const char *name, char bracket);
void json_close(JsonWriter *json, char bracket);

/* Write a member of an object, or an element of an array if name is NULL. */
void json_null(JsonWriter *json, const char *name);
void json_flag(JsonWriter *json, const char *name, bool flag);
void json_count(JsonWriter *json, const char *name, uint64_t count);
void json_count_if(JsonWriter *json, const char *name, bool known, uint64_t count); /* else null */
void json_signed(JsonWriter *json, const char *name, int64_t number);

/* Writes an array of numbers. */
void json_counts(JsonWriter *json, const char *name, const uint64_t *numbers, unsigned count);

/* Writes a number with this many decimals; null if it is not finite. */
void json_decimals(JsonWriter *json, const char *name, double number, int decimals);

/* Writes a number with nine significant digits. */
void json_real(JsonWriter *json, const char *name, double number);

/* Writes a number with all digits that decimals keep, 15. */
void json_exact(JsonWriter *json, const char *name, double number);

/* Writes ns as seconds, with all digits. */
void json_seconds(JsonWriter *json, const char *name, uint64_t ns);

/* Writes ns as seconds, with six decimals. */
void json_micros(JsonWriter *json, const char *name, uint64_t ns);

/* Writes a time, in ns since 1970, as "2026-11-21T03:39:19.000000000Z". */
void json_time(JsonWriter *json, const char *name, uint64_t realtime_ns);

/* Writes a text as in text reports: bytes that are not printable UTF-8 become \xNN. NULL becomes
   null. */
void json_text(JsonWriter *json, const char *name, const char *text);
void json_text_len(JsonWriter *json, const char *name, const char *text, gsize length);

/* Writes a value of this type; null if it is unknown. */
void json_value(JsonWriter *json, const char *name, ValueType type, const Value *value);
