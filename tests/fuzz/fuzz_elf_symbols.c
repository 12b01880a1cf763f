/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program or library that a process has mapped. */
#include "code/elf/elf_file.h"
#include "code/elf/elf_symbols.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No file beside it is found. */
static const char nowhere[] = "/proc/self/none";

static void expect_bounded(const ElfFunctions *functions, uint64_t offset)
{
	UserName name;

	if (elf_functions_find(functions, offset, &name) &&
	    strlen(name.name) > USER_NAME_BYTES_MAX + strlen("@plt"))
		abort();
}

static void find_all(const ElfFunctions *functions, size_t size)
{
	for (uint64_t offset = 0; offset <= size; offset++)
		expect_bounded(functions, offset);
	expect_bounded(functions, UINT64_MAX);
}

static void read_build_id(int descriptor)
{
	UserFileId id = { 0 };
	ElfFile file;

	if (!elf_file_begin(&file, descriptor))
		return;
	if (elf_file_build_id(&file, &id) && !elf_file_has_build_id(&file, &id))
		abort();
	elf_file_end(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int descriptor = memfd_create("program", MFD_CLOEXEC);
	ElfSymbolsFile file = { .descriptor = descriptor, .path = "/program", .root = nowhere };
	g_autofree uint8_t *image = g_malloc(size + 1);
	ElfFunctions *functions;

	if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size)
		abort();
	memcpy(image, data, size);
	read_build_id(descriptor);
	functions = elf_symbols_read(&file);
	if (functions)
		find_all(functions, size);
	elf_functions_free(functions);
	close(descriptor);
	functions = elf_symbols_read_memory(image, size);
	if (functions)
		find_all(functions, size);
	elf_functions_free(functions);
	return 0;
}
