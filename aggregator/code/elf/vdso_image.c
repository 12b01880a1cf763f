/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso of this process, which is that of all 64-bit processes: as a file in memory for the
 * unwinder, and its functions.
 */
#include "code/elf/vdso_image.h"

#include "record/format.h"
#include "code/elf/elf_symbols.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* The table of sections is what comes last in the image. The kernel made it: it is trusted. */
static size_t image_bytes(const ElfW(Ehdr) * header)
{
	return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/* Returns the image in this process; NULL: there is none. */
static ElfW(Ehdr) * image(void)
{
	ElfW(Ehdr) *header = (ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);

	return header && !memcmp(header->e_ident, ELFMAG, SELFMAG) ? header : NULL;
}

int vdso_image_open(void)
{
	const ElfW(Ehdr) *header = image();
	int fd = header ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0 || write(fd, header, image_bytes(header)) == (ssize_t)image_bytes(header))
		return fd;
	close(fd);
	return -1;
}

ElfFunctions *vdso_image_functions(void)
{
	ElfW(Ehdr) *header = image();

	if (!header)
		return NULL;
	return elf_symbols_read_memory(header, image_bytes(header));
}
