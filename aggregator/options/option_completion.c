/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes the last word of a command line: an option, its value, or a word that the tool takes.
 * A const table leads from an option to a list, a function or a kind of file. Reads the host where
 * values are there (caches, processes, cgroups, tracepoints), bounded. tool.c calls it instead of a
 * run.
 */
#include "options/option_completion.h"

#include "base/escape.h"
#include "import/kernel_record.h"
#include "names/cgroup_names.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "options/tool_description.h"
#include "probes/preset_list.h"
#include "probes/probe_spec.h"
#include "record/probe_kinds.h"
#include "report/slab_readings.h"
#include "base/unconst.h"

#include <string.h>

/* A word of a command line that is being completed. */
typedef struct {
	const Tool *tool;
	const char *root;  /* "": this host; else the folder below which its files are read */
	GString *before;   /* the beginning of the word, which stays: "--by=process," */
	const char *typed; /* the rest of it: what candidates begin with */
	GHashTable *seen;  /* (element-type utf8) names that were offered, owned */
	FILE *out;
} Completion;

enum { CANDIDATES_MAX = 5000 }; /* some kernels have 3,000 tracepoints */

/* Whether every shell takes a name as it is, without quotes. */
static bool is_plain(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!g_ascii_isgraph(*c) || strchr("\"'`$\\|&;()<>*?[]{}!#~^", *c))
			return false;
	return *name;
}

/*
 * Prints a candidate if it begins with what was typed and was not printed yet, with a text about it
 * (NULL: none), escaped. Leaves out names that a shell would not take as they are: any user can
 * name a process.
 */
static void completion_offer(Completion *completion, const char *name, const char *about)
{
	if (!g_str_has_prefix(name, completion->typed) || !is_plain(name) ||
	    g_hash_table_size(completion->seen) >= CANDIDATES_MAX ||
	    !g_hash_table_add(completion->seen, g_strdup(name)))
		return;
	fprintf(completion->out, "%s%s", completion->before->str, name);
	if (about) {
		g_autofree char *escaped = escape_copy(about);

		fprintf(completion->out, "\t%s", escaped);
	}
	fputc('\n', completion->out);
}

/* Keeps what was typed up to its last divider; only the rest is completed. */
static void complete_behind(Completion *completion, char divider)
{
	const char *last = strrchr(completion->typed, divider);

	if (!last)
		return;
	g_string_append_len(completion->before, completion->typed, last + 1 - completion->typed);
	completion->typed = last + 1;
}

static void offer_words(Completion *completion, const char *words)
{
	g_auto(GStrv) split = g_strsplit_set(words, "[]| ", -1);

	for (char **word = split; *word; word++)
		completion_offer(completion, *word, NULL);
}

static void offer_metrics(Completion *completion, MetricUse use)
{
	for (MetricId id = 0; id < METRICS; id++)
		if (metrics[id].uses & use && metrics[id].name)
			completion_offer(completion, metrics[id].name, metrics[id].help);
}

static void offer_ranks(Completion *completion)
{
	offer_metrics(completion, tool_ranks(completion->tool));
	for (const SlabOrder *order = slab_orders; completion->tool->read_overview && order->name;
	     order++)
		completion_offer(completion, order->name, order->help);
}

static void offer_rate_columns(Completion *completion)
{
	if (!g_str_has_prefix(completion->typed, "+"))
		g_string_append_c(completion->before, '+');
	complete_behind(completion, '+');
	offer_metrics(completion, METRIC_RATES);
}

static void offer_hit_columns(Completion *completion)
{
	for (const char *const *column = preset_columns; *column; column++)
		completion_offer(completion, *column, NULL);
}

static void offer_keys(Completion *completion)
{
	for (const Dimension *key = dimensions; key->name; key++)
		if (dimension_fits(key, completion->tool->bit == TOOL_STACK_TOP))
			completion_offer(completion, key->name, key->help);
}

static void offer_formats(Completion *completion)
{
	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (tool_renders(completion->tool, renderer))
			completion_offer(completion, renderer->name, renderer->about);
}

static void offer_events(Completion *completion)
{
	const unsigned offered = option_events_offered(completion->tool);

	complete_behind(completion, '+');
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (kind->bit & offered)
			completion_offer(completion, kind->name, kind->covers);
}

static void offer_records(Completion *completion)
{
	for (const KernelRecord *record = kernel_records; record->name; record++)
		completion_offer(completion, record->name, record->path);
}

/* Opens a folder of the host; NULL if this user cannot read it. */
static GDir *host_folder(const Completion *completion, const char *path)
{
	g_autofree char *whole = g_strconcat(completion->root, path, NULL);

	return g_dir_open(whole, 0, NULL);
}

/* Returns the lines of a file of the host, owned by the caller. If it cannot be read, it has none.
 */
static char **host_lines(const Completion *completion, const char *path)
{
	g_autofree char *whole = g_strconcat(completion->root, path, NULL);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(whole, &text, NULL, NULL))
		return g_new0(char *, 1);
	return g_strsplit(text, "\n", -1);
}

