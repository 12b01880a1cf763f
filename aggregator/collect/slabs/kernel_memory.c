/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's memory from /proc/kcore: its segments are read once, and the ranges of the
 * direct map and the page structs are recognised among them. slab_pages.c reads page structs
 * through it.
 */
#include "collect/slabs/slab_pages.h"

#include "symbols/symbol_list.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 256 };

/* The kernel's ranges in ascending order, from Documentation/arch/x86/x86_64/mm.rst: the direct
   map, vmalloc, the page structs, the text. The range of vmalloc is one segment of 32 TB or more.
 */
#define TEXT_START 0xffffffff80000000ULL
#define VMALLOC_BYTES_MIN (1ULL << 44)
/* KASLR aligns the ranges to this; their first segments may begin some pages later. */
#define RANGE_ALIGNMENT (1ULL << 30)
#define NO_PHYSICAL_ADDRESS UINT64_MAX

struct KernelMemory {
	int file;
	char *root; /* owned */
	unsigned segments_count;
	Elf64_Phdr segments[SEGMENTS_MAX];
	uint64_t direct_map, page_structs;
};

static bool read_at(int file, uint64_t offset, void *bytes, size_t length)
{
	return pread(file, bytes, length, (off_t)offset) == (ssize_t)length;
}

static bool read_segments(KernelMemory *memory)
{
	Elf64_Ehdr header;

	if (!read_at(memory->file, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_machine != EM_X86_64 ||
	    header.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	for (unsigned i = 0; i < header.e_phnum && memory->segments_count < SEGMENTS_MAX; i++) {
		Elf64_Phdr *segment = &memory->segments[memory->segments_count];

		if (!read_at(memory->file, header.e_phoff + i * sizeof(*segment), segment,
			     sizeof(*segment)))
			return false;
		memory->segments_count +=
			segment->p_type == PT_LOAD && segment->p_memsz &&
			segment->p_vaddr + segment->p_memsz - 1 >= segment->p_vaddr;
	}
	return true;
}

/* Returns the end of the direct map; 0: not found. Kernels before 4.11 do not give its physical
   addresses; all segments then have the same one. */
static uint64_t find_direct_map(KernelMemory *memory)
{
	uint64_t end = 0;

	for (unsigned i = 0; i < memory->segments_count; i++) {
		const Elf64_Phdr *segment = &memory->segments[i];
		uint64_t start = segment->p_vaddr - segment->p_paddr;

		if (segment->p_vaddr >= TEXT_START || segment->p_paddr == NO_PHYSICAL_ADDRESS ||
		    segment->p_paddr >= segment->p_vaddr)
			continue;
		if (start % RANGE_ALIGNMENT || (end && start != memory->direct_map))
			return 0;
		memory->direct_map = start;
		end = MAX(end, segment->p_vaddr + segment->p_memsz);
	}
	return end;
}

static bool find_ranges(KernelMemory *memory)
{
	uint64_t direct_end = find_direct_map(memory), lowest = UINT64_MAX;

	for (unsigned i = 0; direct_end && i < memory->segments_count; i++) {
		const Elf64_Phdr *segment = &memory->segments[i];

		if (segment->p_paddr == NO_PHYSICAL_ADDRESS && segment->p_vaddr >= direct_end &&
		    segment->p_vaddr < TEXT_START && segment->p_memsz < VMALLOC_BYTES_MIN)
			lowest = MIN(lowest, segment->p_vaddr);
	}
	memory->page_structs = lowest & ~(RANGE_ALIGNMENT - 1);
	return lowest != UINT64_MAX;
}

KernelMemory *kernel_memory_open(const char *root, GError **error)
{
	g_autofree char *path = g_strconcat(root, "/proc/kcore", NULL);
	g_autoptr(KernelMemory) memory = g_new0(KernelMemory, 1);

	memory->root = g_strdup(root);
	memory->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (memory->file < 0) {
		int problem = errno;

		g_set_error(error, G_IO_ERROR, g_io_error_from_errno(problem), "/proc/kcore: %s",
			    g_strerror(problem));
		return NULL;
	}
	if (read_segments(memory) && find_ranges(memory))
		return g_steal_pointer(&memory);
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "/proc/kcore does not show where the kernel's page structs are");
	return NULL;
}

void kernel_memory_free(KernelMemory *memory)
{
	if (!memory)
		return;
	if (memory->file >= 0)
		close(memory->file);
	g_free(memory->root);
	g_free(memory);
}

bool kernel_memory_read(const KernelMemory *memory, uint64_t address, void *bytes, size_t length)
{
	for (unsigned i = 0; i < memory->segments_count; i++) {
		const Elf64_Phdr *segment = &memory->segments[i];
		uint64_t offset = address - segment->p_vaddr;

		if (address >= segment->p_vaddr && offset < segment->p_memsz &&
		    length <= segment->p_memsz - offset)
			return read_at(memory->file, segment->p_offset + offset, bytes, length);
	}
	return false;
}

uint64_t kernel_memory_direct_map(const KernelMemory *memory)
{
	return memory->direct_map;
}

uint64_t kernel_memory_page_structs(const KernelMemory *memory)
{
	return memory->page_structs;
}

uint64_t kernel_memory_symbol(const KernelMemory *memory, const char *name)
{
	g_autofree char *path = g_strconcat(memory->root, "/proc/kallsyms", NULL);
	FILE *file = fopen(path, "re");
	uint64_t address = 0;
	char line[256];

	while (!address && file && fgets(line, sizeof(line), file)) {
		KallsymsLine parsed;

		if (kallsyms_line_parse((TextPart){ line, strcspn(line, "\n") }, &parsed) &&
		    !parsed.module.length && text_part_is(parsed.name, name))
			address = parsed.address;
	}
	if (file)
		fclose(file);
	return address;
}
