/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/tool.h"

static const Tool kmalloc_top = {
	.name = "kmalloc-top",
	.usage = "[OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose = "Which kernel call paths allocate memory, how often, how much, and for whom.",
	.bit = TOOL_KMALLOC_TOP,
	.events = COLLECT_KMALLOC,
	.print_report = report_print_text,
};

int main(int argc, char **argv)
{
	return tool_main(&kmalloc_top, argc, argv);
}
