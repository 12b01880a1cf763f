/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the slab cache of an object, and the name of the cache. The build copies this into the
 * emitter, which has kmt_read() and the record format.
 *
 * The offsets in the kernel's structures are a parameter of the module, or are searched for. They
 * are tested on objects of known caches while the module is loaded, and no read can do harm.
 */
#ifndef KMT_SLAB_CACHES_H
#define KMT_SLAB_CACHES_H

#include <linux/hash.h>

/* A slab cache is identified by the address of its struct kmem_cache, or by one of these. */
#define KMT_CACHE_UNKNOWN 0UL
#define KMT_CACHE_LARGE 1UL /* no cache: kmalloc of whole pages */

enum {
	KMT_NOT_KNOWN = -1,
	KMT_OBJECT_MIN = 17,         /* smaller: NULL and the empty object */
	KMT_LAYOUT_BYTES_MAX = 1024, /* upper limit of the offset of a member */
	KMT_KNOWN_BYTES = 256,    /* kmalloc has a cache for this size, and for twice this size */
	KMT_SLOT_PER_OBJECT = 16, /* debugging makes an object at most this many times larger */
	KMT_WANTED_BYTES = 16 * (KMT_CACHE_NAME_BYTES_MAX + 1),
};

/* Offsets; KMT_NOT_KNOWN: search for it. */
struct kmt_layout {
	long slab_cache;              /* in the struct page that heads a slab */
	long name, object_size, size; /* in struct kmem_cache */
};

static struct {
	bool is_known; /* the layout was tested and is correct, so events have their cache */
	bool filtered; /* only events of requested caches are recorded */
	struct kmt_layout layout;
	char why_not[224];
} kmt_slab = {
	.why_not = "the module was loaded without its parameter kmt_layout; "
		   "-1,-1,-1,-1 lets it search for the offsets",
};

/* Requested names, separated by tabs; empty: all. May be longer than a text in a script. */
static char kmt_wanted_caches[KMT_WANTED_BYTES];
module_param_string(kmt_caches, kmt_wanted_caches, sizeof(kmt_wanted_caches), 0);

/* Whether this can be a kernel address. Old x86 kernels warn about faults at other addresses. */
static inline bool kmt_is_kernel(unsigned long address)
{
#ifdef CONFIG_X86
	return address >= PAGE_OFFSET;
#else
	return address >= PAGE_SIZE;
#endif
}

/* Reads a word that contains an address. Returns 0 if it does not. */
static __always_inline unsigned long kmt_read_address(unsigned long at)
{
	unsigned long address;

	if (kmt_read(&address, (void *)at, sizeof(address)) || !kmt_is_kernel(address))
		return 0;
	return address;
}

/* Whether an address returned by an allocator is in the kernel's direct map of memory. */
static __always_inline bool kmt_is_mapped(unsigned long object)
{
#ifdef CONFIG_X86_64
	/* virt_addr_valid() takes longer than everything else here: it also checks for holes. */
	return object >= PAGE_OFFSET && object < VMALLOC_START;
#else
	return object >= KMT_OBJECT_MIN && virt_addr_valid((void *)object);
#endif
}

/* Returns the cache of an object. The read of the cache cannot fault: the page's flags were just
   read, and the offset is inside its structure. */
static __always_inline unsigned long kmt_cache_of(unsigned long object)
{
	struct page *page;
	unsigned long cache;

	if (!kmt_is_mapped(object))
		return KMT_CACHE_UNKNOWN;
	page = virt_to_head_page((void *)object);
	if (!PageSlab(page))
		return KMT_CACHE_LARGE;
	cache = READ_ONCE(*(unsigned long *)((char *)page + kmt_slab.layout.slab_cache));
	return kmt_is_kernel(cache) ? cache : KMT_CACHE_UNKNOWN;
}

/* Returns the number of bytes before the first unprintable byte; 0: there is no name. */
static unsigned kmt_read_name(unsigned long text, char name[KMT_CACHE_NAME_BYTES_MAX])
{
	unsigned max = KMT_CACHE_NAME_BYTES_MAX, length = 0;
	unsigned in_page = min_t(unsigned long, max, PAGE_SIZE - offset_in_page(text));

	if (!text || kmt_read(name, (void *)text, in_page))
		return 0;
	/* The name may end before the next page, which may then be unmapped. */
	if (in_page < max && kmt_read(name + in_page, (char *)text + in_page, max - in_page))
		max = in_page;
	while (length < max && name[length] >= ' ' && name[length] < 0x7f)
		length++;
	return length;
}

