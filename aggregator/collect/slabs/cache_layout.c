/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the kernel's slab structures have their fields: a const table of the wanted members, filled
 * from BTF by libbpf, else from the DWARF of a vmlinux, where distributions install it, by libdw.
 * Both look into unnamed members, to a bounded depth. A vmlinux must be root's own
 * (trusted_file.h), as it is parsed here, in the program. The emitter's parameters, kprobes and
 * slab_pages.c need these offsets.
 */
#include "config.h"

#include "collect/slabs/cache_layout.h"

#include "base/trusted_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <glib.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef HAVE_LIBBPF
#include "collect/facts/host_facts.h"

#include <bpf/btf.h>
#endif

enum {
	NESTED_MAX = 8,        /* nesting depth of anonymous structures; no kernel has more */
	MEMBERS_MAX = 1 << 14, /* of DWARF: checked per search, including nested structures */
};

#define FILE_BYTES_MAX (8ULL << 30)

const CacheLayout cache_layout_unknown = {
	.slab_cache = CACHE_LAYOUT_UNKNOWN,
	.name = CACHE_LAYOUT_UNKNOWN,
	.object_size = CACHE_LAYOUT_UNKNOWN,
	.size = CACHE_LAYOUT_UNKNOWN,
	.counters = CACHE_LAYOUT_UNKNOWN,
	.compound_head = CACHE_LAYOUT_UNKNOWN,
	.page_bytes = CACHE_LAYOUT_UNKNOWN,
	.memcg_params = CACHE_LAYOUT_UNKNOWN,
};

static const char kernel_btf[] = "/sys/kernel/btf/vmlinux";

/* The places of a vmlinux with debuginfo in distributions, as in elfutils. The search of elfutils
   is not used: with the caller's environment, it could make root contact a server. */
static const struct {
	const char *before_release;
	const char *after_release;
} vmlinux_paths[] = {
	{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
	{ "/usr/lib/debug/boot/vmlinux-", "" },
	{ "/boot/vmlinux-", "" },
	{ "/lib/modules/", "/vmlinux" },
	{ "/lib/modules/", "/build/vmlinux" },
};

/* A kernel may lack some. */
static const char *const structures[] = { "slab", "page", "kmem_cache", NULL };

/* No kernel has both of the first two. */
static const struct {
	size_t where; /* offset in CacheLayout */
	const char *structure;
	const char *member; /* NULL: its size */
	bool is_optional;
} wanted[] = {
	{ offsetof(CacheLayout, slab_cache), "slab", "slab_cache", false },
	{ offsetof(CacheLayout, slab_cache), "page", "slab_cache", false },
	{ offsetof(CacheLayout, name), "kmem_cache", "name", false },
	{ offsetof(CacheLayout, object_size), "kmem_cache", "object_size", false },
	{ offsetof(CacheLayout, size), "kmem_cache", "size", false },
	{ offsetof(CacheLayout, counters), "slab", "counters", true },
	{ offsetof(CacheLayout, counters), "page", "counters", true },
	{ offsetof(CacheLayout, compound_head), "page", "compound_head", true },
	{ offsetof(CacheLayout, page_bytes), "page", NULL, true },
	{ offsetof(CacheLayout, memcg_params), "kmem_cache", "memcg_params", true },
};

/* Returns the offset of a member, also inside anonymous members; CACHE_LAYOUT_UNKNOWN: no such
   member. member NULL: returns the size of the structure. */
typedef long (*MemberOffset)(const void *structure, const char *member);

/* Fills the unknown offsets from the structure of that name. */
static void cache_layout_fill(CacheLayout *layout, const char *name, MemberOffset offset_of,
			      const void *structure)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
		long *offset = (long *)((char *)layout + wanted[i].where);

		if (*offset == CACHE_LAYOUT_UNKNOWN && !strcmp(wanted[i].structure, name))
			*offset = offset_of(structure, wanted[i].member);
	}
}

