/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes filters of tracepoints as text: by cache name, by size of a kmalloc class, and without
 * inner events. No state. perf_run.c sets them before events are enabled; they may let more through
 * than was asked for.
 */
#include "collect/perf/perf_filter.h"

#include "record/address_sample.h"

#include <stdbool.h>
#include <string.h>

/* True for no event: kmalloc() of zero bytes is not traced. */
#define NOTHING "bytes_req == 0"

static void append_or(GString *out)
{
	if (out->len)
		g_string_append(out, " || ");
}

/* The kernel ends a text at its quote and supports no escapes. */
static bool can_be_quoted(const char *name)
{
	for (; *name; name++)
		if (!g_ascii_isprint(*name) || *name == '"')
			return false;
	return true;
}

static char *by_name(char **caches)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (; *caches; caches++) {
		if (!can_be_quoted(*caches))
			return NULL;
		append_or(out);
		g_string_append_printf(out, "name == \"%s\"", *caches);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/*
 * Returns the size at the end of a name: "kmalloc-cg-1k", "msg_msg-512", "size-32(DMA)"; 0: none.
 */
static uint64_t class_bytes(const char *name)
{
	g_autofree char *plain = g_strndup(name, strcspn(name, "("));
	const char *dash = strrchr(plain, '-');
	char *end;
	uint64_t bytes;

	if (!dash || !g_ascii_isdigit(dash[1]))
		return 0;
	bytes = g_ascii_strtoull(dash + 1, &end, 10);
	if (g_ascii_tolower(*end) == 'k' || *end == 'M') {
		bytes <<= *end == 'M' ? 20 : 10;
		end++;
	}
	return *end || bytes > G_MAXINT32 ? 0 : bytes;
}

/* Compares the requested size, because on kernels that check their slabs, the allocated size is
   above the class. The class below is at least half as large, but that of 128 bytes may be the
   smallest. */
static void append_class(GString *out, uint64_t bytes)
{
	enum { SMALLEST_MAX = 128 };
	uint64_t more_than = bytes > SMALLEST_MAX ? bytes / 2 : 0;
	g_autofree char *text = g_strdup_printf("(bytes_req > %" G_GUINT64_FORMAT
						" && bytes_req <= %" G_GUINT64_FORMAT ")",
						more_than, bytes);

	if (strstr(out->str, text))
		return;
	append_or(out);
	g_string_append(out, text);
}

/* Every object from kmalloc(), except whole pages, is of a cache whose name ends with its size. */
static char *by_class(char **caches)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (; *caches; caches++) {
		uint64_t bytes = class_bytes(*caches);

		if (bytes)
			append_class(out, bytes);
		else if (strstr(*caches, "kmalloc"))
			return NULL;
	}
	if (!out->len)
		g_string_append(out, NOTHING);
	return g_string_free(g_steal_pointer(&out), FALSE);
}

char *perf_filter_new(const KmemPoint *point, char **caches)
{
	if (!caches || !*caches)
		return NULL;
	if (point->cache_name)
		return by_name(caches);
	if (point->type->source == KMT_SOURCE_KMALLOC && point->fields[PROBE_BYTES_REQUESTED])
		return by_class(caches);
	return NULL;
}

char *perf_filter_of_free(const GPtrArray *points, const KmemPoint *point, char **caches)
{
	if (point->type->kind != KMT_KIND_CACHE || !point->cache_name ||
	    kmem_points_lack_caches(points))
		return NULL;
	return perf_filter_new(point, caches);
}

/* The bits of a number whose parity is tested. */
typedef struct {
	const char *field;
	const unsigned *bits;
	unsigned count;
} Parity;

/* A filter can only test whether a bit is set, and has one page at most. The parity of two parts is
   odd if one of theirs is: so each part is written twice, but the kernel evaluates it once. */
static void append_parity(GString *out, const Parity *parity, bool is_odd)
{
	const Parity first = { parity->field, parity->bits, parity->count / 2 };
	const Parity second = { parity->field, parity->bits + first.count,
				parity->count - first.count };

	if (parity->count == 1) {
		g_string_append_printf(out, "%s(%s&%u)", is_odd ? "" : "!", parity->field,
				       1U << parity->bits[0]);
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		g_string_append(out, i ? "||(" : "((");
		append_parity(out, &first, !i);
		g_string_append(out, "&&");
		append_parity(out, &second, i ? is_odd : !is_odd);
		g_string_append_c(out, ')');
	}
	g_string_append_c(out, ')');
}

char *perf_filter_by_bits(const char *filter, const KmemPoint *point, uint64_t seed, unsigned level)
{
	const TracepointField *page = point->fields[PROBE_PAGE_NUMBER];
	const TracepointField *field = page ? page : point->fields[PROBE_POINTER];
	unsigned shift = page ? point->page_shift : 0, bits[64];
	g_autoptr(GString) out = g_string_new(NULL);

	if (!field || point->is_kprobe)
		return NULL;
	if (filter)
		g_string_append_printf(out, "(%s)", filter);
	for (unsigned i = 0; i < level; i++) {
		Parity parity = { field->name, bits, 0 };

		for (unsigned bit = shift; bit < shift + 32; bit++)
			if (kmt_parity_bits[i] >> bit & 1)
				bits[parity.count++] = bit - shift;
		g_string_append(out, out->len ? "&&" : "");
		append_parity(out, &parity, seed >> i & 1);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static bool has_inner(const KmemPoint *point, const InnerKmallocs *inner)
{
	return inner->count && point->type->source == KMT_SOURCE_KMALLOC && !point->type->is_free &&
	       point->fields[PROBE_CALL_SITE] && point->fields[PROBE_BYTES_REQUESTED];
}

char *perf_filter_without_inner(char *filter, const KmemPoint *point, const InnerKmallocs *inner)
{
	g_autofree char *others = filter;
	g_autoptr(GString) out = g_string_new(NULL);

	if (!has_inner(point, inner))
		return g_steal_pointer(&others);
	if (others)
		g_string_append_printf(out, "(%s) && ", others);
	g_string_append_printf(out, "(bytes_req <= %" G_GUINT64_FORMAT " || (",
			       inner->bytes_small_max);
	for (unsigned i = 0; i < inner->count; i++)
		g_string_append_printf(out,
				       "%s(call_site < 0x%" G_GINT64_MODIFIER
				       "x || call_site >= 0x%" G_GINT64_MODIFIER "x)",
				       i ? " && " : "", inner->ranges[i].start,
				       inner->ranges[i].end);
	g_string_append(out, "))");
	return g_string_free(g_steal_pointer(&out), FALSE);
}
