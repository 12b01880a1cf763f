/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options.h"
#include "report/report.h"

/* The commands of the suite, as the option table names them. */
typedef enum {
	TOOL_KMALLOC_TOP = 1 << 0,
	TOOLS_ALL = (1 << 1) - 1,
} ToolBit;

/*
 * A command of the suite: its name, its defaults and its report. What it does is the same for all.
 * To add one: a file with such a table and a main(), a bit, its rows in the option table.
 */
struct Tool {
	const char *name;    /* as it is called; its messages begin with it */
	const char *usage;   /* what may follow its name */
	const char *purpose; /* one line */
	ToolBit bit;
	unsigned events; /* bits of CollectEvents that it observes unless it is told otherwise */
	void (*print_report)(const Report *report, FILE *out);
};

/* The main() of a command. Returns its ExitStatus. */
int tool_main(const Tool *tool, int argc, char **argv);
