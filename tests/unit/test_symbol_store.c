/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "symbols/symbol_store.h"

#include "leaks.h"
#include "base/bytes.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(symbol_store);

static const char host_kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
				    "ffffffff81000000 T _stext\n"
				    "ffffffff81000000 T _text\n"
				    "ffffffff81000100 t first\n"
				    "ffffffff81000200 W second\n"
				    "ffffffff81000280 D not_code\n"
				    "ffffffff81000300 T last\n"
				    "ffffffff81000400 T _etext\n"
				    "ffffffff82000000 D data\n"
				    "ffffffffc0001000 t open\t[ext4]\n"
				    "ffffffffc0001100 t write\t[ext4]\n"
				    "ffffffffc0009000 t bpf_prog_12ab_count\t[bpf]\n";

static const char host_modules[] = "ext4 8192 0xffffffffc0000800 abcd\n"
				   "nameless 4096 ffffffffc0020000 -\n";

static void add_kallsyms(SymbolStore *store, uint32_t epoch, const char *text)
{
	symbol_store_add_kallsyms(store, epoch, text, strlen(text));
}

static void add_modules(SymbolStore *store, uint32_t epoch, const char *text)
{
	symbol_store_add_modules(store, epoch, text, strlen(text));
}

static SymbolStore *host_store(void)
{
	SymbolStore *store = symbol_store_new();

	add_kallsyms(store, 0, host_kallsyms);
	add_modules(store, 0, host_modules);
	return store;
}

/* Returns "name+offset/size [module]", "[module+offset/size]" or "?"; the caller frees it. */
static char *described(const SymbolStore *store, uint32_t epoch, uint64_t address)
{
	Symbol symbol;

	if (!symbol_store_lookup(store, epoch, address, &symbol))
		return g_strdup("?");
	if (!symbol.name)
		return g_strdup_printf("[%s+%x/%x]", symbol.module,
				       (unsigned)(address - symbol.start), (unsigned)symbol.bytes);
	return g_strdup_printf("%s+%x/%x [%s]", symbol.name, (unsigned)(address - symbol.start),
			       (unsigned)symbol.bytes, symbol.module ? symbol.module : "kernel");
}

static void expect(const SymbolStore *store, uint32_t epoch, uint64_t address, const char *wanted)
{
	g_autofree char *found = described(store, epoch, address);

	cr_expect_str_eq(found, wanted, "%" G_GINT64_MODIFIER "x: %s, not %s", address, found,
			 wanted);
}

typedef struct {
	uint64_t address;
	const char *described;
	bool is_text;
} LookupCase;

static const LookupCase host_cases[] = {
	{ 0xffffffff81000000, "_stext+0/100 [kernel]", true },
	{ 0xffffffff810000ff, "_stext+ff/100 [kernel]", true },
	{ 0xffffffff81000100, "first+0/100 [kernel]", true },
	{ 0xffffffff81000290, "second+90/100 [kernel]", true }, /* data is no boundary */
	{ 0xffffffff810003ff, "last+ff/100 [kernel]", true },
	{ 0xffffffff81000400, "?", false },
	{ 0xffffffff82000008, "?", false },
	{ 0xffffffff80ffffff, "?", false },
	{ 0x2, "?", false },
	{ 0x4000000000000000, "?", false },
	{ UINT64_MAX, "?", false },
	{ 0xffffffffc0001010, "open+10/100 [ext4]", true },
	{ 0xffffffffc0001110, "write+10/1700 [ext4]", true },
	{ 0xffffffffc0000900, "[ext4+100/2000]", true },
	{ 0xffffffffc0002900, "write+1800/7f00 [ext4]", true }, /* no range, the symbol reaches */
	{ 0xffffffffc0009010, "bpf_prog_12ab_count+10/0 [bpf]", true },
	{ 0xffffffffc0019000, "?", false },
	{ 0xffffffffc0020fff, "[nameless+fff/1000]", true },
	{ 0xffffffffc0021000, "?", false },
};

Test(symbol_store, addresses_are_named_within_their_ranges)
{
	g_autoptr(SymbolStore) store = host_store();

	for (size_t i = 0; i < G_N_ELEMENTS(host_cases); i++) {
		const LookupCase *row = &host_cases[i];

		expect(store, 0, row->address, row->described);
		cr_expect_eq(symbol_store_is_text(store, 0, row->address), row->is_text,
			     "%" G_GINT64_MODIFIER "x", row->address);
	}
}