/* Every user can list SLUB's folder, which also has the names of merged caches. Only root can read
   /proc/slabinfo. */
static void offer_caches(Completion *completion)
{
	g_autoptr(GDir) folder = host_folder(completion, "/sys/kernel/slab");
	g_auto(GStrv) lines = host_lines(completion, "/proc/slabinfo");
	const char *name;

	while (folder && (name = g_dir_read_name(folder)))
		if (*name != ':')
			completion_offer(completion, name, NULL);
	for (char **line = lines; *line && line[1]; line++) {
		(*line)[strcspn(*line, " ")] = '\0';
		if (line > lines + 1)
			completion_offer(completion, *line, NULL);
	}
}

/* Calls take with the pid of each process of the host. */
static void for_processes(Completion *completion,
			  void (*take)(Completion *completion, const char *pid))
{
	g_autoptr(GDir) folder = host_folder(completion, "/proc");
	const char *name;

	while (folder && (name = g_dir_read_name(folder)))
		if (g_ascii_isdigit(*name))
			take(completion, name);
}

/* Returns the name of a process, owned by the caller; NULL if it has ended. */
static char *process_name(const Completion *completion, const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/comm", pid);
	g_auto(GStrv) lines = host_lines(completion, path);

	return g_strdup(lines[0]);
}

static void offer_process(Completion *completion, const char *pid)
{
	g_autofree char *name = process_name(completion, pid);

	if (name)
		completion_offer(completion, name, NULL);
}

static void offer_pid(Completion *completion, const char *pid)
{
	g_autofree char *name = process_name(completion, pid);

	if (name)
		completion_offer(completion, pid, name);
}

/* The names of the cgroups that a process is in: lines "0::/system.slice/sshd.service". */
static void offer_cgroups_of(Completion *completion, const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/cgroup", pid);
	g_auto(GStrv) lines = host_lines(completion, path);

	for (char **line = lines; *line; line++) {
		const char *cgroup = strchr(*line, '/');
		g_autoptr(GString) label = g_string_new(NULL);

		if (!cgroup || !cgroup[1])
			continue;
		cgroup_label_append(label, cgroup, false);
		completion_offer(completion, label->str, cgroup);
	}
}

static void offer_processes(Completion *completion)
{
	for_processes(completion, offer_process);
}

static void offer_pids(Completion *completion)
{
	for_processes(completion, offer_pid);
}

static void offer_cgroups(Completion *completion)
{
	for_processes(completion, offer_cgroups_of);
}

static void offer_kernels(Completion *completion)
{
	g_autoptr(GDir) folder = host_folder(completion, "/lib/modules");
	const char *name;

	while (folder && (name = g_dir_read_name(folder)))
		completion_offer(completion, name, NULL);
}

static void offer_presets(Completion *completion)
{
	g_autoptr(GPtrArray) presets = preset_list(NULL, NULL);

	for (guint i = 0; i < presets->len; i++) {
		const Preset *preset = g_ptr_array_index(presets, i);

		completion_offer(completion, preset->name, preset->title);
	}
}

/* How probe points begin, and all tracepoints of the host behind "t:". */
static void offer_probes(Completion *completion)
{
	const char *prefix;

	for (guint i = 0; (prefix = probe_spec_prefix(i)); i++)
		completion_offer(completion, prefix, NULL);
	if (g_str_has_prefix(completion->typed, "t:")) {
		g_auto(GStrv) lines =
			host_lines(completion, "/sys/kernel/tracing/available_events");

		g_string_append(completion->before, "t:");
		completion->typed += strlen("t:");
		for (char **line = lines; *line; line++)
			completion_offer(completion, *line, NULL);
	}
}

/* Where the values of options come from, by long name. Options whose argument lists them
   ("full|none") need no row. */
