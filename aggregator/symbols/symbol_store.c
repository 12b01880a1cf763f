/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel symbols by epoch, from the lines of symbols and modules batches or from a file. The
 * kernel's symbols are stored once; an epoch has a list for each module, and shares it with other
 * epochs if the module's lines are equal. Names lie in one byte array. The session owns it,
 * frame_namer.c asks it. Paid from the budget; limits guard against endless symbols.
 */
#include "symbols/symbol_store.h"

#include "record/format.h"
#include "base/address_ranges.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "record/batch.h"
#include "symbols/epoch_list.h"
#include "symbols/symbol_list.h"

#include <string.h>

enum {
	NAME_BYTES_MAX = 512,     /* KSYM_NAME_LEN */
	MODULE_BYTES_MAX = 64,    /* MODULE_NAME_LEN is 56 */
	MODULES_MAX = UINT16_MAX, /* their numbers have 16 bits */
	SYMBOLS_MAX = 1 << 22,    /* for streams with endless new symbols */
	NAMES_BYTES_MAX = 1 << 28,
	/* Length of a symbol outside of all known ranges, such as a BPF program's. */
	UNRANGED_BYTES_MAX = 64 << 10,
	/* Memory of an entry, including the tables that find it. */
	EPOCH_BYTES = 512,
	MODULE_BYTES = 192,
	MODULE_LIST_BYTES = 384,
	RANGE_BYTES = 32,
};

typedef struct {
	GPtrArray *modules; /* (element-type SymbolList), borrowed: one per module */
	ModuleIndex *index; /* of modules, owned; NULL: not made since the last addition */
	/* Owned, of modules. The kernel reports the total size of all parts of a module, so ranges
	   may overlap: the nearest start is right. Ids are numbers of modules. */
	AddressRanges *ranges;
} Epoch;

struct SymbolStore {
	MemoryBudget *memory; /* borrowed; NULL: no limit */
	SymbolList *kernel;
	uint32_t kernel_epoch; /* epoch of the text with the kernel's symbols */
	/* (element-type uint64_t SymbolList), owned: symbols of a module at one time, by the hash
	   of its lines. Epochs with the same symbols of a module share its list. */
	GHashTable *module_symbols;
	EpochList *epochs; /* (element-type Epoch), owned */
	uint32_t epoch_newest;
	GByteArray *names;          /* terminated strings; entries contain offsets */
	GPtrArray *module_names;    /* (element-type utf8), owned; 0: built in */
	GHashTable *module_numbers; /* (element-type utf8 guint), names borrowed */
	uint32_t symbols;
	uint64_t text_start, text_end;       /* as recorded */
	uint64_t stext_symbol, etext_symbol; /* from the symbols */
	unsigned word_bytes;
};

static void epoch_free(gpointer data)
{
	Epoch *epoch = data;

	module_index_free(epoch->index);
	g_ptr_array_unref(epoch->modules);
	address_ranges_free(epoch->ranges);
	g_free(epoch);
}

SymbolStore *symbol_store_new(void)
{
	SymbolStore *store = g_new0(SymbolStore, 1);

	store->kernel = symbol_list_new();
	store->module_symbols = g_hash_table_new_full(keyed_hash_number, g_int64_equal, g_free,
						      (GDestroyNotify)symbol_list_free);
	store->epochs = epoch_list_new(epoch_free);
	store->names = g_byte_array_new();
	store->module_names = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(store->module_names, NULL);
	store->module_numbers = g_hash_table_new(keyed_hash_text, g_str_equal);
	store->word_bytes = 8;
	return store;
}

void symbol_store_free(SymbolStore *store)
{
	if (!store)
		return;
	symbol_list_free(store->kernel);
	epoch_list_free(store->epochs);
	g_hash_table_unref(store->module_symbols);
	g_byte_array_unref(store->names);
	g_hash_table_unref(store->module_numbers);
	g_ptr_array_unref(store->module_names);
	g_free(store);
}

void symbol_store_set_memory(SymbolStore *store, MemoryBudget *memory)
{
	store->memory = memory;
}

