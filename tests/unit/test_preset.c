/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/preset.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(preset);

static const char whole[] = "# a comment\n"
			    "[preset]\n"
			    "name=reclaim\n"
			    "title=Waiting for memory\n"
			    "description=Which code stalls\n"
			    "view=durations\n"
			    "nouns=stall;stalls\n"
			    "weight=latency\n"
			    "weight-unit=ns\n"
			    "where=latency > 5\n"
			    "by=point,process\n"
			    "stacks=kernel\n"
			    "user-stacks=dwarf,4096\n"
			    "collectors=perf\n"
			    "needs=command | pid\n"
			    "[point.global]\n"
			    "begin=t:vmscan:a_begin\n"
			    "end=t:vmscan:a_end | k:b\n"
			    "value.PAGES=nr_reclaimed\n"
			    "begin.value.ORDER=order\n"
			    "begin.where=order > 0\n"
			    "stap.begin=kernel.trace(\"a_begin\")\n"
			    "stap.end=kernel.trace(\"a_end\")\n"
			    "stap.value.PAGES=$nr_reclaimed\n"
			    "optional=PAGES\n"
			    "[point.cgroup]\n"
			    "begin=k:f\n"
			    "end=kr:f\n"
			    "where=retval\n"
			    "weight=2\n"
			    "stap.weight=3\n"
			    "missing=needs CONFIG_MEMCG\n";

static Preset *parse(const char *text)
{
	GError *error = NULL;
	Preset *preset = preset_parse("a.preset", text, &error);

	cr_assert(preset, "%s", error ? error->message : "");
	return preset;
}

static const char *probe_text(GPtrArray *probes, guint at)
{
	return ((const ProbeSpec *)probes->pdata[at])->text;
}

Test(preset, a_file_says_what_to_observe_and_how_to_show_it)
{
	g_autoptr(Preset) preset = parse(whole);

	cr_expect_str_eq(preset->name, "reclaim");
	cr_expect_str_eq(preset->title, "Waiting for memory");
	cr_expect_str_eq(preset->description, "Which code stalls");
	cr_expect_str_eq(preset->noun, "stall");
	cr_expect_str_eq(preset->nouns, "stalls");
	cr_expect_str_eq(preset->by, "point,process");
	cr_expect_str_eq(preset->user_stacks, "dwarf,4096");
	cr_expect_eq(preset->view, PRESET_DURATIONS);
	cr_expect_eq(preset->unit, PRESET_UNIT_NS);
	cr_expect_eq(preset->stacks, PRESET_STACKS_KERNEL);
	cr_expect_eq(preset->collectors, PRESET_BY_PERF);
	cr_expect_eq(preset->needs, PRESET_NEEDS_COMMAND | PRESET_NEEDS_PID);
	cr_expect_eq(preset->points->len, 2);
}

Test(preset, a_point_has_its_probes_and_columns)
{
	g_autoptr(Preset) preset = parse(whole);
	const PresetPoint *point = preset->points->pdata[0];
	const PresetValue *pages = point->values->pdata[0];
	const PresetValue *order = point->values->pdata[1];

	cr_expect_str_eq(point->name, "global");
	cr_expect_str_eq(probe_text(point->begin, 0), "t:vmscan:a_begin");
	cr_assert_eq(point->probe->len, 2);
	cr_expect_str_eq(probe_text(point->probe, 1), "k:b");
	cr_expect_str_eq(probe_text(point->stap_begin, 0), "kernel.trace(\"a_begin\")");
	cr_expect_str_eq(probe_text(point->stap, 0), "kernel.trace(\"a_end\")");
	cr_expect_str_eq(point->begin_where.text, "order > 0");
	cr_assert_eq(point->values->len, 2);
	cr_expect_str_eq(pages->column, "PAGES");
	cr_expect_str_eq(pages->formula.text, "nr_reclaimed");
	cr_expect_str_eq(pages->formula.stap, "$nr_reclaimed");
	cr_expect(pages->is_optional && !pages->is_at_begin);
	cr_expect_str_eq(order->column, "ORDER");
	cr_expect(order->is_at_begin && !order->is_optional);
}

