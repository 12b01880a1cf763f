/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules between options: a table says which words break each rule, and the message. A second table
 * has the words that are not names of options. All rules are checked when everything is parsed.
 */
#include "options/option_rules.h"

#include "collect/run/collect_live.h"
#include "collect/run/collector_types.h"
#include "collect/stap/stap_options.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "options/tool_description.h"

#include <string.h>
#include <unistd.h>

/* Conditions: what more than one option, or a value, decides. */

static bool has_probes(const Options *options)
{
	return options->points.words->len > 0;
}

static bool is_paired(const Options *options)
{
	return options->live.request.what.held && !options->input.kernel.record;
}

static bool reads_several(const Options *options)
{
	return options->input.paths->len > 1 ||
	       (options->input.path && g_file_test(options->input.path, G_FILE_TEST_IS_DIR));
}

static bool shows_rates(const Options *options)
{
	return options->tool->stream != NULL;
}

static bool compares_walks(const Options *options)
{
	return options->live.request.stap.walk == STACK_WALK_COMPARE;
}

static bool uses_perf(const Options *options)
{
	return options->live.collector == &perf_collector;
}

static bool uses_bpf(const Options *options)
{
	return options->live.collector == &bpf_collector;
}

static bool prints_to_terminal(const Options *options)
{
	return isatty(STDOUT_FILENO) && !options->check;
}

static bool is_built(const Options *options)
{
	return options->output.renderer->render != NULL;
}

static bool sort_adds_up(const Options *options)
{
	return metric_adds_up(view_rank(&options->view));
}

#define MEMBER(field)                                                                              \
	{                                                                                          \
		offsetof(Options, field), sizeof(((Options *)NULL)->field)                         \
	}

/* The words of rules that are not options. A condition holds if one of its columns does. */
static const struct {
	const char *word;
	struct {
		size_t offset, bytes;
	} set; /* a member of Options that is not 0 */
	bool (*holds)(const Options *options);
	unsigned traits;  /* RenderTrait, of --format */
	unsigned reports; /* RENDERS(), of --format */
	unsigned sorts;   /* MetricNeed, of -s */
} conditions[] = {
	{ .word = "LIVE", .set = MEMBER(live.is_given) },
	{ .word = "COMMAND", .set = MEMBER(live.request.command.words) },
	{ .word = "PROBES", .holds = has_probes }, /* words of stack-top */
	{ .word = "CACHE", .set = MEMBER(choice.caches) },
	{ .word = "INTERVAL", .set = MEMBER(rate.interval_given) },
	{ .word = "COPY", .set = MEMBER(input.kernel.files[0]) }, /* of a record of the kernel */
	{ .word = "PAIRED", .holds = is_paired },
	{ .word = "SEVERAL", .holds = reads_several },
	{ .word = "RATES", .holds = shows_rates },
	{ .word = "LINES", .set = MEMBER(lines.are_needed) },
	{ .word = "STACKS", .set = MEMBER(live.request.what.stack_depth) },
	{ .word = "WALKS-COMPARED", .holds = compares_walks },
	{ .word = "PIECES-OF-TIME", .set = MEMBER(live.request.record.piece_ns) },
	{ .word = "PERF", .holds = uses_perf },
	{ .word = "BPF", .holds = uses_bpf },
	{ .word = "TERMINAL", .holds = prints_to_terminal },
	{ .word = "FORMAT-IS-BUILT", .holds = is_built },
	{ .word = "FORMAT-IS-OF-A-FILE", .traits = RENDER_TO_FILE },
	{ .word = "FORMAT-IS-ONE-FILE", .traits = RENDER_ONCE },
	{ .word = "FORMAT-OF-STACKS", .traits = RENDER_STACKS },
	{ .word = "FORMAT-OF-TOTALS", .traits = RENDER_TOTALS },
	{ .word = "FORMAT-OF-INFO", .reports = RENDERS(REPORT_INFO) },
	{ .word = "FORMAT-OF-DIFF", .reports = RENDERS(REPORT_DIFF) },
	{ .word = "SORT-ADDS-UP", .holds = sort_adds_up },
	{ .word = "SORT-OF-HELD", .sorts = NEEDS_HELD | NEEDS_AGES },
	{ .word = "SORT-OF-PAIRS", .sorts = NEEDS_PAIRS },
	{ .word = "SORT-OF-AGES", .sorts = NEEDS_AGES },
};

