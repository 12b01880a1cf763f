/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints --help and --version from the option table and the tables of metrics, renderers and keys.
 * tool.c calls it.
 */
#include "config.h"

#include "probes/preset_list.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "options/tool_description.h"
#include "report/slab_readings.h"

#include <string.h>

enum { HELP_COLUMN = 32, HELP_WIDTH = 80 };

/* Prints a line of two columns; wraps the second one. */
static void print_columns(FILE *out, const char *left, const char *right)
{
	g_auto(GStrv) words = g_strsplit(right, " ", -1);
	size_t column = HELP_COLUMN;

	fprintf(out, "  %-*s", HELP_COLUMN - 3, left);
	for (char **word = words; *word; word++) {
		if (column + strlen(*word) >= HELP_WIDTH && column > HELP_COLUMN) {
			fprintf(out, "\n%*s", HELP_COLUMN - 1, "");
			column = HELP_COLUMN;
		}
		fprintf(out, " %s", *word);
		column += strlen(*word) + 1;
	}
	fputc('\n', out);
}

static void print_row(const OptionRow *row, const Tool *tool, FILE *out)
{
	g_autoptr(GString) names = g_string_new(NULL);
	g_autofree char *help = NULL;

	if (row->short_name)
		g_string_append_printf(names, "-%c, ", row->short_name);
	else
		g_string_append(names, "    ");
	g_string_append_printf(names, "--%s", row->long_name);
	if (row->argument && *row->argument == '[')
		g_string_append_printf(names, "[=%s", row->argument + 1);
	else if (row->argument)
		g_string_append_printf(names, "=%s", row->argument);
	if (!row->help)
		help = option_events_help(tool);
	print_columns(out, names->str, row->help ? row->help : help);
}

static void print_metrics(MetricUse use, FILE *out)
{
	for (MetricId id = 0; id < METRICS; id++) {
		const Metric *metric = &metrics[id];
		const char *alias = use == METRIC_RATES ? metric->alias : NULL;
		g_autofree char *help =
			alias ? g_strdup_printf("%s (also: %s)", metric->help, alias)
			      : g_strdup(metric->help);

		if (metric->uses & use && metric->name)
			print_columns(out, metric->name, help);
	}
}

static void print_formats(const Tool *tool, FILE *out)
{
	fputs("\nNames of --format:\n", out);
	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (tool_renders(tool, renderer))
			print_columns(out, renderer->name, renderer->about);
}

static void print_keys(const Tool *tool, FILE *out)
{
	const bool is_of_hits = tool->bit == TOOL_STACK_TOP;

	if (tool->stream) {
		fputs("\nKeys of -s, --sort, and of --columns:\n", out);
		print_metrics(METRIC_RATES, out);
		return;
	}
	fputs("\nKeys of -s, --sort:\n", out);
	print_metrics(tool_ranks(tool), out);
	if (tool->read_overview) {
		fputs("\nKeys of -s, --sort, without a cache:\n", out);
		for (const SlabOrder *order = slab_orders; order->name; order++)
			print_columns(out, order->name, order->help);
	}
	fputs("\nKeys of --by:\n", out);
	for (const Dimension *key = dimensions; key->name; key++)
		if (dimension_fits(key, is_of_hits))
			print_columns(out, key->name, key->help);
}

static void print_examples(const ToolExample *examples, FILE *out)
{
	fputs("\nExamples:\n", out);
	for (const ToolExample *example = examples; example->command; example++)
		fprintf(out, "  %s:\n    %s\n", example->purpose, example->command);
}

void options_print_help(const Tool *tool, FILE *out)
{
	const char *section = NULL; /* printed with its first option */

	fprintf(out, "Usage: %s %s\n%s\n", tool->name, tool->usage, tool->purpose);
	for (const OptionRow *row = option_rows; row->long_name; row++) {
		if (row->kind == OPTION_SECTION)
			section = row->long_name;
		if (!option_row_is_of(row, tool))
			continue;
		if (section)
			fprintf(out, "\n%s:\n", section);
		section = NULL;
		print_row(row, tool, out);
	}
	print_keys(tool, out);
	print_formats(tool, out);
	print_examples(tool->examples, out);
}

/* Optional parts of the build. */
static const struct {
	const char *what;
	bool built_in;
} features[] = {
#ifdef HAVE_ZSTD
	{ "compressed recordings (zstd)", true },
#else
	{ "compressed recordings (zstd)", false },
#endif
#ifdef HAVE_LIBBPF
	{ "exact slab sizes of cache allocations (libbpf)", true },
#else
	{ "exact slab sizes of cache allocations (libbpf)", false },
#endif
#ifdef HAVE_LZMA
	{ "symbols packed into programs (liblzma)", true },
#else
	{ "symbols packed into programs (liblzma)", false },
#endif
#ifdef HAVE_LIBDEBUGINFOD
	{ "debuginfo from servers (libdebuginfod)", true },
#else
	{ "debuginfo from servers (libdebuginfod)", false },
#endif
#ifdef HAVE_NCURSES
	{ "interactive mode (ncurses)", true },
#else
	{ "interactive mode (ncurses)", false },
#endif
#ifdef HAVE_PROTOBUF_C
	{ "profiles for pprof (protobuf-c)", true },
#else
	{ "profiles for pprof (protobuf-c)", false },
#endif
};

void options_print_version(const Tool *tool, FILE *out)
{
	g_autofree char *scripts = data_folder("stap");

	fprintf(out, "%s %s\nLicense GPL-2.0-or-later. Scripts: %s\n", tool->name, PACKAGE_VERSION,
		scripts);
	for (gsize i = 0; i < G_N_ELEMENTS(features); i++)
		fprintf(out, "%s: %s\n", features[i].what, features[i].built_in ? "yes" : "no");
}
