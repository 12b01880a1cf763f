/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of options: tools, letters, names, help, kind, and where a value goes. Help, completion
 * and the man pages are made of it. Also finds which words are values, and separates those that are
 * attached to short options, for GLib's parser and for completion.
 */
#include "options/option_table.h"

#include "options/option_values.h"
#include "options/tool_description.h"

#include <string.h>

#define SECTION_OF(title)                                                                          \
	{                                                                                          \
		TOOLS_ALL, 0, title, NULL, NULL, OPTION_SECTION, 0, NULL, 0, 0                     \
	}
enum {
	SAMPLING_PERIOD_MAX = 1 << 20, /* the emitter's own bound */
	HZ_MAX = 10000,                /* no kernel has more than 1,200 */
};

/* The end of a row: what happens to the value. A member of another type is an error of the
   compiler. */
#define AT(type, field) _Generic(((Options *)NULL)->field, type : offsetof(Options, field))
#define AT_TEXT(field)                                                                             \
	_Generic(((Options *)NULL)->field, char * : offsetof(Options, field), const char *         \
		 : offsetof(Options, field))
#define FLAG(field) OPTION_FLAG, AT(bool, field), NULL, 0, 0
#define TEXT(field) OPTION_TEXT, AT_TEXT(field), NULL, 0, 0
#define NUMBER(field, min, max) OPTION_NUMBER, AT(uint64_t, field), NULL, min, max
#define NUMBER_32(field, min, max) OPTION_NUMBER_32, AT(uint32_t, field), NULL, min, max
#define APPLY(function) OPTION_APPLY, 0, function, 0, 0
#define FILTER OPTION_FILTER, 0, NULL, 0, 0

