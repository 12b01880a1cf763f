/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other source of gfp_flags.c: an enum in the kernel's BTF, for kernels whose format names bits
 * only.
 */
#include "config.h"

#include "collect/run/gfp_flags.h"

#ifdef HAVE_LIBBPF
#include "collect/facts/btf_file.h"

#include <bpf/btf.h>
#include <string.h>

static void take_bit(GfpFlags *flags, const char *name, int32_t bit)
{
	for (int i = 0; name && i < GFP_FLAGS; i++)
		if (!flags->values[i] && bit >= 0 && bit < 32 &&
		    !strcmp(name, gfp_flag_bit_name(i)))
			flags->values[i] = UINT32_C(1) << bit;
}

void gfp_flags_read_btf(GfpFlags *flags, const char *path)
{
	struct btf *btf = btf_file_parse(path);
	const struct btf_type *type;

	for (uint32_t id = 1; btf && (type = btf__type_by_id(btf, id)); id++) {
		const struct btf_enum *value = btf_enum(type);

		/* The enum that contains them is anonymous. */
		if (!btf_is_enum(type) || type->name_off)
			continue;
		for (uint32_t i = 0; i < btf_vlen(type); i++)
			take_bit(flags, btf__name_by_offset(btf, value[i].name_off), value[i].val);
	}
	btf__free(btf);
}
#else
void gfp_flags_read_btf(GfpFlags *flags, const char *path)
{
	(void)flags;
	(void)path;
}
#endif
