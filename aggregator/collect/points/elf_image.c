/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/elf_image.h"

#include "base/escape.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SEGMENTS_MAX = 256, /* programs have about a dozen */
	BUILD_ID_BYTES_MIN = 2,
	BUILD_ID_BYTES_MAX = 64,
};

/* Symbols of the largest programs have some 300 MB. */
#define SECTION_BYTES_MAX (1ULL << 30)

static ElfImage *fail(const char *path, const char *problem, int code, GError **error)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	escape_append(shown, path);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", shown->str, problem);
	return NULL;
}

/* Opens a regular file only: another one may block, or have no end. Returns -1 with errno set. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static bool is_program(Elf *elf)
{
	GElf_Ehdr header;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	       (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

ElfImage *elf_image_open(const char *path, GError **error)
{
	g_autoptr(ElfImage) image = g_new0(ElfImage, 1);

	image->fd = open_regular(path);
	if (image->fd < 0)
		return fail(path, errno == EINVAL ? "it is not a regular file" : g_strerror(errno),
			    g_io_error_from_errno(errno), error);
	elf_version(EV_CURRENT);
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (!is_program(image->elf))
		return fail(path, "it is not an ELF program or library: name the program itself",
			    G_IO_ERROR_INVALID_DATA, error);
	return g_steal_pointer(&image);
}

void elf_image_free(ElfImage *image)
{
	if (!image)
		return;
	elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	g_free(image);
}

/* Returns the path of the debug file below folder, or NULL. */
static char *debug_path(const char *folder, const uint8_t *build_id, size_t bytes)
{
	g_autoptr(GString) path = g_string_new(folder);

	g_string_append_printf(path, "/.build-id/%02x/", build_id[0]);
	for (size_t i = 1; i < bytes; i++)
		g_string_append_printf(path, "%02x", build_id[i]);
	g_string_append(path, ".debug");
	return g_string_free(g_steal_pointer(&path), FALSE);
}

/* Returns the size of the build id; 0: none. */
static size_t build_id_of(const ElfImage *image, const uint8_t **build_id)
{
	const void *bytes;
	ssize_t length = dwelf_elf_gnu_build_id(image->elf, &bytes);

	*build_id = bytes;
	return length >= BUILD_ID_BYTES_MIN && length <= BUILD_ID_BYTES_MAX ? (size_t)length : 0;
}

ElfImage *elf_image_open_debug(const ElfImage *image, const char *folder)
{
	const uint8_t *build_id, *debug_id;
	size_t bytes = build_id_of(image, &build_id);
	g_autofree char *path = bytes ? debug_path(folder, build_id, bytes) : NULL;
	g_autoptr(ElfImage) debug = path ? elf_image_open(path, NULL) : NULL;

	if (!debug || build_id_of(debug, &debug_id) != bytes ||
	    memcmp(build_id, debug_id, bytes) != 0)
		return NULL;
	return g_steal_pointer(&debug);
}

bool elf_image_offset(const ElfImage *image, uint64_t address, uint32_t flags, uint64_t *offset)
{
	size_t count = 0;

	elf_getphdrnum(image->elf, &count);
	for (size_t i = 0; i < MIN(count, (size_t)SEGMENTS_MAX); i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & flags) || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return *offset >= segment.p_offset;
	}
	return false;
}

Elf_Scn *elf_image_next_section(const ElfImage *image, Elf_Scn *section, uint32_t type,
				GElf_Shdr *header)
{
	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type &&
		    header->sh_size <= SECTION_BYTES_MAX)
			return section;
	return NULL;
}

const char *elf_image_section_name(const ElfImage *image, const GElf_Shdr *header)
{
	const char *name = NULL;
	size_t names;

	if (!elf_getshdrstrndx(image->elf, &names))
		name = elf_strptr(image->elf, names, header->sh_name);
	return name ? name : "";
}
