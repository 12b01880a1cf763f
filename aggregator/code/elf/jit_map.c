/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds, opens and parses the file in which a process names its generated code. It belongs to the
 * process's user and is hostile: opened by the opener, read in a child.
 */
#include "code/elf/jit_map.h"

#include "base/trusted_file.h"
#include "base/text_part.h"

#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 256 << 20, PIECE_BYTES = 1 << 16 };

/* "NSpid:\t4711\t12" has the ids from our namespace to the innermost one; since Linux 4.1
   (fs/proc/array.c). */
static uint32_t tgid_inside(const char *root, uint32_t tgid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%u/status", root, tgid);
	g_autofree char *text = NULL;
	const char *line;
	TextPart rest, word;
	uint64_t number = tgid;

	if (!g_file_get_contents(path, &text, NULL, NULL) || !(line = strstr(text, "\nNSpid:")))
		return tgid;
	line += strlen("\nNSpid:");
	rest = (TextPart){ line, strcspn(line, "\n") };
	while ((word = text_part_next_word(&rest)).length)
		if (!text_part_decimal(word, &number))
			return tgid;
	return (uint32_t)number;
}

bool jit_process_find(JitProcess *process, const char *root, uint32_t tgid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%u", root, tgid);
	struct stat status;

	if (stat(path, &status))
		return false;
	process->tgid = tgid;
	process->user = status.st_uid;
	process->user_is_known = true;
	process->tgid_inside = tgid_inside(root, tgid);
	return true;
}

/* Takes the path. */
static int open_owned(char *path, uid_t user)
{
	int descriptor =
		regular_file_open(path, REGULAR_FILE_NO_LINK | REGULAR_FILE_STORED, UINT64_MAX);
	struct stat status;

	g_free(path);
	if (descriptor < 0 ||
	    (!fstat(descriptor, &status) && (status.st_uid == user || status.st_uid == 0)))
		return descriptor;
	close(descriptor);
	return -1;
}

int jit_map_open(const JitProcess *process, const char *root)
{
	int descriptor = open_owned(g_strdup_printf("%s/proc/%u/root/tmp/perf-%u.map", root,
						    process->tgid, process->tgid_inside),
				    process->user);

	if (descriptor < 0 && process->tgid == process->tgid_inside)
		descriptor = open_owned(g_strdup_printf("%s/tmp/perf-%u.map", root, process->tgid),
					process->user);
	return descriptor;
}

/* Reads the file as far as it goes now; the process may be writing. */
static GByteArray *read_all(int descriptor)
{
	GByteArray *text = g_byte_array_new();
	g_autofree guint8 *piece = g_malloc(PIECE_BYTES);
	ssize_t length;

	while (text->len < FILE_BYTES_MAX &&
	       (length = pread(descriptor, piece, PIECE_BYTES, text->len)) > 0)
		g_byte_array_append(text, piece, (guint)length);
	return text;
}

/* Some programs write "0x" in front of numbers. */
static bool next_number(TextPart *rest, uint64_t *number)
{
	TextPart word = text_part_next_word(rest);

	if (word.length > 2 && word.text[0] == '0' && word.text[1] == 'x')
		word = (TextPart){ word.text + 2, word.length - 2 };
	return text_part_hexadecimal(word, number);
}

ElfFunctions *jit_map_read(int descriptor)
{
	g_autoptr(GByteArray) text = read_all(descriptor);
	ElfFunctions *functions = elf_functions_new();
	TextPart rest = { (const char *)text->data, text->len };
	TextPart line;

	/* A later line has a higher rank. */
	for (unsigned rank = ELF_NAME_GLOBAL; text_part_next_line(&rest, &line); rank++) {
		uint64_t start, bytes;

		if (!next_number(&line, &start) || !next_number(&line, &bytes) || !bytes ||
		    line.length < 2 || memchr(line.text, '\0', line.length))
			continue;
		elf_functions_add(functions, start, bytes,
				  (TextPart){ line.text + 1, line.length - 1 }, rank);
	}
	elf_functions_sort(functions, 0);
	return functions;
}
