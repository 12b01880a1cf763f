/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Labels of caches for reports, one for each cache id, made at the first question. Where a record
 * had no cache, the class of a kmalloc is derived from its size and gfp flags: from the host's
 * list, else from the classes that its release has.
 */
#include "names/cache_names.h"

#include "record/format.h"
#include "base/escape.h"
#include "names/cache_list.h"

#include <string.h>

#define NORMAL "kmalloc-"

enum { TEXT_CHUNK_BYTES = 1024 };

/*
 * Derives the kmalloc class of an allocation from its size and gfp flags, if the event lacks the
 * cache. Random copies or buckets of a size are not distinguished.
 */
typedef struct {
	const CacheList *list; /* borrowed: the host's classes and their spelling */
	const RunInfo *info;   /* borrowed */
	GArray *sizes;         /* (element-type uint64_t) of the normal classes, ascending */
} DerivedCache;

/* The classes besides the normal ones, in the order in which the kernel decides, with the first
   release that has them, for streams without a list. */
typedef struct {
	enum KmtFieldId bit;
	const char *prefix;
	unsigned major, minor;
} Family;

static const Family families[] = {
	{ KMT_FIELD_GFP_DMA, "dma-kmalloc-", 0, 0 },
	{ KMT_FIELD_GFP_RECLAIMABLE, "kmalloc-rcl-", 4, 20 },
	/* Accounted objects have separate caches since 5.14. Before, up to 5.8, all caches had
	   per-cgroup copies. */
	{ KMT_FIELD_GFP_ACCOUNT, "kmalloc-cg-", 5, 14 },
};

/* Without a list: the sizes of SLUB, up to two pages. */
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

/* If the list is empty, the kernel's release determines the classes. */
static void add_usual_sizes(DerivedCache *derived)
{
	uint64_t page_bytes =
		run_info_number(derived->info, KMT_FIELD_PAGE_BYTES, PAGE_BYTES_USUAL);
	uint64_t bytes_max = MIN(page_bytes, 1 << 20) * PAGES_OF_LARGEST;

	g_array_append_vals(derived->sizes, sizes_between, G_N_ELEMENTS(sizes_between));
	for (uint64_t bytes = SIZE_MIN; bytes <= bytes_max; bytes *= 2)
		g_array_append_val(derived->sizes, bytes);
}

/* Returns the smallest class for this many bytes; 0: none. */
static uint64_t class_for(const DerivedCache *derived, uint64_t bytes)
{
	for (guint i = 0; i < derived->sizes->len; i++)
		if (g_array_index(derived->sizes, uint64_t, i) >= bytes)
			return g_array_index(derived->sizes, uint64_t, i);
	return 0;
}

/* If the release is unknown, the flags come from text, which newer kernels print. */
static bool is_release_since(const RunInfo *info, const Family *family)
{
	const char *release = run_info_text(info, KMT_FIELD_RELEASE);
	char *end;
	uint64_t major = g_ascii_strtoull(release ? release : "", &end, 10);
	uint64_t minor = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;

	return !release || major > family->major ||
	       (major == family->major && minor >= family->minor);
}

/* Appends the host's name of the class. Returns false if the host lacks the class. */
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

/* Appends the class of the family for the flags. Returns false if there is none. */
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

/* Appends the name of the class, "kmalloc-cg-192", or "kmalloc-large". Returns false, appending
   nothing, if the origin is not a kmalloc or lacks sizes. */
static bool derived_cache_append(const DerivedCache *derived, const ProfileOrigin *origin,
				 GString *out)
{
	KmallocClass class = { .prefix = NORMAL };

	if (origin->source != KMT_SOURCE_KMALLOC || !origin->bytes_allocated)
		return false;
	/* The allocated size is the class, unless the kernel debugs its caches, which makes objects
	   larger: then the requested size decides, as in the kernel. */
	class.bytes = class_for(derived, origin->bytes_allocated);
	if (class.bytes != origin->bytes_allocated && origin->bytes_requested)
		class.bytes = class_for(derived, origin->bytes_requested);
	if (!class.bytes)
		g_string_append(out, "kmalloc-large");
	else if (!append_of_family(derived, origin->gfp_flags, class.bytes, out) &&
		 !append_class(derived, NULL, &class, out))
		/* The host's list contains only some of its caches. */
		kmalloc_class_append(out, &class, KMALLOC_SPELLING_UNITS);
	return true;
}

