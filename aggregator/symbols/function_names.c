/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/function_names.h"

#include "count/slot_table.h"
#include "escape.h"
#include "keyed_hash.h"
#include "symbols/frame_symbol.h"

enum { FIRST_SLOTS = 1024 };

typedef struct {
	uint64_t address;
	uint64_t epoch;
} FunctionKey;

typedef struct {
	FunctionKey key;
	FunctionName name;
} Function;

struct FunctionNames {
	const SymbolStore *store;
	SlotTable slots;
	GArray *functions; /* (element-type Function), owned */
	GStringChunk *texts;
};

FunctionNames *function_names_new(const SymbolStore *store)
{
	FunctionNames *names = g_new0(FunctionNames, 1);

	names->store = store;
	slot_table_init(&names->slots, FIRST_SLOTS);
	names->functions = g_array_new(FALSE, FALSE, sizeof(Function));
	names->texts = g_string_chunk_new(4096);
	return names;
}

void function_names_free(FunctionNames *names)
{
	if (!names)
		return;
	slot_table_clear(&names->slots);
	g_array_unref(names->functions);
	g_string_chunk_free(names->texts);
	g_free(names);
}

static FunctionName name_of(FunctionNames *names, const FunctionKey *key)
{
	FrameSymbol frame =
		frame_symbol_lookup(names->store, (uint32_t)key->epoch, key->address, true);
	g_autoptr(GString) text = g_string_new(NULL);
	FunctionName name = { .name = NULL };

	if (frame.found && frame.symbol.name) {
		escape_append(text, frame.symbol.name);
		name.name = g_string_chunk_insert_const(names->texts, text->str);
		g_string_append_c(text, ' ');
	}
	if (frame.found) {
		g_string_append_c(text, '[');
		escape_append(text, frame.symbol.module ? frame.symbol.module : "kernel");
		g_string_append_c(text, ']');
	} else {
		g_string_printf(text, "0x%0*" G_GINT64_MODIFIER "x",
				2 * (int)symbol_store_word_bytes(names->store), key->address);
	}
	name.label = g_string_chunk_insert_const(names->texts, text->str);
	return name;
}

FunctionName function_names_of(FunctionNames *names, uint64_t address, uint32_t epoch)
{
	Function function = { .key = { address, epoch } };
	uint32_t hash = (uint32_t)keyed_hash(&function.key, sizeof(function.key));
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&names->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const Function *known = &g_array_index(names->functions, Function, id);

		if (known->key.address == address && known->key.epoch == epoch)
			return known->name;
	}
	function.name = name_of(names, &function.key);
	id = names->functions->len;
	g_array_append_val(names->functions, function);
	slot_table_put(&names->slots, hash, at, id);
	return function.name;
}
