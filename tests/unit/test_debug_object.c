/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/format.h"
#include "code/lines/debug_object.h"

#include "temporary.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* An object file as a module is one: with relocations, and sections without addresses. */

/* Gives the first section that is loaded an address, as ld does in some modules. */
static void give_first_section_an_address(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf *elf;
	Elf_Scn *section = NULL;
	GElf_Shdr header = { 0 };

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_RDWR, NULL);
	cr_assert_not_null(elf);
	elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	while (!(header.sh_flags & SHF_ALLOC)) {
		section = elf_nextscn(elf, section);
		cr_assert_not_null(gelf_getshdr(section, &header));
	}
	header.sh_addr = 0x18 * header.sh_addralign;
	cr_assert(gelf_update_shdr(section, &header));
	cr_assert_gt(elf_update(elf, ELF_C_WRITE), 0);
	elf_end(elf);
	close(fd);
}

/* Functions of an object file. */
typedef struct {
	DebugObject *object;
	DebugLines *lines;
	unsigned found;
} Functions;

static void check_function(Functions *functions, const char *section, const char *name,
			   uint64_t offset)
{
	DebugFrame frames[DEBUG_DEPTH_MAX];
	g_autofree char *whole = g_strndup(name, strcspn(name, "."));
	Dwarf_Addr address;
	size_t count;

	cr_assert(debug_object_section_address(functions->object, section, offset, &address));
	count = debug_lines_find(functions->lines, address, frames);
	cr_assert_gt(count, 0, "%s", name);
	cr_assert_str_eq(frames[count - 1].function, whole, "%s", name);
	cr_assert_not_null(frames[count - 1].file, "%s", name);
	functions->found++;
}

static void check_symbols(Functions *functions, Elf *elf, Elf_Scn *table, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(table, NULL);
	GElf_Sym symbol;
	size_t names;

	cr_assert_eq(elf_getshdrstrndx(elf, &names), 0);
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		GElf_Shdr section;

		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &section);
		check_function(functions, elf_strptr(elf, names, section.sh_name),
			       elf_strptr(elf, header->sh_link, symbol.st_name), symbol.st_value);
	}
}

/* Checks that the debug data have each function of the symbol table at its place. */
static void check_functions(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Functions functions = { .object = debug_object_new(fd) };
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	Dwarf *dwarf;

	cr_assert_not_null(functions.object);
	dwarf = debug_object_dwarf(functions.object);
	cr_assert_not_null(dwarf);
	functions.lines = debug_lines_new(dwarf);
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			check_symbols(&functions, elf, section, &header);
	}
	cr_assert_gt(functions.found, 50);
	debug_lines_free(functions.lines);
	elf_end(elf);
	debug_object_free(functions.object);
	close(fd);
}

/* Compilers that optimize when they link leave no code in the object file. */
static bool has_code(const char *path)
{
	g_autofree char *bytes = NULL;
	gsize length;

	bytes = file_read(path, &length);
	return memmem(bytes, length, ".debug_info", strlen(".debug_info")) &&
	       !memmem(bytes, length, ".gnu.lto_", strlen(".gnu.lto_"));
}

Test(debug_object, functions_of_a_relocatable_file_are_found_in_their_sections)
{
	if (!has_code(WORKLOAD_OBJECT))
		cr_skip_test("the object file has no code");
	check_functions(WORKLOAD_OBJECT);
}

Test(debug_object, functions_are_found_where_only_some_sections_have_addresses)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "object", NULL);

	if (!has_code(WORKLOAD_OBJECT))
		cr_skip_test("the object file has no code");
	temporary_copy(folder, "object", WORKLOAD_OBJECT);
	give_first_section_an_address(path);
	check_functions(path);
}
