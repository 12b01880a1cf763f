/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page size of a text's kernel. Texts do not contain it, but some have the architecture and the
 * release. Where an architecture has kernels with several page sizes, distributions name those of
 * the unusual size.
 */
#include "import/page_size.h"

#include "record/format.h"

#include <string.h>

static const struct {
	const char *arch;
	const char *release; /* part of it; "": any */
	uint64_t bytes;
	bool is_certain; /* the architecture has no other */
} sizes[] = {
	{ "x86_64", "", 4096, true },
	{ "i386", "", 4096, true },
	{ "i686", "", 4096, true },
	{ "s390x", "", 4096, true },
	{ "riscv64", "", 4096, true },
	{ "aarch64", "64k", 65536, true }, /* RHEL 9, Ubuntu, SUSE, Debian */
	{ "aarch64", "16k", 16384, true }, /* Debian, Fedora on Apple's machines */
	{ "aarch64", ".el7", 65536, false },
	{ "aarch64", ".el8", 65536, false },
	{ "ppc64le", "", 65536, false },
	{ "ppc64", "", 65536, false },
	{ "loongarch64", "", 16384, false },
};

enum { PAGE_BYTES_USUAL = 4096 };

uint64_t import_page_bytes(Session *session)
{
	const char *arch = run_info_text(session->info, KMT_FIELD_ARCH);
	const char *release = run_info_text(session->info, KMT_FIELD_RELEASE);
	uint64_t bytes = run_info_number(session->info, KMT_FIELD_PAGE_BYTES, 0);
	bool is_certain = false;

	if (bytes)
		return bytes;
	bytes = PAGE_BYTES_USUAL;
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		if (g_strcmp0(arch, sizes[i].arch) ||
		    !strstr(release ? release : "", sizes[i].release))
			continue;
		bytes = sizes[i].bytes;
		is_certain = sizes[i].is_certain;
		break;
	}
	session->page_bytes_assumed = !is_certain;
	session_set_number(session, KMT_FIELD_PAGE_BYTES, bytes);
	return bytes;
}
