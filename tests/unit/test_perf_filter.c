/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_filter.h"

#include "leaks.h"
#include "perf_fixtures.h"
#include "record/address_sample.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(perf_filter);

/* Returns the filter of a tracepoint of that kernel; caches: a comma list. */
static char *filter_of(const char *kernel, const char *name, const char *list)
{
	g_autoptr(GPtrArray) points = perf_fixture_points(kernel);
	g_auto(GStrv) caches = list ? g_strsplit(list, ",", -1) : NULL;

	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (g_str_equal(point->type->name, name))
			return perf_filter_new(point, caches);
	}
	return g_strdup("no such tracepoint");
}

static const struct {
	const char *kernel, *point, *caches, *filter; /* NULL: none */
} cases[] = {
	{ "7.2", "kmem_cache_alloc", NULL, NULL },
	{ "7.2", "kmem_cache_alloc", "filp", "name == \"filp\"" },
	{ "7.2", "kmem_cache_alloc", "filp,kmalloc-64",
	  "name == \"filp\" || name == \"kmalloc-64\"" },
	{ "7.2", "kmem_cache_free", "filp", "name == \"filp\"" },
	{ "6.12", "kmem_cache_free", "filp", "name == \"filp\"" },
	/* Its records have no name. */
	{ "6.12", "kmem_cache_alloc", "filp", NULL },
	{ "5.10", "kmem_cache_alloc_node", "filp", NULL },
	{ "7.2", "kfree", "kmalloc-64", NULL },
	{ "7.2", "mm_page_alloc", "filp", NULL },
	/* What would end the kernel's text, or is none. */
	{ "7.2", "kmem_cache_alloc", "filp\" || \"", NULL },
	{ "7.2", "kmem_cache_alloc", "fi\nlp", NULL },
	{ "7.2", "kmem_cache_alloc", "\xfc", NULL },
	/* Classes of kmalloc: by what was asked for. */
	{ "7.2", "kmalloc", "kmalloc-192", "(bytes_req > 96 && bytes_req <= 192)" },
	{ "7.2", "kmalloc", "kmalloc-64", "(bytes_req > 0 && bytes_req <= 64)" },
	{ "5.10", "kmalloc_node", "kmalloc-1k", "(bytes_req > 512 && bytes_req <= 1024)" },
	{ "7.2", "kmalloc", "kmalloc-512,kmalloc-cg-512,msg_msg-512,kmalloc-rnd-05-512",
	  "(bytes_req > 256 && bytes_req <= 512)" },
	{ "7.2", "kmalloc", "kmalloc-256,filp,kmalloc-8K",
	  "(bytes_req > 128 && bytes_req <= 256) || (bytes_req > 4096 && bytes_req <= 8192)" },
	{ "3.10-rhel7", "kmalloc", "size-256(DMA)", "(bytes_req > 128 && bytes_req <= 256)" },
	/* Whole pages are of no class; of caches without a size kmalloc() returns nothing. */
	{ "7.2", "kmalloc", "kmalloc-64,kmalloc-large", NULL },
	{ "7.2", "kmalloc", "filp,dentry", "bytes_req == 0" },
	{ "7.2", "kmalloc", "kmalloc-64x", NULL },
	{ "7.2", "kmalloc", "kmalloc-99999999999999999999", NULL },
};

/* Returns the filter of a tracepoint that leaves out two places, and what the other one does. */
static char *filter_without_inner(const char *kernel, const char *name, const char *other)
{
	static const InnerKmallocs inner = {
		.bytes_small_max = 8192,
		.count = 2,
		.ranges = { { 0xffffffff81000100, 0xffffffff81000200 },
			    { 0xffffffff81000300, 0xffffffff81000400 } },
	};
	g_autoptr(GPtrArray) points = perf_fixture_points(kernel);

	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (g_str_equal(point->type->name, name))
			return perf_filter_without_inner(g_strdup(other), point, &inner);
	}
	return g_strdup("no such tracepoint");
}

#define WITHOUT_INNER                                                                              \
	"(bytes_req <= 8192 || ((call_site < 0xffffffff81000100 || "                               \
	"call_site >= 0xffffffff81000200) && (call_site < 0xffffffff81000300 || "                  \
	"call_site >= 0xffffffff81000400)))"

static const struct {
	const char *kernel, *point, *other, *filter; /* NULL: none */
} inner_cases[] = {
	{ "6.12", "kmalloc", NULL, WITHOUT_INNER },
	{ "7.2", "kmalloc", "bytes_req == 0", "(bytes_req == 0) && " WITHOUT_INNER },
	{ "7.2", "kmem_cache_alloc", NULL, NULL },
	{ "7.2", "kmem_cache_alloc", "name == \"filp\"", "name == \"filp\"" },
	{ "7.2", "kfree", NULL, NULL },
	{ "7.2", "mm_page_alloc", NULL, NULL },
};

Test(perf_filter, inner_events_of_large_kmallocs_are_left_out)
{
	for (size_t i = 0; i < G_N_ELEMENTS(inner_cases); i++) {
		g_autofree char *filter = filter_without_inner(
			inner_cases[i].kernel, inner_cases[i].point, inner_cases[i].other);

		cr_expect_eq(g_strcmp0(filter, inner_cases[i].filter), 0, "%s of %s: %s",
			     inner_cases[i].point, inner_cases[i].kernel, filter);
	}
}

