/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as people read them: counts with commas, bytes with units, percents, margins, latencies,
 * times. No locale and no time zone has an influence, so reports can be compared byte by byte. All
 * renderers of text call it.
 */
#include "base/number_text.h"

#include "base/saturate.h"

#include <math.h>

/* Of a latency, in each unit, so that four digits are shown. */
enum { LATENCY_END = 10000 };

void append_count(GString *out, uint64_t count)
{
	gsize start = out->len;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT, count);
	for (gsize at = out->len; at > start + 3; at -= 3)
		g_string_insert_c(out, (gssize)at - 3, ',');
}

void append_amount(GString *out, uint64_t bytes, bool human)
{
	enum { UNIT = 1024, DIGITS_FROM = 100 };
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	guint unit = 0;
	double value = (double)bytes / UNIT;

	if (!human) {
		append_count(out, bytes);
		return;
	}
	if (bytes < UNIT) {
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " B", bytes);
		return;
	}
	/* 1,024.0 is shown in the next unit. */
	for (; value >= UNIT - 0.05 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= UNIT;
	/* Two or three significant digits. */
	if (value >= DIGITS_FROM - 0.05) {
		append_count(out, (uint64_t)(value + 0.5));
	} else {
		uint64_t tenths = (uint64_t)(value * 10 + 0.5);

		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%u", tenths / 10,
				       (unsigned)(tenths % 10));
	}
	g_string_append_printf(out, " %s", units[unit]);
}

void append_change(GString *out, double bytes, bool human)
{
	uint64_t size = saturate_double(ABS(bytes) + 0.5);

	if (size)
		g_string_append_c(out, bytes < 0 ? '-' : '+');
	append_amount(out, size, human);
}

void append_real(GString *out, double number)
{
	enum { WHOLE_FROM = 100, DECIMALS_MAX = 9 };
	char text[G_ASCII_DTOSTR_BUF_SIZE], format[sizeof("%.9f")];
	int decimals = 2;

	if (number >= WHOLE_FROM - 0.05 || number == floor(number)) {
		append_count(out, saturate_double(number + 0.5));
		return;
	}
	for (double digits = number; digits < 1 && decimals < DECIMALS_MAX; digits *= 10)
		decimals++;
	if (number >= 10 - 0.005)
		decimals = 1;
	g_snprintf(format, sizeof(format), "%%.%df", decimals);
	g_string_append(out, g_ascii_formatd(text, sizeof(text), format, number));
}

/* Appends a number with this many decimals, or without if all are 0; least: the minimum, in units
   of the last decimal. */
static void append_decimals(GString *out, double number, unsigned decimals, uint64_t least)
{
	unsigned scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	uint64_t scaled = MAX(saturate_double(number * scale + 0.5), least);

	g_string_append_printf(out, "%" G_GUINT64_FORMAT, scaled / scale);
	if (scaled % scale)
		g_string_append_printf(out, ".%0*u", (int)decimals, (unsigned)(scaled % scale));
}

void append_percent(GString *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? (double)part * 100 / (double)whole : 0;
	/* Two digits; more only if rounding to "100 %" would suggest the whole. */
	bool is_close = percent > 99 && percent <= 100;
	unsigned decimals = percent < 1 || is_close ? 2 : percent < 10 ? 1 : 0;

	if (part && percent < 0.01)
		g_string_append(out, "<0.01");
	else
		append_decimals(out, percent, decimals, 0);
	g_string_append(out, " %");
}

void append_margin(GString *out, double percent)
{
	append_decimals(out, percent, percent < 1 ? 2 : percent < 10 ? 1 : 0, percent > 0);
}

void append_seconds(GString *out, uint64_t ns)
{
	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%03u s", ns / NS_PER_SECOND,
			       (unsigned)(ns % NS_PER_SECOND / NS_PER_MS));
}

void append_elapsed(GString *out, uint64_t ns)
{
	static const struct {
		const char *name;
		uint64_t seconds;
	} units[] = { { "min", 60 }, { "h", 60 * 60 }, { "days", 24 * 60 * 60 } };
	uint64_t seconds = ns / NS_PER_SECOND + (ns % NS_PER_SECOND >= NS_PER_SECOND / 2);
	size_t i = G_N_ELEMENTS(units);

	while (i > 0 && seconds < 2 * units[i - 1].seconds)
		i--;
	if (!i) {
		append_seconds(out, ns);
		return;
	}
	g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s",
			       (seconds + units[i - 1].seconds / 2) / units[i - 1].seconds,
			       units[i - 1].name);
}

void append_latency(GString *out, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms" };
	uint64_t number = ns;

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (number < LATENCY_END) {
			g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s", number, units[i]);
			return;
		}
		number = (number + 500) / 1000;
	}
	append_seconds(out, ns);
}

void append_time(GString *out, uint64_t realtime_ns)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_utc((gint64)(realtime_ns / NS_PER_SECOND));
	/* GDateTime covers all 64-bit ns values: until the year 2554. */
	g_autofree char *text = g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ");

	g_string_append(out, text);
}
