/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "symbols/code_objects.h"

#include "leaks.h"
#include "record/batch_writer.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(code_objects);

static void read_text(CodeObjects *objects, uint8_t kind, uint32_t epoch, const char *text)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	Batch batch;

	batch_write_text(bytes, kind, epoch, text, strlen(text));
	cr_assert(batch_parse(bytes->data, bytes->len, &batch));
	code_objects_read_batch(objects, &batch);
}

static void add(CodeObjects *objects, uint32_t epoch, const char *modules, const char *sections)
{
	read_text(objects, KMT_BATCH_MODULES, epoch, modules);
	read_text(objects, KMT_BATCH_SECTIONS, epoch, sections);
}

/* A kernel with text, ext4 with two sections, a module without build id, one without sections. */
static CodeObjects *host(void)
{
	CodeObjects *objects = code_objects_new();

	code_objects_set_text(objects, 0xffffffff81000000, 0xffffffff82000000);
	add(objects, 0,
	    "kernel 0 0x0 06f8bde3\n"
	    "ext4 65536 0xffffffffc0100000 aabb01\n"
	    "anon 4096 0xffffffffc0200000 -\n"
	    "bare 4096 0xffffffffc0300000 ccdd\n",
	    "ext4 .text 0xffffffffc0100000\n"
	    "ext4 .init.text 0xffffffffc0180000\n"
	    "anon .text 0xffffffffc0200000\n");
	return objects;
}

static void expect_place(const CodeObjects *objects, uint32_t epoch, uint64_t address,
			 const char *key, uint64_t offset)
{
	uint64_t found;
	const CodeObject *object = code_objects_find(objects, epoch, address, &found);

	cr_assert_not_null(object, "%#lx", (unsigned long)address);
	cr_expect_eq(g_strcmp0(object->key, key), 0, "%#lx: %s", (unsigned long)address,
		     object->key);
	cr_expect_eq(found, offset);
}

Test(code_objects, a_place_does_not_depend_on_load_addresses)
{
	g_autoptr(CodeObjects) objects = host();

	expect_place(objects, 0, 0xffffffff81000000, "k:06f8bde3", 0);
	expect_place(objects, 0, 0xffffffff81abcdef, "k:06f8bde3", 0xabcdef);
	expect_place(objects, 0, 0xffffffffc0100010, "m:aabb01:.text", 0x10);
	expect_place(objects, 0, 0xffffffffc0180123, "m:aabb01:.init.text", 0x123);
}

Test(code_objects, what_was_not_recorded_has_no_key)
{
	g_autoptr(CodeObjects) objects = host();
	uint64_t offset;

	expect_place(objects, 0, 0xffffffffc0200010, NULL, 0x10);
	expect_place(objects, 0, 0xffffffffc0300010, NULL, 0x10);
	cr_expect_str_eq(code_objects_find(objects, 0, 0xffffffffc0300010, &offset)->build_id,
			 "ccdd");
	cr_expect_null(code_objects_find(objects, 0, 0xffffffffc0110000 + 0x100000, &offset));
	cr_expect_null(code_objects_find(objects, 0, 0x1000, &offset));
}

/* As in symbol_store: the size of a module is that of all its parts. */
Test(code_objects, behind_a_module_is_none_that_starts_before_it)
{
	g_autoptr(CodeObjects) objects = code_objects_new();
	uint64_t offset;

	add(objects, 0, "big 65536 0xffffffffc0001000 aa\nsmall 4096 0xffffffffc0004000 bb\n",
	    "big .text 0xffffffffc0001000\nsmall .text 0xffffffffc0004000\n");
	expect_place(objects, 0, 0xffffffffc0003fff, "m:aa:.text", 0x2fff);
	expect_place(objects, 0, 0xffffffffc0004fff, "m:bb:.text", 0xfff);
	cr_expect_null(code_objects_find(objects, 0, 0xffffffffc0005000, &offset));
}

