/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tracefs/kmem_points.h"

#include "collect/run/collector.h"
#include "collect/perf/perf_sample.h"
#include "byte_order.h"
#include "leaks.h"
#include "perf_fixtures.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(kmem_points);

/* Real records. */

/* Reads "NAME=NUMBER" of perf's line; absent where it is not there. */
static uint64_t number_by_perf(const char *fields, const char *name, uint64_t absent)
{
	g_autofree char *key = g_strconcat(" ", name, "=", NULL);
	const char *found = strstr(fields, key);

	return found ? g_ascii_strtoull(found + strlen(key), NULL, 10) : absent;
}

static void expect_context(const EventFacts *facts, uint64_t flags)
{
	unsigned expected = flags & 8    ? KMT_CONTEXT_HARDIRQ
			    : flags & 16 ? KMT_CONTEXT_SOFTIRQ
					 : KMT_CONTEXT_TASK;

	cr_expect(eq(u32, facts->context, expected));
}

static void expect_facts(const KmemPoint *point, const EventFacts *facts, const char *perf_fields)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	bool is_page = point->type->source == KMT_SOURCE_PAGE;
	uint64_t order = number_by_perf(perf_fields, "order", 0);
	uint64_t bytes = is_page ? page << order : 0;
	uint64_t allocated = facts->free ? 0 : bytes;

	expect_context(facts, number_by_perf(perf_fields, "flags", 0));
	cr_expect(eq(u64, facts->call_site, number_by_perf(perf_fields, "call_site", 0)));
	cr_expect(eq(u64, facts->pointer,
		     is_page ? number_by_perf(perf_fields, "pfn", 0) * page
			     : number_by_perf(perf_fields, "ptr", 0)));
	cr_expect(eq(u64, facts->bytes_requested, number_by_perf(perf_fields, "bytes_req", bytes)));
	cr_expect(eq(u64, facts->bytes_allocated,
		     number_by_perf(perf_fields, "bytes_alloc", allocated)));
	cr_expect(eq(u64, facts->gfp_flags, number_by_perf(perf_fields, "gfp_flags", 0)));
	cr_expect(eq(i32, facts->node, (int32_t)number_by_perf(perf_fields, "node", UINT32_MAX)));
	cr_expect(facts->source == point->type->source && facts->free == point->type->is_free);
	cr_expect(facts->free == (facts->kind != KMT_KIND_NONE));
}

/* perf's line has no text: the test only checks that each cache's name can be printed. */
static void expect_name(const KmemPoint *point, const EventFacts *facts, const char *line)
{
	bool is_text = point->cache_name != NULL;
	bool has_cache = facts->cache != NULL;

	cr_expect_eq(is_text, has_cache, "%s", line);
	if (!facts->cache)
		return;
	cr_expect_gt(facts->cache->name_bytes, 2, "%s", line);
	for (uint16_t i = 0; i < facts->cache->name_bytes; i++)
		cr_expect_gt(facts->cache->name[i], 32, "%s", line);
}

/* Returns whether the sample is an event. */
static bool expect_sample(const GPtrArray *points, const PerfSample *sample, const char *line)
{
	g_auto(GStrv) parts = g_strsplit(line, " |", 3);
	const KmemPoint *point = kmem_points_lookup(points, kmem_raw_common_type(sample->raw));
	uint64_t pointer = number_by_perf(parts[1], "ptr", UINT64_MAX);
	EventFacts facts;
	EventCache cache;
	bool is_event;

	cr_assert_not_null(point, "%s", line);
	cr_expect(g_str_has_suffix(parts[0], point->type->name), "%s", line);
	is_event = kmem_point_read(point, sample->raw, sample->raw_bytes, &facts, &cache);
	cr_expect(is_event == !(point->type->is_free && pointer <= 16), "%s", line);
	if (is_event) {
		expect_facts(point, &facts, parts[1]);
		expect_name(point, &facts, line);
	}
	return is_event;
}

