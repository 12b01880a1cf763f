/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/elf/elf_symbols.h"

#include "code/elf/elf_file.h"
#include "elf_examples.h"
#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

TEST_SUITE_WITHOUT_LEAKS(elf_symbols);

/* A second opinion: libdwfl looks at the same table of symbols. */
typedef struct {
	Dwfl *session;
	Dwfl_Module *module;
	GElf_Addr bias;
	ElfFile file;
	int descriptor;
} Opinion;

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf,
					  .find_debuginfo = dwfl_build_id_find_debuginfo,
					  .debuginfo_path = &debuginfo_path };

static void open_opinion(Opinion *opinion, const char *path)
{
	opinion->session = dwfl_begin(&callbacks);
	dwfl_report_begin(opinion->session);
	opinion->module = dwfl_report_elf(opinion->session, path, path, -1, 0x10000000, false);
	cr_assert_not_null(opinion->module);
	dwfl_report_end(opinion->session, NULL, NULL);
	dwfl_module_getelf(opinion->module, &opinion->bias);
	opinion->descriptor = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert(elf_file_begin(&opinion->file, opinion->descriptor));
}

static void close_opinion(Opinion *opinion)
{
	elf_file_end(&opinion->file);
	close(opinion->descriptor);
	dwfl_end(opinion->session);
}

enum { PLACES = 4000 };

/* The share of places, in percent, where libdwfl names a function that is really there. */
static void expect_agreement(const char *path, unsigned places_min)
{
	g_autoptr(ElfFunctions) functions = elf_example_read(path);
	const ElfSegment *segment;
	Opinion opinion;
	unsigned named = 0;

	open_opinion(&opinion, path);
	cr_assert_gt(opinion.file.segments_count, 0);
	segment = &opinion.file.segments[0];
	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t address = segment->address + segment->bytes / PLACES * i;
		uint64_t offset = address - segment->address + segment->offset;
		GElf_Sym symbol = { 0 };
		GElf_Off in_function = 0;
		UserName name;
		const char *other = dwfl_module_addrinfo(opinion.module, address + opinion.bias,
							 &in_function, &symbol, NULL, NULL, NULL);

		/* It also names what lies behind the end of a function, and labels. */
		if (!other || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
		    in_function >= symbol.st_size)
			continue;
		cr_assert(elf_functions_find(functions, offset, &name), "%s is not found", other);
		cr_expect(eq(u64, name.offset, in_function), "%s, not %s", other, name.name);
		named++;
	}
	cr_expect(ge(uint, named, places_min), "%u of %s", named, path);
	close_opinion(&opinion);
}

Test(elf_symbols, the_functions_of_a_program_are_those_that_libdwfl_finds)
{
	/* Where linkers do not separate code, data are in the segment, too. */
	expect_agreement("/proc/self/exe", PLACES / 3);
}

Test(elf_symbols, the_functions_of_a_library_are_those_that_libdwfl_finds)
{
	g_autofree char *libc = elf_example_library((const void *)(uintptr_t)&qsort);

	expect_agreement(libc, PLACES / 10);
}

/* What `readelf -sW` says of a symbol of a file: its address and size. */
static bool say_readelf(const char *path, const char *name, uint64_t *address, uint64_t *bytes)
{
	g_autofree char *command = g_strdup_printf("readelf -sW %s", path);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_spawn_command_line_sync(command, &text, NULL, NULL, NULL))
		return false;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		TextPart rest = { *line, strlen(*line) };
		TextPart words[8];

		for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
			words[i] = text_part_next_word(&rest);
		words[7].length = strcspn(words[7].length ? words[7].text : "", "@ ");
		if (text_part_is(words[3], "FUNC") && text_part_is(words[7], name) &&
		    !text_part_is(words[6], "UND"))
			return text_part_hexadecimal(words[1], address) &&
			       text_part_decimal(words[2], bytes);
	}
	return false;
}

