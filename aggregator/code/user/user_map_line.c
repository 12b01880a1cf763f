/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses and writes the lines of maps batches. They come from recordings of anybody, so each number
 * is bounded. Collectors write them, user_maps.c and the unwinder read them.
 */
#include "code/user/user_map_line.h"

#include "base/build_id.h"
#include "base/hot_assert.h"
#include "base/saturate.h"

#include <string.h>

#define HEX " %" G_GINT64_MODIFIER "x"

static const char type_letters[] = {
	[USER_MAP_MAPPED] = 'm',
	[USER_MAP_FORKED] = 'f',
	[USER_MAP_EXECUTED] = 'x',
	[USER_MAP_ENDED] = 'e',
};

static bool next_decimal(TextPart *rest, uint32_t *number)
{
	uint64_t value;

	if (!text_part_decimal(text_part_next_word(rest), &value))
		return false;
	*number = (uint32_t)value;
	return true;
}

static bool next_hexadecimal(TextPart *rest, uint64_t *number)
{
	return text_part_hexadecimal(text_part_next_word(rest), number);
}

/* Parses "8:1". */
static bool next_device(TextPart *rest, UserFileId *file)
{
	TextPart word = text_part_next_word(rest);
	const char *colon = memchr(word.text, ':', word.length);
	uint64_t major, minor;
	size_t digits;

	if (!colon)
		return false;
	digits = (size_t)(colon - word.text);
	if (!text_part_decimal((TextPart){ word.text, digits }, &major) ||
	    !text_part_decimal((TextPart){ colon + 1, word.length - digits - 1 }, &minor))
		return false;
	file->major = (uint32_t)major;
	file->minor = (uint32_t)minor;
	return true;
}

bool user_build_id_parse(TextPart text, UserFileId *file)
{
	if (!text.length || text.length % 2 || text.length > 2 * USER_BUILD_ID_BYTES_MAX)
		return false;
	for (size_t i = 0; i < text.length; i += 2) {
		unsigned high = hexadecimal_digit(text.text[i]);
		unsigned low = hexadecimal_digit(text.text[i + 1]);

		if (high > 0xf || low > 0xf)
			return false;
		file->build_id[i / 2] = (uint8_t)(high << 4 | low);
	}
	file->build_id_bytes = (uint8_t)(text.length / 2);
	return true;
}

/* A mapping ends at most at the last address. */
static bool parse_mapping(TextPart rest, UserMapLine *line)
{
	TextPart build_id;
	uint64_t end;

	if (!next_hexadecimal(&rest, &line->start) || !next_hexadecimal(&rest, &line->length) ||
	    !next_hexadecimal(&rest, &line->file_offset) || !next_device(&rest, &line->file) ||
	    !next_hexadecimal(&rest, &line->file.inode) ||
	    !next_hexadecimal(&rest, &line->file.generation))
		return false;
	build_id = text_part_next_word(&rest);
	if (!text_part_is(build_id, "-") && !user_build_id_parse(build_id, &line->file))
		return false;
	if (rest.length) /* the blank before the path */
		rest = (TextPart){ rest.text + 1, rest.length - 1 };
	line->path = rest;
	return line->length && rest.length <= USER_PATH_BYTES_MAX &&
	       checked_sum(&end, line->start, line->length);
}

bool user_map_line_parse(TextPart text, UserMapLine *line)
{
	TextPart word = text_part_next_word(&text);
	unsigned type = 0;

	*line = (UserMapLine){ 0 };
	while (type < G_N_ELEMENTS(type_letters) &&
	       (word.length != 1 || word.text[0] != type_letters[type]))
		type++;
	if (type == G_N_ELEMENTS(type_letters))
		return false;
	line->type = (UserMapType)type;
	if (!text_part_decimal_64(text_part_next_word(&text), &line->time_ns) ||
	    !next_decimal(&text, &line->tgid))
		return false;
	if (line->type == USER_MAP_MAPPED)
		return parse_mapping(text, line);
	return line->type != USER_MAP_FORKED || next_decimal(&text, &line->parent_tgid);
}

char *user_build_id_text(const UserFileId *file)
{
	return build_id_text(file->build_id, file->build_id_bytes);
}

static void append_path(GString *out, TextPart path)
{
	static const char line_end[] = "\\012";
	gsize bytes_max = out->len + USER_PATH_BYTES_MAX - strlen(line_end);

	for (size_t i = 0; i < path.length && out->len <= bytes_max; i++) {
		if (path.text[i] == '\n')
			g_string_append(out, line_end);
		else if (path.text[i])
			g_string_append_c(out, path.text[i]);
	}
}

void user_map_line_append(GString *out, const UserMapLine *line)
{
	const UserFileId *file = &line->file;

	hot_assert(line->type < G_N_ELEMENTS(type_letters));
	g_string_append_printf(out, "%c %" G_GUINT64_FORMAT " %u", type_letters[line->type],
			       line->time_ns, line->tgid);
	if (line->type == USER_MAP_FORKED)
		g_string_append_printf(out, " %u", line->parent_tgid);
	if (line->type == USER_MAP_MAPPED) {
		g_string_append_printf(out, HEX HEX HEX " %u:%u" HEX HEX " ", line->start,
				       line->length, line->file_offset, file->major, file->minor,
				       file->inode, file->generation);
		if (file->build_id_bytes)
			build_id_append(out, file->build_id, file->build_id_bytes);
		else
			g_string_append_c(out, '-');
		g_string_append_c(out, ' ');
		append_path(out, line->path);
	}
	g_string_append_c(out, '\n');
}