static bool symbol_store_take(SymbolStore *store, size_t bytes)
{
	return memory_budget_take(store->memory, MEMORY_SYMBOLS, bytes);
}

/* Returns the epoch, adding it if new; NULL above the limit. */
static Epoch *epoch_intern(SymbolStore *store, uint32_t number)
{
	Epoch *epoch = epoch_list_get(store->epochs, number);

	if (epoch)
		return epoch;
	if (epoch_list_is_full(store->epochs) || !symbol_store_take(store, EPOCH_BYTES))
		return NULL;
	epoch = g_new0(Epoch, 1);
	epoch->modules = g_ptr_array_new();
	epoch->ranges = address_ranges_new();
	epoch_list_add(store->epochs, number, epoch);
	store->epoch_newest = MAX(store->epoch_newest, number);
	return epoch;
}

/* Returns the number of a module's name; above the limit 0, as for built-in code. */
static uint16_t module_number(SymbolStore *store, TextPart part)
{
	g_autofree char *name = g_strndup(part.text, MIN(part.length, MODULE_BYTES_MAX));
	uint16_t number =
		(uint16_t)GPOINTER_TO_UINT(g_hash_table_lookup(store->module_numbers, name));

	if (number || store->module_names->len == MODULES_MAX ||
	    !symbol_store_take(store, MODULE_BYTES))
		return number;
	number = (uint16_t)store->module_names->len;
	g_hash_table_insert(store->module_numbers, name, GUINT_TO_POINTER(number));
	g_ptr_array_add(store->module_names, g_steal_pointer(&name));
	return number;
}

static const char *module_name(const SymbolStore *store, uint16_t number)
{
	hot_assert(number < store->module_names->len);
	return g_ptr_array_index(store->module_names, number);
}

/* System calls without arguments have one function with a name per ABI, such as __x64_sys_vfork and
   __ia32_sys_vfork (SYSCALL_DEFINE0 in the kernel). */
static bool is_foreign(TextPart name)
{
	static const char prefixes[][sizeof("__ia32_sys_")] = { "__ia32_sys_", "__s390_sys_" };
	const size_t prefix_bytes = sizeof(prefixes[0]) - 1;

	if (name.length <= prefix_bytes)
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (!memcmp(name.text, prefixes[i], prefix_bytes))
			return true;
	return false;
}

/* Adds a symbol to a list. Address 0 means hidden (kptr_restrict): not added. */
static void add_symbol(SymbolStore *store, SymbolList *list, const KallsymsLine *line,
		       uint16_t module)
{
	SymbolEntry entry = {
		.address = line->address,
		.name = store->names->len,
		.module = module,
		.global = line->type == 'T',
		.foreign = is_foreign(line->name),
	};

	if (!line->address || !kallsyms_line_is_text(line) || store->symbols == SYMBOLS_MAX ||
	    store->names->len >= NAMES_BYTES_MAX ||
	    !symbol_store_take(store, sizeof(entry) + MIN(line->name.length, NAME_BYTES_MAX) + 1))
		return;
	g_byte_array_append(store->names, (const guint8 *)line->name.text,
			    (guint)MIN(line->name.length, NAME_BYTES_MAX));
	g_byte_array_append(store->names, (const guint8 *)"", 1);
	symbol_list_add(list, entry);
	store->symbols++;
}

static SymbolList *module_symbols_parse(SymbolStore *store, TextPart lines)
{
	SymbolList *symbols = symbol_list_new();
	uint16_t module = 0;
	KallsymsLine parsed;
	TextPart line;

	while (text_part_next_line(&lines, &line)) {
		if (!kallsyms_line_parse(line, &parsed))
			continue;
		module = module ? module : module_number(store, parsed.module);
		add_symbol(store, symbols, &parsed, module);
	}
	return symbols;
}

