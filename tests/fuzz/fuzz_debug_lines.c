/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file with debug data, as the process reads it that has no rights. */
#include "code/lines/debug_object.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OFFSETS = 256, OFFSET_STEP = 3 };

static const char *const sections[] = { ".text", ".text.unlikely", ".init.text" };

/* libelf 0.188 leaks a little for files that are not valid. The process that reads them is
   short-lived and bounded. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libelf\nleak:libdw\n";
}

static void expect_frame(const DebugFrame *frame)
{
	if (!frame->root || (frame->function && strlen(frame->function) == SIZE_MAX) ||
	    (frame->file && strlen(frame->root) + strlen(frame->file) == SIZE_MAX))
		abort();
}

static void find(DebugLines *lines, Dwarf_Addr address)
{
	DebugFrame frames[DEBUG_DEPTH_MAX];
	size_t count = debug_lines_find(lines, address, frames);

	if (count > DEBUG_DEPTH_MAX)
		abort();
	for (size_t i = 0; i < count; i++)
		expect_frame(&frames[i]);
}

static void find_all(DebugObject *object, DebugLines *lines)
{
	Dwarf_Addr address;

	for (uint64_t offset = 0; offset < OFFSETS; offset += OFFSET_STEP) {
		if (debug_object_kernel_address(object, offset, &address))
			find(lines, address);
		for (gsize i = 0; i < G_N_ELEMENTS(sections); i++)
			if (debug_object_section_address(object, sections[i], offset, &address))
				find(lines, address);
	}
	find(lines, UINT64_MAX);
}

/* The file may refer to another one. Here that is the file itself. */
static void find_supplement(DebugObject *object, int fd)
{
	const char *name;
	g_autofree char *build_id = NULL;

	if (!debug_object_supplement(object, &name, &build_id))
		return;
	if (!build_id || strlen(name) == SIZE_MAX)
		abort();
	debug_object_set_supplement(object, fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("object", MFD_CLOEXEC);
	g_autoptr(DebugObject) object = NULL;
	Dwarf *dwarf;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	object = debug_object_new(fd);
	dwarf = object ? debug_object_dwarf(object) : NULL;
	if (object)
		g_free(debug_object_build_id(object));
	if (dwarf) {
		g_autoptr(DebugLines) lines = NULL;

		find_supplement(object, fd);
		lines = debug_lines_new(dwarf);
		find_all(object, lines);
	}
	close(fd);
	return 0;
}
