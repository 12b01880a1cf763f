/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/numbers.h"

enum { NS_PER_SECOND = 1000000000 };

void append_count(GString *out, uint64_t count)
{
	gsize start = out->len;

	g_string_append_printf(out, "%" G_GUINT64_FORMAT, count);
	for (gsize at = out->len; at > start + 3; at -= 3)
		g_string_insert_c(out, (gssize)at - 3, ',');
}

/* Appends three digits and the unit. */
static void append_scaled(GString *out, uint64_t bytes, const char *unit, uint64_t unit_bytes)
{
	double amount = (double)bytes / (double)unit_bytes;
	/* What is rounded up to 10 or 100 has one digit less behind the point. */
	unsigned decimals = amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
	char format[] = "%.0f";
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	format[2] = (char)('0' + decimals);
	g_string_append_printf(out, "%s %s",
			       g_ascii_formatd(number, sizeof(number), format, amount), unit);
}

void append_amount(GString *out, uint64_t bytes, bool human)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	guint unit = 0;

	if (!human) {
		append_count(out, bytes);
		return;
	}
	if (bytes < 1024) {
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " B", bytes);
		return;
	}
	/* What would be rounded to 1024 is one of the next unit. */
	while (unit + 1 < G_N_ELEMENTS(units) && (double)(bytes >> (10 * unit)) >= 1023.5 * 1024)
		unit++;
	append_scaled(out, bytes, units[unit], (uint64_t)1024 << (10 * unit));
}

void append_percent(GString *out, uint64_t part, uint64_t whole)
{
	double percent = whole ? (double)part * 100 / (double)whole : 0;
	/* Two digits; more only where "100 %" would say that it is all. */
	unsigned decimals = percent < 1 || percent > 99 ? 2 : percent < 10 ? 1 : 0;
	unsigned scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
	uint64_t scaled = (uint64_t)(percent * scale + 0.5);

	if (part && percent < 0.01)
		g_string_append(out, "<0.01 %");
	else if (scaled % scale)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%0*u %%", scaled / scale,
				       (int)decimals, (unsigned)(scaled % scale));
	else
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " %%", scaled / scale);
}

void append_seconds(GString *out, uint64_t ns)
{
	g_string_append_printf(out, "%" G_GUINT64_FORMAT ".%03u s", ns / NS_PER_SECOND,
			       (unsigned)(ns % NS_PER_SECOND / NS_PER_MS));
}

void append_time(GString *out, uint64_t realtime_ns)
{
	g_autoptr(GDateTime) time =
		g_date_time_new_from_unix_utc((gint64)(realtime_ns / NS_PER_SECOND));
	/* Every 64-bit number of ns is within the range of GDateTime: until the year 2554. */
	g_autofree char *text = g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ");

	g_string_append(out, text);
}