Test(elf_symbols, a_function_of_libc_is_where_readelf_finds_it)
{
	static const char *const names[] = { "qsort", "printf", "getenv", "fopen" };
	g_autofree char *libc = elf_example_library((const void *)(uintptr_t)&qsort);
	g_autoptr(ElfFunctions) functions = elf_example_read(libc);
	ElfFile file;
	int descriptor = open(libc, O_RDONLY | O_CLOEXEC);

	cr_assert(elf_file_begin(&file, descriptor));
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		uint64_t address, bytes, offset;
		UserName name;

		if (!say_readelf(libc, names[i], &address, &bytes))
			cr_skip("no readelf");
		cr_assert(elf_file_offset(&file, address, &offset));
		cr_assert(elf_functions_find(functions, offset + bytes - 1, &name));
		cr_expect(eq(str, (char *)name.name, (char *)names[i]));
		cr_expect(eq(u64, name.offset, bytes - 1));
		cr_expect(eq(u64, name.bytes, bytes));
	}
	elf_file_end(&file);
	close(descriptor);
}

Test(elf_symbols, the_build_id_is_the_one_that_libdwfl_finds)
{
	Opinion opinion;
	UserFileId id = { 0 };
	const unsigned char *bytes;
	GElf_Addr address;
	int length;

	open_opinion(&opinion, "/proc/self/exe");
	length = dwfl_module_build_id(opinion.module, &bytes, &address);
	cr_assert(eq(int, elf_file_build_id(&opinion.file, &id), length > 0));
	cr_expect(eq(int, id.build_id_bytes, MAX(length, 0)));
	cr_expect(eq(int, memcmp(id.build_id, bytes, id.build_id_bytes), 0));
	close_opinion(&opinion);
}

Test(elf_symbols, the_vdso_has_functions)
{
	enum { IMAGE_BYTES_MAX = 1 << 16 };
	g_autoptr(ElfFunctions) functions = vdso_image_functions();
	UserName name = { .name = NULL };
	const char *last = NULL;
	unsigned found = 0;

	if (!functions)
		cr_skip("this kernel has no vdso");
	for (uint64_t offset = 0; offset < IMAGE_BYTES_MAX; offset++) {
		found += elf_functions_find(functions, offset, &name) && name.name != last;
		last = name.name;
	}
	cr_expect(lt(uint, 3, found));
}

Test(elf_symbols, what_is_no_elf_file_has_no_functions)
{
	static const char *const texts[] = { "", "\177ELF", "#!/bin/sh\n" };
	ElfSymbolsFile file = { .root = "" };

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		file.descriptor = memfd_create("test", MFD_CLOEXEC);
		cr_assert(eq(sz, (size_t)write(file.descriptor, texts[i], strlen(texts[i])),
			     strlen(texts[i])));
		cr_expect(eq(ptr, elf_symbols_read(&file), NULL));
		close(file.descriptor);
	}
}

/* Every cut of a real file: sections and segments lie outside of it. */
Test(elf_symbols, a_cut_file_is_read_as_far_as_it_goes)
{
	g_autofree char *libc = elf_example_library((const void *)(uintptr_t)&qsort);
	g_autofree char *bytes = NULL;
	gsize length;

	bytes = file_read(libc, &length);
	for (gsize cut = 1; cut < length; cut = cut * 3 / 2 + 1) {
		ElfSymbolsFile file = { .root = "" };

		file.descriptor = memfd_create("test", MFD_CLOEXEC);
		cr_assert(eq(sz, (size_t)write(file.descriptor, bytes, cut), cut));
		elf_functions_free(elf_symbols_read(&file));
		close(file.descriptor);
	}
}

/* e_shnum 0 says that the first section has the number, up to 2^32. */
Test(elf_symbols, a_file_with_more_sections_than_a_linker_makes_is_refused)
{
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
					   ELFDATA2LSB,
#else
					   ELFDATA2MSB,
#endif
					   EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_version = EV_CURRENT,
			      .e_shoff = sizeof(header),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_phnum = 1 };
	ElfFile file;

	cr_expect(not(elf_file_begin_memory(&file, &header, sizeof(header))));
}
