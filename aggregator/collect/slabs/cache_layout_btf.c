/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One of two sources of cache_layout.c: the kernel's BTF. Looks into unnamed members, to a bounded
 * depth.
 */
#include "config.h"

#include "collect/slabs/cache_layout_fill.h"

#ifdef HAVE_LIBBPF
#include "collect/facts/btf_file.h"

#include <bpf/btf.h>
#include <string.h>

/* Nesting depth of anonymous structures; no kernel has more. */
enum { NESTED_MAX = 8 };

static long member_offset(const struct btf *btf, const struct btf_type *type, const char *name,
			  unsigned nested);

/* Returns the offset inside an unnamed member. */
static long unnamed_offset(const struct btf *btf, const struct btf_member *member, const char *name,
			   unsigned nested)
{
	const struct btf_type *inner = btf__type_by_id(btf, member->type);

	if (!inner || !btf_is_composite(inner) || nested >= NESTED_MAX)
		return CACHE_LAYOUT_UNKNOWN;
	return member_offset(btf, inner, name, nested + 1);
}

static long member_offset(const struct btf *btf, const struct btf_type *type, const char *name,
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
		inside = unnamed_offset(btf, member, name, nested);
		if (inside != CACHE_LAYOUT_UNKNOWN)
			return offset + inside;
	}
	return CACHE_LAYOUT_UNKNOWN;
}

/* A structure and its type information. */
typedef struct {
	const struct btf *btf;
	const struct btf_type *type;
} Structure;

static long offset_of(const void *structure, const char *member)
{
	const Structure *in = structure;

	if (!member)
		return (long)in->type->size;
	return member_offset(in->btf, in->type, member, 0);
}

static void read_structures(CacheLayout *layout, const struct btf *btf)
{
	for (const char *const *name = cache_layout_structures; *name; name++) {
		int id = btf__find_by_name_kind(btf, *name, BTF_KIND_STRUCT);
		const Structure structure = { btf,
					      btf__type_by_id(btf, id > 0 ? (unsigned)id : 0) };

		if (id > 0)
			cache_layout_fill(layout, *name, offset_of, &structure);
	}
}

bool cache_layout_read_btf(CacheLayout *layout, const char *path)
{
	struct btf *btf = btf_file_parse(path);

	if (!btf)
		return false;
	read_structures(layout, btf);
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
