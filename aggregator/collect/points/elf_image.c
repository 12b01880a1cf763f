/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/points/elf_image.h"

#include "base/escape.h"
#include "base/trusted_file.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
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

/* Returns the path of the debug file below folder. */
static char *debug_path(const char *folder, const UserFileId *id)
{
	g_autoptr(GString) hexadecimal = g_string_new(NULL);

	user_build_id_append(hexadecimal, id);
	return g_strdup_printf("%s/.build-id/%.2s/%s.debug", folder, hexadecimal->str,
			       hexadecimal->str + MIN(hexadecimal->len, 2));
}

ElfImage *elf_image_open_debug(const ElfImage *image, const char *folder)
{
	UserFileId id = { 0 }, debug_id = { 0 };
	g_autoptr(ElfImage) debug = NULL;
	g_autofree char *path = NULL;

	if (!elf_file_build_id(&image->file, &id))
		return NULL;
	path = debug_path(folder, &id);
	debug = elf_image_open(path, NULL);
	if (!debug || !elf_file_build_id(&debug->file, &debug_id) ||
	    id.build_id_bytes != debug_id.build_id_bytes ||
	    memcmp(id.build_id, debug_id.build_id, id.build_id_bytes) != 0)
		return NULL;
	return g_steal_pointer(&debug);
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
