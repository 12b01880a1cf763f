/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/slabs/slab_pages.h"

#include "collect/slabs/slab_probes.h"
#include "collect/tracefs/tracepoint_format.h"
#include "fake_host.h"
#include "byte_order.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(slab_pages);

/* A small kernel: 16 pages of memory, their page structs, and a /proc/kcore that shows both. */
enum {
	PAGES = 16,
	PAGE = 4096,
	STRUCT = 64, /* of a page */
	COMPOUND_HEAD = 8,
	SLAB_CACHE = 24,
	COUNTERS = 40,
	CACHE_STRUCTS = 14 * PAGE, /* where the caches are */
	NAMES = 15 * PAGE,
	ROOM = 128, /* for a cache, and for a name */
	HEADERS = PAGE,
	SEGMENTS = 4,
};
#define DIRECT_MAP 0xffff888040000000ULL
#define VMALLOC 0xffffc90000000000ULL
#define STRUCTS 0xffffea0040000000ULL
#define SECOND_NS 1000000000ULL

static const CacheLayout layout = {
	.slab_cache = SLAB_CACHE,
	.counters = COUNTERS,
	.compound_head = COMPOUND_HEAD,
	.page_bytes = STRUCT,
	.size = 24,
	.object_size = 28,
	.name = 96,
	.memcg_params = CACHE_LAYOUT_UNKNOWN,
};

typedef struct {
	FakeHost *host;
	uint8_t memory[PAGES * PAGE];
	uint8_t structs[PAGES * STRUCT];
	Elf64_Phdr segments[SEGMENTS];
	KernelMemory *kernel;
	SlabPages *pages;
	SlabFree ends[4]; /* that were not read yet */
	unsigned ends_count;
	uint64_t lost_until_ns; /* 0: none */
	uint64_t now_ns;
	unsigned lost;  /* times that the program noticed a lost end itself */
	unsigned reads; /* ... that it read the ends */
} Kernel;

static void put(uint8_t *where, uint64_t value, size_t bytes)
{
	memcpy(where, &value, bytes);
}

/* The program has the file open. */
static void write_in_place(const FakeHost *host, const GByteArray *bytes)
{
	g_autofree char *path = g_build_filename(host, "proc/kcore", NULL);
	FILE *file = fopen(path, "r+e");

	cr_assert_not_null(file);
	cr_assert_eq(fwrite(bytes->data, 1, bytes->len, file), bytes->len);
	cr_assert_eq(fclose(file), 0);
}

/* Changes what the program reads from now on. */
static void kernel_publish(const Kernel *kernel)
{
	g_autoptr(GByteArray) file = g_byte_array_new();
	Elf64_Ehdr header = { .e_ident = ELFMAG,
			      .e_machine = EM_X86_64,
			      .e_phoff = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = SEGMENTS };

	g_byte_array_append(file, (const void *)&header, sizeof(header));
	g_byte_array_append(file, (const void *)kernel->segments, sizeof(kernel->segments));
	g_byte_array_set_size(file, HEADERS);
	g_byte_array_append(file, kernel->memory, sizeof(kernel->memory));
	g_byte_array_append(file, kernel->structs, sizeof(kernel->structs));
	write_in_place(kernel->host, file);
}

/* For SlabEnds. */
static void read_ends(void *user_data)
{
	Kernel *kernel = user_data;

	kernel->reads++;
	for (unsigned i = 0; i < kernel->ends_count; i++)
		slab_pages_freed(kernel->pages, &kernel->ends[i]);
	kernel->ends_count = 0;
	if (kernel->lost_until_ns)
		slab_pages_forget(kernel->pages, kernel->lost_until_ns);
	kernel->lost_until_ns = 0;
}

static void end_was_lost(void *user_data, const char *contradiction)
{
	Kernel *kernel = user_data;

	kernel->lost++;
	cr_expect_not_null(contradiction);
	slab_pages_forget(kernel->pages, kernel->now_ns);
}

#define ONLY_X86 "slabs are read on x86-64 only"