Test(preset, a_point_has_the_formulas_of_the_preset_unless_it_has_its_own)
{
	g_autoptr(Preset) preset = parse(whole);
	const PresetPoint *first = preset->points->pdata[0];
	const PresetPoint *second = preset->points->pdata[1];

	cr_expect_str_eq(first->weight.text, "latency");
	cr_expect_str_eq(first->where.text, "latency > 5");
	cr_expect_null(first->weight.stap);
	cr_expect_str_eq(second->weight.text, "2");
	cr_expect_str_eq(second->weight.stap, "3");
	cr_expect_str_eq(second->where.text, "retval");
	cr_expect_str_eq(second->missing, "needs CONFIG_MEMCG");
}

#define POINT "[point.a]\nprobe=k:f\n"
#define HEAD "[preset]\nname=a\ntitle=A\n"

Test(preset, most_keys_may_be_missing)
{
	g_autoptr(Preset) preset = parse(HEAD POINT);
	const PresetPoint *point = preset->points->pdata[0];

	cr_expect_eq(preset->view, PRESET_RANKED);
	cr_expect_eq(preset->unit, PRESET_UNIT_NONE);
	cr_expect_eq(preset->stacks, PRESET_STACKS_BOTH);
	cr_expect_eq(preset->collectors, PRESET_BY_PERF | PRESET_BY_STAP);
	cr_expect_eq(preset->needs, 0);
	cr_expect_str_eq(preset->noun, "event");
	cr_expect_str_eq(preset->nouns, "events");
	cr_expect_null(preset->columns);
	cr_expect_null(point->begin);
	cr_expect_null(point->weight.expression);
	cr_expect_null(point->where.expression);
}

typedef struct {
	const char *text;
	const char *message;
} WrongFile;