/* Adds the lines of one module to an epoch. Equal lines are parsed and stored once. */
static void add_module_lines(SymbolStore *store, Epoch *epoch, TextPart lines)
{
	uint64_t hash = keyed_hash(lines.text, lines.length);
	SymbolList *symbols = g_hash_table_lookup(store->module_symbols, &hash);

	if (!symbol_store_take(store, symbols ? sizeof(symbols) : MODULE_LIST_BYTES))
		return;
	if (!symbols) {
		symbols = module_symbols_parse(store, lines);
		g_hash_table_insert(store->module_symbols, g_memdup(&hash, sizeof(hash)), symbols);
	}
	g_ptr_array_add(epoch->modules, symbols);
	g_clear_pointer(&epoch->index, module_index_free);
}

/* Removes the first lines of one module from rest, and returns them. *module: its name; length 0
   for the kernel. */
static TextPart next_module(TextPart *rest, TextPart *module)
{
	TextPart run = { rest->text, 0 };
	KallsymsLine parsed;
	TextPart line;

	for (TextPart after = *rest; text_part_next_line(&after, &line); *rest = after) {
		if (!kallsyms_line_parse(line, &parsed))
			parsed.module = run.length ? *module : (TextPart){ NULL, 0 };
		if (run.length && !text_part_equals(parsed.module, *module))
			break;
		*module = parsed.module;
		run.length = (size_t)(after.text - run.text);
	}
	return run;
}

static void add_kernel_lines(SymbolStore *store, uint32_t epoch, TextPart lines)
{
	KallsymsLine parsed;
	TextPart line;

	if (!store->kernel->entries->len)
		store->kernel_epoch = epoch;
	/* Later epochs may repeat the kernel's symbols. */
	if (store->kernel_epoch != epoch)
		return;
	while (text_part_next_line(&lines, &line)) {
		if (!kallsyms_line_parse(line, &parsed))
			continue;
		if (parsed.name.text[0] == '_' && text_part_is(parsed.name, "_stext"))
			store->stext_symbol = parsed.address;
		else if (parsed.name.text[0] == '_' && text_part_is(parsed.name, "_etext"))
			store->etext_symbol = parsed.address;
		add_symbol(store, store->kernel, &parsed, 0);
	}
}

void symbol_store_add_kallsyms(SymbolStore *store, uint32_t epoch_number, const char *text,
			       size_t length)
{
	Epoch *epoch = epoch_intern(store, epoch_number);
	TextPart rest = { text, length };
	TextPart module;

	while (epoch && rest.length) {
		TextPart lines = next_module(&rest, &module);

		if (module.length)
			add_module_lines(store, epoch, lines);
		else
			add_kernel_lines(store, epoch_number, lines);
	}
}

void symbol_store_add_modules(SymbolStore *store, uint32_t epoch_number, const char *text,
			      size_t length)
{
	Epoch *epoch = epoch_intern(store, epoch_number);
	TextPart rest = { text, length };
	ModuleLine module;
	TextPart line;

	while (epoch && text_part_next_line(&rest, &line))
		if (module_line_parse(line, &module) && module.address &&
		    symbol_store_take(store, RANGE_BYTES))
			address_ranges_add(epoch->ranges, module.address,
					   saturate_sum(module.address, module.bytes),
					   module_number(store, module.name));
}

uint32_t symbol_store_read_batch(SymbolStore *store, const Batch *batch)
{
	BatchText part = batch_text(batch);

	if (!part.text)
		return store->epoch_newest;
	store->word_bytes = batch->header.word_bytes == 4 ? 4 : 8;
	if (batch->header.kind == KMT_BATCH_MODULES)
		symbol_store_add_modules(store, part.epoch, part.text, part.bytes);
	else
		symbol_store_add_kallsyms(store, part.epoch, part.text, part.bytes);
	return part.epoch;
}

void symbol_store_set_text(SymbolStore *store, uint64_t start, uint64_t end)
{
	store->text_start = start;
	store->text_end = end;
}

bool symbol_store_has_symbols(const SymbolStore *store)
{
	return store->symbols != 0;
}

