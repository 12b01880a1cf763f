/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses -o by a const table of stap's options: which go to stap, which are refused and what to use
 * instead.
 */
#include "collect/stap/stap_options.h"

#include <gio/gio.h>
#include <string.h>

typedef enum {
	OPTION_COMPILE,      /* goes to stap */
	OPTION_COMPILE_PATH, /* goes to stap, with its value made absolute */
	OPTION_BUFFER,       /* -s: staprun's -b */
	OPTION_REFUSED,
} OptionKind;

typedef enum { VALUE_NONE, VALUE_OPTIONAL, VALUE_REQUIRED } ValueKind;

typedef struct {
	const char *name; /* "s", or a long one: "remote" */
	OptionKind kind;
	ValueKind value;
	const char *instead; /* for a refused option: what to use */
} StapOption;

#define READ_STREAM "kmalloc-top reads SystemTap's output itself"
#define USE_VERBOSE "use kmalloc-top's own -v"
#define NO_MODULE "it makes no probe module"
#define KERNEL_ONLY "the probes run in the kernel only"

/* Other options of stap go to stap unchanged. */
static const StapOption stap_options[] = {
	{ "a", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "b", OPTION_REFUSED, VALUE_NONE, READ_STREAM "; for larger buffers use --buffer MB" },
	{ "B", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "c", OPTION_REFUSED, VALUE_REQUIRED, "use kmalloc-top's own -c CMD" },
	{ "d", OPTION_COMPILE_PATH, VALUE_REQUIRED, NULL },
	{ "D", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "e", OPTION_REFUSED, VALUE_REQUIRED,
	  "the script is kmalloc-top's own; choose with --events" },
	{ "E", OPTION_REFUSED, VALUE_REQUIRED,
	  "the script is kmalloc-top's own; choose with --events" },
	{ "F", OPTION_REFUSED, VALUE_NONE, READ_STREAM "; to keep it use --record FILE" },
	{ "g", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "G", OPTION_REFUSED, VALUE_REQUIRED,
	  "kmalloc-top's own options set the probes' parameters" },
	{ "h", OPTION_REFUSED, VALUE_NONE, "use kmalloc-top's own --help" },
	{ "i", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "I", OPTION_COMPILE_PATH, VALUE_REQUIRED, NULL },
	{ "k", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "l", OPTION_REFUSED, VALUE_REQUIRED, NO_MODULE },
	{ "L", OPTION_REFUSED, VALUE_REQUIRED, NO_MODULE },
	{ "m", OPTION_REFUSED, VALUE_REQUIRED,
	  "kmalloc-top names its modules; for a file of yours use "
	  "--build-module -O FILE.ko" },
	{ "o", OPTION_REFUSED, VALUE_REQUIRED,
	  "to write the report to a file use -O FILE, to keep the "
	  "records use --record FILE" },
	{ "p", OPTION_REFUSED, VALUE_REQUIRED,
	  "to stop after compiling use --build-module -O FILE.ko" },
	{ "P", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "q", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "r", OPTION_REFUSED, VALUE_REQUIRED,
	  "to compile for another kernel use --build-module=KVER" },
	{ "R", OPTION_COMPILE_PATH, VALUE_REQUIRED, NULL },
	{ "s", OPTION_BUFFER, VALUE_REQUIRED, NULL },
	{ "S", OPTION_REFUSED, VALUE_REQUIRED, "to bound a recording use --record-max SIZE" },
	{ "t", OPTION_REFUSED, VALUE_NONE,
	  "it writes into the records; kmalloc-top reports the tracing "
	  "cost itself" },
	{ "T", OPTION_REFUSED, VALUE_REQUIRED, "use kmalloc-top's own -d SECONDS" },
	{ "u", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "v", OPTION_REFUSED, VALUE_NONE, USE_VERBOSE },
	{ "V", OPTION_REFUSED, VALUE_NONE, "use kmalloc-top's own --version" },
	{ "w", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "W", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "x", OPTION_REFUSED, VALUE_REQUIRED, "use kmalloc-top's own -p PID" },

	{ "all-modules", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "bpf", OPTION_REFUSED, VALUE_NONE, KERNEL_ONLY },
	{ "check-version", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "clean-cache", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "compatible", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "disable-cache", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "download-debuginfo", OPTION_COMPILE, VALUE_OPTIONAL, NULL },
	{ "dump-functions", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "dump-probe-aliases", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "dump-probe-types", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "dyninst", OPTION_REFUSED, VALUE_NONE, KERNEL_ONLY },
	{ "example", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "help", OPTION_REFUSED, VALUE_NONE, "use kmalloc-top's own --help" },
	{ "interactive", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "language-server", OPTION_REFUSED, VALUE_NONE, NO_MODULE },
	{ "ldd", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "list-servers", OPTION_REFUSED, VALUE_OPTIONAL, NO_MODULE },
	{ "modinfo", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "monitor", OPTION_REFUSED, VALUE_OPTIONAL, READ_STREAM },
	{ "poison-cache", OPTION_COMPILE, VALUE_NONE, NULL },
	{ "privilege", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "prologue-searching", OPTION_COMPILE, VALUE_OPTIONAL, NULL },
	{ "remote", OPTION_REFUSED, VALUE_REQUIRED,
	  "run kmalloc-top on that host, with --record FILE, "
	  "and report FILE here with -i FILE" },
	{ "remote-prefix", OPTION_REFUSED, VALUE_NONE, "run kmalloc-top on that host" },
	{ "rlimit-as", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "rlimit-cpu", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "rlimit-fsize", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "rlimit-nproc", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "rlimit-stack", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "runtime", OPTION_REFUSED, VALUE_REQUIRED, KERNEL_ONLY },
	{ "sysenv", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "sysroot", OPTION_COMPILE, VALUE_REQUIRED, NULL },
	{ "target-namespaces", OPTION_REFUSED, VALUE_REQUIRED,
	  "kmalloc-top counts by the host's pids" },
	{ "tmpdir", OPTION_REFUSED, VALUE_REQUIRED,
	  "kmalloc-top compiles in its own cache folder" },
	{ "trust-servers", OPTION_REFUSED, VALUE_OPTIONAL, NO_MODULE },
	{ "use-http-server", OPTION_REFUSED, VALUE_REQUIRED,
	  "build with --build-module on that host" },
	{ "use-server", OPTION_REFUSED, VALUE_OPTIONAL, "build with --build-module on that host" },
	{ "use-server-on-error", OPTION_REFUSED, VALUE_OPTIONAL,
	  "build with --build-module on that host" },
	{ "version", OPTION_REFUSED, VALUE_NONE, "use kmalloc-top's own --version" },
	{ "vp", OPTION_REFUSED, VALUE_REQUIRED, USE_VERBOSE },
};