static const WrongFile wrong[] = {
	{ "", "a.preset: [preset] name: the key is missing" },
	{ "[preset]\nname=a\n" POINT, "a.preset: [preset] title: the key is missing" },
	{ HEAD, "a.preset: [preset] name: no probe point: add a group [point.NAME]" },
	{ HEAD "views=list\n" POINT, "a.preset: [preset] views: unknown key; there is view" },
	{ HEAD "view=table\n" POINT,
	  "a.preset: [preset] view: \"table\" is none of ranked, durations, list" },
	{ "[preset]\nname=../a\n" POINT,
	  "a.preset: [preset] name: a name has at most 32 small letters, digits, '-' and '_'" },
	{ HEAD "nouns=stall\n" POINT,
	  "a.preset: [preset] nouns: two nouns are needed, like \"stall;stalls\"" },
	{ HEAD "weight=1+\n" POINT,
	  "a.preset: [preset] weight: column 3: expected a number or a name, found the end" },
	{ HEAD "weight-unit=MB\n" POINT,
	  "a.preset: [preset] weight-unit: \"MB\" is none of bytes, pages, ns, none" },
	{ HEAD "stacks=all\n" POINT,
	  "a.preset: [preset] stacks: \"all\" is none of kernel, user, both, none" },
	{ HEAD "collectors=perf;bpf\n" POINT,
	  "a.preset: [preset] collectors: \"bpf\" is none of perf, stap" },
	{ HEAD "needs=root\n" POINT, "a.preset: [preset] needs: \"root\" is none of command, pid" },
	{ HEAD "user-stacks=lbr\n" POINT,
	  "a.preset: [preset] user-stacks: \"lbr\" is none of fp, dwarf, dwarf,BYTES, none" },
	{ HEAD "by=PID\n" POINT,
	  "a.preset: [preset] by: keys as of --by are needed, like \"point,process\"" },
	{ HEAD "columns=time\n" POINT,
	  "a.preset: [preset] columns: only view=list has columns: remove the key" },
	{ HEAD "view=list\ncolumns=time;PAGES\n" POINT,
	  "a.preset: [preset] columns: no column \"PAGES\": there are time, process, pid, tid, "
	  "cpu, cgroup, point, latency and those of value.COLUMN=" },
	{ HEAD "title=a\\tb\n" POINT,
	  "a.preset: [preset] title: a value has at most 4096 printable characters" },
	{ HEAD "description=\n" POINT,
	  "a.preset: [preset] description: a value is missing: write one or remove the key" },
	{ HEAD "[points]\n", "a.preset: [points]: unknown group; there are [preset] and "
			     "[point.NAME]" },
	{ HEAD "[point.a b]\nprobe=k:f\n",
	  "a.preset: [point.a b] name: a point's name has letters, digits, '-' and '_'" },
	{ HEAD "[point.a]\nprobes=k:f\n",
	  "a.preset: [point.a] probes: unknown key; there is probe" },
	{ HEAD "[point.a]\nprobe=x:f | k:f\n",
	  "a.preset: [point.a] probe: unknown kind of probe \"x:\": use t:GROUP:NAME, sw:NAME, "
	  "k:FUNCTION, kr:FUNCTION, u:FILE:SYMBOL, ur:FILE:SYMBOL or usdt:FILE:PROVIDER:NAME" },
	{ HEAD "[point.a]\nprobe=k:f\nvalue.F=arg1\nflags.F=CREAT\n",
	  "a.preset: [point.a] flags.F: names and numbers are needed, like "
	  "\"IPC_CREAT 0x200;IPC_EXCL 0x400\"" },
	{ HEAD "[point.a]\nmissing=x\n",
	  "a.preset: [point.a] probe: no probe point: write probe=, or begin= and end=" },
	{ HEAD "[point.a]\nend=k:f\n",
	  "a.preset: [point.a] probe: no probe point: write probe=, or begin= and end=" },
	{ HEAD "[point.a]\nbegin=k:f\n",
	  "a.preset: [point.a] end: a duration needs begin= and end=: write both" },
	{ HEAD "view=durations\n" POINT,
	  "a.preset: [point.a] begin: a duration needs begin= and end=: write both" },
	{ HEAD POINT "begin=k:g\nend=k:h\n",
	  "a.preset: [point.a] probe: a pair has begin= and end=: remove this key" },
	{ HEAD POINT "begin.where=1\n",
	  "a.preset: [point.a] begin: only pairs have a begin: write begin= and end=" },
	{ HEAD POINT "begin.value.A=1\n", "a.preset: [point.a] value.A: only pairs have a begin: "
					  "write value. without begin." },
	{ HEAD POINT "value.pages=1\n",
	  "a.preset: [point.a] value.pages: a column has at most 16 capitals, digits and '_', "
	  "like value.PAGES" },
	{ HEAD POINT "value.A=1\nbegin.value.A=2\n",
	  "a.preset: [point.a] begin.value.A: the column A has a formula already: remove one" },
	{ HEAD POINT "stap.value.A=$x\n",
	  "a.preset: [point.a] value.A: the column has no formula: write one" },
	{ HEAD POINT "optional=A\n",
	  "a.preset: [point.a] value.A: the column has no formula: write one" },
	{ HEAD POINT "stap.weight=1; exit()\n",
	  "a.preset: [point.a] stap.weight: ';' is not part of an expression: remove it" },
	{ HEAD POINT "stap=k:f\n",
	  "a.preset: [point.a] stap: a probe point in SystemTap's spelling is needed, like "
	  "kernel.trace(\"NAME\")" },
};

Test(preset, an_error_names_the_file_the_group_and_the_key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(Preset) preset = preset_parse("a.preset", wrong[i].text, &error);

		cr_expect_null(preset, "%s", wrong[i].text);
		cr_assert_not_null(error, "%s", wrong[i].text);
		cr_expect_str_eq(error->message, wrong[i].message);
	}
}

static const char *const hostile[] = {
	"[preset\n",
	"no group\n",
	HEAD "\033[31m\n",
	HEAD "title=\xff\033\n" POINT,
	HEAD "\033=1\n" POINT,
	HEAD "[point.\033]\nprobe=k:f\n",
	HEAD "title=a\\q\033\n" POINT,
};

static void expect_shown(const PresetPoint *point, const char *column, int64_t number,
			 const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < point->values->len; i++) {
		const PresetValue *value = point->values->pdata[i];

		if (g_str_equal(value->column, column))
			preset_value_append(value, number, text);
	}
	cr_expect_str_eq(text->str, expected, "%s %" G_GINT64_FORMAT ": %s", column, number,
			 text->str);
}