Test(code_objects, an_epoch_has_its_own_modules)
{
	g_autoptr(CodeObjects) objects = host();
	uint64_t offset;

	add(objects, 2, "xfs 65536 0xffffffffc0100000 ee01\n", "xfs .text 0xffffffffc0100000\n");
	expect_place(objects, 0, 0xffffffffc0100010, "m:aabb01:.text", 0x10);
	expect_place(objects, 1, 0xffffffffc0100010, "m:aabb01:.text", 0x10);
	expect_place(objects, 2, 0xffffffffc0100010, "m:ee01:.text", 0x10);
	expect_place(objects, 7, 0xffffffff81000020, "k:06f8bde3", 0x20);
	/* It was unloaded. */
	cr_expect_null(code_objects_find(objects, 2, 0xffffffffc0200010, &offset));
}

Test(code_objects, a_module_may_be_used_before_its_epoch)
{
	g_autoptr(CodeObjects) objects = host();

	add(objects, 1, "xfs 65536 0xffffffffc0500000 ee01\n", "xfs .text 0xffffffffc0500000\n");
	expect_place(objects, 0, 0xffffffffc0500010, "m:ee01:.text", 0x10);
}

Test(code_objects, an_object_of_many_epochs_is_one)
{
	g_autoptr(CodeObjects) objects = host();
	g_autoptr(GArray) loads = NULL;

	for (uint32_t epoch = 1; epoch < 100; epoch++)
		add(objects, epoch, "ext4 65536 0xffffffffc0900000 aabb01\n",
		    "ext4 .text 0xffffffffc0900000\n");
	loads = code_objects_loads(objects);
	/* The kernel, three modules and their three sections; ext4 also where it was loaded later.
	 */
	cr_expect_eq(loads->len, 9);
	expect_place(objects, 50, 0xffffffffc0900010, "m:aabb01:.text", 0x10);
}

static void expect_load(const GArray *loads, guint index, const char *name, const char *section,
			uint64_t address)
{
	const CodeLoad *load = &g_array_index(loads, CodeLoad, index);

	cr_expect_str_eq(load->object->name, name);
	cr_expect_eq(g_strcmp0(load->object->section, section), 0);
	cr_expect_eq(load->address, address);
}

Test(code_objects, loads_are_listed_by_object_then_by_address)
{
	g_autoptr(CodeObjects) objects = host();
	g_autoptr(GArray) loads = NULL;

	add(objects, 7, "ext4 65536 0xffffffffc0050000 aabb01\n",
	    "ext4 .text 0xffffffffc0050000\n");
	loads = code_objects_loads(objects);
	cr_assert_eq(loads->len, 9);
	expect_load(loads, 0, "kernel", NULL, 0xffffffff81000000);
	expect_load(loads, 1, "anon", NULL, 0xffffffffc0200000);
	expect_load(loads, 2, "anon", ".text", 0xffffffffc0200000);
	expect_load(loads, 3, "bare", NULL, 0xffffffffc0300000);
	expect_load(loads, 4, "ext4", NULL, 0xffffffffc0050000);
	expect_load(loads, 5, "ext4", NULL, 0xffffffffc0100000);
	expect_load(loads, 6, "ext4", ".text", 0xffffffffc0050000);
	expect_load(loads, 7, "ext4", ".text", 0xffffffffc0100000);
	expect_load(loads, 8, "ext4", ".init.text", 0xffffffffc0180000);
}

Test(code_objects, lines_that_make_no_sense_are_skipped)
{
	static const char *const lines[] = { "",
					     "\n\n",
					     "ext4",
					     "ext4 x 0x1 aa",
					     "ext4 1 zz aa",
					     "ext4 .text",
					     "nobody .text 0x1000",
					     " . 0 0 ",
					     "ext4 .text 0xfffffffffffffffff" };

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(CodeObjects) objects = code_objects_new();
		uint64_t offset;

		add(objects, 0, lines[i], lines[i]);
		cr_expect_null(code_objects_find(objects, 0, 0x1000, &offset));
	}
}

/* 70,000 modules, and as many epochs: what is beyond the limits is left out. */
Test(code_objects, memory_is_bounded)
{
	g_autoptr(CodeObjects) objects = code_objects_new();
	g_autoptr(GArray) loads = NULL;

	for (unsigned i = 0; i < 70000; i++) {
		g_autofree char *line =
			g_strdup_printf("m%u 4096 0x%x %04x\n", i, 0x10000 + i * 4096, i);

		read_text(objects, KMT_BATCH_MODULES, i, line);
	}
	loads = code_objects_loads(objects);
	cr_expect_leq(loads->len, 65536);
}
