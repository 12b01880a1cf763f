/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/run/gfp_flags.h"
#include "leaks.h"
#include "perf_fixtures.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(gfp_flags);

static void expect_flags(const GfpFlags *flags, const char *what, uint32_t dma,
			 uint32_t reclaimable, uint32_t account)
{
	cr_expect_eq(flags->values[GFP_FLAG_DMA], dma, "%s: %#x", what,
		     flags->values[GFP_FLAG_DMA]);
	cr_expect_eq(flags->values[GFP_FLAG_RECLAIMABLE], reclaimable, "%s: %#x", what,
		     flags->values[GFP_FLAG_RECLAIMABLE]);
	cr_expect_eq(flags->values[GFP_FLAG_ACCOUNT], account, "%s: %#x", what,
		     flags->values[GFP_FLAG_ACCOUNT]);
}

static GfpFlags flags_of(const char *text)
{
	size_t length = strlen(text);
	g_autofree char *exact = perf_fixture_exact(text, length);
	GfpFlags flags = { 0 };

	gfp_flags_read_format(&flags, exact, length);
	return flags;
}

/* What include/linux/gfp.h and gfp_types.h of these kernels say. */
Test(gfp_flags, known_kernels_show_their_values)
{
	static const char *const kernels[] = { "5.10", "6.1", "6.12", "6.18", "7.2" };

	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
		g_autofree char *fields = perf_fixture_format(kernels[i], "kmalloc");
		g_autofree char *printing =
			perf_fixture_read(kernels[i], "kmalloc.print_fmt", NULL);
		g_autofree char *whole = g_strdup_printf(
			"%.*s%s", (int)(strstr(fields, "print fmt:") - fields), fields, printing);
		GfpFlags flags = flags_of(whole);

		expect_flags(&flags, kernels[i], 0x1, 0x10, 0x400000);
	}
}

#define PRINTING(list)                                                                             \
	"name: kmalloc\nprint fmt: \"gfp_flags=%s\", (REC->gfp_flags) ? "                          \
	"__print_flags(REC->gfp_flags, \"|\", " list

/* Linux 3.10 and 4.18, as their include/trace/events/gfpflags.h and mmflags.h are expanded. */
Test(gfp_flags, values_and_names_of_older_kernels_are_others)
{
	GfpFlags flags = flags_of(
		PRINTING("{(unsigned long)((( gfp_t)0x10u) | (( gfp_t)0x40u)), \"GFP_NOFS\"}, "
			 "{(unsigned long)(( gfp_t)0x01u), \"GFP_DMA\"}, "
			 "{(unsigned long)(( gfp_t)0x80000u), \"GFP_RECLAIMABLE\"}"));

	expect_flags(&flags, "3.10", 0x1, 0x80000, 0);
	flags = flags_of(PRINTING("{(unsigned long)(( gfp_t)0x01u), \"GFP_DMA\"}, "
				  "{(unsigned long)(( gfp_t)0x10u), \"__GFP_RECLAIMABLE\"}, "
				  "{(unsigned long)(( gfp_t)0x100000u), \"__GFP_ACCOUNT\"}"));
	expect_flags(&flags, "4.18", 0x1, 0x10, 0x100000);
}

static uint32_t account_as(const char *value)
{
	g_autofree char *text =
		g_strconcat(PRINTING("{"), value, ", \"__GFP_ACCOUNT\"} ) : \"none\"\n", NULL);
	GfpFlags flags = flags_of(text);

	return flags.values[GFP_FLAG_ACCOUNT];
}

Test(gfp_flags, numbers_casts_shifts_and_alternatives_are_understood)
{
	cr_expect(eq(u32, account_as("64"), 64));
	cr_expect(eq(u32, account_as("0x40UL"), 64));
	cr_expect(eq(u32, account_as("(unsigned long)(gfp_t)(64u)"), 64));
	cr_expect(eq(u32, account_as("1 << 2 << 3"), 32));
	cr_expect(eq(u32, account_as("(1<<(31))"), 1U << 31));
	cr_expect(eq(u32, account_as("0|(0 | 8 )|8"), 8));
}