/* Returns the filter of a free that is paired. */
static char *filter_of_free(const char *kernel, const char *name, const char *cache)
{
	g_autoptr(GPtrArray) points = perf_fixture_points(kernel);
	char *caches[] = { (char *)cache, NULL };

	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (g_str_equal(point->type->name, name))
			return perf_filter_of_free(points, point, cache ? caches : NULL);
	}
	return g_strdup("no such tracepoint");
}

static const struct {
	const char *kernel, *point, *cache, *filter; /* NULL: none */
} free_cases[] = {
	{ "6.18", "kmem_cache_free", "filp", "name == \"filp\"" },
	{ "7.2", "kmem_cache_free", "filp", "name == \"filp\"" },
	{ "7.2", "kmem_cache_free", "kmalloc-64", "name == \"kmalloc-64\"" },
	{ "7.2", "kmem_cache_free", NULL, NULL },
	/* It may free objects of any cache, and does not say of which. */
	{ "7.2", "kfree", "kmalloc-64", NULL },
	{ "7.2", "mm_page_free", "filp", NULL },
	/* All allocations are recorded, so what is freed must be, too. */
	{ "6.12", "kmem_cache_free", "filp", NULL },
	{ "6.1", "kmem_cache_free", "filp", NULL },
	{ "5.10", "kmem_cache_free", "filp", NULL },
};

Test(perf_filter, paired_frees_are_left_out_where_their_allocations_are)
{
	for (size_t i = 0; i < G_N_ELEMENTS(free_cases); i++) {
		g_autofree char *filter = filter_of_free(free_cases[i].kernel, free_cases[i].point,
							 free_cases[i].cache);

		cr_expect_eq(g_strcmp0(filter, free_cases[i].filter), 0, "%s of %s: %s",
			     free_cases[i].point, free_cases[i].kernel, filter);
	}
}

/* What such a filter says of a number, as the kernel reads it; moves *text behind it. */
static bool passes(const char **text, uint64_t number);

/* "(PART||PART)", "(PART&&PART)", "(ptr&1024)" or "!(ptr&1024)". */
static bool passes_part(const char **text, uint64_t number)
{
	bool is_not = **text == '!', passed;

	*text += is_not;
	cr_assert_eq(*(*text)++, '(', "%s", *text);
	if (!g_ascii_isalpha(**text)) {
		passed = passes(text, number);
	} else {
		char *end;

		passed = number & g_ascii_strtoull(strchr(*text, '&') + 1, &end, 10);
		*text = end;
	}
	cr_assert_eq(*(*text)++, ')', "%s", *text);
	return passed != is_not;
}

static bool passes(const char **text, uint64_t number)
{
	bool passed = passes_part(text, number);

	while (g_str_has_prefix(*text, "&&") || g_str_has_prefix(*text, "||")) {
		bool is_and = **text == '&', other;

		*text += 2;
		other = passes_part(text, number);
		passed = is_and ? passed && other : passed || other;
	}
	return passed;
}

static const struct {
	const char *point, *bit;
	unsigned shift; /* the record has the address without so many bits */
} bit_cases[] = {
	{ "kmem_cache_alloc", "(ptr&", 0 },
	{ "kfree", "(ptr&", 0 },
	{ "mm_page_free", "(pfn&", 12 },
};

Test(perf_filter, the_kernel_selects_the_addresses_that_the_reader_takes)
{
	enum { NUMBERS = 2000, KERNEL_BYTES_MAX = 4096 };
	g_autoptr(GPtrArray) points = perf_fixture_points("6.18");
	g_autoptr(GRand) random = g_rand_new_with_seed(1);

	for (size_t i = 0; i < G_N_ELEMENTS(bit_cases) * 8; i++) {
		uint64_t seed = i % 4, passed_count = 0;
		unsigned level = 1 + i / 4 % 2;
		const KmemPoint *point = NULL;
		g_autofree char *filter = NULL;

		for (guint j = 0; j < points->len; j++)
			if (g_str_equal(((const KmemPoint *)points->pdata[j])->type->name,
					bit_cases[i / 8].point))
				point = points->pdata[j];
		cr_assert_not_null(point);
		filter = perf_filter_by_bits(NULL, point, seed, level);
		cr_assert_not_null(strstr(filter, bit_cases[i / 8].bit), "%s", filter);
		cr_expect_lt(strlen(filter), KERNEL_BYTES_MAX * 7 / 8);
		for (int j = 0; j < NUMBERS; j++) {
			uint64_t number = (uint64_t)g_rand_int(random) << 3;
			const char *text = filter;
			bool passed = passes(&text, number);

			cr_assert_eq(passed,
				     kmt_address_is_taken_by_bits(number << bit_cases[i / 8].shift,
								  seed, level),
				     "%lx", (unsigned long)number);
			cr_assert_eq(*text, '\0');
			passed_count += passed;
		}
		cr_expect_lt(NUMBERS / 2 >> level, passed_count);
		cr_expect_lt(passed_count, NUMBERS * 2 >> level);
	}
}

Test(perf_filter, addresses_are_selected_of_what_passes_otherwise)
{
	g_autoptr(GPtrArray) points = perf_fixture_points("6.18");
	g_autofree char *filter = perf_filter_by_bits("name == \"filp\"", points->pdata[0], 0, 1);

	cr_expect(g_str_has_prefix(filter, "(name == \"filp\")&&(("), "%s", filter);
}

Test(perf_filter, nothing_that_is_wanted_is_left_out)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *filter =
			filter_of(cases[i].kernel, cases[i].point, cases[i].caches);

		cr_expect_eq(g_strcmp0(filter, cases[i].filter), 0, "%s of %s: %s", cases[i].point,
			     cases[i].caches, filter);
	}
}