struct CacheNames {
	const Profile *profile;
	CacheList *list;
	DerivedCache derived;
	GStringChunk *texts;
	GArray *recorded; /* (element-type CacheLabel) by CacheId; label NULL: not yet made */
};

CacheNames *cache_names_new(const Profile *profile, const RunInfo *info, const RunText *text)
{
	CacheNames *names = g_new0(CacheNames, 1);

	names->profile = profile;
	names->list = cache_list_new(run_text_of(text, KMT_BATCH_CACHE_NAMES, 0),
				     run_text_of(text, KMT_BATCH_SLABINFO, KMT_READING_START));
	names->derived.list = names->list;
	names->derived.info = info;
	names->derived.sizes = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	add_listed_sizes(&names->derived);
	if (!names->derived.sizes->len)
		add_usual_sizes(&names->derived);
	g_array_sort(names->derived.sizes, compare_sizes);
	names->texts = g_string_chunk_new(TEXT_CHUNK_BYTES);
	names->recorded = g_array_new(FALSE, TRUE, sizeof(CacheLabel));
	return names;
}

void cache_names_free(CacheNames *names)
{
	if (!names)
		return;
	g_array_unref(names->recorded);
	g_string_chunk_free(names->texts);
	g_array_unref(names->derived.sizes);
	cache_list_free(names->list);
	g_free(names);
}

static const char *cache_names_keep(CacheNames *names, const GString *text)
{
	return g_string_chunk_insert_const(names->texts, text->str);
}

static CacheLabel make_recorded(CacheNames *names, CacheId id)
{
	const ProfileCache *cache = profile_cache(names->profile, id);
	const char *recorded = cache->name;
	g_autofree char *folded = g_strndup(recorded, cache_name_folded_bytes(recorded));
	g_autoptr(GString) text = g_string_new(NULL);
	CacheLabel label = { .origin = cache->by_size ? CACHE_BY_SIZE : CACHE_RECORDED };

	escape_append(text, folded);
	label.name = cache_names_keep(names, text);
	g_string_truncate(text, 0);
	cache_label_append(text, folded, cache_list_find(names->list, folded), NULL);
	if (cache->by_size)
		g_string_append(text, CACHE_BY_SIZE_MARK);
	label.label = cache_names_keep(names, text);
	return label;
}

static CacheLabel derived_label(CacheNames *names, const ProfileOrigin *origin)
{
	g_autoptr(GString) folded = g_string_new(NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	CacheLabel label = { .label = "(unknown cache)", .origin = CACHE_UNKNOWN };

	if (!derived_cache_append(&names->derived, origin, folded))
		return label;
	escape_append(text, folded->str);
	label.name = cache_names_keep(names, text);
	g_string_append(text, CACHE_BY_SIZE_MARK);
	label.label = cache_names_keep(names, text);
	label.origin = CACHE_BY_SIZE;
	return label;
}

/* By enum KmtSource: labels of memory that no slab cache has. */
static const char *const without_caches[] = {
	[KMT_SOURCE_PAGE] = "(pages)",
	[KMT_SOURCE_PERCPU] = "(per-CPU)",
	[KMT_SOURCE_VMALLOC] = "(vmalloc)",
};

/* Each label of a recorded cache is made once: cells have few caches, but many origins. */
CacheLabel cache_names_of(CacheNames *names, const ProfileOrigin *origin)
{
	const char *label = origin->source < G_N_ELEMENTS(without_caches)
				    ? without_caches[origin->source]
				    : NULL;
	CacheLabel *recorded;

	if (label)
		return (CacheLabel){ .label = label, .origin = CACHE_PAGES };
	if (origin->cache == CACHE_ID_UNKNOWN || origin->cache == CACHE_ID_OVERFLOW)
		return derived_label(names, origin);
	g_assert(origin->cache < profile_cache_count(names->profile));
	if (origin->cache >= names->recorded->len)
		g_array_set_size(names->recorded, profile_cache_count(names->profile));
	recorded = &g_array_index(names->recorded, CacheLabel, origin->cache);
	if (!recorded->label)
		*recorded = make_recorded(names, origin->cache);
	return *recorded;
}