/* Adds what it saw to counts by source, context and free. */
static void expect_kernel(const char *kernel, unsigned *events, unsigned *nothings)
{
	gsize length;
	g_autofree char *records = perf_fixture_read(kernel, "samples.bin", &length);
	g_autofree char *lines = perf_fixture_read(kernel, "samples.txt", NULL);
	g_auto(GStrv) line = g_strsplit(g_strchomp(lines), "\n", -1);
	g_autoptr(GPtrArray) points = perf_fixture_points(kernel);
	guint count = 0;

	for (gsize at = 0; at < length; count++) {
		struct perf_event_header header;
		PerfSample sample;

		memcpy(&header, records + at, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE) {
			cr_assert(perf_sample_parse(records + at + sizeof(header),
						    header.size - sizeof(header), PERF_SAMPLE_KNOWN,
						    &sample));
			*(expect_sample(points, &sample, line[count]) ? events : nothings) += 1;
		}
		at += header.size;
	}
}

Test(kmem_points, samples_of_each_kernel_are_what_perf_made_of_them)
{
	skip_if_big_endian("the samples were recorded on x86-64");
	for (unsigned i = 0; i < PERF_FIXTURES_RECORDED; i++) {
		unsigned events = 0, nothings = 0;

		expect_kernel(perf_fixture_kernels[i], &events, &nothings);
		cr_expect_gt(events, 20, "%s", perf_fixture_kernels[i]);
		cr_expect_gt(nothings, 0, "%s", perf_fixture_kernels[i]);
	}
}

Test(kmem_points, no_known_kernel_lacks_anything)
{
	for (guint i = 0; i < G_N_ELEMENTS(perf_fixture_kernels); i++) {
		g_autoptr(GPtrArray) points = perf_fixture_points(perf_fixture_kernels[i]);
		g_autofree char *missing = kmem_points_missing(points);

		cr_expect_null(missing, "%s: %s", perf_fixture_kernels[i], missing);
		cr_expect_geq(points->len, 6);
	}
}

/* Layouts made by hand. */

/* Returns a host with these tracepoints, of each its fields. */
static FakeHost *host_new(const char *const points[][2])
{
	FakeHost *host = fake_host_new();
	unsigned id = 1;

	for (; (*points)[0]; points++, id++) {
		g_autofree char *name = g_build_filename("kmem", (*points)[0], NULL);
		g_autofree char *text =
			g_strdup_printf("name: %s\nID: %u\nformat:\n%s\nprint fmt:", (*points)[0],
					id, (*points)[1]);

		fake_host_add_tracepoint(host, name, text);
	}
	return host;
}

static GPtrArray *open_points(const char *const points[][2], unsigned events, GError **error)
{
	g_autoptr(FakeHost) host = host_new(points);

	return perf_fixture_open(host, events, error);
}

#define FIELD(declaration, offset, size, is_signed)                                                \
	"field:" declaration "; offset:" #offset "; size:" #size "; signed:" #is_signed ";\n"
#define COMMON FIELD("unsigned short common_type", 0, 2, 0) FIELD("u8 common_flags", 2, 1, 0)
#define OBJECT FIELD("unsigned long call_site", 8, 8, 0) FIELD("const void * ptr", 16, 8, 0)

static GPtrArray *open_one(const char *name, const char *fields, unsigned events)
{
	const char *const points[][2] = { { name, fields }, { NULL, NULL } };
	GError *error = NULL;
	GPtrArray *opened = open_points(points, events, &error);

	cr_assert_null(error, "%s", error ? error->message : "");
	cr_assert(eq(u32, opened->len, 1));
	return opened;
}

static void expect_missing(const char *name, const char *fields, unsigned events,
			   const char *expected)
{
	g_autoptr(GPtrArray) points = open_one(name, fields, events);
	g_autofree char *missing = kmem_points_missing(points);

	cr_assert_not_null(missing, "%s", expected);
	cr_expect_str_eq(missing, expected);
}