/* Returns the length of the name; 0: it cannot be read. */
static unsigned kmt_cache_name(unsigned long cache, char name[KMT_CACHE_NAME_BYTES_MAX])
{
	static const char large[] = "kmalloc-large";

	if (cache == KMT_CACHE_LARGE) {
		memcpy(name, large, sizeof(large) - 1);
		return sizeof(large) - 1;
	}
	return kmt_read_name(kmt_read_address(cache + kmt_slab.layout.name), name);
}

/* Reads object_size or size of a cache; 0: not known. */
static u32 kmt_cache_bytes(unsigned long cache, long offset)
{
	u32 bytes;

	if (cache == KMT_CACHE_LARGE || offset == KMT_NOT_KNOWN ||
	    kmt_read(&bytes, (char *)cache + offset, sizeof(bytes)))
		return 0;
	return bytes;
}

/* Returns the bytes that an object takes in its slab; if they are not known, the object's size. */
static u32 kmt_slot_bytes(unsigned long cache)
{
	u32 bytes = kmt_slab.is_known ? kmt_cache_bytes(cache, kmt_slab.layout.size) : 0;

	return bytes ? bytes : kmem_cache_size((struct kmem_cache *)cache);
}

/* Returns the length of the name without "(12:cgroup)", which kernels before 5.9 append to the name
   of a cgroup's copy of a cache. */
static unsigned kmt_name_base(const char *name, unsigned length)
{
	unsigned i;

	for (i = 0; i + 1 < length; i++)
		if (name[i] == '(' && name[i + 1] >= '0' && name[i + 1] <= '9')
			return i;
	return length;
}

/* Whether a cache is requested by its name. The reader decides about a cache without a name. */
static bool kmt_name_is_wanted(const char *name, unsigned length)
{
	unsigned base = kmt_name_base(name, length);
	const char *wanted = kmt_wanted_caches;

	if (!length)
		return true;
	while (*wanted) {
		unsigned bytes = strcspn(wanted, "\t");

		if ((bytes == length || bytes == base) && !memcmp(name, wanted, bytes))
			return true;
		wanted += bytes;
		wanted += *wanted == '\t';
	}
	return false;
}

/* For testing the layout: two kmalloc objects, and the caches found with the layout. */
struct kmt_known {
	void *objects[2];
	unsigned long caches[2];
};

static bool kmt_known_name(unsigned long cache, char name[KMT_CACHE_NAME_BYTES_MAX])
{
	static const char begin[] = "kmalloc-";

	memset(name, 0, KMT_CACHE_NAME_BYTES_MAX);
	return kmt_cache_name(cache, name) >= sizeof(begin) &&
	       !memcmp(name, begin, sizeof(begin) - 1);
}

/* Whether the layout leads from the two objects to two different kmalloc caches. */
static bool kmt_try_names(struct kmt_known *known)
{
	char name[2][KMT_CACHE_NAME_BYTES_MAX];
	int i;

	for (i = 0; i < 2; i++) {
		known->caches[i] = kmt_cache_of((unsigned long)known->objects[i]);
		if (known->caches[i] <= KMT_CACHE_LARGE ||
		    !kmt_known_name(known->caches[i], name[i]))
			return false;
	}
	return known->caches[0] != known->caches[1] && memcmp(name[0], name[1], sizeof(name[0]));
}

static bool kmt_find_name(struct kmt_known *known, long given)
{
	long offset = given == KMT_NOT_KNOWN ? 0 : given;
	long last = given == KMT_NOT_KNOWN ? KMT_LAYOUT_BYTES_MAX - (long)sizeof(long) : given;

	for (; offset <= last; offset += sizeof(long)) {
		kmt_slab.layout.name = offset;
		if (kmt_try_names(known))
			return true;
	}
	return false;
}

static bool kmt_find_names(struct kmt_known *known, const struct kmt_layout *given)
{
	const long end = sizeof(struct page) - sizeof(long);
	long offset = given->slab_cache == KMT_NOT_KNOWN ? 0 : given->slab_cache;
	long last = given->slab_cache == KMT_NOT_KNOWN ? end : given->slab_cache;

	for (; offset <= last; offset += sizeof(long)) {
		kmt_slab.layout.slab_cache = offset;
		if (kmt_find_name(known, given->name))
			return true;
	}
	return false;
}

/* Whether both caches have the sizes requested from kmalloc at this offset. */
static bool kmt_are_object_sizes(const struct kmt_known *known, long offset)
{
	return kmt_cache_bytes(known->caches[0], offset) == KMT_KNOWN_BYTES &&
	       kmt_cache_bytes(known->caches[1], offset) == 2 * KMT_KNOWN_BYTES;
}