static void kernel_start(Kernel *kernel)
{
	skip_if_big_endian(ONLY_X86);
	kernel->host = fake_host_new();
	fake_host_write(kernel->host, "proc/kcore", "");
	kernel->segments[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					    .p_offset = HEADERS,
					    .p_vaddr = DIRECT_MAP,
					    .p_memsz = sizeof(kernel->memory) };
	kernel->segments[1] = (Elf64_Phdr){ .p_type = PT_LOAD,
					    .p_offset = 1ULL << 40,
					    .p_vaddr = VMALLOC,
					    .p_paddr = UINT64_MAX,
					    .p_memsz = 1ULL << 45 };
	kernel->segments[2] = (Elf64_Phdr){ .p_type = PT_LOAD,
					    .p_offset = HEADERS + sizeof(kernel->memory),
					    .p_vaddr = STRUCTS,
					    .p_paddr = UINT64_MAX,
					    .p_memsz = sizeof(kernel->structs) };
	kernel->segments[3] = (Elf64_Phdr){ .p_type = PT_NOTE };
	kernel_publish(kernel);
	kernel->kernel = kernel_memory_open(kernel->host, NULL);
	cr_assert_not_null(kernel->kernel);
	kernel->pages = slab_pages_new(kernel->kernel, &layout,
				       &(SlabEnds){ read_ends, end_was_lost, kernel });
}

/* Makes the kernel one whose pool of KFENCE begins with that page; PAGES: that has none. */
static void place_pool(Kernel *kernel, unsigned page)
{
	enum { POINTER = 13 * PAGE };
	g_autofree char *line = g_strdup_printf("%llx B __kfence_pool\n", DIRECT_MAP + POINTER);

	put(kernel->memory + POINTER, page < PAGES ? DIRECT_MAP + page * PAGE : 0, 8);
	fake_host_write(kernel->host, "proc/kallsyms", line);
	kernel_publish(kernel);
}

static void kernel_end(Kernel *kernel)
{
	slab_pages_free(kernel->pages);
	kernel_memory_free(kernel->kernel);
	fake_host_free(kernel->host);
}

/* A test's caches; the number is that of the place of the struct. */
typedef struct {
	unsigned number;
	const char *name;
	uint32_t bytes;
} TestCache;

static const TestCache filp = { 0, "filp", 192 }, cred = { 1, "cred_jar", 192 },
		       large = { 2, "task_struct", 4096 }, other = { 0, "other", 192 };

static uint64_t address_of(const TestCache *cache)
{
	return DIRECT_MAP + CACHE_STRUCTS + cache->number * ROOM;
}

static uint64_t counters_of(uint32_t objects)
{
	return 7 | (uint64_t)objects << 16 | 1ULL << 31;
}

/* Makes the pages from this one on a slab. */
static void make_slab(Kernel *kernel, unsigned page, unsigned count, const TestCache *cache,
		      uint32_t objects)
{
	uint8_t *structure = kernel->memory + CACHE_STRUCTS + cache->number * ROOM;
	uint8_t *head = kernel->structs + page * STRUCT;

	put(structure + layout.size, cache->bytes, 4);
	put(structure + layout.object_size, cache->bytes - 8, 4);
	put(structure + layout.name, DIRECT_MAP + NAMES + cache->number * ROOM, 8);
	g_strlcpy((char *)kernel->memory + NAMES + cache->number * ROOM, cache->name, ROOM);
	put(head + COMPOUND_HEAD, 0, 8);
	put(head + SLAB_CACHE, address_of(cache), 8);
	put(head + COUNTERS, counters_of(objects), 8);
	for (unsigned i = 1; i < count; i++)
		put(head + i * STRUCT + COMPOUND_HEAD, (STRUCTS + page * STRUCT) | 1, 8);
	kernel_publish(kernel);
}