/* staprun's bound on -b. */
enum { BUFFER_MEGABYTES_MAX = 4095 };

/* The remaining words. */
typedef struct {
	char **words;
	StapOptions *options;
} OptionReader;

static const StapOption *option_find(const char *name, gsize length)
{
	for (guint i = 0; i < G_N_ELEMENTS(stap_options); i++) {
		if (strlen(stap_options[i].name) == length &&
		    strncmp(stap_options[i].name, name, length) == 0)
			return &stap_options[i];
	}
	return NULL;
}

/* Long options may be shortened: --rem is --remote. Returns the matching option; if several match,
   prefers a refused one. */
static const StapOption *long_option_find(const char *name, gsize length)
{
	const StapOption *found = option_find(name, length);

	if (found && length > 1)
		return found;
	found = NULL;
	for (guint i = 0; i < G_N_ELEMENTS(stap_options); i++) {
		const StapOption *option = &stap_options[i];

		if (strlen(option->name) > 1 && strncmp(option->name, name, length) == 0 &&
		    (!found || (option->kind == OPTION_REFUSED && found->kind != OPTION_REFUSED)))
			found = option;
	}
	return found;
}

G_GNUC_PRINTF(2, 3)
static bool stap_options_fail(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		*error = g_error_new_valist(G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, format,
					    arguments);
	va_end(arguments);
	return false;
}

static bool take_buffer(StapOptions *options, const char *value, GError **error)
{
	guint64 megabytes;

	if (!g_ascii_string_to_unsigned(value, 10, 1, BUFFER_MEGABYTES_MAX, &megabytes, NULL))
		return stap_options_fail(error, "-s %s: not a number of megabytes from 1 to %d",
					 value, BUFFER_MEGABYTES_MAX);
	options->buffer_megabytes = (unsigned)megabytes;
	return true;
}

/* stap runs in its own folder, where a relative path would point elsewhere. "-d kernel" and other
   module names are not paths. */
