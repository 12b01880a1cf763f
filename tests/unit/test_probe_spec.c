/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/probe_spec.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(probe_spec);

static const ProbeSpec spelled[] = {
	{ PROBE_TRACEPOINT, "t:kmem:mm_page_alloc", NULL, "kmem", "mm_page_alloc", 0 },
	{ PROBE_TRACEPOINT, "t:sys*:sys_enter_[ab]?*", NULL, "sys*", "sys_enter_[ab]?*", 0 },
	{ PROBE_SOFTWARE, "sw:page-faults", NULL, NULL, "page-faults", 0 },
	{ PROBE_KPROBE, "k:handle_mm_fault", NULL, NULL, "handle_mm_fault", 0 },
	{ PROBE_KPROBE, "k:free_slab.isra.0+0x1f", NULL, NULL, "free_slab.isra.0", 31 },
	{ PROBE_KPROBE, "k:vfs_read+16", NULL, NULL, "vfs_read", 16 },
	{ PROBE_KRETPROBE, "kr:vfs_read", NULL, NULL, "vfs_read", 0 },
	{ PROBE_UPROBE, "u:libc:malloc", "libc", NULL, "malloc", 0 },
	{ PROBE_UPROBE, "u:/opt/a:b/my prog:_ZN1aC1Ev+4", "/opt/a:b/my prog", NULL, "_ZN1aC1Ev",
	  4 },
	{ PROBE_URETPROBE, "ur:/bin/bash:readline", "/bin/bash", NULL, "readline", 0 },
	{ PROBE_USDT, "usdt:libc:libc:memory_sbrk_more", "libc", "libc", "memory_sbrk_more", 0 },
	{ PROBE_USDT, "usdt:/a:b/node:node:gc__start", "/a:b/node", "node", "gc__start", 0 },
	{ PROBE_STAP, "kernel.function(\"__kmalloc\")", NULL, NULL,
	  "kernel.function(\"__kmalloc\")", 0 },
	{ PROBE_STAP, "timer.profile", NULL, NULL, "timer.profile", 0 },
	{ PROBE_STAP, "vm.pagefault(1)", NULL, NULL, "vm.pagefault(1)", 0 },
};

Test(probe_spec, each_spelling_has_its_parts)
{
	for (size_t i = 0; i < G_N_ELEMENTS(spelled); i++) {
		const ProbeSpec *expected = &spelled[i];
		g_autofree char *blanks = g_strdup_printf("  %s ", expected->text);
		g_autoptr(GError) error = NULL;
		g_autoptr(ProbeSpec) spec = probe_spec_parse(blanks, &error);

		cr_assert(spec, "%s: %s", expected->text, error->message);
		cr_expect_str_eq(spec->text, expected->text);
		cr_expect_eq(spec->type, expected->type, "%s", spec->text);
		cr_expect_eq(g_strcmp0(spec->path, expected->path), 0, "%s", spec->text);
		cr_expect_eq(g_strcmp0(spec->group, expected->group), 0, "%s", spec->text);
		cr_expect_eq(g_strcmp0(spec->name, expected->name), 0, "%s", spec->text);
		cr_expect_eq(spec->offset, expected->offset, "%s", spec->text);
	}
}

typedef struct {
	const char *text;
	const char *message;
} WrongSpelling;

#define ALL_FORMS                                                                                  \
	"use t:GROUP:NAME, sw:NAME, k:FUNCTION, kr:FUNCTION, u:FILE:SYMBOL, ur:FILE:SYMBOL "       \
	"or usdt:FILE:PROVIDER:NAME"