Test(kmem_points, a_field_that_is_not_recorded_is_reported)
{
	expect_missing("kmalloc",
		       COMMON OBJECT FIELD("size_t bytes_req", 24, 8, 0)
			       FIELD("gfp_t gfp_flags", 32, 4, 0),
		       PROBE_KMALLOC, "kmalloc: bytes_alloc");
	expect_missing("kmalloc", FIELD("int other", 8, 4, 1), PROBE_KMALLOC,
		       "kmalloc: common_flags, call_site, ptr, bytes_req, bytes_alloc, gfp_flags");
	/* What only has the name of a number. */
	expect_missing("kmem_cache_alloc",
		       COMMON OBJECT FIELD("__data_loc char[] bytes_req", 24, 4, 0)
			       FIELD("size_t bytes_alloc[1]", 32, 8, 0)
				       FIELD("gfp_t gfp_flags", 40, 4, 0),
		       PROBE_CACHE, "kmem_cache_alloc: bytes_req, bytes_alloc");
	expect_missing("mm_page_alloc", COMMON FIELD("int migratetype", 8, 4, 1), PROBE_PAGE,
		       "mm_page_alloc: pfn, order, gfp_flags");
}

Test(kmem_points, the_node_is_missed_only_of_a_tracepoint_that_is_named_after_it)
{
	static const char all[] = COMMON OBJECT FIELD("size_t bytes_req", 24, 8, 0)
		FIELD("size_t bytes_alloc", 32, 8, 0) FIELD("gfp_t gfp_flags", 40, 4, 0);
	static const char *const both[][2] = { { "kmalloc", all },
					       { "kmalloc_node", all },
					       { NULL, NULL } };
	g_autoptr(GPtrArray) points = open_points(both, PROBE_KMALLOC, NULL);
	g_autofree char *missing = kmem_points_missing(points);

	cr_expect_str_eq(missing, "kmalloc_node: node");
}

Test(kmem_points, what_several_tracepoints_lack_is_one_line)
{
	static const char *const frees[][2] = { { "kfree", COMMON },
						{ "kmem_cache_free", COMMON OBJECT },
						{ "mm_page_free", COMMON },
						{ NULL, NULL } };
	g_autoptr(GPtrArray) points = open_points(frees, PROBE_FREE, NULL);
	g_autofree char *missing = kmem_points_missing(points);

	cr_expect_str_eq(missing, "kfree: call_site, ptr; mm_page_free: pfn, order");
}

Test(kmem_points, fields_are_found_wherever_they_are)
{
	static const char permuted[] = FIELD("long unknown", 0, 8, 1) FIELD("s16 node", 8, 2, 1)
		FIELD("u32 bytes_alloc", 10, 4, 0) FIELD("u32 bytes_req", 14, 4, 0)
			FIELD("u64 gfp_flags", 18, 8, 0) FIELD("void * ptr", 26, 4, 0)
				FIELD("u8 common_flags", 30, 1, 0) FIELD("char text[40]", 31, 40, 0)
					FIELD("u64 call_site", 71, 8, 0);
	g_autoptr(GPtrArray) points = open_one("kmalloc", permuted, PROBE_KMALLOC);
	const KmemPoint *point = points->pdata[0];
	const uint64_t gfp_flags = 0xcc0, call_site = 0xffffffff81234567;
	const uint32_t requested = 100, allocated = 128, pointer = 0xc1234567;
	const int16_t node = -1;
	uint8_t raw[79] = { 0 };
	EventFacts facts;

	memcpy(raw + 8, &node, 2);
	memcpy(raw + 10, &allocated, 4);
	memcpy(raw + 14, &requested, 4);
	memcpy(raw + 18, &gfp_flags, 8);
	memcpy(raw + 26, &pointer, 4);
	raw[30] = 0x18;
	memcpy(raw + 71, &call_site, 8);
	cr_assert(kmem_point_read(point, raw, sizeof(raw), &facts, NULL));
	cr_expect(eq(u64, facts.call_site, call_site));
	cr_expect(eq(u64, facts.pointer, pointer));
	cr_expect(eq(u64, facts.bytes_requested, requested));
	cr_expect(eq(u64, facts.bytes_allocated, allocated));
	cr_expect(eq(u32, facts.gfp_flags, 0xcc0));
	cr_expect(eq(i32, facts.node, -1));
	/* An interrupt that came in a softirq. */
	cr_expect(eq(u32, facts.context, KMT_CONTEXT_HARDIRQ));
	cr_expect_null(kmem_points_missing(points));
}

