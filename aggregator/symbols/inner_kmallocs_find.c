/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of the functions whose call sites are inner events, and their addresses in this
 * kernel's symbols. session.c asks when a stream has its symbols; importers ask by name.
 */
#include "symbols/inner_kmallocs_find.h"

#include <string.h>

/* The functions that contain __do_kmalloc_node(); kvmalloc()'s function does since 6.15. */
static const char *const functions[] = {
	"__kmalloc_noprof",
	"__kmalloc_node_noprof",
	"__kmalloc_node_track_caller_noprof",
	"__kvmalloc_node_noprof",
};
G_STATIC_ASSERT(G_N_ELEMENTS(functions) == INNER_RANGES_MAX);

enum { KVMALLOC = 3 };

static const char traced_twice[] = "__kmalloc_large_node_noprof";

static uint64_t inner_kmallocs_find_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Up to 6.14, __kvmalloc_node_noprof() is in mm/util.c and calls __kmalloc_node_noprof(): events
 * with their call site in it are complete allocations. It contains __do_kmalloc_node() only since
 * it was moved to mm/slub.c. Functions of one file are adjacent, so the nearer neighbour shows the
 * file: kfree() is in mm/slub.c, vm_mmap() in mm/util.c.
 */
static bool kvmalloc_is_in_allocator(const SymbolStore *symbols, uint64_t kvmalloc, uint64_t kfree)
{
	uint64_t vm_mmap = symbol_store_address(symbols, "vm_mmap");

	return vm_mmap && inner_kmallocs_find_distance(kvmalloc, kfree) <
				  inner_kmallocs_find_distance(kvmalloc, vm_mmap);
}

bool inner_kmallocs_find(InnerKmallocs *inner, const SymbolStore *symbols, uint64_t page_bytes)
{
	uint64_t kfree = symbol_store_address(symbols, "kfree");
	Symbol symbol;

	if (!kfree)
		return false;
	/* KMALLOC_MAX_CACHE_SIZE of SLUB, the only allocator since 6.8. */
	*inner = (InnerKmallocs){ .bytes_small_max = 2 * page_bytes, .kfree = kfree };
	for (unsigned i = 0; i < G_N_ELEMENTS(functions); i++) {
		uint64_t address = symbol_store_address(symbols, functions[i]);

		if (!address ||
		    (i == KVMALLOC && !kvmalloc_is_in_allocator(symbols, address, kfree)))
			continue;
		if (symbol_store_lookup(symbols, 0, address, &symbol) && symbol.bytes)
			inner->ranges[inner->count++] =
				(InnerRange){ symbol.start, symbol.start + symbol.bytes };
	}
	return true;
}

bool inner_kmallocs_have_function(TextPart name)
{
	for (unsigned i = 0; i < KVMALLOC; i++)
		if (text_part_is(name, functions[i]))
			return true;
	return false;
}

bool inner_kmallocs_may_have_function(TextPart name)
{
	return inner_kmallocs_have_function(name) || text_part_is(name, functions[KVMALLOC]);
}

bool inner_kmallocs_begin_with(TextPart function)
{
	return text_part_is(function, traced_twice);
}
