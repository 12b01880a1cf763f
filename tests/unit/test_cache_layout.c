/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/slabs/cache_layout.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect_layout(const CacheLayout *layout, long slab_cache, long name, long object_size,
			  long size)
{
	cr_expect(eq(long, layout->slab_cache, slab_cache));
	cr_expect(eq(long, layout->name, name));
	cr_expect(eq(long, layout->object_size, object_size));
	cr_expect(eq(long, layout->size, size));
}

#ifdef HAVE_LIBBPF
#include "btf_fixture.h"

/* Types of a small kernel: where they are is in bits there. */
typedef struct {
	struct btf *btf;
	int word;
} Types;

static Types types_new(void)
{
	Types types = { .btf = btf__new_empty() };

	types.word = btf__add_int(types.btf, "unsigned long", 8, 0);
	return types;
}

static void add_member(const Types *types, const char *name, int type, unsigned offset)
{
	cr_assert(eq(int, btf__add_field(types->btf, name, type, offset * 8, 0), 0));
}

static void add_kmem_cache(const Types *types)
{
	btf__add_struct(types->btf, "kmem_cache", 128);
	add_member(types, "cpu_slab", types->word, 0);
	add_member(types, "size", types->word, 24);
	add_member(types, "object_size", types->word, 28);
	add_member(types, "name", types->word, 96);
}

/* As kernels before 5.17 have it: struct page { flags; union { struct { ... slab_cache; }; }; } */
static void add_old_page(const Types *types)
{
	int slab = btf__add_struct(types->btf, NULL, 40), either;

	add_member(types, "slab_list", types->word, 0);
	add_member(types, "slab_cache", types->word, 16);
	either = btf__add_union(types->btf, NULL, 40);
	add_member(types, "mapping", types->word, 0);
	add_member(types, NULL, slab, 0);
	btf__add_struct(types->btf, "page", 64);
	add_member(types, "flags", types->word, 0);
	add_member(types, NULL, either, 8);
}

static void add_slab(const Types *types)
{
	btf__add_struct(types->btf, "slab", 64);
	add_member(types, "__page_flags", types->word, 0);
	add_member(types, "slab_cache", types->word, 8);
}

/* Writes the types to a file and reads the layout from there. */
static CacheLayout layout_of(Types *types)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "btf", NULL);
	CacheLayout layout = cache_layout_unknown;

	btf_fixture_write(types->btf, folder, "btf");
	cr_expect(cache_layout_read_btf(&layout, path));
	return layout;
}

Test(cache_layout, btf_has_offsets)
{
	Types types = types_new();
	CacheLayout layout;

	add_slab(&types);
	add_kmem_cache(&types);
	layout = layout_of(&types);
	expect_layout(&layout, 8, 96, 28, 24);
}

Test(cache_layout, members_of_unnamed_members_are_found)
{
	Types types = types_new();
	CacheLayout layout;

	add_old_page(&types);
	layout = layout_of(&types);
	expect_layout(&layout, 24, CACHE_LAYOUT_UNKNOWN, CACHE_LAYOUT_UNKNOWN,
		      CACHE_LAYOUT_UNKNOWN);
	cr_expect(eq(long, layout.page_bytes, 64));
	cr_expect(eq(long, layout.counters, CACHE_LAYOUT_UNKNOWN));
	cr_expect(eq(long, layout.memcg_params, CACHE_LAYOUT_UNKNOWN));
}

/* Never ends by itself, as no compiler would write it. */
Test(cache_layout, a_type_inside_of_itself_ends)
{
	Types types = types_new();
	CacheLayout layout;
	int itself = types.word + 1;

	cr_assert(eq(int, btf__add_struct(types.btf, "page", 64), itself));
	add_member(&types, NULL, itself, 0);
	layout = layout_of(&types);
	expect_layout(&layout, CACHE_LAYOUT_UNKNOWN, CACHE_LAYOUT_UNKNOWN, CACHE_LAYOUT_UNKNOWN,
		      CACHE_LAYOUT_UNKNOWN);
}
#endif

Test(cache_layout, what_is_neither_btf_nor_dwarf_is_refused)
{
	CacheLayout layout = cache_layout_unknown;

	cr_expect(not(cache_layout_read_btf(&layout, "/etc/passwd")));
	cr_expect(not(cache_layout_read_btf(&layout, "/nowhere")));
	cr_expect(not(cache_layout_read_dwarf(&layout, "/etc/passwd")));
	cr_expect(not(cache_layout_read_dwarf(&layout, "/nowhere")));
	expect_layout(&layout, CACHE_LAYOUT_UNKNOWN, CACHE_LAYOUT_UNKNOWN, CACHE_LAYOUT_UNKNOWN,
		      CACHE_LAYOUT_UNKNOWN);
}

/* The debuginfo of this program has these. */
struct kmem_cache {
	void *cpu_slab;
	unsigned int size;
	unsigned int object_size;
	char pad[72];
	const char *name;
};

struct page {
	unsigned long flags;
	union {
		void *mapping;
		struct {
			void *slab_list[2];
			struct kmem_cache *slab_cache;
		};
	};
};

static const struct page example_page;
static const struct kmem_cache example_cache;

Test(cache_layout, what_may_be_anybodys_is_not_read)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *pipe = g_build_filename(folder, "pipe", NULL);
	g_autofree char *copy = g_build_filename(folder, "copy", NULL);
	CacheLayout layout = cache_layout_unknown;

	/* Opening it for reading would wait for a writer. */
	cr_assert(zero(int, mkfifo(pipe, 0600)));
	cr_expect(not(cache_layout_read_dwarf(&layout, pipe)));
	temporary_copy(folder, "copy", "/proc/self/exe");
	if (!geteuid() && !chown(copy, 65534, 65534))
		cr_expect(not(cache_layout_read_dwarf(&layout, copy)));
}

Test(cache_layout, dwarf_has_offsets)
{
	CacheLayout layout = cache_layout_unknown;

	cr_expect(eq(ptr, (void *)example_page.slab_cache, (void *)example_cache.name));
	if (!cache_layout_read_dwarf(&layout, "/proc/self/exe"))
		cr_skip_test("built without debuginfo");
	expect_layout(&layout, offsetof(struct page, slab_cache), offsetof(struct kmem_cache, name),
		      offsetof(struct kmem_cache, object_size), offsetof(struct kmem_cache, size));
}