Test(kmem_points, a_record_shorter_than_its_fields_is_none)
{
	for (guint i = 0; i < G_N_ELEMENTS(perf_fixture_kernels); i++) {
		g_autoptr(GPtrArray) points = perf_fixture_points(perf_fixture_kernels[i]);

		for (guint j = 0; j < points->len; j++) {
			const KmemPoint *point = points->pdata[j];
			g_autofree uint8_t *raw = g_malloc0(point->raw_bytes_min - 1);
			EventFacts facts;

			cr_expect_geq(point->raw_bytes_min, 16);
			cr_expect_not(kmem_point_read(point, raw, point->raw_bytes_min - 1, &facts,
						      NULL));
		}
	}
}

/* A record of 48 bytes with a name that is said to lie there. Returns the facts' cache. */
static const EventCache *read_named(const char *declaration, uint32_t location, const char *text,
				    size_t text_bytes, EventCache *cache)
{
	g_autofree char *fields = g_strdup_printf(
		COMMON OBJECT "field:%s; offset:24; size:4; signed:0;\n", declaration);
	g_autoptr(GPtrArray) points = open_one("kmem_cache_alloc", fields, PROBE_CACHE);
	uint8_t record[48 + 200] = { 1 };
	uint32_t record_bytes = 28 + (uint32_t)text_bytes;
	g_autofree uint8_t *raw = NULL;
	EventFacts facts;

	memcpy(record + 24, &location, sizeof(location));
	memcpy(record + 28, text, text_bytes);
	raw = perf_fixture_exact(record, record_bytes);
	cr_assert(kmem_point_read(points->pdata[0], raw, record_bytes, &facts, cache));
	return facts.cache;
}

#define DATA_LOC "__data_loc char[] name"
#define REL_LOC "__rel_loc char[] name"
#define AT(offset, bytes) ((uint32_t)(bytes) << 16 | (offset))

