/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/proc_maps.h"

#include "base/keyed_hash.h"
#include "collect/user/elf_file.h"
#include "collect/user/object_open.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A process has at most 65,530 mappings on most hosts (vm.max_map_count). */
enum { LINES_MAX = 1 << 17, BUILD_IDS_MAX = 1 << 16 };

typedef struct {
	GString *out;
	const char *root;
	uint64_t time_ns;
	bool with_data;
	GHashTable *files; /* (element-type utf8 UserFileId): build ids, by device and inode */
} Scan;

static bool parse_range(TextPart word, UserMapLine *line)
{
	const char *dash = memchr(word.text, '-', word.length);
	size_t digits = dash ? (size_t)(dash - word.text) : 0;
	uint64_t end;

	if (!dash || !text_part_hexadecimal((TextPart){ word.text, digits }, &line->start) ||
	    !text_part_hexadecimal((TextPart){ dash + 1, word.length - digits - 1 }, &end))
		return false;
	line->length = end - line->start;
	return end > line->start;
}

/* Parses "08:1f", in hexadecimal digits. */
static bool parse_device(TextPart word, UserFileId *file)
{
	const char *colon = memchr(word.text, ':', word.length);
	size_t digits = colon ? (size_t)(colon - word.text) : 0;
	uint64_t major, minor;

	if (!colon || !text_part_hexadecimal((TextPart){ word.text, digits }, &major) ||
	    !text_part_hexadecimal((TextPart){ colon + 1, word.length - digits - 1 }, &minor))
		return false;
	file->major = (uint32_t)major;
	file->minor = (uint32_t)minor;
	return true;
}

static void skip_blanks(TextPart *text)
{
	while (text->length && *text->text == ' ') {
		text->text++;
		text->length--;
	}
}

/* Parses a line of /proc/PID/maps (fs/proc/task_mmu.c): range, rights, offset, device, inode, path.
   Returns false if it is not wanted. */
static bool parse_maps_line(TextPart text, bool with_data, UserMapLine *line)
{
	TextPart rights;

	if (!parse_range(text_part_next_word(&text), line))
		return false;
	rights = text_part_next_word(&text);
	if (rights.length < 3 || (rights.text[2] != 'x' && !with_data) ||
	    !text_part_hexadecimal(text_part_next_word(&text), &line->file_offset) ||
	    !parse_device(text_part_next_word(&text), &line->file) ||
	    !text_part_decimal_64(text_part_next_word(&text), &line->file.inode))
		return false;
	skip_blanks(&text);
	line->path = text;
	return text.length <= USER_PATH_BYTES_MAX;
}

static UserFileId *read_build_id(const Scan *scan, const UserMapLine *line)
{
	UserFileId *id = g_new0(UserFileId, 1);
	int descriptor = object_open(scan->root, line);
	ElfFile file;

	if (descriptor < 0)
		return id;
	if (elf_file_begin(&file, descriptor)) {
		elf_file_build_id(&file, id);
		elf_file_end(&file);
	}
	close(descriptor);
	return id;
}

/* Sets the build id, of what was not read before, too. */
static void set_build_id(const Scan *scan, UserMapLine *line)
{
	g_autofree char *key = g_strdup_printf("%u:%u:%" G_GUINT64_FORMAT, line->file.major,
					       line->file.minor, line->file.inode);
	const UserFileId *known = g_hash_table_lookup(scan->files, key);

	if (!line->file.inode)
		return;
	if (!known) {
		if (g_hash_table_size(scan->files) >= BUILD_IDS_MAX)
			return;
		known = read_build_id(scan, line);
		g_hash_table_insert(scan->files, g_steal_pointer(&key), (gpointer)known);
	}
	memcpy(line->file.build_id, known->build_id, sizeof(known->build_id));
	line->file.build_id_bytes = known->build_id_bytes;
}

static void write_line(const Scan *scan, uint32_t tgid, TextPart text)
{
	UserMapLine line = { .type = USER_MAP_MAPPED, .time_ns = scan->time_ns, .tgid = tgid };

	if (!parse_maps_line(text, scan->with_data, &line))
		return;
	set_build_id(scan, &line);
	user_map_line_append(scan->out, &line);
}

/* Returns whether the file could be read. */
static bool write_process(const Scan *scan, const char *name)
{
	g_autofree char *path = g_strconcat(scan->root, "/proc/", name, "/maps", NULL);
	uint32_t tgid = (uint32_t)g_ascii_strtoull(name, NULL, 10);
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return false;
	for (int i = 0; i < LINES_MAX && getline(&text, &size, file) > 0; i++)
		write_line(scan, tgid, (TextPart){ text, strcspn(text, "\n") });
	free(text); /* of getline() */
	fclose(file);
	return true;
}

unsigned proc_maps_write(GString *out, const char *root, uint64_t time_ns, bool with_data)
{
	g_autofree char *path = g_strconcat(root, "/proc", NULL);
	g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
	Scan scan = { .out = out, .root = root, .time_ns = time_ns, .with_data = with_data };
	const char *name;
	unsigned read = 0;

	scan.files = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free);
	while (folder && (name = g_dir_read_name(folder)))
		if (g_ascii_isdigit(*name))
			read += write_process(&scan, name);
	g_hash_table_unref(scan.files);
	return read;
}
