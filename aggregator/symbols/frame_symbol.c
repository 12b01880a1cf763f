/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/frame_symbol.h"

FrameSymbol frame_symbol_lookup(const SymbolStore *store, uint32_t epoch, uint64_t address,
				bool returned_to)
{
	uint64_t looked_up = address - returned_to;
	/* A module may be used before the epoch is announced that has it: they are told once or
	   twice a second. */
	bool early = !symbol_store_is_text(store, epoch, looked_up);
	uint32_t looked_in = epoch + early;
	FrameSymbol frame = { .found = false };

	frame.found = symbol_store_lookup(store, looked_in, looked_up, &frame.symbol);
	frame.junk = early && !symbol_store_is_text(store, looked_in, looked_up);
	return frame;
}
