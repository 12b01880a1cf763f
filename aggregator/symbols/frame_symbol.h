/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/symbol_store.h"

#include <stdbool.h>

/* What is known of an address on a stack. */
typedef struct {
	Symbol symbol; /* only when found */
	bool found;
	bool junk; /* it lies outside the recorded text */
} FrameSymbol;

/* Looks an address up in the epoch of its stack. What is returned to is looked up one byte before:
   a call may be the last instruction of its function. */
FrameSymbol frame_symbol_lookup(const SymbolStore *store, uint32_t epoch, uint64_t address,
				bool returned_to);