static SlabFree end_of(unsigned page, const TestCache *cache, uint32_t objects, uint64_t time_ns)
{
	SlabFree end = { .slab = STRUCTS + page * STRUCT,
			 .cache_address = address_of(cache),
			 .counters = counters_of(objects),
			 .time_ns = time_ns,
			 .object_bytes = cache->bytes - 8,
			 .slot_bytes = cache->bytes };

	end.name.name_bytes = (uint16_t)strlen(cache->name);
	memcpy(end.name.name, cache->name, end.name.name_bytes);
	return end;
}

/* Ends a slab; the program has not read that yet. */
static void end_slab(Kernel *kernel, unsigned page, const TestCache *cache, uint32_t objects,
		     uint64_t time_ns)
{
	kernel->ends[kernel->ends_count++] = end_of(page, cache, objects, time_ns);
}

/* Expects the cache of an object in a page, of the size of that cache; NULL: unknown. */
static void expect(Kernel *kernel, unsigned page, uint64_t time_ns, const TestCache *cache,
		   const char *name)
{
	const SlabObject object = { .pointer = DIRECT_MAP + page * PAGE + 64,
				    .time_ns = time_ns,
				    .bytes_requested = cache->bytes - 8,
				    .bytes_allocated = cache->bytes };
	const EventCache *found = slab_pages_find(kernel->pages, &object);
	g_autofree char *text = found ? g_strndup(found->name, found->name_bytes) : NULL;

	cr_expect_eq(g_strcmp0(text, name), 0, "page %u at %d: %s instead of %s", page,
		     (int)time_ns, text, name);
}

Test(slab_pages, the_page_of_an_object_names_its_cache)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	make_slab(&kernel, 4, 4, &large, 4);
	make_slab(&kernel, 3, 1, &cred, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	expect(&kernel, 7, 11, &large, "task_struct");
	expect(&kernel, 4, 12, &large, "task_struct");
	expect(&kernel, 3, 13, &cred, "cred_jar");
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	kernel_end(&kernel);
}

Test(slab_pages, a_name_may_lie_in_two_pages)
{
	Kernel kernel = { 0 };
	const uint64_t name = NAMES - 4;

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	put(kernel.memory + CACHE_STRUCTS + layout.name, DIRECT_MAP + name, 8);
	memcpy(kernel.memory + name, "two_pages", sizeof("two_pages"));
	kernel_publish(&kernel);
	expect(&kernel, 2, 10, &filp, "two_pages");
	kernel_end(&kernel);
}

Test(slab_pages, a_slab_is_read_only_once)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 4, 4, &large, 4);
	expect(&kernel, 7, 11, &large, "task_struct");
	memset(kernel.structs, 0, sizeof(kernel.structs));
	kernel_publish(&kernel);
	expect(&kernel, 7, 12, &large, "task_struct");
	expect(&kernel, 5, 13, &large, "task_struct");
	expect(&kernel, 2, 14, &filp, NULL);
	kernel_end(&kernel);
}

Test(slab_pages, a_page_that_was_reused_before_it_was_read_has_the_first_name)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &cred, 21);
	end_slab(&kernel, 2, &filp, 21, 20);
	expect(&kernel, 2, 10, &filp, "filp");
	expect(&kernel, 2, 30, &cred, "cred_jar");
	expect(&kernel, 2, 20, &filp, "filp");
	/* Reused twice, and not a slab any more when it is read. */
	memset(kernel.structs, 0, sizeof(kernel.structs));
	kernel_publish(&kernel);
	end_slab(&kernel, 2, &cred, 21, 40);
	end_slab(&kernel, 2, &filp, 21, 60);
	read_ends(&kernel);
	expect(&kernel, 2, 35, &cred, "cred_jar");
	expect(&kernel, 2, 45, &filp, "filp");
	expect(&kernel, 2, 15, &filp, "filp");
	expect(&kernel, 2, 65, &filp, NULL);
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	kernel_end(&kernel);
}

Test(slab_pages, every_page_of_a_slab_ends)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 4, 4, &large, 4);
	expect(&kernel, 5, 10, &large, "task_struct");
	make_slab(&kernel, 7, 1, &filp, 21);
	end_slab(&kernel, 4, &large, 4, 20);
	read_ends(&kernel);
	expect(&kernel, 7, 30, &filp, "filp");
	expect(&kernel, 7, 19, &large, "task_struct");
	kernel_end(&kernel);
}