Test(symbol_store, a_recorded_text_range_goes_before_the_symbols)
{
	g_autoptr(SymbolStore) store = host_store();

	symbol_store_set_text(store, 0xffffffff81000000, 0xffffffff81000380);
	expect(store, 0, 0xffffffff8100037f, "last+7f/80 [kernel]");
	expect(store, 0, 0xffffffff81000380, "?");
}

Test(symbol_store, a_global_symbol_goes_before_others_of_its_address)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "ffffffff81000100 t local\n"
		     "ffffffff81000100 W weak\n"
		     "ffffffff81000100 T global\n"
		     "ffffffff81000100 T alias\n"
		     "ffffffff81000200 w weak_first\n"
		     "ffffffff81000200 t local_second\n"
		     "ffffffff81000300 t end\n");
	expect(store, 0, 0xffffffff81000110, "global+10/100 [kernel]");
	expect(store, 0, 0xffffffff81000210, "weak_first+10/100 [kernel]");
}

Test(symbol_store, a_system_call_is_named_as_the_native_one)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "ffffffff81000100 T __ia32_sys_vfork\n"
		     "ffffffff81000100 T __x64_sys_vfork\n"
		     "ffffffff81000100 t __do_sys_vfork\n"
		     "ffffffff81000200 T __s390_sys_sync\n"
		     "ffffffff81000200 T __s390x_sys_sync\n"
		     "ffffffff81000300 T __ia32_sys_clone\n"
		     "ffffffff81000400 T end\n");
	expect(store, 0, 0xffffffff81000110, "__x64_sys_vfork+10/100 [kernel]");
	expect(store, 0, 0xffffffff81000210, "__s390x_sys_sync+10/100 [kernel]");
	expect(store, 0, 0xffffffff81000310, "__ia32_sys_clone+10/100 [kernel]");
}

Test(symbol_store, the_order_of_lines_does_not_matter)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "ffffffff81000300 t c\nffffffff81000100 t a\nffffffff81000200 t b\n");
	expect(store, 0, 0xffffffff81000110, "a+10/100 [kernel]");
	expect(store, 0, 0xffffffff81000210, "b+10/100 [kernel]");
	add_kallsyms(store, 0, "ffffffff81000180 t late\n");
	expect(store, 0, 0xffffffff81000110, "a+10/80 [kernel]");
	expect(store, 0, 0xffffffff81000190, "late+10/80 [kernel]");
}

Test(symbol_store, hidden_addresses_are_no_symbols)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "0000000000000000 T _stext\n"
		     "0000000000000000 T last\n"
		     "0000000000000000 t open\t[ext4]\n");
	add_modules(store, 0, "ext4 8192 0x0000000000000000 -\n");
	cr_expect_not(symbol_store_has_symbols(store));
	expect(store, 0, 0x10, "?");
	expect(store, 0, 0xffffffff81000000, "?");
	cr_expect(symbol_store_is_text(store, 0, 0xffffffff81000000), "nothing is known");
}

Test(symbol_store, a_store_with_symbols_says_so)
{
	g_autoptr(SymbolStore) store = host_store();
	g_autoptr(SymbolStore) modules_only = symbol_store_new();

	add_kallsyms(modules_only, 0, "ffffffffc0001000 t open\t[ext4]\n");
	cr_expect(symbol_store_has_symbols(store));
	cr_expect(symbol_store_has_symbols(modules_only));
}

Test(symbol_store, a_reused_address_is_not_mixed)
{
	g_autoptr(SymbolStore) store = host_store();

	add_kallsyms(store, 1, "ffffffffc0001000 t poll\t[snd]\n");
	add_modules(store, 1, "snd 4096 0xffffffffc0001000 -\n");
	add_kallsyms(store, 2, "");
	add_modules(store, 2, "");
	expect(store, 0, 0xffffffffc0001010, "open+10/100 [ext4]");
	expect(store, 1, 0xffffffffc0001010, "poll+10/1000 [snd]");
	expect(store, 2, 0xffffffffc0001010, "?");
	cr_expect_not(symbol_store_is_text(store, 2, 0xffffffffc0001010));
}

Test(symbol_store, the_kernel_is_the_same_in_all_epochs)
{
	g_autoptr(SymbolStore) store = host_store();

	add_kallsyms(store, 1, "ffffffff81000150 t imposter\nffffffffc0001000 t poll\t[snd]\n");
	expect(store, 0, 0xffffffff81000180, "first+80/100 [kernel]");
	expect(store, 1, 0xffffffff81000180, "first+80/100 [kernel]");
	expect(store, 9, 0xffffffff81000180, "first+80/100 [kernel]");
}

