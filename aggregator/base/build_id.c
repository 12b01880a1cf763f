/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build ids as bytes, as text, and as the path of a debug file. The notes that contain them come
 * from files and from the kernel: every length in them is checked. Snapshots of the host, debug
 * files and the stream's module list use it.
 */
#include "base/build_id.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

static const char hexadecimal_digits[] = "0123456789abcdef";

bool build_id_is_text(TextPart text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!text.text[i] || !strchr(hexadecimal_digits, text.text[i]))
			return false;
	return text.length && text.length <= 2 * BUILD_ID_BYTES_MAX;
}

char *build_id_copy(TextPart text)
{
	return build_id_is_text(text) ? g_strndup(text.text, text.length) : NULL;
}

void build_id_append(GString *out, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < length; i++) {
		g_string_append_c(out, hexadecimal_digits[at[i] >> 4]);
		g_string_append_c(out, hexadecimal_digits[at[i] & 0xf]);
	}
}

char *build_id_text(const void *bytes, size_t length)
{
	GString *text;

	if (!length)
		return NULL;
	text = g_string_sized_new(2 * length);
	build_id_append(text, bytes, length);
	return g_string_free(text, FALSE);
}

char *build_id_debug_path(const char *folder, const char *build_id)
{
	size_t digits = strlen(build_id);

	if (digits <= 2 || !build_id_is_text((TextPart){ build_id, digits }))
		return NULL;
	return g_strdup_printf("%s/.build-id/%.2s/%s.debug", folder, build_id, build_id + 2);
}

static size_t build_id_aligned(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static bool is_build_id_note(const Elf64_Nhdr *note, const uint8_t *name)
{
	return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
	       !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note->n_descsz &&
	       note->n_descsz <= BUILD_ID_BYTES_MAX;
}

char *build_id_of_notes(const void *notes, size_t length)
{
	const uint8_t *at = notes;
	Elf64_Nhdr note; /* same layout as the 32-bit one */

	while (length >= sizeof(note)) {
		const uint8_t *name = at + sizeof(note);
		size_t name_bytes, note_bytes;

		memcpy(&note, at, sizeof(note));
		name_bytes = build_id_aligned(note.n_namesz);
		note_bytes = sizeof(note) + name_bytes + build_id_aligned(note.n_descsz);
		if (note_bytes > length)
			return NULL;
		if (is_build_id_note(&note, name))
			return build_id_text(name + name_bytes, note.n_descsz);
		at += note_bytes;
		length -= note_bytes;
	}
	return NULL;
}