Test(slab_pages, where_ends_were_lost_names_are_unknown)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	make_slab(&kernel, 2, 1, &cred, 21);
	slab_pages_forget(kernel.pages, 25);
	expect(&kernel, 2, 25, &filp, NULL);
	expect(&kernel, 2, 26, &cred, "cred_jar");
	cr_expect_eq(slab_pages_unknown(kernel.pages), 1);
	/* Lost between the reading of the page and that of the ends. */
	make_slab(&kernel, 3, 1, &cred, 21);
	kernel.lost_until_ns = 40;
	expect(&kernel, 3, 30, &filp, NULL);
	expect(&kernel, 3, 41, &cred, "cred_jar");
	kernel_end(&kernel);
}

Test(slab_pages, a_cache_at_the_place_of_a_destroyed_one_is_read_again)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	/* The last slab of filp has ended, which is only read after the new slab. */
	make_slab(&kernel, 3, 1, &other, 21);
	end_slab(&kernel, 2, &filp, 21, 20);
	expect(&kernel, 3, 30, &other, "other");
	expect(&kernel, 2, 15, &filp, "filp");
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	kernel_end(&kernel);
}

Test(slab_pages, after_a_contradiction_pages_are_read_again)
{
	Kernel kernel = { .now_ns = 25 };

	kernel_start(&kernel);
	place_pool(&kernel, PAGES);
	make_slab(&kernel, 2, 1, &filp, 21);
	make_slab(&kernel, 3, 1, &cred, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	expect(&kernel, 3, 11, &cred, "cred_jar");
	/* An event of another size: the end of the slab was lost. */
	make_slab(&kernel, 2, 1, &large, 1);
	expect(&kernel, 2, 20, &large, NULL);
	cr_expect_eq(kernel.lost, 1);
	expect(&kernel, 3, 25, &cred, NULL);
	expect(&kernel, 3, 26, &cred, "cred_jar");
	expect(&kernel, 2, 26, &large, "task_struct");
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	kernel_end(&kernel);
}

Test(slab_pages, many_contradictions_end_the_naming)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	make_slab(&kernel, 3, 1, &cred, 21);
	for (int i = 0; i < 16; i++)
		expect(&kernel, 2, 10, &large, NULL);
	cr_expect_eq(kernel.lost, 16);
	cr_expect_not_null(slab_pages_contradiction(kernel.pages));
	expect(&kernel, 3, 11, &cred, NULL);
	kernel_end(&kernel);
}

Test(slab_pages, an_end_of_another_cache_is_a_contradiction)
{
	Kernel kernel = { .now_ns = 25 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	make_slab(&kernel, 3, 1, &cred, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	end_slab(&kernel, 2, &cred, 21, 20);
	read_ends(&kernel);
	cr_expect_eq(kernel.lost, 1);
	expect(&kernel, 2, 15, &filp, NULL);
	kernel_end(&kernel);
}

Test(slab_pages, a_slab_that_ends_unnoticed_is_noticed)
{
	Kernel kernel = { .now_ns = 3 * SECOND_NS };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	expect(&kernel, 2, 2 * SECOND_NS, &filp, "filp");
	make_slab(&kernel, 2, 1, &cred, 21);
	expect(&kernel, 2, 3 * SECOND_NS, &filp, "filp");
	kernel.now_ns = 4 * SECOND_NS;
	expect(&kernel, 2, 3 * SECOND_NS + 1, &cred, NULL);
	expect(&kernel, 2, 4 * SECOND_NS + 1, &cred, "cred_jar");
	cr_expect_eq(kernel.lost, 1);
	kernel_end(&kernel);
}

Test(slab_pages, the_ends_are_read_for_a_page_that_is_new_or_has_changed)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	make_slab(&kernel, 2, 1, &filp, 21);
	expect(&kernel, 2, 10, &filp, "filp");
	cr_expect_eq(kernel.reads, 1);
	expect(&kernel, 2, 2 * SECOND_NS, &filp, "filp");
	cr_expect_eq(kernel.reads, 1);
	/* It ended before the page was read again. */
	end_slab(&kernel, 2, &filp, 21, 4 * SECOND_NS);
	make_slab(&kernel, 2, 1, &cred, 21);
	expect(&kernel, 2, 4 * SECOND_NS - 1, &filp, "filp");
	cr_expect_eq(kernel.reads, 2);
	expect(&kernel, 2, 4 * SECOND_NS + 1, &cred, "cred_jar");
	cr_expect_eq(kernel.lost, 0);
	kernel_end(&kernel);
}

Test(slab_pages, objects_outside_of_slabs_are_unknown)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	/* KFENCE: a page for each object. */
	make_slab(&kernel, 2, 1, &filp, 1);
	expect(&kernel, 2, 10, &filp, NULL);
	/* Behind the memory, and no object at all. */
	expect(&kernel, PAGES + 5, 10, &filp, NULL);
	cr_expect_null(slab_pages_find(kernel.pages, &(SlabObject){ 0, 10, 184, 192 }));
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	kernel_end(&kernel);
}

