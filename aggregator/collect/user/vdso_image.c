/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/vdso_image.h"

#include "collect/user/elf_symbols.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* The table of sections is what comes last in the image. The kernel made it: it is trusted. */
static size_t image_bytes(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

ElfFunctions *vdso_image_functions(void)
{
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	return elf_symbols_read_memory(header, image_bytes(header));
}