/* Whether both caches have plausible sizes in a slab at this offset. */
static bool kmt_are_slot_sizes(const struct kmt_known *known, long offset)
{
	int i;

	for (i = 0; i < 2; i++) {
		u32 object_bytes = (i + 1) * KMT_KNOWN_BYTES;
		u32 bytes = kmt_cache_bytes(known->caches[i], offset);

		if (bytes < object_bytes || bytes > KMT_SLOT_PER_OBJECT * object_bytes)
			return false;
	}
	return true;
}

/* Searches for the two sizes. They are equal in these caches, and in all kernels size is before
   object_size. Without two such members, as with slab debugging, the sizes stay unknown. */
static void kmt_find_sizes(const struct kmt_known *known)
{
	long offset, size = KMT_NOT_KNOWN;

	for (offset = 0; offset < KMT_LAYOUT_BYTES_MAX; offset += sizeof(u32)) {
		if (!kmt_are_object_sizes(known, offset))
			continue;
		if (size != KMT_NOT_KNOWN) {
			kmt_slab.layout.size = size;
			kmt_slab.layout.object_size = offset;
			return;
		}
		size = offset;
	}
}

/* Whether the known caches confirm the given offsets; searches for the sizes if none is given. */
static bool kmt_try_sizes(const struct kmt_known *known, const struct kmt_layout *given)
{
	kmt_slab.layout.object_size = given->object_size;
	kmt_slab.layout.size = given->size;
	if (given->object_size == KMT_NOT_KNOWN && given->size == KMT_NOT_KNOWN)
		kmt_find_sizes(known);
	return (given->object_size == KMT_NOT_KNOWN ||
		kmt_are_object_sizes(known, given->object_size)) &&
	       (given->size == KMT_NOT_KNOWN || kmt_are_slot_sizes(known, given->size)) &&
	       kmem_cache_size((struct kmem_cache *)known->caches[0]) == KMT_KNOWN_BYTES;
}

static bool kmt_is_offset(long offset, long end, long align)
{
	return offset == KMT_NOT_KNOWN ||
	       (offset >= 0 && offset <= end - align && offset % align == 0);
}

/* Returns NULL, or the reason why the layout is wrong. */
static const char *kmt_try_layout(struct kmt_known *known, const struct kmt_layout *given)
{
	if (!kmt_is_offset(given->slab_cache, sizeof(struct page), sizeof(long)) ||
	    !kmt_is_offset(given->name, KMT_LAYOUT_BYTES_MAX, sizeof(long)) ||
	    !kmt_is_offset(given->object_size, KMT_LAYOUT_BYTES_MAX, sizeof(u32)) ||
	    !kmt_is_offset(given->size, KMT_LAYOUT_BYTES_MAX, sizeof(u32)))
		return "no such offset can be";
	if (!known->objects[0] || !known->objects[1])
		return "no memory to try them on";
	if (!kmt_find_names(known, given))
		return "they do not lead to the names of known caches";
	if (!kmt_try_sizes(known, given))
		return "they do not lead to the sizes of known caches";
	return NULL;
}

/* Tests the layout, and uses it if it is correct. */
static void kmt_slab_start(const struct kmt_layout *given)
{
	struct kmt_known known = {
		.objects = { kmalloc(KMT_KNOWN_BYTES, GFP_KERNEL | __GFP_NOWARN),
			     kmalloc(2 * KMT_KNOWN_BYTES, GFP_KERNEL | __GFP_NOWARN) },
	};
	const char *wrong = kmt_try_layout(&known, given);

	kfree(known.objects[0]);
	kfree(known.objects[1]);
	kmt_slab.is_known = !wrong;
	kmt_slab.why_not[0] = '\0';
	if (wrong)
		snprintf(kmt_slab.why_not, sizeof(kmt_slab.why_not),
			 "the offsets of slab_cache (%ld), name (%ld), object_size (%ld) and size "
			 "(%ld) "
			 "in this kernel's structures were refused: %s",
			 given->slab_cache, given->name, given->object_size, given->size, wrong);
}

/* Byte offsets of slab_cache in struct slab (before 5.17 in struct page), and of name, object_size
   and size in struct kmem_cache. Runs in the process that loads the module: it allocates. */
static int kmt_set_layout(const char *text, const struct kernel_param *param)
{
	int offsets[] = { 0, 0, 0, 0, 0 }; /* the first one: their number */

	get_options(text, ARRAY_SIZE(offsets), offsets);
	if (offsets[0] != ARRAY_SIZE(offsets) - 1)
		return -EINVAL;
	kmt_slab_start(&(struct kmt_layout){ .slab_cache = offsets[1],
					     .name = offsets[2],
					     .object_size = offsets[3],
					     .size = offsets[4] });
	return 0;
}

static const struct kernel_param_ops kmt_layout_ops = { .set = kmt_set_layout };
module_param_cb(kmt_layout, &kmt_layout_ops, NULL, 0);

#endif