Test(kmem_points, the_name_of_a_cache_lies_where_the_record_says)
{
	static const struct {
		const char *declaration;
		uint32_t location;
		const char *text;
		size_t text_bytes;
		const char *name; /* NULL: not known */
	} cases[] = {
		{ DATA_LOC, AT(28, 7), "dentry", 7, "dentry" },
		{ DATA_LOC, AT(32, 5), "    filp", 9, "filp" },
		{ REL_LOC, AT(0, 7), "dentry", 7, "dentry" },
		{ REL_LOC, AT(4, 5), "    filp", 9, "filp" },
		{ DATA_LOC, AT(28, 5), "\xc3\xbc\xff\x80", 5, "\xc3\xbc\xff\x80" },
		/* What follows it is another field's. */
		{ DATA_LOC, AT(28, 4), "dentry", 7, "dent" },
		{ DATA_LOC, AT(28, 12), "a\0secret.....", 12, "a" },
		/* No NUL. */
		{ DATA_LOC, AT(28, 6), "dentry", 6, "dentry" },
		/* Empty. */
		{ DATA_LOC, AT(28, 1), "", 1, NULL },
		{ DATA_LOC, AT(28, 0), "dentry", 7, NULL },
		{ DATA_LOC, AT(35, 0), "dentry", 7, NULL },
		/* Outside, by a little and by much. */
		{ DATA_LOC, AT(28, 8), "dentry", 7, NULL },
		{ DATA_LOC, AT(29, 7), "dentry", 7, NULL },
		{ DATA_LOC, AT(36, 0), "dentry", 7, NULL },
		{ DATA_LOC, AT(0xffff, 0xffff), "dentry", 7, NULL },
		{ REL_LOC, AT(0xffff, 0xffff), "dentry", 7, NULL },
		{ REL_LOC, AT(1, 7), "dentry", 7, NULL },
		/* What the kernel writes where it could not read it. */
		{ DATA_LOC, AT(28, 8), "(fault)", 8, NULL },
		{ DATA_LOC, AT(28, 7), "(null)", 7, NULL },
		/* No text: a pointer, as some kernels had it; numbers. */
		{ "const char * name", AT(28, 7), "dentry", 7, NULL },
		{ "__data_loc int[] name", AT(28, 7), "dentry", 7, NULL },
		{ "char[4] name", AT(28, 7), "dentry", 7, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		EventCache cache;
		const EventCache *found = read_named(cases[i].declaration, cases[i].location,
						     cases[i].text, cases[i].text_bytes, &cache);
		g_autofree char *name = found ? g_strndup(found->name, found->name_bytes) : NULL;

		cr_expect_eq(g_strcmp0(name, cases[i].name), 0, "case %zu: %s", i, name);
		cr_expect_not(found && (found->object_bytes || found->slot_bytes));
	}
}

Test(kmem_points, a_name_of_more_than_64_bytes_is_cut)
{
	g_autofree char *name = g_strnfill(100, 'x');
	EventCache cache;

	cr_assert_not_null(read_named(DATA_LOC, AT(28, 101), name, 101, &cache));
	cr_expect_eq(cache.name_bytes, KMT_CACHE_NAME_BYTES_MAX);
	cr_assert_not_null(read_named(DATA_LOC, AT(28, 65), name, 65, &cache));
	cr_expect_eq(cache.name_bytes, KMT_CACHE_NAME_BYTES_MAX);
	cr_assert_not_null(read_named(DATA_LOC, AT(28, 64), name, 64, &cache));
	cr_expect_eq(cache.name_bytes, 64);
}

Test(kmem_points, the_names_of_caches_are_recorded_where_the_kernel_has_them)
{
	static const struct {
		const char *kernel, *point;
		bool has_name;
	} cases[] = {
		{ "5.10", "kmem_cache_alloc", false },
		{ "5.10", "kmem_cache_free", false },
		{ "6.1", "kmem_cache_alloc", false },
		{ "6.1", "kmem_cache_free", true },
		{ "6.12", "kmem_cache_alloc", false },
		{ "6.12", "kmem_cache_free", true },
		{ "6.18", "kmem_cache_alloc", true },
		{ "6.18", "kmem_cache_free", true },
		{ "7.2", "kmem_cache_alloc", true },
		{ "7.2", "kmalloc", false },
		{ "3.10-rhel7", "kmem_cache_alloc", false },
		{ "3.10-rhel7", "kmem_cache_free", false },
		{ "4.18-rhel8", "kmem_cache_alloc", false },
		{ "4.18-rhel8", "kmem_cache_free", false },
		{ "5.14-rhel9", "kmem_cache_alloc", false },
		{ "5.14-rhel9", "kmem_cache_free", true },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) points = perf_fixture_points(cases[i].kernel);
		guint found = 0;

		for (guint j = 0; j < points->len; j++) {
			const KmemPoint *point = points->pdata[j];

			if (!g_str_equal(point->type->name, cases[i].point))
				continue;
			found++;
			cr_expect(cases[i].has_name == (point->cache_name != NULL), "%s %s",
				  cases[i].kernel, cases[i].point);
		}
		cr_expect_eq(found, 1, "%s %s", cases[i].kernel, cases[i].point);
	}
}

#define PAGE_ALLOC                                                                                 \
	COMMON FIELD("unsigned int order", 16, 4, 0) FIELD("unsigned long gfp_flags", 24, 8, 0)

/* Reads a page allocation of that number, and order, in a field of 8 or 4 bytes. */
static bool read_page(const char *fields, uint64_t number, uint32_t order, EventFacts *facts)
{
	g_autoptr(GPtrArray) points = open_one("mm_page_alloc", fields, PROBE_PAGE);
	uint8_t raw[32] = { 0 };

	memcpy(raw + 8, &number, sizeof(number));
	memcpy(raw + 16, &order, sizeof(order));
	return kmem_point_read(points->pdata[0], raw, sizeof(raw), facts, NULL);
}