const OptionRow option_rows[] = {
	SECTION_OF("Which stacks are shown"),
	{ TOOLS_OF_REPORTS, 'm', "min-count", "N", "keep stacks seen at least N times", FILTER },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "min-bytes", "N[KMG]",
	  "keep stacks that allocated at least N bytes", FILTER },
	{ TOOLS_OF_REPORTS, 'e', "exclude", "LIST",
	  "drop stacks with any of these texts in a frame", APPLY(option_exclude) },
	{ TOOLS_OF_REPORTS, 'I', "include", "LIST", "keep only stacks with any of these texts",
	  FILTER },
	{ TOOLS_OF_REPORTS, 0, "exclude-regex", "REGEX", "drop stacks with a frame that matches",
	  FILTER },
	{ TOOLS_OF_REPORTS, 0, "include-regex", "REGEX",
	  "keep only stacks with a frame that matches", FILTER },
	{ TOOL_KMALLOC_TOP, 't', "top", "N", "show only the first N stacks (0: the totals)",
	  OPTION_COMMON | NUMBER(view.top, 0, UINT32_MAX) },
	{ TOOL_STACK_TOP, 't', "top", "N", "show the first N stacks or rows (0: the totals)",
	  OPTION_COMMON | NUMBER(view.top, 0, UINT32_MAX) },
	{ TOOL_SLABSTACK, 't', "top", "N", "show the first N processes, stacks (0: totals)",
	  OPTION_COMMON | NUMBER(view.top, 0, UINT32_MAX) },
	{ TOOL_SLABSTACK, 0, "all", NULL, "without CACHE: list all caches (default: 20)",
	  OPTION_COMMON | FLAG(output.all) },
	{ TOOL_SLABSTACK, 0, "watch", "[INTERVAL]",
	  "without CACHE: read all caches each minute (or INTERVAL) into --record FILE, for "
	  "weeks, and record what grows",
	  APPLY(option_watch) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 's', "sort", "KEY",
	  "rank by KEY (default: count, or held-bytes)", OPTION_COMMON | APPLY(option_sort) },
	{ TOOL_STACK_TOP, 's', "sort", "KEY", "rank by a key listed below (default: count)",
	  OPTION_COMMON | APPLY(option_sort) },
	{ TOOL_STACK_TOP, 0, "by", "KEY[,KEY[,KEY]]",
	  "show a table of groups, by keys listed below; -m, -t and -s apply to its rows",
	  OPTION_COMMON | APPLY(option_by) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "by", "KEY[,KEY[,KEY]]",
	  "show a table of groups, by keys listed below; -m, --min-bytes, -t and -s apply to its "
	  "rows",
	  OPTION_COMMON | APPLY(option_by) },
	SECTION_OF("What changed"),
	{ TOOLS_OF_REPORTS, 0, "diff", "OLD", "compare with this recording, an older one",
	  OPTION_COMMON | TEXT(output.diff) },
	{ TOOLS_OF_REPORTS, 0, "per", "second|event|run",
	  "with --diff: compare figures per second (default, if the runs are not equally long), "
	  "per 1,000 events, or of each run as a whole (default of commands, and of --held)",
	  APPLY(option_per) },
	SECTION_OF("Probe points"),
	{ TOOL_STACK_TOP, 0, "weight", "EXPR", "rank by the sum of EXPR, not by number of hits",
	  OPTION_COMMON | TEXT(points.weight) },
	{ TOOL_STACK_TOP, 0, "where", "EXPR", "count only hits for which EXPR is true",
	  OPTION_COMMON | TEXT(points.where) },
	{ TOOL_STACK_TOP, 0, "begin", "PROBE", "measure the time from PROBE to the PROBE of --end",
	  TEXT(points.begin) },
	{ TOOL_STACK_TOP, 0, "end", "PROBE", "with --begin: measure up to PROBE, in each thread",
	  TEXT(points.end) },
	{ TOOL_STACK_TOP, 0, "print", "COLUMN[,COLUMN...]", "list the hits with these columns",
	  OPTION_COMMON | TEXT(points.columns) },
	{ TOOL_STACK_TOP, 'K', "kernel-only", NULL, "show kernel stacks only",
	  FLAG(points.kernel_only) },
	{ TOOL_STACK_TOP, 'U', "user-only", NULL, "show user stacks only", FLAG(points.user_only) },
	{ TOOL_STACK_TOP, 0, "user-stacks", "HOW",
	  "how user stacks are walked: fp (by frame pointers, default), dwarf[,BYTES] (by CFI, "
	  "from copies of the stack), or none",
	  TEXT(points.user_stacks) },
	{ TOOL_STACK_TOP, 0, "list", NULL, "list the presets", OPTION_COMMON | FLAG(points.list) },
	SECTION_OF("Which caches are shown, and how"),
	{ TOOL_SLABRATETOP, 'C', "no-clear", NULL, "print plain tables, also on a terminal",
	  OPTION_COMMON | FLAG(rate.no_clear) },
	{ TOOL_SLABRATETOP, 'b', "batch", NULL, "the same as -C", FLAG(rate.batch) },
	{ TOOL_SLABRATETOP, 'r', "rows", "MAXROWS", "show at most MAXROWS caches (default: 20)",
	  OPTION_COMMON | APPLY(option_rate_rows) },
	{ TOOL_SLABRATETOP, 's', "sort", "KEY", "rank by a key listed below (default: bytes)",
	  OPTION_COMMON | APPLY(option_rate_sort) },
	{ TOOL_SLABRATETOP, 0, "columns", "+KEY[,+KEY]", "show more columns, listed below",
	  OPTION_COMMON | APPLY(option_rate_columns) },
	{ TOOL_SLABRATETOP, 0, "rate", NULL, "show numbers per second, not per interval",
	  OPTION_COMMON | FLAG(rate.per_second) },
	{ TOOL_SLABRATETOP, 0, "json", NULL, "the same as --format=json",
	  OPTION_COMMON | APPLY(option_json) },
	{ TOOL_SLABRATETOP, 0, "cache", "LIST", "count only these caches (names, globs)",
	  OPTION_COMMON | APPLY(option_cache) },
	{ TOOL_SLABRATETOP, 0, "exclude-cache", "LIST", "leave out these caches (names, globs)",
	  OPTION_COMMON | APPLY(option_exclude_cache) },
	SECTION_OF("Source lines"),
	{ TOOLS_OF_REPORTS, 0, "lines", NULL,
	  "show source lines and inlined functions, from debuginfo", FLAG(lines.are_shown) },
	{ TOOLS_OF_REPORTS, 0, "source", NULL,
	  "the same, with the text of each line, where the sources are", FLAG(lines.with_source) },
	{ TOOLS_OF_REPORTS, 0, "source-path", "DIR",
	  "look for sources in this folder first; may be given several times",
	  APPLY(option_source_path) },
	{ TOOLS_OF_REPORTS, 0, "debuginfo", "PATH",
	  "look for debuginfo in this folder or file first; may be given several times",
	  APPLY(option_debuginfo) },
	{ TOOLS_OF_REPORTS, 0, "debuginfod", "[URL]",
	  "fetch debuginfo from this server, or from those in $DEBUGINFOD_URLS",
	  APPLY(option_debuginfod) },
	{ TOOLS_OF_REPORTS, 0, "missing-debuginfo", NULL,
	  "with -i: show which debuginfo is missing and what installs it",
	  FLAG(lines.missing_debuginfo) },
	SECTION_OF("What is still held"),
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "held", NULL,
	  "show who holds memory: allocations minus frees",
	  OPTION_COMMON | FLAG(live.request.what.held) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "min-age", "SECONDS",
	  "with --held: count only objects that are held for at least SECONDS",
	  APPLY(option_min_age) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "peak", NULL,
	  "with --held: show what was held when most memory was held", FLAG(choice.held.at_peak) },
	{ TOOL_SLABRATETOP, 0, "held", NULL,
	  "show what the run allocated and has not freed, and rank by it",
	  OPTION_COMMON | FLAG(live.request.what.held) },
	SECTION_OF("Whose events count"),
	{ TOOLS_ALL, 'c', "command", "CMD", "run CMD (no shell), observe while it runs",
	  OPTION_OF_RUN | OPTION_COMMON | APPLY(option_command) },
	{ TOOLS_ALL, 0, "only-command", NULL, "count only the command and its descendants",
	  OPTION_OF_RUN | FLAG(live.only_command) },
	{ TOOLS_ALL, 'u', "user", "USER", "run the command as USER",
	  OPTION_OF_RUN | TEXT(live.request.command.user) },
	{ TOOLS_ALL, 'p', "pid", "PID[,PID...]", "count only these processes, all threads",
	  OPTION_COMMON | APPLY(option_pid) },
	{ TOOLS_ALL, 0, "process", "GLOB[,GLOB...]", "count only processes whose name matches",
	  OPTION_COMMON | TEXT(choice.process) },
	{ TOOLS_ALL, 0, "cgroup", "GLOB", "count only matching cgroups, units, containers",
	  OPTION_COMMON | TEXT(choice.cgroup) },
	{ TOOLS_ALL, 0, "with-interrupts", NULL,
	  "with -p, --process, --only-command: count interrupts, too",
	  FLAG(live.request.whose.with_interrupts) },
	{ TOOLS_ALL, 0, "include-self", NULL, "count this program and SystemTap, too",
	  OPTION_OF_RUN | FLAG(live.request.whose.include_self) },
	{ TOOLS_ALL, 'd', "duration", "SECONDS", "stop SECONDS after tracing has started",
	  OPTION_OF_RUN | OPTION_COMMON | APPLY(option_duration) },
	{ TOOLS_OF_REPORTS, 0, "every", "SECONDS", "print a report every SECONDS of the run, too",
	  OPTION_OF_RUN | APPLY(option_every) },
	SECTION_OF("What is observed, and how"),
	{ TOOL_KMALLOC_TOP, 0, "events", "LIST", NULL,
	  OPTION_OF_RUN | OPTION_COMMON | APPLY(option_events) },
	{ TOOL_SLABSTACK, 0, "events", "LIST", NULL, OPTION_OF_RUN | APPLY(option_events) },
	{ TOOL_SLABRATETOP, 0, "events", "LIST", NULL, OPTION_OF_RUN | APPLY(option_rate_events) },
	{ TOOLS_OF_REPORTS, 0, "stacks", "full|none",
	  "none: record only call sites, which costs less", OPTION_OF_RUN | APPLY(option_stacks) },
	{ TOOL_SLABRATETOP, 0, "stacks", "[full|none]", "record stacks, not only call sites",
	  OPTION_OF_RUN | APPLY(option_rate_stacks) },
	{ TOOLS_OF_REPORTS, 0, "max-stack", "N", "record at most N frames per stack (default: 64)",
	  OPTION_OF_RUN | APPLY(option_max_stack) },
	{ TOOLS_OF_ALLOCATIONS, 0, "stack-walk", "NAME",
	  "who walks stacks with SystemTap or BPF: auto (default), kernel or compare",
	  OPTION_OF_RUN | APPLY(option_stack_walk) },
	{ TOOLS_ALL, 0, "sample", "N", "record one of N events and scale up",
	  OPTION_OF_RUN | NUMBER_32(live.request.what.sampling_period, 1, SAMPLING_PERIOD_MAX) },
	{ TOOLS_ALL, 0, "collector", "NAME", "use stap, bpf, perf (events) or auto (default)",
	  OPTION_OF_RUN | APPLY(option_collector) },
	{ TOOLS_OF_ALLOCATIONS, 0, "cache-names", "HOW",
	  "how perf events find cache names: auto (default), probes, or compare (both)",
	  OPTION_OF_RUN | APPLY(option_cache_names) },
	{ TOOLS_ALL, 'o', "stap-options", "OPTS", "more options for SystemTap",
	  OPTION_OF_RUN | APPLY(option_stap_options) },
	SECTION_OF("Limits"),
	{ TOOLS_ALL, 0, "max-overhead", "PCT",
	  "use at most this share of a CPU's time, else record fewer events (default: 20; 0: no "
	  "limit)",
	  OPTION_OF_RUN | NUMBER_32(live.request.bounds.overhead_percent_max, 0, 100) },
	{ TOOLS_ALL, 0, "max-loss", "PCT",
	  "exit with status 3 if more than PCT % of the events were lost (default: 0.1)",
	  APPLY(option_max_loss) },
	{ TOOLS_ALL, 0, "buffer", "MB", "total buffer size (default: 16 MB per CPU or less)",
	  OPTION_OF_RUN | APPLY(option_buffer) },
	{ TOOLS_ALL, 0, "max-memory", "MB",
	  "memory limit for counting, and the same for unread data (default: 256)",
	  APPLY(option_max_memory) },
	SECTION_OF("Recordings and files"),
	{ TOOLS_ALL, 0, "record", "FILE", "save a recording (-: the stream, to stdout)",
	  OPTION_OF_RUN | OPTION_COMMON | TEXT(live.request.record.path) },
	{ TOOLS_ALL, 0, "record-max", "SIZE[KMG]", "end the run at this size (default: 1G)",
	  OPTION_OF_RUN | APPLY(option_record_max) },
	{ TOOLS_ALL, 0, "record-rotate", "LENGTH,N",
	  "a flight recorder: keep the last N pieces of this size (100M) or time (10m)",
	  OPTION_OF_RUN | APPLY(option_record_rotate) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 'i', "input", "FILE",
	  "read a recording or other text; -: stdin; a folder: its recordings; several are one "
	  "report",
	  OPTION_COMMON | APPLY(option_input) },
	{ TOOL_SLABRATETOP, 'i', "input", "FILE", "read a recording or other text; -: stdin",
	  OPTION_COMMON | APPLY(option_input) },
	{ TOOL_STACK_TOP, 'i', "input", "FILE",
	  "read a recording; -: stdin; a folder: its recordings; several are one report",
	  OPTION_COMMON | APPLY(option_input) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "import", "NAME",
	  "read the kernel's own list of held memory: alloc_traces, allocinfo or "
	  "page_owner; FILE: a saved copy; FILE FILE2: what was added between two",
	  APPLY(option_import) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "hz", "N",
	  "with --import=alloc_traces: CONFIG_HZ of the kernel of FILE (default: this kernel's)",
	  NUMBER(input.kernel.hz, 1, HZ_MAX) },
	{ TOOLS_OF_ALLOCATIONS, 0, "page-size", "SIZE",
	  "page size of the kernel that a text is from (default: by its header, or 4K)",
	  APPLY(option_page_size) },
	{ TOOLS_ALL, 0, "from", "SECONDS", "with -i: count from this second of the run",
	  APPLY(option_from) },
	{ TOOLS_ALL, 0, "to", "SECONDS", "with -i: count up to this second of the run",
	  APPLY(option_to) },
	{ TOOL_SLABRATETOP, 0, "speed", "1|max",
	  "with -i: 1: as fast as it was recorded; max: as fast as possible (default)",
	  APPLY(option_rate_speed) },
	{ TOOLS_OF_REPORTS, 0, "info", NULL, "with -i: describe the recording and stop",
	  FLAG(info) },
	{ TOOLS_OF_REPORTS, 0, "kallsyms", "FILE", "take symbols from a copy of /proc/kallsyms",
	  TEXT(input.kallsyms) },
	{ TOOLS_OF_REPORTS, 'O', "output", "FILE", "write the report to FILE", TEXT(output.path) },
	SECTION_OF("Probe modules"),
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "build-module", "[KVER]",
	  "compile the probe module for kernel KVER into -O FILE.ko",
	  OPTION_OF_RUN | APPLY(option_build_module) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "sign-key", "KEY",
	  "with --build-module: sign with this key", TEXT(live.sign_key) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "sign-cert", "CERT",
	  "with --build-module: the certificate of the key", TEXT(live.sign_cert) },
	{ TOOLS_OF_ALLOCATIONS, 0, "module", "FILE.ko", "load this probe module, compile nothing",
	  OPTION_OF_RUN | TEXT(live.request.stap.module_path) },
	SECTION_OF("Before the first run"),
	{ TOOLS_ALL, 0, "check", NULL, "check whether this run would start here",
	  OPTION_COMMON | FLAG(check) },
	SECTION_OF("The report"),
	{ TOOLS_ALL, 0, "format", "NAME", "write the report in a format listed below",
	  OPTION_COMMON | APPLY(option_format) },
	{ TOOL_SLABRATETOP, 0, "textfile", "FILE",
	  "with --format=prometheus: replace FILE in each interval", TEXT(rate.textfile) },
	{ TOOLS_OF_REPORTS, 0, "details", NULL,
	  "show all closing lines, bytes and processes of each stack, and whole names",
	  FLAG(output.details) },
	{ TOOLS_ALL, 0, "human", NULL, "show bytes in KiB, MiB, GiB", FLAG(output.human) },
	{ TOOLS_OF_ALLOCATION_REPORTS, 0, "callsite-skip", "LIST",
	  "call sites: skip these functions (default: known wrappers)",
	  APPLY(option_callsite_skip) },
	{ TOOLS_OF_REPORTS, 0, "no-host", NULL, "omit the host name", FLAG(output.hide_host) },
	{ TOOLS_ALL, 'q', "quiet", NULL, "print no banner and no notes about the start",
	  FLAG(output.quiet) },
	{ TOOLS_ALL, 'v', "verbose", NULL, "print diagnostics and timings on stderr",
	  APPLY(option_verbose) },
	{ TOOLS_ALL, 'h', "help", "[all]", "print the most used options, or all",
	  OPTION_COMMON | APPLY(option_help) },
	{ TOOLS_ALL, 'V', "version", NULL, "print version and features of this build",
	  FLAG(version) },
	{ 0, 0, NULL, NULL, NULL, OPTION_SECTION, 0, NULL, 0, 0 },
};