Test(symbol_store, an_epoch_may_come_in_several_batches)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0, "ffffffff81000000 T _stext\nffffffff81000100 t first\n");
	add_kallsyms(store, 0, "ffffffff81000400 T _etext\nffffffffc0001000 t open\t[ext4]\n");
	add_kallsyms(store, 0, "ffffffffc0001100 t write\t[ext4]\n");
	add_modules(store, 0, "ext4 8192 0xffffffffc0001000 -\n");
	add_modules(store, 0, "snd 4096 0xffffffffc0008000 -\n");
	expect(store, 0, 0xffffffff81000110, "first+10/300 [kernel]");
	expect(store, 0, 0xffffffffc0001010, "open+10/100 [ext4]");
	expect(store, 0, 0xffffffffc0001110, "write+10/1f00 [ext4]");
	expect(store, 0, 0xffffffffc0008010, "[snd+10/1000]");
}

Test(symbol_store, an_epoch_that_was_not_announced_is_the_one_before)
{
	g_autoptr(SymbolStore) store = host_store();

	add_kallsyms(store, 5, "ffffffffc0001000 t poll\t[snd]\n");
	expect(store, 4, 0xffffffffc0001010, "open+10/100 [ext4]");
	expect(store, 6, 0xffffffffc0001010, "poll+10/0 [snd]");
}

Test(symbol_store, overlapping_module_ranges_go_to_the_nearer_start)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_modules(store, 0, "big 65536 0xffffffffc0001000 -\nsmall 4096 0xffffffffc0004000 -\n");
	expect(store, 0, 0xffffffffc0001010, "[big+10/10000]");
	expect(store, 0, 0xffffffffc0004010, "[small+10/1000]");
}

/* The end of big is too high: where small is, big has no code, and none behind it. */
Test(symbol_store, behind_a_module_is_none_that_starts_before_it)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_modules(store, 0, "big 65536 0xffffffffc0001000 -\nsmall 4096 0xffffffffc0004000 -\n");
	expect(store, 0, 0xffffffffc0003fff, "[big+2fff/10000]");
	expect(store, 0, 0xffffffffc0005000, "?");
}

Test(symbol_store, a_module_may_reach_to_the_last_address)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_modules(store, 0, "top 4294967295 0xfffffffffffff000 -\n");
	expect(store, 0, 0xfffffffffffff010, "[top+10/fff]");
}

Test(symbol_store, symbols_of_overlapping_modules_are_found)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "ffffffffc0001000 t first\t[a]\n"
		     "ffffffffc0005000 t fourth\t[a]\n"
		     "ffffffffc0003000 t second\t[b]\n"
		     "ffffffffc0007000 t last\t[b]\n");
	expect(store, 0, 0xffffffffc0003010, "second+10/2000 [b]");
	expect(store, 0, 0xffffffffc0005010, "fourth+10/2000 [a]");
	expect(store, 0, 0xffffffffc0007010, "last+10/0 [b]");
}

Test(symbol_store, text_at_low_addresses_is_named)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0,
		     "0000000000100000 T _stext\n"
		     "00000000001a2340 T __kmalloc\n"
		     "0000000000f00000 T _etext\n"
		     "000003ff80001000 t open\t[ext4]\n");
	expect(store, 0, 0x1a2352, "__kmalloc+12/d5dcc0 [kernel]");
	expect(store, 0, 0xf00000, "?");
	expect(store, 0, 0x3ff80001004, "open+4/0 [ext4]");
	cr_expect_not(symbol_store_is_text(store, 0, 0x2));
}

Test(symbol_store, addresses_of_32_bits_are_named)
{
	g_autoptr(SymbolStore) store = symbol_store_new();

	add_kallsyms(store, 0, "c0008000 T _stext\nc0008100 T __kmalloc\nc0a00000 T _etext\n");
	expect(store, 0, 0xc0008110, "__kmalloc+10/9f7f00 [kernel]");
}

static const char *const no_lines[] = {
	"",
	"\n",
	"garbage",
	"ffffffff81000100",
	"ffffffff81000100 T",
	"ffffffff81000100 T ",
	"ffffffff81000100 TT name",
	"zfffffff81000100 T name",
	"1ffffffff81000100 T name",
	"0xffffffff81000100 T name",
	" T name",
	"ffffffff81000100 d name",
};