/* What is left of rules beside their words. */

static bool diff_is_folder(const Options *options)
{
	return g_file_test(options->output.diff, G_FILE_TEST_IS_DIR);
}

static bool reads_stdin(const Options *options)
{
	return g_str_equal(options->input.path, "-");
}

static bool several_are_stdin(const Options *options)
{
	guint standard_inputs = 0;

	for (guint i = 0; i < options->input.paths->len; i++)
		standard_inputs += g_str_equal(options->input.paths->pdata[i], "-");
	return standard_inputs > 1;
}

/* A few addresses are allocated again and again. */
static bool sorts_by_sampled_run(const Options *options)
{
	return options->live.request.what.sampling_period > 1 && options->view.sort &&
	       options->view.sort->of_run;
}

static bool groups_by_held(const Options *options)
{
	const Dimension *const *key = options->view.by;

	while (*key && !(*key)->of_held)
		key++;
	return *key;
}

static bool copies_are_stdin(const Options *options)
{
	const char *const *files = options->input.kernel.files;

	return files[1] && g_str_equal(files[0], "-") && g_str_equal(files[1], "-");
}

static bool slice_is_empty(const Options *options)
{
	return options->input.slice.from_ns >= options->input.slice.to_ns;
}

static bool compiles_otherwise(const Options *options)
{
	g_autoptr(StapOptions) split = stap_options_parse(options->live.request.stap.options, NULL);

	return split->compile->len > 0;
}

static bool observes_no_caches(const Options *options)
{
	return options->tool->caches_only &&
	       options->live.request.what.events & ~probe_kinds_of_caches();
}

static bool is_one_of(const char *path, const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++)
		if (g_str_equal(path, files->pdata[i]))
			return true;
	return false;
}

static bool output_is_other_file(const Options *options)
{
	const char *output = options->output.path;

	return is_one_of(output, options->input.paths) ||
	       is_one_of(output, options->input.kernel_files) ||
	       !g_strcmp0(output, options->output.diff) ||
	       !g_strcmp0(output, options->live.request.record.path);
}

