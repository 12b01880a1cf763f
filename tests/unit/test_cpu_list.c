/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu_list.h"

#include "fake_host.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(cpu_list);

enum { PLENTY = 1000 };

/* A list, and how it is written when it was read. */
static void expect_text(const char *list, gsize bytes_max, const char *wanted)
{
	g_autoptr(GArray) cpus = cpu_list_parse(list);
	g_autofree char *text = NULL;

	cr_assert(ne(ptr, cpus, NULL), "%s", list);
	text = cpu_list_text(cpus, bytes_max);
	cr_expect(eq(str, text, (char *)wanted));
}

Test(cpu_list, what_the_kernel_writes_is_read)
{
	g_autoptr(GArray) cpus = cpu_list_parse("0-2,8\n");

	cr_assert(ne(ptr, cpus, NULL));
	cr_assert(eq(uint, cpus->len, 4));
	cr_expect(eq(u32, g_array_index(cpus, guint32, 2), 2));
	cr_expect(eq(u32, g_array_index(cpus, guint32, 3), 8));
}

Test(cpu_list, a_list_is_written_as_the_kernel_does)
{
	expect_text("0", PLENTY, "0");
	expect_text("1,3-5", PLENTY, "1,3-5");
	expect_text("1,2,3,7,8", PLENTY, "1-3,7-8");
	expect_text("65535", PLENTY, "65535");
}

Test(cpu_list, a_long_list_is_cut_between_two_ranges)
{
	expect_text("1,3-5,77,99", 11, "1,3-5,77,99");
	expect_text("1,3-5,77,99", 10, "1,3-5,77,...");
	expect_text("10-11", 3, "...");
}

Test(cpu_list, what_is_no_list_is_none)
{
	static const char *const texts[] = {
		"",           "\n",         "a",
		"0-",         "-3",         "0,",
		",0",         "0x3",        "0 1",
		"3-0",        "3,1",        "0-3,3",
		"0,0",        "+1",         "0--1",
		"0-3:1",      "65536",      "0-65536",
		"0-99999999", "4294967296", "18446744073709551616",
		"0-3\n4",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GArray) cpus = cpu_list_parse(texts[i]);

		cr_expect(eq(ptr, cpus, NULL), "'%s'", texts[i]);
	}
}

Test(cpu_list, a_file_is_found_below_the_root)
{
	g_autoptr(FakeHost) root = fake_host_new();
	g_autoptr(GArray) cpus = NULL;
	g_autoptr(GArray) missing = NULL;

	fake_host_write(root, "sys/devices/system/cpu/present", "0,2\n");
	cpus = cpu_list_read(root, "present");
	missing = cpu_list_read(root, "online");
	cr_assert(ne(ptr, cpus, NULL));
	cr_expect(eq(uint, cpus->len, 2));
	cr_expect(eq(ptr, missing, NULL));
}
