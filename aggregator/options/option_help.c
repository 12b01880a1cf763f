/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints --help and --version from the option table and the tables of metrics, renderers and keys.
 * --help is what most people need, on one screen: the options with OPTION_COMMON, names of keys and
 * formats, three examples. --help=all has everything by subject. tool.c calls it.
 */
#include "config.h"

#include "probes/preset_list.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "options/tool_description.h"
#include "report/slab_readings.h"

#include <limits.h>
#include <string.h>

enum {
	HELP_COLUMN = 32,
	NAMES_COLUMN = 15, /* of lists of names, behind "Keys of --by:" */
	HELP_WIDTH = 80,
	EXAMPLES_ON_A_SCREEN = 3,
};

/* Prints a text from a column on, behind a text on the left; wraps it. */
static void print_wrapped(FILE *out, const char *left, size_t from, const char *right)
{
	g_auto(GStrv) words = g_strsplit(right, " ", -1);
	size_t column = from;

	fprintf(out, "%-*s", (int)from - 1, left);
	for (char **word = words; *word; word++) {
		if (column + strlen(*word) >= HELP_WIDTH && column > from) {
			fprintf(out, "\n%*s", (int)from - 1, "");
			column = from;
		}
		fprintf(out, " %s", *word);
		column += strlen(*word) + 1;
	}
	fputc('\n', out);
}

static void print_columns(FILE *out, const char *left, const char *right)
{
	g_autofree char *indented = g_strconcat("  ", left, NULL);

	print_wrapped(out, indented, HELP_COLUMN, right);
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

static void print_examples(const ToolExample *examples, unsigned most, FILE *out)
{
	fputs("\nExamples:\n", out);
	for (const ToolExample *example = examples; example->command && most--; example++)
		fprintf(out, "  %s:\n    %s\n", example->purpose, example->command);
}

static void print_all_options(const Tool *tool, FILE *out)
{
	const char *section = NULL; /* printed with its first option */

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
}

/* Returns the number of all options. */
static unsigned print_common_options(const Tool *tool, FILE *out)
{
	unsigned all = 0;

	fputc('\n', out);
	for (const OptionRow *row = option_rows; row->long_name; row++) {
		if (!option_row_is_of(row, tool))
			continue;
		if (row->kind & OPTION_COMMON)
			print_row(row, tool, out);
		all++;
	}
	return all;
}

static void print_names(const Tool *tool, FILE *out)
{
	g_autofree char *ranks = metric_names(tool_ranks(tool));
	g_autofree char *orders = slab_order_names(", ");
	g_autofree char *keys = dimension_names(tool->bit == TOOL_STACK_TOP);
	g_autofree char *formats = option_format_names(tool);

	fputc('\n', out);
	print_wrapped(out, "Keys of -s:", NAMES_COLUMN, ranks);
	if (tool->read_overview)
		print_wrapped(out, " without CACHE:", NAMES_COLUMN, orders);
	if (!tool->stream)
		print_wrapped(out, "Keys of --by:", NAMES_COLUMN, keys);
	print_wrapped(out, "Formats:", NAMES_COLUMN, formats);
}

void options_print_help(const Tool *tool, bool all, FILE *out)
{
	fprintf(out, "Usage: %s %s\n%s\n", tool->name, tool->usage, tool->purpose);
	if (all) {
		print_all_options(tool, out);
		print_keys(tool, out);
		print_formats(tool, out);
		print_examples(tool->examples, UINT_MAX, out);
	} else {
		const unsigned options = print_common_options(tool, out);

		print_names(tool, out);
		print_examples(tool->examples, EXAMPLES_ON_A_SCREEN, out);
		fprintf(out, "\n--help=all lists all %u options, and explains keys and formats.\n",
			options);
	}
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
#ifdef HAVE_BPF
	{ "BPF programs (clang, libbpf)", true },
#else
	{ "BPF programs (clang, libbpf)", false },
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