uint64_t symbol_store_address(const SymbolStore *store, const char *name)
{
	const GArray *entries = store->kernel->entries;

	for (guint i = 0; i < entries->len; i++) {
		const SymbolEntry *entry = &g_array_index(entries, SymbolEntry, i);

		if (g_str_equal(store->names->data + entry->name, name))
			return entry->address;
	}
	return 0;
}

unsigned symbol_store_word_bytes(const SymbolStore *store)
{
	return store->word_bytes;
}

/* Returns false if the kernel's text range is unknown. */
static bool kernel_range(const SymbolStore *store, uint64_t *start, uint64_t *end)
{
	bool recorded = store->text_start < store->text_end;

	*start = recorded ? store->text_start : store->stext_symbol;
	*end = recorded ? store->text_end : store->etext_symbol;
	return *start && *start < *end;
}

/* Returns the range of the module that an address is in. Returns false if there is none. */
static bool find_range(const Epoch *epoch, uint64_t address, AddressRange *range)
{
	if (!epoch)
		return false;
	address_ranges_order(epoch->ranges);
	return address_ranges_find_nearest(epoch->ranges, address, range);
}

static void narrow_by_modules(const SymbolStore *store, Epoch *epoch, uint64_t address,
			      SymbolNeighbours *neighbours)
{
	enum { LISTS_SEARCHED_MAX = 2 }; /* however many modules a stream has */
	guint lists;

	if (!epoch)
		return;
	if (!epoch->index)
		epoch->index = module_index_new(epoch->modules, store->memory);
	lists = module_index_narrow(epoch->index, address, neighbours);
	hot_assert(lists <= LISTS_SEARCHED_MAX);
}

/* Fills in a symbol that ends at the next symbol, or at the end of its range. Returns false if
   there is none. */
static bool fill_symbol(const SymbolStore *store, const SymbolNeighbours *neighbours,
			uint64_t range_end, Symbol *symbol)
{
	const SymbolEntry *entry = neighbours->at;
	uint64_t end = MIN(neighbours->next, range_end);

	if (!entry)
		return false;
	symbol->name = (const char *)store->names->data + entry->name;
	symbol->module = module_name(store, entry->module);
	symbol->start = entry->address;
	symbol->bytes = end == UINT64_MAX ? 0 : end - entry->address;
	return true;
}

bool symbol_store_lookup(const SymbolStore *store, uint32_t epoch_number, uint64_t address,
			 Symbol *symbol)
{
	Epoch *epoch = epoch_list_find(store->epochs, epoch_number);
	SymbolNeighbours neighbours = SYMBOL_NEIGHBOURS_NONE;
	AddressRange range;
	uint64_t text_start, text_end;
	bool kernel_known = kernel_range(store, &text_start, &text_end);

	if (kernel_known && address >= text_start && address < text_end) {
		symbol_list_narrow(store->kernel, address, &neighbours);
		return fill_symbol(store, &neighbours, text_end, symbol);
	}
	narrow_by_modules(store, epoch, address, &neighbours);
	if (find_range(epoch, address, &range)) {
		if (neighbours.at && neighbours.at->address >= range.start)
			return fill_symbol(store, &neighbours, range.end, symbol);
		*symbol = (Symbol){ NULL, module_name(store, (uint16_t)range.id), range.start,
				    range.end - range.start };
		return true;
	}
	/* Without a known range, a symbol extends to the next one, up to a limit. */
	if (!kernel_known)
		symbol_list_narrow(store->kernel, address, &neighbours);
	if (neighbours.at && address - neighbours.at->address >= UNRANGED_BYTES_MAX)
		return false;
	return fill_symbol(store, &neighbours, UINT64_MAX, symbol);
}

bool symbol_store_is_text(const SymbolStore *store, uint32_t epoch, uint64_t address)
{
	uint64_t text_start, text_end;
	bool kernel_known = kernel_range(store, &text_start, &text_end);
	Symbol symbol;

	if (!kernel_known && !store->kernel->entries->len)
		return true;
	if (kernel_known && address >= text_start && address < text_end)
		return true;
	return symbol_store_lookup(store, epoch, address, &symbol);
}
