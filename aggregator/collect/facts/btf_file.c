/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens BTF with libbpf, silently. Builds without libbpf find no types. Layouts of slab caches,
 * types of functions and gfp flags are read through it.
 */
#include "config.h"

#include "collect/facts/btf_file.h"

#ifdef HAVE_LIBBPF
#include <bpf/btf.h>
#include <bpf/libbpf.h>

static int print_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

struct btf *btf_file_parse(const char *path)
{
	struct btf *btf;

	libbpf_set_print(print_nothing);
	btf = btf__parse(path, NULL);
	return libbpf_get_error(btf) ? NULL : btf;
}
#else
#include <stddef.h>

struct btf *btf_file_parse(const char *path)
{
	(void)path;
	return NULL;
}
#endif
