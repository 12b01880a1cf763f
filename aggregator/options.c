/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"

#include "collect/collector_types.h"
#include "collect/command.h"
#include "collect/event_kinds.h"
#include "collect/stap_options.h"
#include "number.h"

#include <string.h>

enum {
	PIDS_MAX = 64, /* they must fit into one module parameter */
	MEMORY_MEGABYTES_DEFAULT = 256,
	MEMORY_MEGABYTES_MIN = 16,
	MEGABYTES_MAX = 1 << 20,
	STACK_DEPTH_DEFAULT = 64,
	OVERHEAD_PERCENT_DEFAULT = 20,
	SAMPLING_PERIOD_MAX = 1 << 20, /* the emitter's own bound */
};
#define RECORD_BYTES_DEFAULT (1ULL << 30)
#define STACKS_MAX UINT32_MAX

/* What an option does with its value. */
typedef enum {
	SECTION, /* no option: begins a part of the help text */
	FLAG,    /* sets the bool at offset */
	TEXT,    /* keeps its value at offset */
	FILTER,  /* adds the filter of its name */
	APPLY,   /* calls apply */
} OptionKind;

/* One option. Its argument is NULL where it takes none, in [] where it is optional. */
typedef struct {
	char short_name; /* 0: none */
	const char *long_name;
	const char *argument;
	const char *help;
	OptionKind kind;
	size_t offset; /* in Options */
	/* Takes over the value; returns false with error set when it is none. */
	bool (*apply)(Options *options, const char *value, GError **error);
} OptionRow;

static bool fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool fail(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(error, g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
						    format, arguments));
	va_end(arguments);
	return false;
}

static bool parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value,
			GError **error)
{
	const char *rest;

	if (!number_parse(text, value, &rest) || *rest)
		return fail(error, "'%s' is no whole number", text);
	if (*value < min || *value > max)
		return fail(error,
			    "'%s' is out of range: %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
			    " is possible",
			    text, min, max);
	return true;
}

