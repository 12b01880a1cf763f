/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/cache_layout.h"

#ifdef HAVE_LIBBPF
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>

static unsigned member_offset(const struct btf *btf, const struct btf_type *type, const char *name)
{
	const struct btf_member *member = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++, member++)
		if (!strcmp(btf__name_by_offset(btf, member->name_off), name))
			return btf_member_bit_offset(type, i) / 8;
	return 0;
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

unsigned cache_layout_size_offset(void)
{
	struct btf *btf;
	unsigned offset = 0;
	int id;

	libbpf_set_print(print_nothing);
	btf = btf__load_vmlinux_btf();
	if (libbpf_get_error(btf))
		return 0;
	id = btf__find_by_name_kind(btf, "kmem_cache", BTF_KIND_STRUCT);
	if (id > 0)
		offset = member_offset(btf, btf__type_by_id(btf, (unsigned)id), "size");
	btf__free(btf);
	return offset;
}
#else
unsigned cache_layout_size_offset(void)
{
	return 0;
}
#endif