Test(kmem_points, pages_have_the_size_of_their_order)
{
	static const char now[] = PAGE_ALLOC FIELD("unsigned long pfn", 8, 8, 0);
	static const char small[] = PAGE_ALLOC FIELD("unsigned long pfn", 8, 4, 0);
	static const char old[] = PAGE_ALLOC FIELD("struct page * page", 8, 8, 0);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	EventFacts facts;

	cr_assert(read_page(now, 5, 3, &facts));
	cr_expect(eq(u64, facts.pointer, 5 * page));
	cr_expect(facts.bytes_requested == page * 8 && facts.bytes_allocated == page * 8);
	cr_expect(facts.call_site == 0 && facts.node == -1);
	/* One that failed. */
	cr_assert(read_page(now, UINT64_MAX, 3, &facts));
	cr_expect(eq(u64, facts.pointer, 0));
	cr_expect(eq(u64, facts.bytes_requested, page * 8));
	cr_assert(read_page(small, UINT32_MAX, 0, &facts));
	cr_expect(eq(u64, facts.pointer, 0));
	cr_assert(read_page(old, 0xffffea0000001000, 0, &facts));
	cr_expect(eq(u64, facts.pointer, 0xffffea0000001000));
	cr_expect_not(read_page(now, 5, 64, &facts));
	cr_expect_not(read_page(now, 5, UINT32_MAX, &facts));
}

Test(kmem_points, freed_pages_have_the_size_of_their_order)
{
	static const char fields[] =
		COMMON FIELD("unsigned long pfn", 8, 8, 0) FIELD("unsigned int order", 16, 4, 0);
	const char *const frees[][2] = { { "kfree", COMMON },
					 { "kmem_cache_free", COMMON },
					 { "mm_page_free", fields },
					 { NULL, NULL } };
	g_autoptr(GPtrArray) points = open_points(frees, PROBE_FREE, NULL);
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct {
		uint64_t common, pfn;
		uint32_t order, unused;
	} raw = { .pfn = 5, .order = 3 };
	EventFacts facts;

	cr_assert(kmem_point_read(points->pdata[2], (const uint8_t *)&raw, sizeof(raw), &facts,
				  NULL));
	cr_expect(facts.free && facts.kind == KMT_KIND_PAGE && facts.pointer == 5 * page);
	cr_expect(eq(u64, facts.bytes_requested, page * 8));
	cr_expect(eq(u64, facts.bytes_allocated, 0));
}

static const KmemPoint *point_named(const GPtrArray *points, const char *name)
{
	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (g_str_equal(point->type->name, name))
			return point;
	}
	cr_assert(false, "%s", name);
	return NULL;
}

Test(kmem_points, per_cpu_memory_has_the_bytes_of_all_cpus)
{
	g_autoptr(GPtrArray) points = perf_fixture_points("6.18");
	const KmemPoint *point = point_named(points, "percpu_alloc_percpu");
	uint8_t raw[80] = { 0 };
	EventFacts facts;

	perf_fixture_put(raw, 8, 0xffffffff81234567);
	perf_fixture_put(raw, 24, 24);
	perf_fixture_put(raw, 56, 0x607fc0001230);
	perf_fixture_put(raw, 64, 24 * point->cpus_possible + 8);
	perf_fixture_put(raw, 72, 0xcc0);
	cr_assert(kmem_point_read(point, raw, sizeof(raw), &facts, NULL));
	cr_expect(facts.source == KMT_SOURCE_PERCPU && !facts.free && facts.gfp_flags == 0xcc0);
	cr_expect(eq(u64, facts.call_site, 0xffffffff81234567));
	cr_expect(eq(u64, facts.pointer, 0x607fc0001230));
	cr_expect(eq(u64, facts.bytes_requested, 24 * point->cpus_possible));
	cr_expect(eq(u64, facts.bytes_allocated, 24 * point->cpus_possible + 8));
	point = point_named(points, "percpu_free_percpu");
	perf_fixture_put(raw, 24, 0x607fc0001230);
	cr_assert(kmem_point_read(point, raw, 32, &facts, NULL));
	cr_expect(facts.source == KMT_SOURCE_PERCPU && facts.kind == KMT_KIND_RANGE && facts.free);
	cr_expect(facts.pointer == 0x607fc0001230 && !facts.bytes_requested);
}

