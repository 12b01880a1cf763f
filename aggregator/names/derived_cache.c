/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/derived_cache.h"

#include <string.h>

#define NORMAL "kmalloc-"

struct DerivedCache {
	const CacheList *list;
	const RunInfo *info;
	GArray *sizes; /* (element-type uint64_t) of the normal classes, ascending */
};

/* The classes that exist beside the normal ones, in the order in which the kernel decides; and the
   first release with them, for streams without a list. */
typedef struct {
	enum KmtFieldId bit;
	const char *prefix;
	unsigned major, minor;
} Family;

static const Family families[] = {
	{ KMT_FIELD_GFP_DMA, "dma-kmalloc-", 0, 0 },
	{ KMT_FIELD_GFP_RECLAIMABLE, "kmalloc-rcl-", 4, 20 },
	/* Accounted objects have caches of their own from 5.14; per-cgroup copies of all caches,
	   which came before, ended with 5.8. */
	{ KMT_FIELD_GFP_ACCOUNT, "kmalloc-cg-", 5, 14 },
};

/* Without a list: SLUB's, up to two pages. */
enum { SIZE_MIN = 8, PAGE_BYTES_USUAL = 4096, PAGES_OF_LARGEST = 2 };
static const uint64_t sizes_between[] = { 96, 192 };

static int compare_sizes(const void *a, const void *b)
{
	uint64_t of_a = *(const uint64_t *)a, of_b = *(const uint64_t *)b;

	return of_a < of_b ? -1 : of_a > of_b;
}

static void add_listed_sizes(DerivedCache *derived)
{
	for (guint i = 0; i < cache_list_count(derived->list); i++) {
		const GPtrArray *names = cache_list_at(derived->list, i)->names;

		for (guint name = 0; name < names->len; name++) {
			KmallocClass class;

			if (kmalloc_class_parse(g_ptr_array_index(names, name), &class) &&
			    g_str_equal(class.prefix, NORMAL))
				g_array_append_val(derived->sizes, class.bytes);
		}
	}
}

static void add_usual_sizes(DerivedCache *derived)
{
	uint64_t page_bytes =
		run_info_number(derived->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_USUAL);
	uint64_t bytes_max = MIN(page_bytes, 1 << 20) * PAGES_OF_LARGEST;

	g_array_append_vals(derived->sizes, sizes_between, G_N_ELEMENTS(sizes_between));
	for (uint64_t bytes = SIZE_MIN; bytes <= bytes_max; bytes *= 2)
		g_array_append_val(derived->sizes, bytes);
}

DerivedCache *derived_cache_new(const CacheList *list, const RunInfo *info)
{
	DerivedCache *derived = g_new0(DerivedCache, 1);

	derived->list = list;
	derived->info = info;
	derived->sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	add_listed_sizes(derived);
	if (!derived->sizes->len)
		add_usual_sizes(derived);
	g_array_sort(derived->sizes, compare_sizes);
	return derived;
}

void derived_cache_free(DerivedCache *derived)
{
	if (!derived)
		return;
	g_array_unref(derived->sizes);
	g_free(derived);
}

/* Returns the smallest class that has room for so many bytes; 0: none. */
static uint64_t class_for(const DerivedCache *derived, uint64_t bytes)
{
	for (guint i = 0; i < derived->sizes->len; i++)
		if (g_array_index(derived->sizes, uint64_t, i) >= bytes)
			return g_array_index(derived->sizes, uint64_t, i);
	return 0;
}

/* What was allocated is the class, unless the kernel debugs its caches, which makes objects larger:
   then the request decides, as it did in the kernel. */
static uint64_t class_of(const DerivedCache *derived, const ProfileOrigin *origin)
{
	if (class_for(derived, origin->bytes_allocated) == origin->bytes_allocated)
		return origin->bytes_allocated;
	return class_for(derived, origin->bytes_requested ? origin->bytes_requested
							  : origin->bytes_allocated);
}

/* Flags of an unknown release come from a text that newer ones print. */
static bool is_release_since(const RunInfo *info, const Family *family)
{
	const char *release = run_info_text(info, KMT_FIELD_RELEASE);
	char *end;
	uint64_t major = g_ascii_strtoull(release ? release : "", &end, 10);
	uint64_t minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;

	return !release || major > family->major ||
	       (major == family->major && minor >= family->minor);
}

/* Appends the name of the class as that host has it. Returns false where it has none. */
static bool append_class(const DerivedCache *derived, const Family *family,
			 const KmallocClass *class, GString *out)
{
	const char *listed = cache_list_class_name(derived->list, class);

	if (listed)
		g_string_append(out, listed);
	else if (!cache_list_count(derived->list) &&
		 (!family || is_release_since(derived->info, family)))
		kmalloc_class_append(out, class, KMALLOC_SPELLING_UNITS);
	else
		return false;
	return true;
}

/* Appends the class of a family that the flags ask for. Returns false where there is none. */
static bool append_of_family(const DerivedCache *derived, uint32_t gfp_flags, uint64_t bytes,
			     GString *out)
{
	for (const Family *family = families; family < families + G_N_ELEMENTS(families);
	     family++) {
		KmallocClass class = { .bytes = bytes };

		if (!(gfp_flags & run_info_number(derived->info, family->bit, 0)))
			continue;
		g_strlcpy(class.prefix, family->prefix, sizeof(class.prefix));
		if (append_class(derived, family, &class, out))
			return true;
	}
	return false;
}

bool derived_cache_append(const DerivedCache *derived, const ProfileOrigin *origin, GString *out)
{
	KmallocClass class = { .prefix = NORMAL };

	if (origin->source != KMT_SOURCE_KMALLOC || !origin->bytes_allocated)
		return false;
	class.bytes = class_of(derived, origin);
	if (!class.bytes)
		g_string_append(out, "kmalloc-large");
	else if (!append_of_family(derived, origin->gfp_flags, class.bytes, out) &&
		 !append_class(derived, NULL, &class, out))
		/* A host whose list has only part of its caches. */
		kmalloc_class_append(out, &class, KMALLOC_SPELLING_UNITS);
	return true;
}