static char *absolute_path(const char *value)
{
	g_autofree char *folder = NULL;

	if (g_path_is_absolute(value) ||
	    (!strchr(value, '/') && !g_file_test(value, G_FILE_TEST_EXISTS)))
		return g_strdup(value);
	folder = g_get_current_dir();
	return g_build_filename(folder, value, NULL);
}

/* Stores an option; value is NULL if it has none. */
static bool take_option(StapOptions *options, const StapOption *option, const char *value,
			GError **error)
{
	bool is_long = strlen(option->name) > 1;
	const char *dashes = is_long ? "--" : "-";

	if (option->kind == OPTION_REFUSED)
		return stap_options_fail(error, "%s%s does not work here: %s", dashes, option->name,
					 option->instead);
	if (option->kind == OPTION_BUFFER)
		return take_buffer(options, value, error);
	if (option->kind == OPTION_COMPILE_PATH) {
		options->reads_files = true;
		g_ptr_array_add(options->compile, g_strdup_printf("%s%s", dashes, option->name));
		g_ptr_array_add(options->compile, absolute_path(value));
		return true;
	}
	g_ptr_array_add(options->compile, g_strconcat(dashes, option->name,
						      is_long && value ? "=" : "", value, NULL));
	return true;
}

/* Reads "--name", "--name=value" or "--name value". */
static bool read_long_option(OptionReader *reader, GError **error)
{
	const char *word = *reader->words++;
	const char *name = word + strlen("--");
	const char *value = strchr(name, '=');
	gsize length = value ? (gsize)(value - name) : strlen(name);
	const StapOption *option = long_option_find(name, length);

	if (!option) {
		g_ptr_array_add(reader->options->compile, g_strdup(word));
		return true;
	}
	if (value)
		value++;
	else if (option->value == VALUE_REQUIRED && option->kind != OPTION_REFUSED) {
		value = *reader->words;
		if (!value)
			return stap_options_fail(error, "--%s needs a value", option->name);
		reader->words++;
	}
	return take_option(reader->options, option, value, error);
}

/* Reads "-g", "-gw", "-DNAME=VALUE" or "-D NAME=VALUE". */
static bool read_short_options(OptionReader *reader, GError **error)
{
	const char *word = *reader->words++;

	for (const char *letter = word + 1; *letter; letter++) {
		const StapOption *option = option_find(letter, 1);
		const char *value = NULL;

		if (!option) {
			g_ptr_array_add(reader->options->compile, g_strconcat("-", letter, NULL));
			return true;
		}
		if (option->value == VALUE_REQUIRED && option->kind != OPTION_REFUSED) {
			value = letter[1] ? letter + 1 : *reader->words;
			if (!value)
				return stap_options_fail(error, "-%s needs a value", option->name);
			if (!letter[1])
				reader->words++;
		}
		if (!take_option(reader->options, option, value, error))
			return false;
		if (value)
			return true;
	}
	return true;
}

static bool read_word(OptionReader *reader, bool first, GError **error)
{
	const char *word = *reader->words;

	if (first && (word[0] != '-' || !word[1]))
		return stap_options_fail(
			error,
			"'%s': -o is for SystemTap options; to write the report to a file use "
			"-O FILE",
			word);
	if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
		return stap_options_fail(error, "'%s' is not a SystemTap option", word);
	return word[1] == '-' ? read_long_option(reader, error) : read_short_options(reader, error);
}

StapOptions *stap_options_parse(const char *text, GError **error)
{
	g_autoptr(StapOptions) options = g_new0(StapOptions, 1);
	g_auto(GStrv) words = NULL;
	OptionReader reader = { .options = options };
	GError *problem = NULL;

	options->compile = g_ptr_array_new_with_free_func(g_free);
	if (!g_shell_parse_argv(text ? text : "", NULL, &words, &problem)) {
		bool empty = g_error_matches(problem, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING);

		if (!empty)
			stap_options_fail(error, "%s", problem->message);
		g_error_free(problem);
		return empty ? g_steal_pointer(&options) : NULL;
	}
	for (reader.words = words; *reader.words;) {
		if (!read_word(&reader, reader.words == words, error))
			return NULL;
	}
	return g_steal_pointer(&options);
}

void stap_options_free(StapOptions *options)
{
	if (!options)
		return;
	g_ptr_array_unref(options->compile);
	g_free(options);
}