/* Whether all offsets are known, except optional ones. */
static bool cache_layout_is_whole(const CacheLayout *layout)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!wanted[i].is_optional &&
		    *(const long *)((const char *)layout + wanted[i].where) == CACHE_LAYOUT_UNKNOWN)
			return false;
	return true;
}

/* BTF. */

#ifdef HAVE_LIBBPF
static long btf_member_offset(const struct btf *btf, const struct btf_type *type, const char *name,
			      unsigned nested);

/* Returns the offset inside an unnamed member. */
static long btf_unnamed_offset(const struct btf *btf, const struct btf_member *member,
			       const char *name, unsigned nested)
{
	const struct btf_type *inner = btf__type_by_id(btf, member->type);

	if (!inner || !btf_is_composite(inner) || nested >= NESTED_MAX)
		return CACHE_LAYOUT_UNKNOWN;
	return btf_member_offset(btf, inner, name, nested + 1);
}

static long btf_member_offset(const struct btf *btf, const struct btf_type *type, const char *name,
			      unsigned nested)
{
	const struct btf_member *member = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++, member++) {
		const char *its_name = btf__name_by_offset(btf, member->name_off);
		long offset = btf_member_bit_offset(type, i) / 8;
		long inside;

		if (its_name && *its_name && !strcmp(its_name, name))
			return offset;
		if (its_name && *its_name)
			continue;
		inside = btf_unnamed_offset(btf, member, name, nested);
		if (inside != CACHE_LAYOUT_UNKNOWN)
			return offset + inside;
	}
	return CACHE_LAYOUT_UNKNOWN;
}

/* A structure and its type information. */
typedef struct {
	const struct btf *btf;
	const struct btf_type *type;
} BtfStructure;

static long btf_offset_of(const void *structure, const char *member)
{
	const BtfStructure *in = structure;

	if (!member)
		return (long)in->type->size;
	return btf_member_offset(in->btf, in->type, member, 0);
}

bool cache_layout_read_btf(CacheLayout *layout, const char *path)
{
	struct btf *btf = btf_file_parse(path);

	if (!btf)
		return false;
	for (const char *const *name = structures; *name; name++) {
		int id = btf__find_by_name_kind(btf, *name, BTF_KIND_STRUCT);
		const BtfStructure structure = { btf,
						 btf__type_by_id(btf, id > 0 ? (unsigned)id : 0) };

		if (id > 0)
			cache_layout_fill(layout, *name, btf_offset_of, &structure);
	}
	btf__free(btf);
	return true;
}
#else
bool cache_layout_read_btf(CacheLayout *layout, const char *path)
{
	(void)layout;
	(void)path;
	return false;
}
#endif

/* DWARF. */

/* The searched member. */
typedef struct {
	const char *member;
	unsigned nested;
	unsigned *left; /* members that may still be checked */
} Search;

static long dwarf_member_offset(Dwarf_Die *type, const Search *search);

/* Returns the offset inside an unnamed member. */
static long dwarf_unnamed_offset(Dwarf_Die *member, const Search *search)
{
	const Search inner = { .member = search->member,
			       .nested = search->nested + 1,
			       .left = search->left };
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (inner.nested > NESTED_MAX || !dwarf_attr(member, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &type) ||
	    (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_union_type))
		return CACHE_LAYOUT_UNKNOWN;
	return dwarf_member_offset(&type, &inner);
}

/* Members of unions have no offset attribute. */
static long own_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return 0;
	return dwarf_formudata(&attribute, &offset) == 0 ? (long)offset : CACHE_LAYOUT_UNKNOWN;
}

