/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program in which a probe is looked up: its symbols and its USDT probes. */
#include "collect/points/function_symbols.h"
#include "collect/points/usdt_notes.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void find_functions(const ElfImage *image)
{
	static const char *const names[] = { "probed_global", "memcpy", "memcpy@GLIBC_2.2.5" };

	const ElfFile *const files[] = { &image->file, &image->file };

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		FunctionSymbols functions;

		/* As if it was its own debug file. */
		function_symbols_find(&functions, files, G_N_ELEMENTS(files), names[i]);
		for (guint j = 0; j < functions.found->len; j++) {
			uint64_t address =
				g_array_index(functions.found, FunctionSymbol, j).address;
			uint64_t offset;

			elf_file_offset(&image->file, address, &offset);
		}
		g_array_unref(functions.found);
		g_hash_table_unref(functions.names);
	}
}

static void parse_operands(const UsdtSite *site)
{
	unsigned count = usdt_operands_count(site->arguments);
	UsdtOperand operand;

	for (unsigned i = 1; i <= MIN(count, 12); i++)
		if (!usdt_operand_parse(site->arguments, i, &operand) || !operand.bytes ||
		    operand.bytes > 8)
			abort();
	if (usdt_operand_parse(site->arguments, count + 1, &operand))
		abort();
}

static void read_image(const ElfImage *image)
{
	g_autoptr(GPtrArray) sites = usdt_notes_read(image);

	for (guint i = 0; i < sites->len; i++)
		parse_operands(sites->pdata[i]);
	find_functions(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	g_autoptr(ElfImage) image = NULL;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	image = elf_image_new(fd);
	if (image)
		read_image(image);
	close(fd);
	return 0;
}
