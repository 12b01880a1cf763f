/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules between options: a predicate for each, and a table with the message. All are checked when
 * everything is parsed.
 */
#include "options/option_rules.h"

#include "collect/run/collect_live.h"
#include "collect/run/collector_types.h"
#include "collect/stap/stap_options.h"
#include "options/option_values.h"
#include "options/tool_description.h"

#include <string.h>
#include <unistd.h>

static bool has_live_option(const Options *options)
{
	const CollectRequest *request = &options->request;

	return options->collects || options->only_command || options->build_module ||
	       request->include_self || request->command || request->user || request->record_path ||
	       request->module_path;
}

static bool input_and_live(const Options *options)
{
	return options->input && has_live_option(options);
}

static bool import_and_live(const Options *options)
{
	return options->import.record && has_live_option(options);
}

static bool is_paired(const Options *options)
{
	return options->request.held && !options->import.record;
}

static bool held_options_without_held(const Options *options)
{
	return !is_paired(options) && (options->held.min_age_ns || options->held.at_peak);
}

static bool sorts_by_unpaired(const Options *options)
{
	return !is_paired(options) && options->view.sort && options->view.sort->needs & NEEDS_PAIRS;
}

/* A few addresses are allocated again and again. */
static bool sorts_by_sampled_run(const Options *options)
{
	return is_paired(options) && options->request.sampling_period > 1 && options->view.sort &&
	       options->view.sort->of_run;
}

static bool sorts_by_unheld(const Options *options)
{
	return !is_paired(options) && !options->import.record && options->view.sort &&
	       options->view.sort->needs & (NEEDS_HELD | NEEDS_AGES);
}

static bool groups_by_unpaired(const Options *options)
{
	const Dimension *const *key = options->view.by;

	while (*key && !(*key)->of_held)
		key++;
	return *key && !is_paired(options);
}

static bool peak_and_ages(const Options *options)
{
	return options->held.at_peak &&
	       (options->held.min_age_ns || dimensions_have(options->view.by, "age") ||
		dimensions_have(options->view.by, "free-callsite"));
}

static bool ages_and_freers(const Options *options)
{
	return dimensions_have(options->view.by, "age") &&
	       dimensions_have(options->view.by, "free-callsite");
}

static bool ages_without_more(const Options *options)
{
	return dimensions_have(options->view.by, "age") && options->view.sort &&
	       options->view.sort->needs & (NEEDS_PAIRS | NEEDS_AGES);
}

/* What the kernel recorded is held already. */
static bool import_and_held(const Options *options)
{
	return options->import.record && options->request.held;
}

static bool import_and_input(const Options *options)
{
	return options->import.record && options->input;
}

static bool import_of_stdin_twice(const Options *options)
{
	const char *const *files = options->import.files;

	return files[1] && g_str_equal(files[0], "-") && g_str_equal(files[1], "-");
}

static bool hz_without_import(const Options *options)
{
	return options->import.hz && !options->import.record;
}

static bool page_size_without_text(const Options *options)
{
	return options->page_bytes && !options->input && !options->import.files[0];
}

static bool check_and_other(const Options *options)
{
	return options->check && (options_read_input(options) || options->build_module);
}

static bool reads_several(const Options *options)
{
	return options->inputs->len > 1 ||
	       (options->input && g_file_test(options->input, G_FILE_TEST_IS_DIR));
}

static bool several_of_one(const Options *options)
{
	return reads_several(options) && (options->tool->stream || options->info ||
					  options->missing_debuginfo || options->diff);
}

static bool several_by_stdin(const Options *options)
{
	guint standard_inputs = 0;

	for (guint i = 0; i < options->inputs->len; i++)
		standard_inputs += g_str_equal(options->inputs->pdata[i], "-");
	return standard_inputs > 1;
}

static bool info_without_input(const Options *options)
{
	return options->info && !options->input;
}

static bool slice_without_input(const Options *options)
{
	return options->sliced && !options->input;
}

static bool slice_is_empty(const Options *options)
{
	return options->slice.from_ns >= options->slice.to_ns;
}

static bool slice_of_info(const Options *options)
{
	return options->sliced && options->info;
}

static bool only_command_without(const Options *options)
{
	return options->only_command && !options->request.command;
}