/* None of these is a value of one bit, or none that the program can be sure of. */
Test(gfp_flags, what_is_not_understood_is_not_known)
{
	static const char *const others[] = {
		"",
		" ",
		"0",
		"( gfp_t)0",
		"3",
		"1|2",
		"0x100000000",
		"99999999999999999999999",
		"1 << 64",
		"1 << 32",
		"1 <",
		"1 < 2",
		"1 <<",
		"1 |",
		"1 || 1",
		"(1",
		"1)",
		"()",
		"(gfp_t)",
		"(gfp_t",
		"1 2",
		"~1",
		"6 & 2",
		"1 + 1",
		"((((1UL))) << (___GFP_ACCOUNT_BIT))",
		"flags(1)",
		"1 << 1 \"x\"",
	};
	GString *deep = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		cr_expect_eq(account_as(others[i]), 0, "%s", others[i]);
	for (int i = 0; i < 60000; i++)
		g_string_append_c(deep, '(');
	cr_expect(eq(u32, account_as(deep->str), 0));
	g_string_free(deep, TRUE);
}

/* What is cut or has no list at all. */
Test(gfp_flags, any_text_is_survived)
{
	static const char whole[] = PRINTING("{(gfp_t)0x40u, \"__GFP_ACCOUNT\"}");

	for (size_t length = 0; length < sizeof(whole); length++) {
		g_autofree char *cut = g_strndup(whole, length);
		GfpFlags flags = flags_of(cut);

		cr_expect(flags.values[GFP_FLAG_ACCOUNT] == 0 ||
			  flags.values[GFP_FLAG_ACCOUNT] == 0x40);
	}
	cr_expect_eq(flags_of("\"__GFP_ACCOUNT\"").values[GFP_FLAG_ACCOUNT], 0);
	cr_expect_eq(flags_of("print fmt:\"__GFP_ACCOUNT\"").values[GFP_FLAG_ACCOUNT], 0);
	cr_expect_eq(flags_of("{1, \"__GFP_ACCOUNT\"} print fmt:").values[GFP_FLAG_ACCOUNT], 0);
}

#ifdef HAVE_LIBBPF
#include "btf_fixture.h"

/* As the kernels have it that print names instead of numbers: Linux 6.10 to 6.12. */
Test(gfp_flags, btf_has_what_the_format_lacks)
{
	GfpFlags flags =
		flags_of(PRINTING("{(gfp_t)((((1UL))) << (___GFP_ACCOUNT_BIT)), \"__GFP_ACCOUNT\"},"
				  " {0x20u, \"__GFP_RECLAIMABLE\"}"));
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "btf", NULL);
	struct btf *btf = btf__new_empty();

	btf__add_enum(btf, "of_another_kind", 4);
	btf__add_enum_value(btf, "___GFP_DMA_BIT", 9);
	btf__add_enum(btf, NULL, 4);
	btf__add_enum_value(btf, "___GFP_DMA_BIT", 0);
	btf__add_enum_value(btf, "___GFP_RECLAIMABLE_BIT", 4);
	btf__add_enum_value(btf, "___GFP_ACCOUNT_BIT", 22);
	btf_fixture_write(btf, folder, "btf");
	expect_flags(&flags, "format", 0, 0x20, 0);
	gfp_flags_read_btf(&flags, path);
	expect_flags(&flags, "BTF", 0x1, 0x20, 0x400000);
}

Test(gfp_flags, bits_that_no_flag_can_have_are_not_known)
{
	g_autoptr(TemporaryFolder) folder = temporary_folder();
	g_autofree char *path = g_build_filename(folder, "btf", NULL);
	struct btf *btf = btf__new_empty();
	GfpFlags flags = { 0 };

	btf__add_enum(btf, NULL, 4);
	btf__add_enum_value(btf, "___GFP_DMA_BIT", -1);
	btf__add_enum_value(btf, "___GFP_ACCOUNT_BIT", 32);
	btf_fixture_write(btf, folder, "btf");
	gfp_flags_read_btf(&flags, path);
	gfp_flags_read_btf(&flags, "/etc/passwd");
	gfp_flags_read_btf(&flags, "/nowhere");
	expect_flags(&flags, "BTF", 0, 0, 0);
}
#endif
