/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file with debug data, opened by libdwfl, which relocates modules. Translates places (offset in
 * the kernel's text, in a section, in a program) into addresses of the debug data. Runs in the
 * child of lines_child.c.
 */
#include "config.h"

#include "code/lines/debug_object.h"

#include "base/build_id.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/*
 * Walks over the DWARF of a unit: its functions as ranges, and the scopes inlined at an address.
 * Bounded depth, no state. Runs in the child of lines_child.c.
 */

/* Of namespaces inside namespaces, or blocks inside blocks. */
enum { CONTAINERS_MAX = 16, INNER_CONTAINERS_MAX = 64 };

void debug_ranges_add(AddressRanges *ranges, Dwarf_Die *code)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(code, at, &base, &start, &end)) > 0)
		address_ranges_add(ranges, start, end, dwarf_dieoffset(code));
}

/* libdw sees to it that a sibling follows in the file: no loop is endless. */
static void add_functions_in(AddressRanges *functions, Dwarf_Die *container, unsigned level)
{
	Dwarf_Die child;

	if (level > CONTAINERS_MAX || dwarf_child(container, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			debug_ranges_add(functions, &child);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
			 tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
			add_functions_in(functions, &child, level + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static void add_all_functions_in(AddressRanges *functions, Dwarf_Die *container, unsigned level)
{
	Dwarf_Die child;

	if (level > INNER_CONTAINERS_MAX || dwarf_child(container, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			debug_ranges_add(functions, &child);
		add_all_functions_in(functions, &child, level + 1);
	} while (!dwarf_siblingof(&child, &child));
}

AddressRanges *debug_functions_of_unit(Dwarf_Die *unit, bool inner)
{
	AddressRanges *functions = address_ranges_new();

	if (inner)
		add_all_functions_in(functions, unit, 0);
	else
		add_functions_in(functions, unit, 0);
	address_ranges_order(functions);
	return functions;
}

/* Finds the first scope in a scope that contains an address. */
static bool find_inner(Dwarf_Die *scope, Dwarf_Addr address, Dwarf_Die *inner)
{
	if (dwarf_child(scope, inner))
		return false;
	do {
		int tag = dwarf_tag(inner);
		bool is_scope = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
				tag == DW_TAG_subprogram || tag == DW_TAG_try_block ||
				tag == DW_TAG_catch_block;

		if (is_scope && dwarf_haspc(inner, address) > 0)
			return true;
	} while (!dwarf_siblingof(inner, inner));
	return false;
}

size_t debug_function_scopes(const Dwarf_Die *function, Dwarf_Addr address,
			     Dwarf_Die scopes[DEBUG_DEPTH_MAX])
{
	size_t count = 1;

	scopes[0] = *function;
	while (count < DEBUG_DEPTH_MAX && find_inner(&scopes[count - 1], address, &scopes[count]))
		count++;
	return count;
}

struct DebugObject {
	Dwfl *dwfl;          /* owned; relocates the debug data of modules */
	Dwfl_Module *module; /* of dwfl */
	Elf *elf;            /* of module */
	GElf_Addr bias;      /* of the debug data's addresses against the sections' */
	Dwarf *supplement;   /* owned; NULL: none */
	uint64_t text_start; /* of a kernel, once sought: address of _stext; 0: it has none */
	bool text_was_sought;
};

/* Debug data in another file is another object: nothing is opened here. */
static int find_no_debuginfo(Dwfl_Module *module, void **user_data, const char *name,
			     Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
			     char **path)
{
	(void)module, (void)user_data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*path = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_no_debuginfo,
	/* Each section of a module gets addresses of its own. */
	.section_address = dwfl_offline_section_address,
};

static bool debug_object_begin(DebugObject *object, int fd)
{
	int own;

	object->dwfl = dwfl_begin(&callbacks);
	own = object->dwfl ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (own < 0)
		return false;
	dwfl_report_begin(object->dwfl);
	object->module = dwfl_report_offline(object->dwfl, "object", "object", own);
	if (!object->module)
		close(own);
	dwfl_report_end(object->dwfl, NULL, NULL);
	object->elf = object->module ? dwfl_module_getelf(object->module, &object->bias) : NULL;
	return object->elf;
}

DebugObject *debug_object_new(int fd)
{
	g_autoptr(DebugObject) object = g_new0(DebugObject, 1);

	return debug_object_begin(object, fd) ? g_steal_pointer(&object) : NULL;
}

void debug_object_free(DebugObject *object)
{
	if (!object)
		return;
	dwfl_end(object->dwfl);
	dwarf_end(object->supplement);
	g_free(object);
}

/* libdw returns a negative length where there is no build id. */
static char *text_of_build_id(const void *bytes, ssize_t length)
{
	return length > 0 ? build_id_text(bytes, (size_t)length) : NULL;
}

char *debug_object_build_id(const DebugObject *object)
{
	const unsigned char *bytes;
	GElf_Addr address;
	int length = dwfl_module_build_id(object->module, &bytes, &address);

	return text_of_build_id(bytes, length);
}

Dwarf *debug_object_dwarf(DebugObject *object)
{
	Dwarf_Addr bias;

	return dwfl_module_getdwarf(object->module, &bias);
}

bool debug_object_supplement(DebugObject *object, const char **name, char **build_id)
{
	const void *bytes;
	ssize_t length = dwelf_dwarf_gnu_debugaltlink(debug_object_dwarf(object), name, &bytes);

	*build_id = text_of_build_id(bytes, length);
	return length > 0;
}

bool debug_object_set_supplement(DebugObject *object, int fd)
{
	const char *name;
	g_autofree char *wanted = NULL;
	g_autofree char *found = NULL;
	const void *bytes;
	ssize_t length;

	object->supplement = dwarf_begin(fd, DWARF_C_READ);
	if (!object->supplement || !debug_object_supplement(object, &name, &wanted))
		return false;
	length = dwelf_elf_gnu_build_id(dwarf_getelf(object->supplement), &bytes);
	found = text_of_build_id(bytes, length);
	if (g_strcmp0(found, wanted) != 0)
		return false;
	dwarf_setalt(debug_object_dwarf(object), object->supplement);
	return true;
}

/* Returns the address of a symbol of the kernel in its debug data; 0: it has none. libdwfl moves
   files that can be loaded anywhere, as the kernels of most machines but x86-64 are; the value of a
   symbol stays. */
static uint64_t find_symbol(const DebugObject *object, const char *name)
{
	int count = dwfl_module_getsymtab(object->module);

	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr moved;
		const char *found = dwfl_module_getsym_info(object->module, i, &symbol, &moved,
							    NULL, NULL, NULL);

		if (found && !strcmp(found, name))
			return symbol.st_value;
	}
	return 0;
}

bool debug_object_kernel_address(DebugObject *object, uint64_t offset, Dwarf_Addr *address)
{
	if (!object->text_was_sought)
		object->text_start = find_symbol(object, "_stext");
	object->text_was_sought = true;
	*address = object->text_start + offset;
	return object->text_start;
}

/* Sections without contents, which were split from a file with debug data, have addresses, too. */
bool debug_object_section_address(DebugObject *object, const char *name, uint64_t offset,
				  Dwarf_Addr *address)
{
	Elf_Scn *section = NULL;
	size_t names;
	GElf_Shdr header;

	if (elf_getshdrstrndx(object->elf, &names))
		return false;
	while ((section = elf_nextscn(object->elf, section))) {
		const char *found;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		found = elf_strptr(object->elf, names, header.sh_name);
		if (!found || strcmp(found, name) != 0)
			continue;
		*address = header.sh_addr + object->bias + offset;
		return offset < header.sh_size;
	}
	return false;
}