Test(preset, lists_show_addresses_flags_and_names)
{
	g_autoptr(Preset) preset =
		parse(HEAD "view=list\n[point.a]\nprobe=k:f\nvalue.A=arg1\nhex=A\n"
			   "value.F=arg2\nflags.F=RDONLY 0x1000; CREAT 512\n"
			   "value.C=arg3\nnames.C=RMID 0;STAT 2\nvalue.N=arg4\n");
	const PresetPoint *point = preset->points->pdata[0];

	expect_shown(point, "A", 0x7f0012345000, "0x7f0012345000");
	expect_shown(point, "A", 0, "0x0");
	expect_shown(point, "A", -22, "-22");
	expect_shown(point, "F", 0x1200 + 0666, "RDONLY|CREAT|0666");
	expect_shown(point, "F", 0x200, "CREAT");
	expect_shown(point, "F", 0, "0");
	expect_shown(point, "F", 0x8000, "0x8000");
	expect_shown(point, "C", 0, "RMID");
	expect_shown(point, "C", 7, "7");
	expect_shown(point, "N", 7, "7");
}

Test(preset, an_error_is_printable)
{
	for (size_t i = 0; i < G_N_ELEMENTS(hostile); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(preset_parse("a.preset", hostile[i], &error), "%s", hostile[i]);
		cr_assert_not_null(error);
		cr_expect_null(strchr(error->message, '\033'), "%s", error->message);
		cr_expect(g_utf8_validate(error->message, -1, NULL));
		cr_expect(g_str_has_prefix(error->message, "a.preset: "), "%s", error->message);
	}
}

Test(preset, probe_points_of_the_command_line_are_a_ranking)
{
	const char *const probes[] = { "t:kmem:mm_page_alloc", "k:a | k:b", NULL };
	g_autoptr(Preset) preset = preset_of_probes(probes, NULL, NULL);
	const PresetPoint *second;

	cr_assert_not_null(preset);
	cr_assert_eq(preset->points->len, 2);
	second = preset->points->pdata[1];
	cr_expect_str_eq(second->name, "k:a | k:b");
	cr_expect_eq(second->probe->len, 2);
	cr_expect_null(second->begin);
	cr_expect_eq(preset->view, PRESET_RANKED);
}

Test(preset, a_begin_makes_them_a_duration)
{
	const char *const probes[] = { "kr:f", "kr:g", NULL };
	const char *const none[] = { NULL };
	g_autoptr(Preset) preset = preset_of_probes(probes + 1, "k:g", NULL);
	g_autoptr(GError) two = NULL;
	g_autoptr(GError) no = NULL;

	cr_assert_not_null(preset);
	cr_expect_eq(preset->view, PRESET_DURATIONS);
	cr_expect_str_eq(probe_text(((PresetPoint *)preset->points->pdata[0])->begin, 0), "k:g");
	cr_expect_null(preset_of_probes(probes, "k:f", &two));
	cr_expect_str_eq(two->message, "a duration has one end: name one probe point");
	cr_expect_null(preset_of_probes(none, NULL, &no));
	cr_expect_str_eq(no->message, "no probe point: name one, for example t:kmem:mm_page_alloc");
}

Test(preset, formulas_of_the_command_line_replace_those_of_all_points)
{
	g_autoptr(Preset) preset = parse(whole);
	const PresetPoint *second = preset->points->pdata[1];
	g_autoptr(GError) error = NULL;

	cr_expect(preset_set_weight(preset, "pages(order)", NULL));
	cr_expect(preset_set_where(preset, "order > 2", NULL));
	cr_expect_str_eq(second->weight.text, "pages(order)");
	cr_expect_null(second->weight.stap, "the file's spelling for SystemTap is gone");
	cr_expect_str_eq(second->where.text, "order > 2");
	cr_expect_not(preset_set_where(preset, "order >", &error));
	cr_expect_str_eq(error->message, "column 8: expected a number or a name, found the end");
}
