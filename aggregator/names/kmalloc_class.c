/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spellings of kmalloc classes, parsed into a prefix and a size, and written back in any of the
 * three spellings that kernels have used. All comparisons of cache names across kernels rest on it.
 */
#include "names/kmalloc_class.h"

#include <string.h>

enum { CLASS_BYTES_MAX = 1 << 30 };

#define SIZE_PREFIX "size-"
#define DMA_SUFFIX "(DMA)"

/* Units of a class name, largest first. */
static const struct {
	char letter;
	uint32_t bytes;
} units[] = {
	{ 'M', 1 << 20 },
	{ 'k', 1 << 10 },
};

/* Names of the two caches of a size when names contained only the size. */
static const struct {
	const char *prefix;
	const char *suffix;
} sized[] = {
	{ "kmalloc-", "" },
	{ "dma-kmalloc-", DMA_SUFFIX },
};

static uint64_t unit_of(char letter)
{
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (g_ascii_tolower(letter) == g_ascii_tolower(units[i].letter))
			return units[i].bytes;
	return 0;
}

/* Parses "1k" or "1024". Returns 0 unless all of the text is a size. */
static uint64_t parse_bytes(const char *text)
{
	char *end;
	uint64_t bytes = g_ascii_isdigit(*text) ? g_ascii_strtoull(text, &end, 10) : 0;

	if (!bytes || bytes > CLASS_BYTES_MAX)
		return 0;
	if (*end) {
		bytes *= unit_of(*end);
		end++;
	}
	return *end || bytes > CLASS_BYTES_MAX ? 0 : bytes;
}

/* Parses "size-1024(DMA)". */
static bool parse_sized(const char *name, KmallocClass *class)
{
	size_t digits = strcspn(name + strlen(SIZE_PREFIX), "(");
	g_autofree char *number = g_strndup(name + strlen(SIZE_PREFIX), digits);
	const char *suffix = name + strlen(SIZE_PREFIX) + digits;

	class->bytes = parse_bytes(number);
	for (size_t i = 0; i < G_N_ELEMENTS(sized); i++) {
		if (g_ascii_strcasecmp(suffix, sized[i].suffix))
			continue;
		g_strlcpy(class->prefix, sized[i].prefix, sizeof(class->prefix));
		return class->bytes != 0;
	}
	return false;
}

bool kmalloc_class_parse(const char *name, KmallocClass *class)
{
	const char *dash = strrchr(name, '-');
	size_t prefix_bytes = dash ? (size_t)(dash - name) + 1 : 0;

	if (g_str_has_prefix(name, SIZE_PREFIX))
		return parse_sized(name, class);
	if (!g_str_has_prefix(name, "kmalloc-") && !g_str_has_prefix(name, "dma-kmalloc-"))
		return false;
	if (prefix_bytes >= sizeof(class->prefix))
		return false;
	memcpy(class->prefix, name, prefix_bytes);
	class->prefix[prefix_bytes] = '\0';
	class->bytes = parse_bytes(dash + 1);
	return class->bytes != 0;
}

static void append_with_unit(GString *out, const KmallocClass *class)
{
	size_t unit = 0;

	while (unit < G_N_ELEMENTS(units) && class->bytes % units[unit].bytes)
		unit++;
	if (unit == G_N_ELEMENTS(units))
		g_string_append_printf(out, "%s%" G_GUINT64_FORMAT, class->prefix, class->bytes);
	else
		g_string_append_printf(out, "%s%" G_GUINT64_FORMAT "%c", class->prefix,
				       class->bytes / units[unit].bytes, units[unit].letter);
}

static bool append_sized(GString *out, const KmallocClass *class)
{
	for (size_t i = 0; i < G_N_ELEMENTS(sized); i++) {
		if (!g_str_equal(class->prefix, sized[i].prefix))
			continue;
		g_string_append_printf(out, SIZE_PREFIX "%" G_GUINT64_FORMAT "%s", class->bytes,
				       sized[i].suffix);
		return true;
	}
	return false;
}

bool kmalloc_class_append(GString *out, const KmallocClass *class, KmallocSpelling spelling)
{
	switch (spelling) {
	case KMALLOC_SPELLING_UNITS:
		append_with_unit(out, class);
		return true;
	case KMALLOC_SPELLING_SIZE:
		return append_sized(out, class);
	default:
		g_string_append_printf(out, "%s%" G_GUINT64_FORMAT, class->prefix, class->bytes);
		return true;
	}
}
