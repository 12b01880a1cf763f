/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/option_table.h"

#include "tools/tool.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(option_attached);

static const struct {
	ToolBit bit;
	const char *words; /* divided by blanks, as are those that are expected */
	const char *split;
} lines[] = {
	/* Attached. */
	{ TOOL_KMALLOC_TOP, "top -t1 -d 0.2", "top -t 1 -d 0.2" },
	{ TOOL_KMALLOC_TOP, "top -d1 -q", "top -d 1 -q" },
	{ TOOL_KMALLOC_TOP, "top -i FILE -etcp_", "top -i FILE -e tcp_" },
	{ TOOL_KMALLOC_TOP, "top -csleep -m10", "top -c sleep -m 10" },
	{ TOOL_SLABRATETOP, "rates -r3 0.2 1", "rates -r 3 0.2 1" },
	{ TOOL_SLABRATETOP, "rates 0.2 -r3 1 -sname", "rates 0.2 -r 3 1 -s name" },
	{ TOOL_SLABSTACK, "stack dentry -t5", "stack dentry -t 5" },
	/* As getopt() has it. */
	{ TOOL_KMALLOC_TOP, "top -t=5", "top -t =5" },
	{ TOOL_KMALLOC_TOP, "top -t-5 -i-", "top -t -5 -i -" },
	/* Flags before it. */
	{ TOOL_KMALLOC_TOP, "top -qt5", "top -qt 5" },
	{ TOOL_KMALLOC_TOP, "top -qvt 5", "top -qvt 5" },
	{ TOOL_KMALLOC_TOP, "top -qv -vt5q", "top -qv -vt 5q" },
	/* Values, whatever they look like. */
	{ TOOL_KMALLOC_TOP, "top -e -t5 -t5", "top -e -t5 -t 5" },
	{ TOOL_KMALLOC_TOP, "top -qe -t5 -t5", "top -qe -t5 -t 5" },
	{ TOOL_KMALLOC_TOP, "top --exclude -t5 -t5", "top --exclude -t5 -t 5" },
	{ TOOL_KMALLOC_TOP, "top --exclude=x -t5", "top --exclude=x -t 5" },
	{ TOOL_KMALLOC_TOP, "-t5 -t5", "-t5 -t 5" },
	/* The value of this one is optional: never the next word. */
	{ TOOL_KMALLOC_TOP, "top --build-module -Ox.ko", "top --build-module -O x.ko" },
	{ TOOL_KMALLOC_TOP, "top --human -t5", "top --human -t 5" },
	/* What this tool does not have is left to the parser's message. */
	{ TOOL_KMALLOC_TOP, "top -r3 -q3t5 -1 --no -t5", "top -r3 -q3t5 -1 --no -t 5" },
	{ TOOL_SLABRATETOP, "rates -t5 -", "rates -t5 -" },
	{ TOOL_KMALLOC_TOP, "top -t", "top -t" },
	{ TOOL_KMALLOC_TOP, "top", "top" },
};

Test(option_attached, values_become_words_of_their_own)
{
	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		const Tool tool = { .bit = lines[i].bit };
		g_auto(GStrv) words = g_strsplit(lines[i].words, " ", -1);
		g_auto(GStrv) split = option_attached_split(&tool, words);
		g_autofree char *joined = g_strjoinv(" ", split);

		cr_expect_str_eq(joined, lines[i].split);
	}
}