static const WrongSpelling wrong[] = {
	{ "x:foo", "unknown kind of probe \"x:\": " ALL_FORMS },
	{ "\033:foo", "probe \"\\x1b:foo\": control characters are not allowed: remove them" },
	{ "malloc", "probe \"malloc\": no kind of probe: " ALL_FORMS },
	{ "", "a probe is empty: use, for example, t:kmem:mm_page_alloc" },
	{ "t:kmem", "probe \"t:kmem\": a part is missing: use t:GROUP:NAME" },
	{ "t::a", "probe \"t::a\": a part is missing: use t:GROUP:NAME" },
	{ "t:kmem:", "probe \"t:kmem:\": a part is missing: use t:GROUP:NAME" },
	{ "t:../..:a", "probe \"t:../..:a\": '/' is not allowed here: use t:GROUP:NAME" },
	{ "t:a:b:c", "probe \"t:a:b:c\": ':' is not allowed here: use t:GROUP:NAME" },
	{ "t:a:b+1", "probe \"t:a:b+1\": t:GROUP:NAME takes no offset: leave out \"+1\"" },
	{ "t:a:b+\377",
	  "probe \"t:a:b+\\xff\": t:GROUP:NAME takes no offset: leave out \"+\\xff\"" },
	{ "sw:", "probe \"sw:\": a part is missing: use sw:NAME" },
	{ "k:vfs_*", "probe \"k:vfs_*\": only t:GROUP:NAME can have globs like '*'" },
	{ "k:vfs_read+", "probe \"k:vfs_read+\": the offset after '+' is a number of bytes, like "
			 "+16 or +0x10" },
	{ "k:a+0x100000000", "probe \"k:a+0x100000000\": the offset after '+' is a number of "
			     "bytes, like +16 or +0x10" },
	{ "kr:vfs_read+4", "probe \"kr:vfs_read+4\": kr:FUNCTION takes no offset: leave out "
			   "\"+4\"" },
	{ "k:caf\303\251", "probe \"k:caf\303\251\": only ASCII is allowed here: use k:FUNCTION" },
	{ "u:malloc", "probe \"u:malloc\": a part is missing: use u:FILE:SYMBOL" },
	{ "u::malloc", "probe \"u::malloc\": a part is missing: use u:FILE:SYMBOL" },
	{ "u:libc:", "probe \"u:libc:\": a part is missing: use u:FILE:SYMBOL" },
	{ "usdt:libc:x", "probe \"usdt:libc:x\": a part is missing: use usdt:FILE:PROVIDER:NAME" },
	{ "usdt:a:b c:d", "probe \"usdt:a:b c:d\": ' ' is not allowed here: use "
			  "usdt:FILE:PROVIDER:NAME" },
	{ "kernel.function(\"a\") { exit() }",
	  "probe \"kernel.function(\"a\") { exit() }\": '{' is "
	  "not part of a probe point: write the point "
	  "without a handler" },
};

Test(probe_spec, an_error_names_the_remedy)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(probe_spec_parse(wrong[i].text, &error), "%s", wrong[i].text);
		cr_assert_not_null(error, "%s", wrong[i].text);
		cr_expect_str_eq(error->message, wrong[i].message);
		cr_expect(g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE));
	}
}

Test(probe_spec, the_length_is_limited)
{
	g_autofree char *name = g_strnfill(5000, 'a');
	g_autofree char *text = g_strconcat("k:", name, NULL);
	g_autoptr(GError) error = NULL;

	cr_expect_null(probe_spec_parse(text, &error));
	cr_expect_str_eq(error->message, "a probe has more than 4096 characters: shorten it");
}

Test(probe_spec, alternatives_keep_their_order)
{
	g_autoptr(GPtrArray) specs = probe_alternatives_parse(
		"t:oom:mark_victim | k:oom_kill_process|kernel.function(\"a|b\") ", NULL);

	cr_assert_not_null(specs);
	cr_assert_eq(specs->len, 3);
	cr_expect_str_eq(((ProbeSpec *)specs->pdata[0])->text, "t:oom:mark_victim");
	cr_expect_str_eq(((ProbeSpec *)specs->pdata[1])->text, "k:oom_kill_process");
	cr_expect_str_eq(((ProbeSpec *)specs->pdata[2])->text, "kernel.function(\"a|b\")");
}

Test(probe_spec, each_alternative_must_be_right)
{
	g_autofree char *many = g_strnfill(40, '|');
	g_autofree char *points =
		g_strjoinv("k:a|", (char *[]){ "", "", "", "", "", "", "", "", "", "", "", "", "",
					       "", "", "", "", "k:a", NULL });
	g_autoptr(GError) empty = NULL;
	g_autoptr(GError) too_many = NULL;

	cr_expect_null(probe_alternatives_parse("k:a | | k:b", &empty));
	cr_expect_str_eq(empty->message,
			 "a probe is empty: use, for example, t:kmem:mm_page_alloc");
	cr_expect_null(probe_alternatives_parse(many, NULL));
	cr_expect_null(probe_alternatives_parse(points, &too_many));
	cr_expect_str_eq(too_many->message, "more than 16 alternatives: remove some");
}
