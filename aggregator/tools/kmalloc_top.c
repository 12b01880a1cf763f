/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command kmalloc-top: its const description, and main().
 * All else is in tool.c.
 */
#include "tools/tool.h"

static const ToolExample examples[] = {
	{ "The five call paths that allocate most often, until Ctrl-C", "kmalloc-top -t 5" },
	{ "Who allocates how many bytes in ten seconds",
	  "kmalloc-top -d 10 --sort=bytes --by=process,module --human" },
	{ "What one command makes the kernel allocate",
	  "kmalloc-top --only-command -t 5 -c 'du -s /usr/include'" },
	{ NULL, NULL },
};

static const Tool kmalloc_top = {
	.name = "kmalloc-top",
	.usage = "[OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose = "Shows which kernel call paths allocate memory, how often, how much, for whom.",
	.examples = examples,
	.bit = TOOL_KMALLOC_TOP,
	.events = PROBE_KMALLOC,
	.report = REPORT_STACKS,
};

int main(int argc, char **argv)
{
	return tool_main(&kmalloc_top, argc, argv);
}