static const OptionRule option_rules[] = {
	{ "per !diff", NULL, "--per is about a comparison: add --diff=OLD" },
	{ "diff import|info|missing-debuginfo|build-module", NULL,
	  "--diff compares runs: use it without --import, --info, --missing-debuginfo and "
	  "--build-module" },
	{ "diff record=-", NULL,
	  "--record=- prints no report that --diff could compare: leave it out" },
	{ "diff pid", NULL,
	  "--diff: a pid is another process in each run: use --process or --cgroup instead of "
	  "-p" },
	{ "diff kallsyms", NULL,
	  "--kallsyms is of one kernel, but --diff compares two runs: use recordings with "
	  "symbols" },
	{ "diff !FORMAT-OF-DIFF", NULL,
	  "--diff cannot be shown so: use --format=text, json, ndjson, csv, folded or html" },
	{ "diff", diff_is_folder, "--diff compares two recordings: use --diff=FILE, not a folder" },
	{ "diff=- input", reads_stdin, "--diff: standard input can be one of the runs only" },
	{ "check input|import|build-module", NULL,
	  "--check checks a run on this host: use it without -i, --import and --build-module" },
	{ "input LIVE", NULL,
	  "-i reads a file: use it without the options that control a live run (-c, -d, -u, -o, "
	  "--every, --only-command, --include-self, --events, --stacks, --max-stack, "
	  "--stack-walk, --sample, --collector, --max-overhead, --buffer, --record, "
	  "--record-max, --record-rotate, --module, --build-module)" },
	{ "SEVERAL RATES|info|missing-debuginfo|diff", NULL,
	  "slabratetop, --info, --missing-debuginfo and --diff take one recording: use -i FILE "
	  "once, and no folder" },
	{ "input", several_are_stdin, "-i -: standard input can be one of the recordings only" },
	{ "import input", NULL, "--import and -i read different things: use one of them" },
	{ "import LIVE", NULL,
	  "--import reads a record of the kernel: use it without the options that control a "
	  "live run (see -i)" },
	{ "min-age|peak !PAIRED", NULL,
	  "--min-age and --peak choose among held objects: add --held" },
	{ "SORT-OF-HELD !PAIRED !import", NULL,
	  "-s held, held-bytes and age rank held objects: add --held, or use --import" },
	{ "SORT-OF-PAIRS !PAIRED", NULL,
	  "-s allocated, freed, short-lived, cross-cpu, run-bytes, run-waste and peak rank "
	  "paired allocations: add --held" },
	{ "PAIRED", sorts_by_sampled_run,
	  "--sample with --held samples addresses: they show the held objects, but not how much "
	  "the "
	  "run allocated: use -s held, held-bytes, age or peak" },
	{ "by !PAIRED", groups_by_held,
	  "--by=age and --by=free-callsite group paired allocations: add --held" },
	{ "peak min-age|by=age|by=free-callsite", NULL,
	  "--peak shows an earlier time: use it without --min-age, --by=age and "
	  "--by=free-callsite" },
	{ "by=age by=free-callsite", NULL,
	  "freed objects have no age: use either --by=age or --by=free-callsite" },
	{ "by=age SORT-OF-PAIRS|SORT-OF-AGES", NULL,
	  "--by=age groups held objects only: use -s held or -s held-bytes" },
	{ "import held", NULL,
	  "--import shows what the kernel recorded as held: use it without --held" },
	{ "import", copies_are_stdin, "--import: standard input can be one of the readings only" },
	{ "hz !import", NULL,
	  "--hz describes a copy of alloc_traces: add --import=alloc_traces FILE" },
	{ "page-size !input !COPY", NULL,
	  "--page-size describes the kernel of a text: add -i FILE or --import=NAME FILE" },
	{ "debuginfo|debuginfod !LINES", NULL,
	  "--debuginfo and --debuginfod are for source lines: add --lines, --source or "
	  "--by=line" },
	{ "source-path !source", NULL,
	  "--source-path is for the text of source lines: add --source" },
	{ "missing-debuginfo info", NULL, "use either --missing-debuginfo or --info" },
	{ "missing-debuginfo !input|output", NULL,
	  "--missing-debuginfo describes a recording on standard output: use it with -i FILE, "
	  "without -O" },
	{ "info !input", NULL, "--info describes a recording: add -i FILE" },
	{ "from|to !input", NULL, "--from and --to need a recording: add -i FILE" },
	{ "from|to", slice_is_empty, "--from must be before --to" },
	{ "from|to info", NULL,
	  "--info describes a whole recording: use it without --from and --to" },
	{ "only-command !COMMAND", NULL,
	  "--only-command needs a command: -c CMD or -- CMD ARG..." },
	{ "only-command pid", NULL,
	  "--only-command and -p select different processes: use one of them" },
	{ "user !COMMAND", NULL, "-u needs a command: -c CMD or -- CMD ARG..." },
	{ "with-interrupts !pid !process !only-command", NULL,
	  "--with-interrupts needs -p, --process or --only-command: without them interrupts are "
	  "always counted" },
	{ "build-module !output", NULL, "--build-module needs an output file: -O FILE.ko" },
	{ "build-module COMMAND|module|record", NULL,
	  "--build-module only compiles: use it without -c, --module and --record" },
	{ "sign-key|sign-cert !build-module", NULL,
	  "--sign-key and --sign-cert need --build-module" },
	{ "sign-key|sign-cert !sign-key|!sign-cert", NULL,
	  "signing needs both --sign-key and --sign-cert" },
	{ "module stap-options", compiles_otherwise,
	  "--module is already compiled: use it without -o options for the compilation" },
	{ "PERF module|stap-options", NULL,
	  "--module and -o are for SystemTap: use them without --collector=perf" },
	{ "BPF module|stap-options", NULL,
	  "--module and -o are for SystemTap: use them without --collector=bpf" },
	{ "PERF WALKS-COMPARED", NULL,
	  "--stack-walk=compare is for SystemTap and BPF: with perf events the kernel walks all "
	  "stacks" },
	{ "WALKS-COMPARED !STACKS", NULL,
	  "--stack-walk=compare compares stacks that are recorded: add --stacks=full" },
	{ "", observes_no_caches,
	  "--events: pages, per-CPU memory and the vmalloc area do not belong to a slab cache; "
	  "use kmalloc-top" },
	{ "record=- output|every|record-max|record-rotate", NULL,
	  "--record=- writes the stream to standard output, without a report: use it without "
	  "-O, --every, --record-max and --record-rotate" },
	{ "record-rotate !record", NULL,
	  "--record-rotate cuts a recording into pieces: add --record FILE" },
	{ "record-rotate record-max !PIECES-OF-TIME", NULL,
	  "--record-rotate=SIZE,N keeps at most N times SIZE: use it without --record-max" },
	{ "record=- TERMINAL", NULL,
	  "--record=- does not write to a terminal: use a pipe, as in '| kmalloc-top -i -'" },
	{ "by FORMAT-OF-STACKS", NULL,
	  "--by groups stacks, and this --format shows stacks: use it without --by, or use "
	  "--format=text, json, ndjson or csv" },
	{ "info !FORMAT-OF-INFO", NULL, "--info is a text: use it with --format=text or json" },
	{ "every FORMAT-IS-ONE-FILE", NULL,
	  "this --format is one file, but --every prints many reports: use --format=text, json, "
	  "ndjson or csv" },
	{ "!FORMAT-IS-BUILT", NULL,
	  "this program was built without protobuf-c, which this --format needs: install "
	  "protoc-c and the headers of libprotobuf-c, and build again" },
	{ "FORMAT-IS-OF-A-FILE TERMINAL !output", NULL,
	  "this --format is not for a terminal: add -O FILE, or use a pipe" },
	{ "FORMAT-OF-STACKS !SORT-ADDS-UP", NULL,
	  "this --format shows sums, and the largest of several is none: use -s count, or "
	  "another key" },
	{ "cgroup=", NULL, "--cgroup is empty: give a unit, a container or a path" },
	{ "process=", NULL,
	  "--process is empty: give a name or a pattern, such as 'nginx' or 'php*'" },
	{ "output", output_is_other_file,
	  "-O would overwrite what is read or recorded: use another name" },
	{ NULL, NULL, NULL },
};