static long offset_in_member(Dwarf_Die *member, const Search *search)
{
	const char *name = dwarf_diename(member);
	long offset = own_offset(member), inside = CACHE_LAYOUT_UNKNOWN;

	if (name && !strcmp(name, search->member))
		inside = 0;
	else if (!name)
		inside = dwarf_unnamed_offset(member, search);
	if (offset == CACHE_LAYOUT_UNKNOWN || inside == CACHE_LAYOUT_UNKNOWN)
		return CACHE_LAYOUT_UNKNOWN;
	return offset + inside;
}

static long dwarf_member_offset(Dwarf_Die *type, const Search *search)
{
	Dwarf_Die die;
	int end = dwarf_child(type, &die);

	for (; end == 0 && *search->left; end = dwarf_siblingof(&die, &die)) {
		long offset = CACHE_LAYOUT_UNKNOWN;

		--*search->left;
		if (dwarf_tag(&die) == DW_TAG_member)
			offset = offset_in_member(&die, search);
		if (offset != CACHE_LAYOUT_UNKNOWN)
			return offset;
	}
	return CACHE_LAYOUT_UNKNOWN;
}

static long dwarf_offset_of(const void *structure, const char *member)
{
	unsigned left = MEMBERS_MAX;
	const Search search = { .member = member, .left = &left };
	Dwarf_Die type = *(const Dwarf_Die *)structure;

	/* On failure -1, as CACHE_LAYOUT_UNKNOWN. */
	return member ? dwarf_member_offset(&type, &search) : dwarf_bytesize(&type);
}

static void read_unit(CacheLayout *layout, Dwarf_Die *unit)
{
	Dwarf_Attribute declared_only;
	Dwarf_Die die;
	int end = dwarf_child(unit, &die);

	for (; end == 0; end = dwarf_siblingof(&die, &die)) {
		const char *name =
			dwarf_tag(&die) == DW_TAG_structure_type &&
					!dwarf_attr(&die, DW_AT_declaration, &declared_only)
				? dwarf_diename(&die)
				: NULL;

		if (name && g_strv_contains(structures, name))
			cache_layout_fill(layout, name, dwarf_offset_of, &die);
	}
}

/* A structure is in the units that use it. dwz moves common structures into units of their own. */
static void read_units(CacheLayout *layout, Dwarf *dwarf)
{
	Dwarf_Off offset = 0, next;
	size_t header_bytes;
	Dwarf_Die unit;

	for (; !cache_layout_is_whole(layout) &&
	       dwarf_nextcu(dwarf, offset, &next, &header_bytes, NULL, NULL, NULL) == 0;
	     offset = next)
		if (dwarf_offdie(dwarf, offset + header_bytes, &unit))
			read_unit(layout, &unit);
}

bool cache_layout_read_dwarf(CacheLayout *layout, const char *path)
{
	/* A build folder may belong to a user, who could put anything there. */
	int file = trusted_file_open(path, FILE_BYTES_MAX, true);
	Dwarf *dwarf;

	if (file < 0)
		return false;
	dwarf = dwarf_begin(file, DWARF_C_READ);
	if (dwarf)
		read_units(layout, dwarf);
	dwarf_end(dwarf);
	close(file);
	return dwarf != NULL;
}

const char *cache_layout_find_below(CacheLayout *layout, const char *root, const char *release)
{
	g_autofree char *btf = g_strconcat(root, kernel_btf, NULL);

	*layout = cache_layout_unknown;
	cache_layout_read_btf(layout, btf);
	if (cache_layout_is_whole(layout))
		return "BTF";
	for (size_t i = 0; i < G_N_ELEMENTS(vmlinux_paths); i++) {
		g_autofree char *path = g_strconcat(root, vmlinux_paths[i].before_release, release,
						    vmlinux_paths[i].after_release, NULL);

		cache_layout_read_dwarf(layout, path);
		if (cache_layout_is_whole(layout))
			return "debuginfo";
	}
	return NULL;
}

void cache_layout_find(CacheLayout *layout)
{
	struct utsname kernel;

	cache_layout_find_below(layout, "", uname(&kernel) ? "" : kernel.release);
}