bool option_row_is_of(const OptionRow *row, const Tool *tool)
{
	return row->kind != OPTION_SECTION && row->tools & tool->bit;
}

const OptionRow *option_row_lookup(const Tool *tool, const char *given)
{
	bool is_long = g_str_has_prefix(given, "--");

	for (const OptionRow *row = option_rows; row->long_name; row++)
		if (option_row_is_of(row, tool) && (is_long ? g_str_equal(given + 2, row->long_name)
							    : given[1] == row->short_name))
			return row;
	return NULL;
}

const char *option_row_text(const OptionRow *row, const Options *options)
{
	g_assert(row->offset + sizeof(char *) <= sizeof(Options));
	return option_row_kind(row) == OPTION_TEXT
		       ? *(const char *const *)((const char *)options + row->offset)
		       : NULL;
}

/* Values. */

bool option_takes_value(const OptionRow *row)
{
	return row->argument && *row->argument != '[';
}

static const OptionRow *row_of_letter(const Tool *tool, char letter)
{
	const char given[] = { '-', letter, '\0' };

	return option_row_lookup(tool, given);
}

/* Returns how many bytes of "-qt5" are options, up to the first one that takes a value; 0: none
   takes a value. */
static size_t letters_until_value(const Tool *tool, const char *word)
{
	for (size_t i = 1; word[i]; i++) {
		const OptionRow *row = row_of_letter(tool, word[i]);

		if (!row)
			return 0;
		if (option_takes_value(row))
			return i + 1;
	}
	return 0;
}

