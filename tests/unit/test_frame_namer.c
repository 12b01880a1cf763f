/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "symbols/frame_namer.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(frame_namer);

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81000100 T stack_trace_save\n"
			       "ffffffff81000200 t __traceiter_kmalloc\n"
			       "ffffffff81000300 t perf_trace_kmalloc.isra.0\n"
			       "ffffffff81000400 T __kmalloc\n"
			       "ffffffff81000500 T sock_alloc\n"
			       "ffffffff81000600 T perf_trace_init\n"
			       "ffffffff81000700 t evil\033[2J\n"
			       "ffffffff81000800 T _etext\n"
			       "ffffffffc0001000 t probe\t[kmt_12ab]\n"
			       "ffffffffc0003000 t open\t[ext4]\n";

static const char modules[] = "kmt_12ab 4096 0xffffffffc0001000 -\n"
			      "ext4 4096 0xffffffffc0003000 -\n"
			      "stap_ff 4096 0xffffffffc0005000 -\n"
			      "nameless 4096 0xffffffffc0007000 -\n";

#define KMALLOC " 0xffffffff81000410 : __kmalloc+0x10/0x100 [kernel]\n"
#define SOCK " 0xffffffff81000510 : sock_alloc+0x10/0x100 [kernel]\n"

static SymbolStore *full_store(void)
{
	SymbolStore *store = symbol_store_new();

	symbol_store_add_kallsyms(store, 0, kallsyms, strlen(kallsyms));
	symbol_store_add_modules(store, 0, modules, strlen(modules));
	return store;
}

/* Returns the text of a stack that ends with 0; the caller frees it. */
static char *text_of(const SymbolStore *store, const uint64_t *addresses, uint32_t epoch)
{
	g_autoptr(FrameTable) frames = frame_table_new(2 * symbol_store_word_bytes(store));
	g_autoptr(FrameNamer) namer = frame_namer_new(store, frames);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(FrameId));
	GString *joined = g_string_new(NULL);
	uint32_t depth = 0;

	while (addresses[depth])
		depth++;
	frame_namer_append(namer, ids, addresses, depth, epoch);
	for (guint i = 0; i < ids->len; i++) {
		frame_table_append_line(frames, g_array_index(ids, FrameId, i), joined);
		g_string_append_c(joined, '\n');
	}
	return g_string_free(joined, FALSE);
}

enum { FRAMES_MAX = 8 };

typedef struct {
	const char *name;
	uint64_t frames[FRAMES_MAX];
	const char *text;
} StackCase;

static const StackCase cases[] = {
	{ "plain", { 0xffffffff81000410, 0xffffffff81000510 }, KMALLOC SOCK },
	{ "the first frame may be a function's first byte",
	  { 0xffffffff81000400 },
	  " 0xffffffff81000400 : __kmalloc+0x0/0x100 [kernel]\n" },
	{ "a return address behind a function's last call is that function's",
	  { 0xffffffff81000410, 0xffffffff81000600 },
	  KMALLOC " 0xffffffff81000600 : sock_alloc+0x100/0x100 [kernel]\n" },
	{ "leading tracers",
	  { 0xffffffffc0001010, 0xffffffff81000110, 0xffffffff81000210, 0xffffffff81000410,
	    0xffffffff81000510 },
	  KMALLOC SOCK },
	{ "a suffix of the compiler", { 0xffffffff81000310, 0xffffffff81000410 }, KMALLOC },
	{ "a tracer's module without symbols",
	  { 0xffffffffc0005010, 0xffffffff81000410 },
	  KMALLOC },
	{ "a tracer's name in the middle stays",
	  { 0xffffffff81000410, 0xffffffff81000610, 0xffffffff81000510 },
	  KMALLOC " 0xffffffff81000610 : perf_trace_init+0x10/0x100 [kernel]\n" SOCK },
	{ "junk anywhere",
	  { 0x2, 0xffffffff81000410, 0x4000000000000000, 0xffffffff81000510, 0x1234 },
	  KMALLOC SOCK },
	{ "junk among leading tracers",
	  { 0xffffffffc0001010, 0x2, 0xffffffff81000210, 0xffffffff81000410 },
	  KMALLOC },
	{ "nothing but tracers stays",
	  { 0xffffffff81000610 },
	  " 0xffffffff81000610 : perf_trace_init+0x10/0x100 [kernel]\n" },
	{ "nothing but junk stays", { 0x2, 0x3 }, " 0x0000000000000002\n 0x0000000000000003\n" },
	{ "tracers and junk: the tracers stay",
	  { 0x2, 0xffffffff81000610 },
	  " 0xffffffff81000610 : perf_trace_init+0x10/0x100 [kernel]\n" },
	{ "modules",
	  { 0xffffffff81000410, 0xffffffffc0003010, 0xffffffffc0007010 },
	  KMALLOC " 0xffffffffc0003010 : open+0x10/0x1000 [ext4]\n"
		  " 0xffffffffc0007010 [nameless+0x10/0x1000]\n" },
	{ "control characters",
	  { 0xffffffff81000710 },
	  " 0xffffffff81000710 : evil\\x1b[2J+0x10/0x100 [kernel]\n" },
};

