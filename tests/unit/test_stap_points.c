/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_points.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(stap_points);

static Preset *preset_of(const char *probe, const char *weight, const char *where)
{
	const char *const probes[] = { probe, NULL };
	Preset *preset = preset_of_probes(probes, NULL, NULL);

	cr_assert(preset);
	cr_assert(!weight || preset_set_weight(preset, weight, NULL));
	cr_assert(!where || preset_set_where(preset, where, NULL));
	return preset;
}

/* Asserts the last line of the script for this probe. */
static void assert_script(const char *probe, const char *weight, const char *where,
			  const char *wanted)
{
	g_autoptr(Preset) preset = preset_of(probe, weight, where);
	g_autoptr(GError) error = NULL;
	g_autoptr(StapPoints) points = stap_points_new(preset, NULL, &error);

	cr_assert(points, "%s", error ? error->message : "");
	cr_assert(g_str_has_suffix(points->script, wanted), "%s", points->script);
}

static void assert_fails(const char *probe, const char *weight, const char *where,
			 const char *wanted)
{
	g_autoptr(Preset) preset = preset_of(probe, weight, where);
	g_autoptr(GError) error = NULL;
	g_autoptr(StapPoints) points = stap_points_new(preset, NULL, &error);

	cr_assert_null(points);
	cr_assert_str_eq(error->message, wanted);
}

Test(stap_points, writes_a_probe_for_each_kind_of_point)
{
	static const struct {
		const char *probe, *script;
	} cases[] = {
		{ "t:kmem:mm_page_alloc",
		  "probe kernel.trace(\"kmem:mm_page_alloc\") { kmt_hit(0, 1, 0) }\n" },
		{ "sw:major-faults",
		  "probe perf.type(1).config(6).sample(1) { kmt_hit(0, 1, 0) }\n" },
		{ "k:vfs_read", "probe kprobe.function(\"vfs_read\") { kmt_hit(0, 1, 0) }\n" },
		{ "kr:vfs_read",
		  "probe kprobe.function(\"vfs_read\").return { kmt_hit(0, 1, 0) }\n" },
		{ "u:/bin/x:main",
		  "probe process(\"/bin/x\").function(\"main\") { kmt_hit(0, 1, 3) }\n" },
		{ "ur:/bin/x:main",
		  "probe process(\"/bin/x\").function(\"main\").return { kmt_hit(0, 1, 0) }\n" },
		{ "usdt:/bin/x:p:n",
		  "probe process(\"/bin/x\").provider(\"p\").mark(\"n\") { kmt_hit(0, 1, 0) }\n" },
		{ "kernel.function(\"vfs_read\").return",
		  "probe kernel.function(\"vfs_read\").return !, "
		  "kprobe.function(\"vfs_read\").return { kmt_hit(0, 1, 0) }\n" },
		{ "kernel.function(\"*@fs/open.c\")",
		  "probe kernel.function(\"*@fs/open.c\") { kmt_hit(0, 1, 0) }\n" },
		{ "module(\"ext4\").function(\"*\").call",
		  "probe module(\"ext4\").function(\"*\").call { kmt_hit(0, 1, 0) }\n" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
		assert_script(cases[i].probe, NULL, NULL, cases[i].script);
}

Test(stap_points, writes_formulas_in_systemtaps_language)
{
	assert_script("k:f", "arg2 * 2", "arg1 & 0xf == 3 || comm == \"x\"",
		      "{ if ((((ulong_arg(1) & 15) == 3) || (execname() == \"x\"))) "
		      "kmt_hit(0, (ulong_arg(2) * 2), 0) }\n");
	assert_script("kr:f", "pages(retval)", "!(tid < 7)",
		      "{ if ((!(tid() < 7))) kmt_hit(0, (1 << returnval()), 0) }\n");
	assert_script("usdt:/bin/x:p:n", "arg1", NULL, "kmt_hit(0, $arg1, 0) }\n");
	assert_script("kernel.trace(\"kmem:kfree\")", NULL, "ptr != -1",
		      "{ if (($ptr != (-1))) kmt_hit(0, 1, 0) }\n");
}

Test(stap_points, says_what_systemtap_cannot_do_and_what_can)
{
	assert_fails("t:kmem:mm_page_alloc", "order", NULL,
		     "t:kmem:mm_page_alloc: \"order\": SystemTap does not know \"order\" here: use "
		     "--collector=perf, or a preset with the key stap.weight=");
	assert_fails("k:f", NULL, "comm ~ \"py*\"",
		     "k:f: \"comm ~ \"py*\"\": SystemTap has no globs like py*: use "
		     "--collector=perf, or a preset with the key stap.where=");
	assert_fails(
		"k:f", "arg1 / arg2", NULL,
		"k:f: \"arg1 / arg2\": SystemTap computes \"/\" otherwise with such an operand: "
		"use --collector=perf, or a preset with the key stap.weight=");
	assert_fails("t:syscalls:sys_enter_brk", NULL, NULL,
		     "t:syscalls:sys_enter_brk: SystemTap sees no "
		     "tracepoints of single system calls: use --collector=perf, or a preset with "
		     "the key stap=");
	assert_fails("k:f+16", NULL, NULL,
		     "k:f+16: SystemTap probes no offsets without debuginfo: use "
		     "--collector=perf, or a preset with the key stap=");
}

static const char reclaim[] = "[preset]\nname=x\ntitle=X\nview=durations\n"
			      "[point.a]\nbegin=t:vmscan:b\nend=t:vmscan:e\n"
			      "value.PAGES=nr\nstap.value.PAGES=$nr\nwhere=nr != 0\n"
			      "stap.where=$nr != 0\n";

Test(stap_points, ends_of_time_spans_that_do_not_count_are_still_ends)
{
	g_autoptr(Preset) preset = preset_parse("x.preset", reclaim, NULL);
	g_autoptr(StapPoints) points = preset ? stap_points_new(preset, NULL, NULL) : NULL;

	cr_assert(points);
	cr_assert(
		strstr(points->script, "probe kernel.trace(\"vmscan:b\") { kmt_hit(0, 1, 0) }\n"));
	cr_assert(strstr(points->script, "probe kernel.trace(\"vmscan:e\") { if (($nr != 0)) "
					 "kmt_hit(1, ($nr), 1) else kmt_hit(1, 0, 2) }\n"),
		  "%s", points->script);
	cr_assert(points->has_pairs);
	cr_assert_eq(stap_points_at(points, 0)->role, POINT_ROLE_BEGIN);
	cr_assert_eq(stap_points_at(points, 1)->role, POINT_ROLE_END);
	cr_assert_str_eq(points->value_name, "nr");
}

Test(stap_points, lists_functions_and_programs_that_are_probed_by_name)
{
	const char *const probes[] = { "k:vfs_read", "kernel.function(\"vfs_write\")",
				       "process(\"/bin/x\").function(\"f\")", NULL };
	g_autoptr(Preset) preset = preset_of_probes(probes, NULL, NULL);
	g_autoptr(StapPoints) points = stap_points_new(preset, NULL, NULL);

	cr_assert_eq(points->functions->len, 2);
	cr_assert_str_eq(points->functions->pdata[0], "vfs_read");
	cr_assert_str_eq(points->functions->pdata[1], "vfs_write");
	cr_assert_eq(points->programs->len, 1);
	cr_assert_str_eq(points->programs->pdata[0], "/bin/x");
}