static bool parse_whole32(const char *text, uint32_t min, uint32_t max, uint32_t *value,
			  GError **error)
{
	uint64_t number;

	if (!parse_whole(text, min, max, &number, error))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool add_filter(Options *options, const char *option, const char *value, GError **error)
{
	Filter *filter = filter_new(filter_type_lookup(option), value, error);

	if (filter)
		g_ptr_array_add(options->view.filters, filter);
	return filter != NULL;
}

/* The banner names what -e excludes, so its text is kept beside the filter. */
static bool apply_exclude(Options *options, const char *value, GError **error)
{
	g_autofree char *earlier = g_steal_pointer(&options->exclude);

	options->exclude = earlier ? g_strjoin(",", earlier, value, NULL) : g_strdup(value);
	return add_filter(options, "exclude", value, error);
}

static bool apply_top(Options *options, const char *value, GError **error)
{
	return parse_whole(value, 1, STACKS_MAX, &options->view.top, error);
}

static bool apply_sort(Options *options, const char *value, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	options->view.sort = sort_key_lookup(value);
	if (options->view.sort)
		return true;
	for (const SortKey *key = sort_keys; key->name; key++)
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", key->name);
	return fail(error, "'%s' is no sort key: there are %s", value, names->str);
}

static bool apply_command(Options *options, const char *value, GError **error)
{
	g_strfreev(options->request.command);
	options->request.command = command_split(value, error);
	return options->request.command != NULL;
}

static bool apply_pid(Options *options, const char *value, GError **error)
{
	g_auto(GStrv) words = g_strsplit(value, ",", -1);

	for (char **word = words; *word; word++) {
		uint64_t number;
		guint32 pid;

		if (!parse_whole(*word, 1, 4 * 1024 * 1024 - 1, &number, error))
			return false;
		pid = (guint32)number;
		g_array_append_val(options->pids, pid);
	}
	if (options->pids->len > PIDS_MAX)
		return fail(error, "at most %d processes can be named", PIDS_MAX);
	return options->pids->len || fail(error, "'%s' names no process", value);
}

static bool apply_duration(Options *options, const char *value, GError **error)
{
	char *end;
	double seconds = g_ascii_strtod(value, &end);

	if (!g_ascii_isdigit(*value) || *end || !(seconds > 0) || seconds > 1e9)
		return fail(error, "'%s' is no number of seconds above 0", value);
	options->request.duration_seconds = seconds;
	return true;
}

static bool apply_events(Options *options, const char *value, GError **error)
{
	if (!event_kinds_parse(value, &options->request.events, error))
		return false;
	if (!(options->request.events & ~(unsigned)COLLECT_FREE))
		return fail(error, "'%s' has no allocations to rank: add kmalloc, cache or page",
			    value);
	return true;
}

static bool apply_stacks(Options *options, const char *value, GError **error)
{
	if (g_str_equal(value, "none"))
		options->request.stack_depth = 0;
	else if (!g_str_equal(value, "full"))
		return fail(error, "'%s' is neither full nor none", value);
	return true;
}

static bool apply_max_stack(Options *options, const char *value, GError **error)
{
	uint64_t depth;

	if (!parse_whole(value, 1, KMT_STACK_DEPTH_MAX, &depth, error))
		return false;
	/* --stacks=none wins, in whichever order they are given. */
	if (options->request.stack_depth)
		options->request.stack_depth = (uint32_t)depth;
	return true;
}

static bool apply_collector(Options *options, const char *value, GError **error)
{
	g_autofree char *names = NULL;

	options->collector = collector_type_lookup(value);
	if (options->collector || g_str_equal(value, "auto"))
		return true;
	names = collector_type_names();
	return fail(error, "'%s' is no collector: there are auto, %s", value, names);
}

static bool apply_stap_options(Options *options, const char *value, GError **error)
{
	g_autoptr(StapOptions) checked = stap_options_parse(value, error);

	g_free((char *)options->request.stap_options);
	options->request.stap_options = g_strdup(value);
	return checked != NULL;
}

static bool apply_buffer(Options *options, const char *value, GError **error)
{
	return parse_whole32(value, 1, MEGABYTES_MAX, &options->request.buffer_megabytes, error);
}

static bool apply_max_memory(Options *options, const char *value, GError **error)
{
	uint64_t megabytes;

	if (!parse_whole(value, MEMORY_MEGABYTES_MIN, MEGABYTES_MAX, &megabytes, error))
		return false;
	options->memory_bytes_max = megabytes << 20;
	return true;
}

static bool apply_sample(Options *options, const char *value, GError **error)
{
	return parse_whole32(value, 1, SAMPLING_PERIOD_MAX, &options->request.sampling_period,
			     error);
}

static bool apply_max_overhead(Options *options, const char *value, GError **error)
{
	return parse_whole32(value, 0, 100, &options->request.overhead_percent_max, error);
}

static bool apply_record_max(Options *options, const char *value, GError **error)
{
	uint64_t bytes;

	if (!number_parse_bytes(value, &bytes) || !bytes)
		return fail(error, "'%s' is no size above 0: a whole number, K, M or G behind it",
			    value);
	options->request.record_bytes_max = bytes;
	return true;
}

static bool apply_build_module(Options *options, const char *value, GError **error)
{
	(void)error;
	options->build_module = true;
	g_free(options->kernel_release);
	options->kernel_release = g_strdup(value);
	return true;
}

static bool apply_verbose(Options *options, const char *value, GError **error)
{
	(void)value;
	(void)error;
	options->request.verbose++;
	return true;
}

#define SECTION_OF(title)                                                                          \
	{                                                                                          \
		0, title, NULL, NULL, SECTION, 0, NULL                                             \
	}
#define AT(field) offsetof(Options, field), NULL

static const OptionRow option_rows[] = {
	SECTION_OF("Which stacks are shown"),
	{ 'm', "min-count", "N", "keep stacks seen at least N times", FILTER, 0, NULL },
	{ 0, "min-bytes", "N[KMG]", "keep stacks that allocated at least N bytes", FILTER, 0,
	  NULL },
	{ 'e', "exclude", "LIST", "drop stacks with any of these texts in a frame line", APPLY, 0,
	  apply_exclude },
	{ 'I', "include", "LIST", "keep only stacks with any of these texts in a frame line",
	  FILTER, 0, NULL },
	{ 0, "exclude-regex", "REGEX", "drop stacks with a frame line that matches", FILTER, 0,
	  NULL },
	{ 0, "include-regex", "REGEX", "keep only stacks with a frame line that matches", FILTER, 0,
	  NULL },
	{ 't', "top", "N", "show the first N stacks only", APPLY, 0, apply_top },
	{ 's', "sort", "KEY", "rank by count (default), bytes, requested or waste", APPLY, 0,
	  apply_sort },
	SECTION_OF("Whose allocations count"),
	{ 'c', "command", "CMD", "run CMD (no shell) and profile its lifetime; or -- CMD ARG...",
	  APPLY, 0, apply_command },
	{ 0, "only-command", NULL, "count the command and its descendants, not the whole host",
	  FLAG, AT(only_command) },
	{ 'u', "user", "USER", "run the command as USER", TEXT, AT(request.user) },
	{ 'p', "pid", "PID[,PID...]", "count every thread of these processes only", APPLY, 0,
	  apply_pid },
	{ 0, "with-interrupts", NULL, "with -p or --only-command: count interrupts, too", FLAG,
	  AT(request.with_interrupts) },
	{ 0, "include-self", NULL, "count this program and SystemTap's, too", FLAG,
	  AT(request.include_self) },
	{ 'd', "duration", "SECONDS", "stop so long after the probes are live", APPLY, 0,
	  apply_duration },
	SECTION_OF("What is observed, and how"),
	{ 0, "events", "LIST", "kmalloc (default), cache, page, free", APPLY, 0, apply_events },
	{ 0, "stacks", "full|none", "none: call sites only, at a tenth of the cost", APPLY, 0,
	  apply_stacks },
	{ 0, "max-stack", "N", "frames per stack (64)", APPLY, 0, apply_max_stack },
	{ 0, "sample", "N", "take one of N events of each CPU, and scale up", APPLY, 0,
	  apply_sample },
	{ 0, "collector", "NAME", "where records come from: auto (default), stap or perf", APPLY, 0,
	  apply_collector },
	{ 'o', "stap-options", "OPTS", "further options for SystemTap", APPLY, 0,
	  apply_stap_options },
	SECTION_OF("Bounds"),
	{ 0, "max-overhead", "PCT", "of a CPU's time; above it take fewer events (20; 0: none)",
	  APPLY, 0, apply_max_overhead },
	{ 0, "buffer", "MB", "transport memory, all CPUs together (16 a CPU, bounded)", APPLY, 0,
	  apply_buffer },
	{ 0, "max-memory", "MB", "bound of the tables, and of what waits (256)", APPLY, 0,
	  apply_max_memory },
	SECTION_OF("Recordings and files"),
	{ 0, "record", "FILE", "save the record stream as well", TEXT, AT(request.record_path) },
	{ 0, "record-max", "SIZE[KMG]", "end the run when the recording is so large (1G)", APPLY, 0,
	  apply_record_max },
	{ 'i', "input", "FILE", "report from a recording or another tool's text; -: stdin", TEXT,
	  AT(input) },
	{ 0, "info", NULL, "with -i: say what the recording is, and stop", FLAG, AT(info) },
	{ 0, "kallsyms", "FILE", "take symbols from FILE, in the form of /proc/kallsyms", TEXT,
	  AT(kallsyms) },
	{ 'O', "output", "FILE", "write the report to FILE", TEXT, AT(output) },
	SECTION_OF("Probe modules"),
	{ 0, "build-module", "[KVER]", "compile the probes for kernel KVER into -O FILE.ko", APPLY,
	  0, apply_build_module },
	{ 0, "sign-key", "KEY", "with --build-module: sign the module", TEXT, AT(sign_key) },
	{ 0, "sign-cert", "CERT", "with --build-module: sign the module", TEXT, AT(sign_cert) },
	{ 0, "module", "FILE.ko", "load this module; compile nothing", TEXT,
	  AT(request.module_path) },
	SECTION_OF("Before the first run"),
	{ 0, "check", NULL, "say whether a run with these options would start here, and stop", FLAG,
	  AT(check) },
	SECTION_OF("The report"),
	{ 0, "details", NULL, "bytes and processes of each stack", FLAG, AT(details) },
	{ 0, "no-host", NULL, "leave out the host's name", FLAG, AT(hide_host) },
	{ 'q', "quiet", NULL, "no banner", FLAG, AT(quiet) },
	{ 'v', "verbose", NULL, "diagnostics and timings on stderr", APPLY, 0, apply_verbose },
	{ 'h', "help", NULL, "print this and stop", FLAG, AT(help) },
	{ 'V', "version", NULL, "print the version and what this build can do, and stop", FLAG,
	  AT(version) },
};

static const OptionRow *row_lookup(const char *given)
{
	for (gsize i = 0; i < G_N_ELEMENTS(option_rows); i++) {
		const OptionRow *row = &option_rows[i];

		if (row->kind == SECTION)
			continue;
		if (g_str_has_prefix(given, "--") ? g_str_equal(given + 2, row->long_name)
						  : given[1] == row->short_name)
			return row;
	}
	return NULL;
}

static bool row_apply(const OptionRow *row, Options *options, const char *value, GError **error)
{
	char **text = (char **)((char *)options + row->offset);

	switch (row->kind) {
	case FLAG:
		*((bool *)options + row->offset) = true;
		return true;
	case TEXT:
		g_free(*text);
		*text = g_strdup(value);
		return true;
	case FILTER:
		return add_filter(options, row->long_name, value, error);
	default:
		return row->apply(options, value, error);
	}
}

/* Called by GLib for every option; given is as the user wrote it: "-m" or "--min-count". */
static gboolean apply_option(const char *given, const char *value, gpointer data, GError **error)
{
	GError *reason = NULL;

	if (row_apply(row_lookup(given), data, value, &reason))
		return TRUE;
	g_propagate_prefixed_error(error, reason, "%s: ", given);
	return FALSE;
}

static GOptionFlags row_flags(const OptionRow *row)
{
	if (!row->argument)
		return G_OPTION_FLAG_NO_ARG;
	return *row->argument == '[' ? G_OPTION_FLAG_OPTIONAL_ARG : G_OPTION_FLAG_NONE;
}

static GOptionGroup *option_group(Options *options)
{
	GOptionGroup *group = g_option_group_new("suite", "", "", options, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(option_rows); i++) {
		const OptionRow *row = &option_rows[i];
		const GOptionEntry entries[] = {
			{ row->long_name, row->short_name, (int)row_flags(row),
			  G_OPTION_ARG_CALLBACK, (gpointer)apply_option, row->help, row->argument },
			{ NULL, 0, 0, 0, NULL, NULL, NULL },
		};

		if (row->kind != SECTION)
			g_option_group_add_entries(group, entries);
	}
	return group;
}

void options_print_help(FILE *out)
{
	fputs("Usage: kmalloc-top [OPTION...] [-c CMD | -- CMD ARG...]\n"
	      "Which kernel call paths allocate memory, how often, how much, and for whom.\n",
	      out);
	for (gsize i = 0; i < G_N_ELEMENTS(option_rows); i++) {
		const OptionRow *row = &option_rows[i];
		g_autoptr(GString) names = g_string_new(NULL);

		if (row->kind == SECTION) {
			fprintf(out, "\n%s:\n", row->long_name);
			continue;
		}
		if (row->short_name)
			g_string_append_printf(names, "-%c, ", row->short_name);
		else
			g_string_append(names, "    ");
		g_string_append_printf(names, "--%s", row->long_name);
		if (row->argument && *row->argument == '[')
			g_string_append_printf(names, "[=%s", row->argument + 1);
		else if (row->argument)
			g_string_append_printf(names, "=%s", row->argument);
		fprintf(out, "  %-29s %s\n", names->str, row->help);
	}
}

/* One rule between options: broken when it says so. */
typedef struct {
	bool (*broken)(const Options *options);
	const char *message;
} OptionRule;

static bool has_live_option(const Options *options)
{
	const CollectRequest *request = &options->request;

	return request->command || options->pids->len || options->only_command ||
	       request->duration_seconds > 0 || request->record_path || request->module_path ||
	       request->stap_options || request->user || options->build_module;
}

static bool input_and_live(const Options *options)
{
	return options->input && has_live_option(options);
}

static bool check_and_other(const Options *options)
{
	return options->check && (options->input || options->build_module);
}

static bool info_without_input(const Options *options)
{
	return options->info && !options->input;
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
	return options->request.with_interrupts && !options->pids->len && !options->only_command;
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

static bool output_is_other_file(const Options *options)
{
	const char *record = options->request.record_path;

	return options->output &&
	       ((options->input && g_str_equal(options->output, options->input)) ||
		(record && g_str_equal(options->output, record)));
}

static const OptionRule option_rules[] = {
	{ check_and_other,
	  "--check looks at a run on this host: it goes with neither -i nor --build-module" },
	{ input_and_live,
	  "-i reads a file: it goes with none of the options that collect "
	  "(-c, -p, -d, -u, -o, --only-command, --record, --module, --build-module)" },
	{ info_without_input, "--info says what a recording is: name it with -i FILE" },
	{ only_command_without, "--only-command needs a command: -c CMD or -- CMD ARG..." },
	{ only_command_and_pid, "--only-command and -p name different processes: use one of them" },
	{ user_without_command, "-u runs a command as a user: name it with -c CMD" },
	{ interrupts_without_scope,
	  "--with-interrupts goes with -p or --only-command: else interrupts count anyway" },
	{ build_without_output, "--build-module needs a file to write: -O FILE.ko" },
	{ build_and_run, "--build-module only compiles: it goes with no -c, --module or --record" },
	{ sign_without_build, "--sign-key and --sign-cert go with --build-module" },
	{ sign_by_half, "signing takes both --sign-key and --sign-cert" },
	{ module_and_compile_options,
	  "--module is compiled already: it goes with no -o that compiles" },
	{ perf_and_stap_options,
	  "--module and -o are SystemTap's: they go with no --collector=perf" },
	{ output_is_other_file, "-O would overwrite the recording: give another name" },
};

static bool check_rules(const Options *options, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(option_rules); i++)
		if (option_rules[i].broken(options))
			return fail(error, "%s", option_rules[i].message);
	return true;
}

/* Filters are given in any order and applied in one. */
static gint compare_filters(gconstpointer left, gconstpointer right)
{
	const Filter *const *a = left, *const *b = right;
	int rank_a = 0, rank_b = 0;

	while (filter_types[rank_a] != (*a)->type)
		rank_a++;
	while (filter_types[rank_b] != (*b)->type)
		rank_b++;
	return (rank_a > rank_b) - (rank_a < rank_b);
}

static Options *options_new(void)
{
	Options *options = g_new0(Options, 1);

	options->view.filters = g_ptr_array_new_with_free_func((GDestroyNotify)filter_free);
	options->view.sort = &sort_keys[0];
	options->view.top = UINT64_MAX;
	options->pids = g_array_new(FALSE, FALSE, sizeof(guint32));
	options->memory_bytes_max = (uint64_t)MEMORY_MEGABYTES_DEFAULT << 20;
	options->request.events = COLLECT_KMALLOC;
	options->request.stack_depth = STACK_DEPTH_DEFAULT;
	options->request.sampling_period = 1;
	options->request.overhead_percent_max = OVERHEAD_PERCENT_DEFAULT;
	options->request.record_bytes_max = RECORD_BYTES_DEFAULT;
	return options;
}

void options_free(Options *options)
{
	if (!options)
		return;
	g_ptr_array_unref(options->view.filters);
	g_array_unref(options->pids);
	g_strfreev(options->request.command);
	g_free((char *)options->request.user);
	g_free((char *)options->request.record_path);
	g_free((char *)options->request.stap_options);
	g_free((char *)options->request.module_path);
	g_free((char *)options->request.command_line);
	g_free(options->input);
	g_free(options->kernel_release);
	g_free(options->sign_key);
	g_free(options->sign_cert);
	g_free(options->kallsyms);
	g_free(options->exclude);
	g_free(options->output);
	g_free(options);
}

/* Parses the words before "--". What is left of them must be nothing. */
static bool parse_words(Options *options, char **words, GError **error)
{
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_auto(GStrv) rest = g_strdupv(words);

	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_strict_posix(context, TRUE);
	g_option_context_set_main_group(context, option_group(options));
	if (!g_option_context_parse_strv(context, &rest, error))
		return false;
	if (rest[0] && rest[1])
		return fail(error,
			    "'%s' is no option; a command is given with -c CMD or -- CMD ARG...",
			    rest[1]);
	return true;
}

/* Takes the command behind "--". Returns false with error set when there is none. */
static bool take_command(Options *options, char **behind, GError **error)
{
	if (!behind)
		return true;
	if (options->request.command)
		return fail(error, "a command is given twice: by -c and behind --");
	if (!*behind)
		return fail(error, "no command behind --");
	options->request.command = g_strdupv(behind);
	return true;
}

Options *options_parse(int argc, char **argv, GError **error)
{
	g_autoptr(Options) options = options_new();
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	char **behind = NULL;

	for (int i = 0; i < argc && !behind; i++) {
		if (i && g_str_equal(argv[i], "--"))
			behind = argv + i + 1;
		else
			g_ptr_array_add(words, argv[i]);
	}
	g_ptr_array_add(words, NULL);
	options->request.command_line = command_quote(argv);
	if (!parse_words(options, (char **)words->pdata, error))
		return NULL;
	if (options->help || options->version)
		return g_steal_pointer(&options);
	if (!take_command(options, behind, error) || !check_rules(options, error))
		return NULL;
	g_ptr_array_sort(options->view.filters, compare_filters);
	options->request.pids = options->pids;
	if (options->pids->len)
		options->request.scope = COLLECT_SCOPE_PIDS;
	else if (options->only_command)
		options->request.scope = COLLECT_SCOPE_COMMAND;
	return g_steal_pointer(&options);
}