/* With slub_debug, its slots are large enough that a page has room for one only. */
static const TestCache debugged = { 3, "sock_inode_cache", 2400 };

Test(slab_pages, pages_of_kfence_change_their_cache_without_a_contradiction)
{
	enum { REUSED = 40 };
	const TestCache *const caches[] = { &debugged, &filp, &large };
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	place_pool(&kernel, 2);
	for (unsigned i = 0; i < REUSED; i++) {
		const TestCache *cache = caches[i % G_N_ELEMENTS(caches)];

		make_slab(&kernel, 4, 1, cache, 1);
		expect(&kernel, 4, (i + 1) * 2 * SECOND_NS, cache, NULL);
	}
	cr_expect_eq(kernel.lost, 0);
	cr_expect_null(slab_pages_contradiction(kernel.pages));
	/* Slabs before the pool. */
	make_slab(&kernel, 1, 1, &debugged, 1);
	expect(&kernel, 1, 100 * SECOND_NS, &debugged, "sock_inode_cache");
	kernel_end(&kernel);
}

Test(slab_pages, without_kfence_a_slab_may_have_one_object)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	place_pool(&kernel, PAGES);
	make_slab(&kernel, 4, 1, &debugged, 1);
	expect(&kernel, 4, 10, &debugged, "sock_inode_cache");
	kernel_end(&kernel);
}

Test(slab_pages, an_end_is_kept_until_it_is_settled)
{
	enum { ENDS = 400000 };
	Kernel kernel = { 0 };
	SlabFree end;

	kernel_start(&kernel);
	/* More ends than there is room for, of other pages. */
	end = end_of(2, &filp, 21, 20);
	slab_pages_freed(kernel.pages, &end);
	for (unsigned i = 0; i < ENDS; i++) {
		end = end_of(PAGES + i, &filp, 21, 30);
		slab_pages_freed(kernel.pages, &end);
	}
	/* Something was forgotten, so nothing is known for sure. */
	expect(&kernel, 2, 10, &filp, NULL);
	cr_expect_eq(slab_pages_unknown(kernel.pages), 1);
	slab_pages_settle(kernel.pages, 30);
	make_slab(&kernel, 2, 1, &cred, 21);
	expect(&kernel, 2, 31, &cred, "cred_jar");
	kernel_end(&kernel);
}

