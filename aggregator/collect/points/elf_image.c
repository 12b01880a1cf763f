/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/elf_image.h"

#include "base/escape.h"
#include "base/trusted_file.h"

#include <errno.h>
#include <gio/gio.h>
#include <unistd.h>

#define FILE_BYTES_MAX (8ULL << 30) /* as elf_file_begin() */

static ElfImage *fail(const char *path, const char *problem, int code, GError **error)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	escape_append(shown, path);
	g_set_error(error, G_IO_ERROR, code, "%s: %s", shown->str, problem);
	return NULL;
}

static bool is_program(const ElfFile *file)
{
	return file->header.e_type == ET_EXEC || file->header.e_type == ET_DYN;
}

ElfImage *elf_image_open(const char *path, GError **error)
{
	g_autoptr(ElfImage) image = g_new0(ElfImage, 1);

	image->fd = trusted_file_open(path, FILE_BYTES_MAX, false);
	if (image->fd < 0)
		return fail(path, errno == EINVAL ? "it is not a regular file" : g_strerror(errno),
			    g_io_error_from_errno(errno), error);
	if (!elf_file_begin(&image->file, image->fd) || !is_program(&image->file))
		return fail(path, "it is not an ELF program or library: name the program itself",
			    G_IO_ERROR_INVALID_DATA, error);
	return g_steal_pointer(&image);
}

void elf_image_free(ElfImage *image)
{
	if (!image)
		return;
	elf_file_end(&image->file);
	if (image->fd >= 0)
		close(image->fd);
	g_free(image);
}

bool elf_image_data_offset(const ElfImage *image, uint64_t address, uint64_t *offset)
{
	for (int i = 0; i < MIN(image->file.header.e_phnum, ELF_FILE_SEGMENTS_MAX); i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(image->file.elf, i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_W) || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = address - segment.p_vaddr + segment.p_offset;
		return true;
	}
	return false;
}
