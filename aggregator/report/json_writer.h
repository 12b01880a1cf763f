/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/facts.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Writes JSON, a value at a time, the same in every locale. A name is that of a member of the
 * object that is open, NULL for an element of an array. Names are ours; texts may be anybody's.
 */
typedef struct {
	GString *out;
	bool comma; /* private: one goes before what comes next */
} JsonWriter;

/* Opens an object, '{', or an array, '['; the other bracket closes it. */
void json_open(JsonWriter *json, const char *name, char bracket);
void json_close(JsonWriter *json, char bracket);

void json_null(JsonWriter *json, const char *name);
void json_flag(JsonWriter *json, const char *name, bool flag);
void json_count(JsonWriter *json, const char *name, uint64_t count);
void json_signed(JsonWriter *json, const char *name, int64_t number);

/* Writes a number with so many decimals; null where it is none. */
void json_decimals(JsonWriter *json, const char *name, double number, int decimals);

/* Writes a number with nine digits that count. */
void json_real(JsonWriter *json, const char *name, double number);

/* Writes ns in seconds, with all their digits. */
void json_seconds(JsonWriter *json, const char *name, uint64_t ns);

/* The same with six decimals. */
void json_micros(JsonWriter *json, const char *name, uint64_t ns);

/* Writes an instant, in ns since 1970, as "2026-11-21T03:39:19.000000000Z". */
void json_time(JsonWriter *json, const char *name, uint64_t realtime_ns);

/* Writes a text as the reports for people show it: bytes that are no printable UTF-8 are \xNN. NULL
   is null. */
void json_text(JsonWriter *json, const char *name, const char *text);
void json_text_len(JsonWriter *json, const char *name, const char *text, gsize length);

/* Writes a value of that type; null where it is not known. */
void json_value(JsonWriter *json, const char *name, ValueType type, const Value *value);
