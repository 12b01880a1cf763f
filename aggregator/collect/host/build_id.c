/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/host/build_id.h"

#include <elf.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>

enum { BUILD_ID_BYTES_MAX = 64 };

static char *hexadecimal(const uint8_t *bytes, size_t length)
{
	GString *text = g_string_sized_new(2 * length);

	for (size_t i = 0; i < length; i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	return g_string_free(text, FALSE);
}

static size_t aligned(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

char *build_id_of_notes(const void *notes, size_t length)
{
	const uint8_t *at = notes;
	Elf64_Nhdr note; /* the 32-bit one is the same */

	while (length >= sizeof(note)) {
		const uint8_t *name = at + sizeof(note);
		size_t name_bytes, note_bytes;

		memcpy(&note, at, sizeof(note));
		name_bytes = aligned(note.n_namesz);
		note_bytes = sizeof(note) + name_bytes + aligned(note.n_descsz);
		if (note_bytes > length)
			return NULL;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) && note.n_descsz &&
		    note.n_descsz <= BUILD_ID_BYTES_MAX)
			return hexadecimal(name + name_bytes, note.n_descsz);
		at += note_bytes;
		length -= note_bytes;
	}
	return NULL;
}