Test(frame_namer, stacks_are_cut_and_named)
{
	g_autoptr(SymbolStore) store = full_store();

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = text_of(store, cases[i].frames, 0);

		cr_expect_str_eq(text, cases[i].text, "%s:\n%s", cases[i].name, text);
	}
}

Test(frame_namer, unknown_addresses_stay_raw)
{
	static const uint64_t frames[] = { 0xffffffff81000410, 0x2, 0 };
	g_autoptr(SymbolStore) store = symbol_store_new();
	g_autofree char *text = text_of(store, frames, 0);

	cr_expect_str_eq(text, " 0xffffffff81000410\n 0x0000000000000002\n");
}

Test(frame_namer, addresses_have_the_word_size_of_the_recorded_host)
{
	static const uint64_t frames[] = { 0xc0008110, 0x1010, 0 };
	static const char content[] = "\0\0\0\0\0\0\0";
	const Batch batch = { .header = { .kind = KMT_BATCH_SYMBOLS, .word_bytes = 4 },
			      .content = (const uint8_t *)content,
			      .content_bytes = sizeof(content) };
	g_autoptr(SymbolStore) store = symbol_store_new();
	g_autofree char *text = NULL;

	symbol_store_read_batch(store, &batch);
	text = text_of(store, frames, 0);
	cr_expect_str_eq(text, " 0xc0008110\n 0x00001010\n");
}

/* Returns the only frame of a call site. */
static FrameId call_site(FrameNamer *namer, uint64_t address, uint32_t epoch)
{
	uint32_t count;
	const FrameId *ids = frame_namer_call_site(namer, address, epoch, &count);

	cr_assert_eq(count, 1);
	return *ids;
}

Test(frame_namer, frames_that_print_the_same_are_one)
{
	static const uint64_t address = 0xffffffff81000410;
	g_autoptr(SymbolStore) store = full_store();
	g_autoptr(FrameTable) frames = frame_table_new(2 * symbol_store_word_bytes(store));
	g_autoptr(FrameNamer) namer = frame_namer_new(store, frames);
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(FrameId));

	symbol_store_add_kallsyms(store, 1, "", 0);
	symbol_store_add_modules(store, 1, modules, strlen(modules));
	frame_namer_append(namer, ids, &address, 1, 0);
	frame_namer_append(namer, ids, &address, 1, 1);
	cr_assert_eq(ids->len, 2);
	cr_expect_eq(g_array_index(ids, FrameId, 0), g_array_index(ids, FrameId, 1));
	cr_expect_eq(call_site(namer, address, 1), g_array_index(ids, FrameId, 0));
}

Test(frame_namer, frames_of_a_module_that_was_loaded_again_are_one)
{
	static const uint64_t address = 0xffffffffc0003010;
	static const char ext4[] = "ffffffffc0003000 t open\t[ext4]\n";
	g_autoptr(SymbolStore) store = full_store();
	g_autoptr(FrameTable) frames = frame_table_new(2 * symbol_store_word_bytes(store));
	g_autoptr(FrameNamer) namer = frame_namer_new(store, frames);

	symbol_store_add_kallsyms(store, 1, ext4, strlen(ext4));
	symbol_store_add_modules(store, 1, modules, strlen(modules));
	cr_expect_eq(call_site(namer, address, 0), call_site(namer, address, 1));
}

Test(frame_namer, a_frame_has_what_is_known_as_fields)
{
	g_autoptr(SymbolStore) store = full_store();
	g_autoptr(FrameTable) frames = frame_table_new(2 * symbol_store_word_bytes(store));
	g_autoptr(FrameNamer) namer = frame_namer_new(store, frames);
	const Frame open = {
		.address = 0xffffffffc0003010,
		.offset = 0x10,
		.bytes = 0x1000,
		.function = "open",
		.module = "ext4",
		.has_offset = true,
		.address_digits = 16,
	};
	const Frame nameless = {
		.address = 0xffffffffc0007010,
		.offset = 0x10,
		.bytes = 0x1000,
		.module = "nameless",
		.address_digits = 16,
	};
	Frame frame = frame_table_get(frames, call_site(namer, open.address, 0));

	cr_expect(frame_equals(&frame, &open));
	frame = frame_table_get(frames, call_site(namer, nameless.address, 0));
	cr_expect(frame_equals(&frame, &nameless));
}

Test(frame_namer, epochs_are_not_mixed)
{
	static const uint64_t frames[] = { 0xffffffffc0003010, 0 };
	static const char snd[] = "snd 4096 0xffffffffc0003000 -\n";
	g_autoptr(SymbolStore) store = full_store();
	g_autofree char *before = NULL, *after = NULL;

	symbol_store_add_modules(store, 1, snd, strlen(snd));
	before = text_of(store, frames, 0);
	after = text_of(store, frames, 1);
	cr_expect_str_eq(before, " 0xffffffffc0003010 : open+0x10/0x1000 [ext4]\n");
	cr_expect_str_eq(after, " 0xffffffffc0003010 [snd+0x10/0x1000]\n");
}
