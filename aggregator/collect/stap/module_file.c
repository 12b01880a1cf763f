/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the notes of a module file (release, events, signature) with libelf. Asked before a module
 * is loaded by --module.
 */
#include "collect/stap/module_file.h"

#include "base/escape.h"

#include <gelf.h>
#include <gio/gio.h>
#include <string.h>

/* stap's bound on -m. */
enum { MODULE_NAME_BYTES_MAX = 55 };

/* Values appear in error messages, so they are bounded and one line. */
enum { VALUE_BYTES_MAX = 200 };

static Elf_Scn *find_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && strcmp(name, wanted) == 0)
			return section;
	}
	return NULL;
}

/* Stores one "key=value", the first one of each key. */
static void read_entry(ModuleFile *file, const char *entry)
{
	const char *value = strchr(entry, '=');
	gsize length = value ? (gsize)(value - entry) : 0;
	const struct {
		const char *key;
		char **field;
	} fields[] = {
		{ "name", &file->name },
		{ "vermagic", &file->kernel_release },
		{ MODULE_FILE_EVENTS, &file->events },
		{ MODULE_FILE_KERNEL_VERSION, &file->kernel_version },
		{ MODULE_FILE_STAP_RELEASE, &file->stap_release },
	};

	for (guint i = 0; value && i < G_N_ELEMENTS(fields); i++) {
		GString *shown;

		if (*fields[i].field || strlen(fields[i].key) != length ||
		    strncmp(entry, fields[i].key, length) != 0)
			continue;
		shown = g_string_new(NULL);
		escape_append_len(shown, value + 1, strnlen(value + 1, VALUE_BYTES_MAX));
		*fields[i].field = g_string_free(shown, FALSE);
	}
}

static ModuleFile *read_elf(Elf *elf)
{
	Elf_Scn *section = find_section(elf, ".modinfo");
	Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
	const char *bytes = data ? data->d_buf : NULL;
	const char *end = bytes ? bytes + data->d_size : NULL, *stop;
	ModuleFile *file;

	if (!bytes)
		return NULL;
	file = g_new0(ModuleFile, 1);
	for (; bytes < end && (stop = memchr(bytes, '\0', (size_t)(end - bytes))); bytes = stop + 1)
		read_entry(file, bytes);
	/* The release is the first word of "6.1.0-56-amd64 SMP preempt mod_unload modversions". */
	if (file->kernel_release)
		file->kernel_release[strcspn(file->kernel_release, " ")] = '\0';
	return file;
}

/* As in the kernel: include/linux/module_signature.h. */
static bool has_signature(const char *bytes, gsize length)
{
	static const char mark[] = "~Module signature appended~\n";
	gsize mark_bytes = strlen(mark);

	return length >= mark_bytes && memcmp(bytes + length - mark_bytes, mark, mark_bytes) == 0;
}

ModuleFile *module_file_read(const char *path, GError **error)
{
	g_autofree char *bytes = NULL;
	ModuleFile *file = NULL;
	gsize length;
	Elf *elf;

	if (!g_file_get_contents(path, &bytes, &length, error))
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, length);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		file = read_elf(elf);
	elf_end(elf);
	if (file)
		file->is_signed = has_signature(bytes, length);
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: not a kernel module",
			    path);
	return file;
}

void module_file_free(ModuleFile *file)
{
	if (!file)
		return;
	g_free(file->name);
	g_free(file->events);
	g_free(file->kernel_release);
	g_free(file->kernel_version);
	g_free(file->stap_release);
	g_free(file);
}

char *module_file_name(const char *path, GError **error)
{
	g_autofree char *base = g_path_get_basename(path);
	gsize length = g_str_has_suffix(base, ".ko") ? strlen(base) - strlen(".ko") : 0;

	if (length > 0 && length <= MODULE_NAME_BYTES_MAX && !g_ascii_isdigit(*base) &&
	    strspn(base, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == length)
		return g_strndup(base, length);
	g_set_error(
		error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
		"%s: a module's file is called NAME.ko, with a NAME of at most %d letters, digits "
		"and _",
		path, MODULE_NAME_BYTES_MAX);
	return NULL;
}