Test(kmem_points, ranges_of_the_vmalloc_area_are_found_by_their_start)
{
	g_autoptr(GPtrArray) points = perf_fixture_points("6.18");
	const KmemPoint *point = point_named(points, "alloc_vmap_area");
	uint8_t raw[56] = { 0 };
	EventFacts facts;

	perf_fixture_put(raw, 8, 0xffffc90000001000);
	perf_fixture_put(raw, 16, 20480);
	cr_assert(kmem_point_read(point, raw, sizeof(raw), &facts, NULL));
	cr_expect(facts.source == KMT_SOURCE_VMALLOC && facts.pointer == 0xffffc90000001000);
	cr_expect(facts.bytes_requested == 20480 && facts.bytes_allocated == 20480);
	raw[48] = 1;
	cr_assert(kmem_point_read(point, raw, sizeof(raw), &facts, NULL));
	cr_expect(eq(u64, facts.pointer, 0), "there was no room");
	point = point_named(points, "free_vmap_area_noflush");
	cr_assert(kmem_point_read(point, raw, 32, &facts, NULL));
	cr_expect(facts.free && facts.kind == KMT_KIND_RANGE);
	cr_expect(eq(u64, facts.pointer, 0xffffc90000001000));
}

static bool read_free(const char *fields, uint64_t pointer, EventFacts *facts)
{
	g_autoptr(GPtrArray) points = NULL;
	const char *const frees[][2] = { { "kfree", fields },
					 { "kmem_cache_free", COMMON },
					 { "mm_page_free", COMMON },
					 { NULL, NULL } };
	uint8_t raw[24] = { 1 };

	points = open_points(frees, PROBE_FREE, NULL);
	memcpy(raw + 16, &pointer, sizeof(pointer));
	return kmem_point_read(points->pdata[0], raw, sizeof(raw), facts, NULL);
}

Test(kmem_points, a_free_of_no_memory_is_no_event)
{
	EventFacts facts;

	cr_expect_not(read_free(COMMON OBJECT, 0, &facts));
	cr_expect_not(read_free(COMMON OBJECT, 16, &facts));
	cr_expect(read_free(COMMON OBJECT, 17, &facts));
	cr_expect(facts.free && facts.pointer == 17);
	cr_expect(eq(u32, facts.kind, KMT_KIND_KFREE));
	/* That is not known where the pointer is not recorded. */
	cr_expect(read_free(COMMON, 0, &facts));
}

Test(kmem_points, a_tracepoint_that_is_missing_is_named_with_its_kind_of_event)
{
	static const char *const only_kmalloc[][2] = { { "kmalloc", COMMON }, { NULL, NULL } };
	g_autoptr(GPtrArray) points = open_points(only_kmalloc, PROBE_KMALLOC, NULL);
	GError *error = NULL;

	/* kmalloc_node is missing, too. */
	cr_assert_not_null(points);
	cr_expect_null(open_points(only_kmalloc, PROBE_KMALLOC | PROBE_CACHE, &error));
	cr_assert_not_null(error);
	cr_expect_str_eq(error->message, "this kernel has no tracepoint kmem:kmem_cache_alloc: "
					 "leave cache out of --events");
	g_error_free(error);
}

Test(kmem_points, a_description_that_makes_no_sense_is_named)
{
	static const char *const damaged[][2] = { { "kmalloc", "field:x;\n" }, { NULL, NULL } };
	GError *error = NULL;

	cr_expect_null(open_points(damaged, PROBE_KMALLOC, &error));
	cr_assert_not_null(error);
	cr_expect(g_str_has_prefix(error->message, "kmem:kmalloc: "), "%s", error->message);
	cr_expect_null(strchr(error->message, '\n'));
	g_error_free(error);
}

Test(kmem_points, records_are_found_by_their_common_type)
{
	g_autoptr(GPtrArray) points = perf_fixture_points("7.2");

	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];
		uint16_t type = point->format->id;
		uint8_t raw[2];

		memcpy(raw, &type, sizeof(raw));
		cr_expect(kmem_points_lookup(points, kmem_raw_common_type(raw)) == point);
	}
	cr_expect_null(kmem_points_lookup(points, 0));
}