static bool only_command_and_pid(const Options *options)
{
	return options->only_command && options->pids->len;
}

static bool user_without_command(const Options *options)
{
	return options->request.user && !options->request.command;
}

static bool interrupts_without_scope(const Options *options)
{
	return options->request.with_interrupts && !options->pids->len && !options->process &&
	       !options->only_command;
}

static bool streams_to_file_as_well(const Options *options)
{
	return collect_request_streams(&options->request) &&
	       (options->output || options->request.report_every_ns || options->record_max_given ||
		options->request.record_pieces);
}

static bool rotates_nothing(const Options *options)
{
	return options->request.record_pieces && !options->request.record_path;
}

static bool rotates_and_ends(const Options *options)
{
	return options->request.record_pieces && !options->request.record_piece_ns &&
	       options->record_max_given;
}

static bool streams_to_terminal(const Options *options)
{
	return collect_request_streams(&options->request) && isatty(STDOUT_FILENO) &&
	       !options->check;
}

static bool build_without_output(const Options *options)
{
	return options->build_module && !options->output;
}

static bool build_and_run(const Options *options)
{
	return options->build_module && (options->request.command || options->request.module_path ||
					 options->request.record_path);
}

static bool sign_without_build(const Options *options)
{
	return (options->sign_key || options->sign_cert) && !options->build_module;
}

static bool sign_by_half(const Options *options)
{
	return !options->sign_key != !options->sign_cert;
}

static bool module_and_compile_options(const Options *options)
{
	g_autoptr(StapOptions) split = NULL;

	if (!options->request.module_path || !options->request.stap_options)
		return false;
	split = stap_options_parse(options->request.stap_options, NULL);
	return split->compile->len > 0;
}

static bool perf_and_stap_options(const Options *options)
{
	return options->collector == &perf_collector &&
	       (options->request.module_path || options->request.stap_options);
}

static bool perf_and_compared_walks(const Options *options)
{
	return options->collector == &perf_collector &&
	       options->request.stack_walk == STACK_WALK_COMPARE;
}

static bool compared_walks_without_stacks(const Options *options)
{
	return options->request.stack_walk == STACK_WALK_COMPARE && !options->request.stack_depth;
}

static bool is_import_file(const Options *options, const char *path)
{
	for (guint i = 0; i < options->import_files->len; i++)
		if (g_str_equal(path, options->import_files->pdata[i]))
			return true;
	return false;
}

static bool is_input(const Options *options, const char *path)
{
	for (guint i = 0; i < options->inputs->len; i++)
		if (g_str_equal(path, options->inputs->pdata[i]))
			return true;
	return false;
}

static bool output_is_other_file(const Options *options)
{
	const char *output = options->output, *record = options->request.record_path;

	return output &&
	       (is_input(options, output) ||
		(options->diff && g_str_equal(output, options->diff)) ||
		(record && g_str_equal(output, record)) || is_import_file(options, output));
}

static bool cgroup_is_empty(const Options *options)
{
	return options->cgroup && !*options->cgroup;
}

static bool process_is_empty(const Options *options)
{
	return options->process && !*options->process;
}

static bool others_of_caches(const Options *options)
{
	return options->tool->caches_only && options->request.events & ~probe_kinds_of_caches();
}

static bool debuginfo_without_lines(const Options *options)
{
	return (options->debuginfo->len || options->debuginfod) && !options->needs_lines;
}

static bool source_path_without_source(const Options *options)
{
	return options->source_paths->len && !options->source;
}

static bool missing_and_info(const Options *options)
{
	return options->missing_debuginfo && options->info;
}

static bool missing_without_input(const Options *options)
{
	return options->missing_debuginfo && (!options->input || options->output);
}

static bool groups_of_stack_format(const Options *options)
{
	return options->renderer->traits & RENDER_STACKS && options->view.by[0];
}

static bool info_as_other_format(const Options *options)
{
	return options->info && !(options->renderer->reports & RENDERS(REPORT_INFO));
}

static bool every_in_single_format(const Options *options)
{
	return options->renderer->traits & RENDER_ONCE && options->request.report_every_ns;
}

static bool binary_to_terminal(const Options *options)
{
	return options->renderer->traits & RENDER_BINARY && !options->output &&
	       isatty(STDOUT_FILENO) && !options->check;
}