Test(slab_pages, the_ranges_of_kernel_memory_are_found)
{
	Kernel kernel = { 0 };
	uint64_t word;

	kernel_start(&kernel);
	cr_expect_eq(kernel_memory_direct_map(kernel.kernel), DIRECT_MAP);
	cr_expect_eq(kernel_memory_page_structs(kernel.kernel), STRUCTS);
	cr_expect_not(kernel_memory_read(kernel.kernel, DIRECT_MAP - 8, &word, sizeof(word)));
	cr_expect_not(kernel_memory_read(kernel.kernel, DIRECT_MAP + PAGES * PAGE - 4, &word,
					 sizeof(word)));
	cr_expect(kernel_memory_read(kernel.kernel, DIRECT_MAP + PAGES * PAGE - 8, &word,
				     sizeof(word)));
	kernel_end(&kernel);
}

/* Expects that the memory cannot be used, with a reason. */
static void expect_refused(const Kernel *kernel)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(kernel_memory_open(kernel->host, &error));
	cr_expect_not_null(error);
}

Test(slab_pages, another_kernel_memory_is_refused)
{
	Kernel kernel = { 0 };

	kernel_start(&kernel);
	/* An old kernel, which shows no physical addresses. */
	kernel.segments[1].p_paddr = kernel.segments[2].p_paddr = 0;
	kernel_publish(&kernel);
	expect_refused(&kernel);
	kernel.segments[1].p_paddr = UINT64_MAX;
	kernel_publish(&kernel);
	expect_refused(&kernel);
	fake_host_write(kernel.host, "proc/kcore", "no ELF");
	expect_refused(&kernel);
	kernel_end(&kernel);
}

Test(slab_pages, a_layout_must_be_whole)
{
	CacheLayout changed = layout;

	cr_expect_null(slab_pages_problem(&changed));
	changed.memcg_params = 8;
	cr_expect_str_eq(slab_pages_problem(&changed), "each cgroup has caches of its own");
	changed = layout;
	changed.counters = CACHE_LAYOUT_UNKNOWN;
	cr_expect_not_null(slab_pages_problem(&changed));
	changed.counters = STRUCT;
	cr_expect_not_null(slab_pages_problem(&changed));
}

/* As Linux 6.12 describes the probe. */
static const char format_text[] =
	"name: __free_slab\nID: 1867\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 cache;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 slab;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 counters;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 object;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 slot;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:48;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"\"\n";

Test(slab_pages, the_probe_records_the_slab_and_its_cache)
{
	g_autofree char *arguments = slab_probe_arguments(kprobe_registers("x86_64"), &layout);

	cr_expect_str_eq(arguments,
			 "cache=%di:u64 slab=%si:u64 counters=+40(%si):u64 object=+28(%di):u32 "
			 "slot=+24(%di):u32 name=+0(+96(%di)):string");
	cr_expect_not_null(slab_probe_problem("", "aarch64"));
}

Test(slab_pages, a_record_of_the_probe_is_read)
{
	g_autoptr(SlabProbe) probe =
		slab_probe_of(tracepoint_format_parse(format_text, strlen(format_text), NULL));
	uint8_t raw[60] = { 0 };
	SlabFree end;

	skip_if_big_endian(ONLY_X86);
	cr_assert_not_null(probe);
	cr_expect_eq(slab_probe_id(probe), 1867);
	put(raw + 16, address_of(&filp), 8);
	put(raw + 24, STRUCTS, 8);
	put(raw + 32, counters_of(21), 8);
	put(raw + 40, 184, 4);
	put(raw + 44, 192, 4);
	put(raw + 48, 52 | 5 << 16, 4);
	memcpy(raw + 52, "filp", 5);
	cr_assert(slab_probe_read(probe, raw, sizeof(raw), &end));
	cr_expect_eq(end.cache_address, address_of(&filp));
	cr_expect_eq(end.slab, STRUCTS);
	cr_expect_eq(end.counters, counters_of(21));
	cr_expect_eq(end.object_bytes, 184);
	cr_expect_eq(end.slot_bytes, 192);
	cr_expect_eq(end.name.name_bytes, 4);
	cr_expect_not(slab_probe_read(probe, raw, 50, &end));
	memcpy(raw + 52, "(fault)", 8);
	put(raw + 48, 52 | 8 << 16, 4);
	cr_expect_not(slab_probe_read(probe, raw, sizeof(raw), &end));
}
