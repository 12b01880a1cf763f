/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes what is known about addresses, in the form of "eu-addr2line -a -i -f":
 *
 *	lines_of FILE < ADDRESSES            addresses as in the debug data
 *	lines_of FILE SECTION < OFFSETS      offsets in a section of a module
 *
 * Both are hexadecimal, one a line. Only for files that the tests made: it reads them with all
 * rights of its caller.
 */
#include "code/lines/debug_object.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void print_frame(const DebugFrame *frame)
{
	printf("%s\n", frame->function ? frame->function : "??");
	printf("%s%s%s:%d\n", frame->root, *frame->root ? "/" : "",
	       frame->file ? frame->file : "??", frame->line);
}

static void print_place(DebugObject *object, DebugLines *lines, const char *section, uint64_t place)
{
	static const DebugFrame unknown = { .root = "" };
	DebugFrame frames[DEBUG_DEPTH_MAX];
	Dwarf_Addr address = place;
	size_t count = 0;

	if (!section || debug_object_section_address(object, section, place, &address))
		count = debug_lines_find(lines, address, frames);
	printf("0x%016" PRIx64 "\n", place);
	for (size_t i = 0; i < count; i++)
		print_frame(&frames[i]);
	if (!count)
		print_frame(&unknown);
}

static void print_places(DebugObject *object, Dwarf *dwarf, const char *section)
{
	g_autoptr(DebugLines) lines = debug_lines_new(dwarf);
	char text[64];

	while (fgets(text, sizeof(text), stdin))
		print_place(object, lines, section, g_ascii_strtoull(text, NULL, 16));
}

int main(int argc, char **argv)
{
	int fd = argc >= 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	g_autoptr(DebugObject) object = fd >= 0 ? debug_object_new(fd) : NULL;
	Dwarf *dwarf = object ? debug_object_dwarf(object) : NULL;

	if (fd >= 0)
		close(fd);
	if (!dwarf) {
		fputs("usage: lines_of FILE [SECTION]: a file with debug data\n", stderr);
		return 2;
	}
	print_places(object, dwarf, argc >= 3 ? argv[2] : NULL);
	return 0;
}