static bool format_not_built(const Options *options)
{
	return !options->renderer->render;
}

static bool sort_is_no_weight(const Options *options)
{
	return options->renderer->traits & RENDER_STACKS &&
	       !metric_adds_up(view_rank(&options->view));
}

static bool per_without_diff(const Options *options)
{
	return options->per && !options->diff;
}

static bool diff_of_no_run(const Options *options)
{
	return options->diff && (options->import.record || options->info ||
				 options->missing_debuginfo || options->build_module);
}

static bool diff_and_stream(const Options *options)
{
	return options->diff && collect_request_streams(&options->request);
}

static bool diff_and_pid(const Options *options)
{
	return options->diff && options->pids->len;
}

static bool diff_and_kallsyms(const Options *options)
{
	return options->diff && options->kallsyms;
}

static bool diff_as_other_format(const Options *options)
{
	return options->diff && !(options->renderer->reports & RENDERS(REPORT_DIFF));
}

static bool diff_with_folder(const Options *options)
{
	return options->diff && g_file_test(options->diff, G_FILE_TEST_IS_DIR);
}

static bool diff_of_stdin_twice(const Options *options)
{
	return options->diff && options->input && g_str_equal(options->diff, "-") &&
	       g_str_equal(options->input, "-");
}

static const OptionRule option_rules[] = {
	{ per_without_diff, "--per is about a comparison: add --diff=OLD" },
	{ diff_of_no_run, "--diff compares runs: use it without --import, --info, "
			  "--missing-debuginfo and --build-module" },
	{ diff_and_stream, "--record=- prints no report that --diff could compare: leave it out" },
	{ diff_and_pid, "--diff: a pid is another process in each run: use --process or --cgroup "
			"instead of -p" },
	{ diff_and_kallsyms, "--kallsyms is of one kernel, but --diff compares two runs: use "
			     "recordings with symbols" },
	{ diff_as_other_format, "--diff cannot be shown so: use --format=text, json, ndjson, csv, "
				"folded or html" },
	{ diff_with_folder, "--diff compares two recordings: use --diff=FILE, not a folder" },
	{ diff_of_stdin_twice, "--diff: standard input can be one of the runs only" },
	{ check_and_other,
	  "--check checks a run on this host: use it without -i, --import and --build-module" },
	{ input_and_live,
	  "-i reads a file: use it without the options that control a live run (-c, -d, -u, -o, "
	  "--every, --only-command, --include-self, --events, --stacks, --max-stack, "
	  "--stack-walk, --sample, --collector, --max-overhead, --buffer, --record, --record-max, "
	  "--record-rotate, --module, "
	  "--build-module)" },
	{ several_of_one,
	  "slabratetop, --info, --missing-debuginfo and --diff take one recording: use "
	  "-i FILE once, and no folder" },
	{ several_by_stdin, "-i -: standard input can be one of the recordings only" },
	{ import_and_input, "--import and -i read different things: use one of them" },
	{ import_and_live,
	  "--import reads a record of the kernel: use it without the options that control a live "
	  "run (see -i)" },
	{ held_options_without_held, "--min-age and --peak choose from what is held: add --held" },
	{ sorts_by_unheld,
	  "-s held, held-bytes and age rank what is held: add --held, or use --import" },
	{ sorts_by_unpaired,
	  "-s allocated, freed, short-lived, cross-cpu, run-bytes, run-waste and peak rank paired "
	  "allocations: add --held" },
	{ sorts_by_sampled_run,
	  "--sample with --held takes addresses, which show what is held, but not how much the run "
	  "allocated: use -s held, held-bytes, age or peak" },
	{ groups_by_unpaired, "--by=age and --by=free-callsite group paired allocations: add "
			      "--held" },
	{ peak_and_ages, "--peak shows an earlier time: use it without --min-age, --by=age and "
			 "--by=free-callsite" },
	{ ages_and_freers, "what was freed has no age: use either --by=age or --by=free-callsite" },
	{ ages_without_more, "--by=age knows only what is held: use -s held or -s held-bytes" },
	{ import_and_held,
	  "--import shows what the kernel recorded as held: use it without --held" },
	{ import_of_stdin_twice, "--import: standard input can be one of the readings only" },
	{ hz_without_import,
	  "--hz describes a copy of alloc_traces: add --import=alloc_traces FILE" },
	{ page_size_without_text,
	  "--page-size describes the kernel of a text: add -i FILE or --import=NAME FILE" },
	{ debuginfo_without_lines,
	  "--debuginfo and --debuginfod are for source lines: add --lines, "
	  "--source or --by=line" },
	{ source_path_without_source, "--source-path is for the text of source lines: add "
				      "--source" },
	{ missing_and_info, "use either --missing-debuginfo or --info" },
	{ missing_without_input,
	  "--missing-debuginfo describes a recording on standard output: use it with "
	  "-i FILE, without -O" },
	{ info_without_input, "--info describes a recording: add -i FILE" },
	{ slice_without_input, "--from and --to need a recording: add -i FILE" },
	{ slice_is_empty, "--from must be before --to" },
	{ slice_of_info, "--info describes a whole recording: use it without --from and --to" },
	{ only_command_without, "--only-command needs a command: -c CMD or -- CMD ARG..." },
	{ only_command_and_pid,
	  "--only-command and -p select different processes: use one of them" },
	{ user_without_command, "-u needs a command: -c CMD or -- CMD ARG..." },
	{ interrupts_without_scope, "--with-interrupts needs -p, --process or --only-command: "
				    "without them interrupts are always counted" },
	{ build_without_output, "--build-module needs an output file: -O FILE.ko" },
	{ build_and_run, "--build-module only compiles: use it without -c, --module and --record" },
	{ sign_without_build, "--sign-key and --sign-cert need --build-module" },
	{ sign_by_half, "signing needs both --sign-key and --sign-cert" },
	{ module_and_compile_options,
	  "--module is already compiled: use it without -o options for the compilation" },
	{ perf_and_stap_options,
	  "--module and -o are for SystemTap: use them without --collector=perf" },
	{ perf_and_compared_walks,
	  "--stack-walk=compare is for SystemTap: with perf events the kernel walks all stacks" },
	{ compared_walks_without_stacks,
	  "--stack-walk=compare compares stacks that are recorded: add --stacks=full" },
	{ others_of_caches,
	  "--events: pages, per-CPU memory and the vmalloc area do not belong to a "
	  "slab cache; use kmalloc-top" },
	{ streams_to_file_as_well,
	  "--record=- writes the stream to standard output, without a "
	  "report: use it without -O, --every, --record-max and --record-rotate" },
	{ rotates_nothing, "--record-rotate cuts a recording into pieces: add --record FILE" },
	{ rotates_and_ends, "--record-rotate=SIZE,N keeps at most N times SIZE: use it without "
			    "--record-max" },
	{ streams_to_terminal,
	  "--record=- does not write to a terminal: use a pipe, as in '| kmalloc-top -i -'" },
	{ groups_of_stack_format,
	  "--by groups stacks, and this --format shows stacks: use it without --by, or use "
	  "--format=text, json, ndjson or csv" },
	{ info_as_other_format, "--info is a text: use it with --format=text or json" },
	{ every_in_single_format,
	  "this --format is one file, but --every prints many reports: use --format=text, json, "
	  "ndjson or csv" },
	{ format_not_built, "this program was built without protobuf-c, which this --format needs: "
			    "install protoc-c and the headers of libprotobuf-c, and build again" },
	{ binary_to_terminal, "this --format is binary: add -O FILE, or use a pipe" },
	{ sort_is_no_weight, "this --format shows sums, and the largest of several is none: "
			     "use -s count, or another key" },
	{ cgroup_is_empty, "--cgroup is empty: give a unit, a container or a path" },
	{ process_is_empty,
	  "--process is empty: give a name or a pattern, such as 'nginx' or 'php*'" },
	{ output_is_other_file, "-O would overwrite what is read or recorded: use another name" },
	{ NULL, NULL },
};

static bool check_rules(const OptionRule *rules, const Options *options, GError **error)
{
	for (const OptionRule *rule = rules; rule->broken; rule++)
		if (rule->broken(options))
			return option_fail(error, "%s", rule->message);
	return true;
}

bool option_rules_check(const Options *options, GError **error)
{
	const OptionRule *own = options->tool->rules;

	return check_rules(option_rules, options, error) &&
	       (!own || check_rules(own, options, error));
}
