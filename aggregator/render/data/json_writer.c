/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON values into a string, with commas where needed; long output is spilled to the file.
 * All JSON of the program is written here, so texts are escaped in one place.
 */
#include "render/data/json_writer.h"

#include "base/clock.h"
#include "base/escape.h"

#include <math.h>
#include <string.h>

enum { NS_PER_MICROSECOND = 1000, SPILL_BYTES = 64 << 10 };

void json_spill(JsonWriter *json, FILE *out)
{
	if (json->out->len < SPILL_BYTES)
		return;
	fwrite(json->out->str, 1, json->out->len, out);
	g_string_truncate(json->out, 0);
}

static void json_writer_begin(JsonWriter *json, const char *name)
{
	if (json->comma)
		g_string_append_c(json->out, ',');
	if (name)
		g_string_append_printf(json->out, "\"%s\":", name);
	json->comma = true;
}

void json_open(JsonWriter *json, const char *name, char bracket)
{
	json_writer_begin(json, name);
	g_string_append_c(json->out, bracket);
	json->comma = false;
}

void json_close(JsonWriter *json, char bracket)
{
	g_string_append_c(json->out, bracket);
	json->comma = true;
}

void json_null(JsonWriter *json, const char *name)
{
	json_writer_begin(json, name);
	g_string_append(json->out, "null");
}

void json_flag(JsonWriter *json, const char *name, bool flag)
{
	json_writer_begin(json, name);
	g_string_append(json->out, flag ? "true" : "false");
}

void json_count(JsonWriter *json, const char *name, uint64_t count)
{
	json_writer_begin(json, name);
	g_string_append_printf(json->out, "%" G_GUINT64_FORMAT, count);
}

void json_count_if(JsonWriter *json, const char *name, bool known, uint64_t count)
{
	if (known)
		json_count(json, name, count);
	else
		json_null(json, name);
}

void json_counts(JsonWriter *json, const char *name, const uint64_t *numbers, unsigned count)
{
	json_open(json, name, '[');
	for (unsigned i = 0; i < count; i++)
		json_count(json, NULL, numbers[i]);
	json_close(json, ']');
}

void json_signed(JsonWriter *json, const char *name, int64_t number)
{
	json_writer_begin(json, name);
	g_string_append_printf(json->out, "%" G_GINT64_FORMAT, number);
}

static void append_double(JsonWriter *json, const char *name, double number, const char *format)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (!isfinite(number)) {
		json_null(json, name);
		return;
	}
	json_writer_begin(json, name);
	g_string_append(json->out, g_ascii_formatd(text, sizeof(text), format, number));
}

void json_decimals(JsonWriter *json, const char *name, double number, int decimals)
{
	char format[sizeof("%.9f")];

	g_snprintf(format, sizeof(format), "%%.%df", CLAMP(decimals, 0, 9));
	append_double(json, name, number, format);
}

void json_real(JsonWriter *json, const char *name, double number)
{
	append_double(json, name, number, "%.9g");
}

void json_exact(JsonWriter *json, const char *name, double number)
{
	append_double(json, name, number, "%.15g");
}

void json_seconds(JsonWriter *json, const char *name, uint64_t ns)
{
	json_writer_begin(json, name);
	g_string_append_printf(json->out, "%" G_GUINT64_FORMAT ".%09u", ns / NS_PER_SECOND,
			       (unsigned)(ns % NS_PER_SECOND));
}

void json_micros(JsonWriter *json, const char *name, uint64_t ns)
{
	json_writer_begin(json, name);
	g_string_append_printf(json->out, "%" G_GUINT64_FORMAT ".%06u", ns / NS_PER_SECOND,
			       (unsigned)(ns % NS_PER_SECOND / NS_PER_MICROSECOND));
}

void json_time(JsonWriter *json, const char *name, uint64_t realtime_ns)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_utc((gint64)(realtime_ns / NS_PER_SECOND));
	/* GDateTime covers all 64-bit ns values: until the year 2554. */
	g_autofree char *text = g_date_time_format(time, "%Y-%m-%dT%H:%M:%S");

	json_writer_begin(json, name);
	g_string_append_printf(json->out, "\"%s.%09uZ\"", text,
			       (unsigned)(realtime_ns % NS_PER_SECOND));
}

void json_text_len(JsonWriter *json, const char *name, const char *text, gsize length)
{
	g_autoptr(GString) printable = g_string_new(NULL);

	json_writer_begin(json, name);
	escape_hidden_append_len(printable, text, length);
	g_string_append_c(json->out, '"');
	for (gsize i = 0; i < printable->len; i++) {
		/* The text is printable now; JSON requires two characters to be escaped. */
		if (strchr("\"\\", printable->str[i]))
			g_string_append_c(json->out, '\\');
		g_string_append_c(json->out, printable->str[i]);
	}
	g_string_append_c(json->out, '"');
}

void json_text(JsonWriter *json, const char *name, const char *text)
{
	if (text)
		json_text_len(json, name, text, strlen(text));
	else
		json_null(json, name);
}

static void write_list(JsonWriter *json, const char *name, char *const *list)
{
	json_open(json, name, '[');
	for (; list && *list; list++)
		json_text(json, NULL, *list);
	json_close(json, ']');
}

static void write_range(JsonWriter *json, const char *name, const Value *range)
{
	json_open(json, name, '{');
	json_count(json, "low", range->number);
	json_count(json, "high", range->other);
	json_close(json, '}');
}

static void write_share(JsonWriter *json, const char *name, const Value *share)
{
	json_real(json, name,
		  share->other ? (double)share->number * 100 / (double)share->other : 0);
}

void json_value(JsonWriter *json, const char *name, ValueType type, const Value *value)
{
	if (!value->known) {
		json_null(json, name);
		return;
	}
	switch (type) {
	case VALUE_TEXT:
	case VALUE_LABEL:
		json_text(json, name, value->text);
		break;
	case VALUE_LIST:
		write_list(json, name, value->list);
		break;
	case VALUE_FLAG:
		json_flag(json, name, value->number);
		break;
	case VALUE_COUNT:
	case VALUE_BYTES:
	case VALUE_NS:
		json_count(json, name, value->number);
		break;
	case VALUE_DIFFERENCE:
		json_signed(json, name, (int64_t)value->number);
		break;
	case VALUE_RANGE:
		write_range(json, name, value);
		break;
	case VALUE_SHARE:
		write_share(json, name, value);
		break;
	case VALUE_PERCENT:
		json_real(json, name, value->percent);
		break;
	case VALUE_REAL:
		json_exact(json, name, value->real);
		break;
	case VALUE_CHANGE:
		/* Plus 0: no "-0". */
		json_decimals(json, name, rint(value->real) + 0.0, 0);
		break;
	case VALUE_ROUNDED:
		json_decimals(json, name, value->real, (int)value->other);
		break;
	case VALUE_TIME_SPAN:
		json_seconds(json, name, value->number);
		break;
	case VALUE_TIME:
		json_time(json, name, value->number);
		break;
	case VALUE_FRAMES: /* render_json.c */
		break;
	}
}