static const struct {
	const char *option;
	unsigned tools;    /* bits of ToolBit */
	bool is_list;      /* several values, separated by commas */
	const char *words; /* fixed ones; NULL: */
	void (*offer)(Completion *completion);
} values[] = {
	{ "sort", TOOLS_ALL, false, NULL, offer_ranks },
	{ "by", TOOLS_ALL, true, NULL, offer_keys },
	{ "columns", TOOL_SLABRATETOP, true, NULL, offer_rate_columns },
	{ "print", TOOL_STACK_TOP, true, NULL, offer_hit_columns },
	{ "format", TOOLS_ALL, false, NULL, offer_formats },
	{ "events", TOOLS_ALL, true, NULL, offer_events },
	{ "import", TOOLS_ALL, false, NULL, offer_records },
	{ "cache", TOOLS_ALL, true, NULL, offer_caches },
	{ "exclude-cache", TOOLS_ALL, true, NULL, offer_caches },
	{ "process", TOOLS_ALL, true, NULL, offer_processes },
	{ "pid", TOOLS_ALL, true, NULL, offer_pids },
	{ "cgroup", TOOLS_ALL, false, NULL, offer_cgroups },
	{ "build-module", TOOLS_ALL, false, NULL, offer_kernels },
	{ "begin", TOOLS_ALL, false, NULL, offer_probes },
	{ "end", TOOLS_ALL, false, NULL, offer_probes },
	{ "collector", TOOLS_ALL, false, "auto perf stap", NULL },
	{ "stack-walk", TOOLS_ALL, false, "auto compare kernel", NULL },
	{ "cache-names", TOOLS_ALL, false, "auto compare probes", NULL },
	{ "user-stacks", TOOLS_ALL, false, "dwarf fp none", NULL },
	{ "help", TOOLS_ALL, false, "all", NULL },
	{ "input", TOOLS_ALL, false, ":file .kmr", NULL },
	{ "record", TOOLS_ALL, false, ":file .kmr", NULL },
	{ "diff", TOOLS_ALL, false, ":file .kmr", NULL },
	{ "module", TOOLS_ALL, false, ":file .ko", NULL },
	{ "output", TOOLS_ALL, false, ":file", NULL },
	{ "textfile", TOOLS_ALL, false, ":file", NULL },
	{ "kallsyms", TOOLS_ALL, false, ":file", NULL },
	{ "debuginfo", TOOLS_ALL, false, ":file", NULL },
	{ "sign-key", TOOLS_ALL, false, ":file", NULL },
	{ "sign-cert", TOOLS_ALL, false, ":file", NULL },
	{ "source-path", TOOLS_ALL, false, ":folder", NULL },
	{ "user", TOOLS_ALL, false, ":user", NULL },
	{ "command", TOOLS_ALL, false, ":command", NULL },
};

/* Offers values of an option. */
static void completion_offer_values(Completion *completion, const OptionRow *row)
{
	if (row->argument && strchr(row->argument, '|'))
		offer_words(completion, row->argument);
	for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
		if (!g_str_equal(values[i].option, row->long_name) ||
		    !(values[i].tools & completion->tool->bit))
			continue;
		if (values[i].is_list)
			complete_behind(completion, ',');
		if (values[i].offer)
			values[i].offer(completion);
		else if (*values[i].words == ':')
			fprintf(completion->out, "%s\n", values[i].words);
		else
			offer_words(completion, values[i].words);
	}
}

/* Offers words that are no options: what the tool observes. */
static void completion_offer_objects(Completion *completion)
{
	switch (completion->tool->bit) {
	case TOOL_SLABSTACK:
		complete_behind(completion, ',');
		offer_caches(completion);
		break;
	case TOOL_STACK_TOP:
		offer_presets(completion);
		offer_probes(completion);
		break;
	default:
		break;
	}
}

/* The line. */

/* Offers the long names; those that take a value end with '='. */
static void offer_options(Completion *completion)
{
	for (const OptionRow *row = option_rows; row->long_name; row++) {
		g_autofree char *name = NULL;

		if (!option_row_is_of(row, completion->tool))
			continue;
		name = g_strdup_printf("--%s%s", row->long_name,
				       option_takes_value(row) ? "=" : "");
		completion_offer(completion, name, row->help);
	}
}

/* Offers values for "--by=pro". */
static void offer_attached_value(Completion *completion)
{
	const char *value = strchr(completion->typed, '=') + 1;
	g_autofree char *name =
		g_strndup(completion->typed, (gsize)(value - 1 - completion->typed));
	const OptionRow *row = option_row_lookup(completion->tool, name);

	g_string_append_len(completion->before, completion->typed, value - completion->typed);
	completion->typed = value;
	if (row && row->argument)
		completion_offer_values(completion, row);
}

/* The words before the last one: leaves in *awaiting the option whose value the last one is, or
   NULL. Returns the index of the first word of a command behind "--", or -1. */
static int read_words(const Tool *tool, char *const *words, const OptionRow **awaiting)
{
	*awaiting = NULL;
	for (int i = 0; words[i + 1]; i++) {
		if (*awaiting)
			*awaiting = NULL;
		else if (g_str_equal(words[i], "--"))
			return i + 1;
		else
			*awaiting = option_awaits_value(tool, words[i]);
	}
	return -1;
}

void option_completion_print(const Tool *tool, const char *root, char *const *words, FILE *out)
{
	g_autoptr(GString) before = g_string_new(NULL);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	Completion completion = {
		.tool = tool, .root = root, .before = before, .seen = seen, .out = out
	};
	const OptionRow *awaiting;
	int command;

	if (!*words)
		return;
	command = read_words(tool, words, &awaiting);
	completion.typed = words[g_strv_length(unconst(words)) - 1];
	if (command >= 0)
		fprintf(out, ":command %d\n", command);
	else if (awaiting)
		completion_offer_values(&completion, awaiting);
	else if (g_str_has_prefix(completion.typed, "--") && strchr(completion.typed, '='))
		offer_attached_value(&completion);
	else if (*completion.typed == '-')
		offer_options(&completion);
	else
		completion_offer_objects(&completion);
}