static bool condition_holds(gsize index, const Options *options)
{
	const Renderer *renderer = options->output.renderer;
	const Metric *sort = options->view.sort;
	static const char zeros[sizeof(uint64_t)];

	g_assert(index < G_N_ELEMENTS(conditions));
	g_assert(conditions[index].set.bytes <= sizeof(zeros));
	return memcmp((const char *)options + conditions[index].set.offset, zeros,
		      conditions[index].set.bytes) ||
	       (conditions[index].holds && conditions[index].holds(options)) ||
	       renderer->traits & conditions[index].traits ||
	       renderer->reports & conditions[index].reports ||
	       (sort && sort->needs & conditions[index].sorts);
}

/* Whether an option was given: with this value, if value is not NULL. */
static bool is_given(const Options *options, const char *name, const char *value)
{
	for (guint i = 0; i < options->given->len; i++) {
		const OptionRow *row = g_ptr_array_index(options->given, i);

		if (g_str_equal(row->long_name, name) &&
		    (!value || !g_strcmp0(option_row_text(row, options), value)))
			return true;
	}
	return false;
}

static bool word_holds(const Options *options, const char *word)
{
	g_auto(GStrv) parts = NULL;
	const OptionRow *row = option_rows;

	for (gsize i = 0; i < G_N_ELEMENTS(conditions); i++)
		if (g_str_equal(word, conditions[i].word))
			return condition_holds(i, options);
	parts = g_strsplit(word, "=", 2);
	while (row->long_name && !g_str_equal(row->long_name, parts[0]))
		row++;
	g_assert(row->long_name); /* else the rule has a word that is none */
	return g_str_equal(parts[0], "by") && parts[1] ? dimensions_have(options->view.by, parts[1])
						       : is_given(options, parts[0], parts[1]);
}

/* Looks at all words, so that each of them is known to be one. */
static bool term_holds(const Options *options, const char *term)
{
	g_auto(GStrv) words = g_strsplit(term, "|", -1);
	bool holds = false;

	for (char **word = words; *word; word++)
		holds |= **word == '!' ? !word_holds(options, *word + 1)
				       : word_holds(options, *word);
	return holds;
}

static bool check_rules(const OptionRule *rules, const Options *options, GError **error)
{
	for (const OptionRule *rule = rules; rule->message; rule++) {
		g_auto(GStrv) terms = g_strsplit(rule->terms, " ", -1);
		bool is_broken = true;

		for (char **term = terms; *term; term++)
			is_broken &= term_holds(options, *term);
		if (is_broken && (!rule->when || rule->when(options)))
			return option_fail(error, "%s", rule->message);
	}
	return true;
}

bool option_rules_check(const Options *options, GError **error)
{
	const OptionRule *own = options->tool->rules;

	return check_rules(option_rules, options, error) &&
	       (!own || check_rules(own, options, error));
}