Test(symbol_store, lines_that_are_none_are_skipped)
{
	for (size_t i = 0; i < G_N_ELEMENTS(no_lines); i++) {
		g_autoptr(SymbolStore) store = symbol_store_new();

		add_kallsyms(store, 0, no_lines[i]);
		cr_expect_not(symbol_store_has_symbols(store), "'%s'", no_lines[i]);
	}
}

static const char *const no_modules[] = {
	"",
	"ext4",
	"ext4 8192",
	"ext4 x 0xffffffffc0001000 -",
	"ext4 -1 0xffffffffc0001000 -",
	"ext4 99999999999 0xffffffffc0001000 -",
	"ext4 8192 0x -",
	"ext4 8192 nowhere -",
};

Test(symbol_store, module_lines_that_are_none_are_skipped)
{
	for (size_t i = 0; i < G_N_ELEMENTS(no_modules); i++) {
		g_autoptr(SymbolStore) store = symbol_store_new();

		add_modules(store, 0, no_modules[i]);
		expect(store, 0, 0xffffffffc0001000, "?");
	}
}

Test(symbol_store, a_long_name_is_bounded)
{
	g_autoptr(SymbolStore) store = symbol_store_new();
	g_autofree char *name = g_strnfill(100000, 'x');
	g_autofree char *text = g_strdup_printf("ffffffff81000100 T %s\n", name);
	Symbol symbol;

	add_kallsyms(store, 0, text);
	cr_assert(symbol_store_lookup(store, 0, 0xffffffff81000100, &symbol));
	cr_expect_eq(strlen(symbol.name), 512);
}

/* Reads a copy of exactly these bytes, so that a sanitizer sees a step outside. */
static uint32_t read_batch(SymbolStore *store, uint8_t kind, uint32_t epoch, uint32_t claimed_bytes,
			   const char *text, uint32_t content_bytes, bool swapped)
{
	g_autofree uint8_t *content = g_malloc(MAX(content_bytes, 1));
	struct KmtText head = { load_u32(&epoch, swapped), load_u32(&claimed_bytes, swapped) };
	Batch batch = { .swapped = swapped, .content = content, .content_bytes = content_bytes };

	batch.header.kind = kind;
	batch.header.word_bytes = 4;
	memcpy(content, &head, MIN(sizeof(head), content_bytes));
	if (content_bytes > sizeof(head))
		memcpy(content + sizeof(head), text, content_bytes - sizeof(head));
	return symbol_store_read_batch(store, &batch);
}

Test(symbol_store, batches_of_either_byte_order_are_read)
{
	static const char line[] = "c0008100 T __kmalloc\n";
	static const char module[] = "ext4 4096 0xd0001000 -\n";

	for (int swapped = 0; swapped < 2; swapped++) {
		g_autoptr(SymbolStore) store = symbol_store_new();

		cr_expect_eq(symbol_store_word_bytes(store), 8);
		cr_expect_eq(read_batch(store, KMT_BATCH_SYMBOLS, 3, strlen(line), line,
					8 + strlen(line), swapped),
			     3);
		cr_expect_eq(read_batch(store, KMT_BATCH_MODULES, 3, strlen(module), module,
					8 + strlen(module), swapped),
			     3);
		expect(store, 3, 0xc0008110, "__kmalloc+10/0 [kernel]");
		expect(store, 3, 0xd0001010, "[ext4+10/1000]");
		cr_expect_eq(symbol_store_word_bytes(store), 4);
	}
}

Test(symbol_store, a_batch_that_claims_more_than_it_holds_is_read_to_its_end)
{
	static const char line[] = "c0008100 T __kmalloc\n";
	g_autoptr(SymbolStore) store = symbol_store_new();

	read_batch(store, KMT_BATCH_SYMBOLS, 0, UINT32_MAX, line, 8 + strlen(line), false);
	expect(store, 0, 0xc0008110, "__kmalloc+10/0 [kernel]");
}

Test(symbol_store, a_batch_without_room_for_its_head_changes_nothing)
{
	g_autoptr(SymbolStore) store = host_store();

	add_kallsyms(store, 2, "");
	for (uint32_t bytes = 0; bytes < sizeof(struct KmtText); bytes++)
		cr_expect_eq(read_batch(store, KMT_BATCH_SYMBOLS, 9, 1, "", bytes, false), 2);
}