const OptionRow *option_awaits_value(const Tool *tool, const char *word)
{
	const OptionRow *row;
	size_t letters;

	if (g_str_has_prefix(word, "--")) {
		row = option_row_lookup(tool, word);
		return row && option_takes_value(row) ? row : NULL;
	}
	if (*word != '-')
		return NULL;
	letters = letters_until_value(tool, word);
	return letters && !word[letters] ? row_of_letter(tool, word[letters - 1]) : NULL;
}

/* Adds an option, as two words if its value is attached. Returns whether the next word is its
   value. */
static bool add_option(GPtrArray *split, const Tool *tool, const char *word)
{
	const bool awaits_value = option_awaits_value(tool, word);
	const size_t letters =
		g_str_has_prefix(word, "--") || awaits_value ? 0 : letters_until_value(tool, word);

	if (!letters) {
		g_ptr_array_add(split, g_strdup(word));
		return awaits_value;
	}
	g_ptr_array_add(split, g_strndup(word, letters));
	g_ptr_array_add(split, g_strdup(word + letters));
	return false;
}

char **option_attached_split(const Tool *tool, char *const *words)
{
	GPtrArray *split = g_ptr_array_new();
	bool is_value = true; /* of an option, or the program's name: not an option */

	for (; *words; words++) {
		if (!is_value && **words == '-' && (*words)[1]) {
			is_value = add_option(split, tool, *words);
			continue;
		}
		g_ptr_array_add(split, g_strdup(*words));
		is_value = false;
	}
	g_ptr_array_add(split, NULL);
	return (char **)g_ptr_array_free(split, FALSE);
}
