/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of SystemTap's stderr, bounded and cleaned. Tables turn them into numbers and messages:
 * error texts with reason and remedy, the most specific first, of which one message remains;
 * patterns of losses; and noise. stap_run.c and stap_compile.c feed it; stap_check.c asks what a
 * run would print.
 */
#include "collect/stap/stap_messages.h"

#include "base/escape.h"
#include "collect/facts/stap_tool.h"

#include <glib.h>
#include <regex.h>
#include <string.h>
#include <sys/utsname.h>

/* Placeholders in reason and remedy: {text} is the line from its "ERROR: " on, {kernel} the kernel
   release, {stap} the SystemTap, {headers} and {compiler} the commands that install them here. */
typedef struct {
	const char *pattern; /* glob for the whole line */
	const char *reason;
	const char *remedy;
} StapFailure;

#define SIGN_REMEDY                                                                                \
	"build it with --build-module --sign-key KEY --sign-cert CERT, enrol CERT with "           \
	"'mokutil --import', and run it with --module"
#define KERNEL_REMEDY                                                                              \
	"boot the kernel whose headers are installed, or install those of the running one: "       \
	"{headers}"
#define BUFFER_REMEDY "give fewer megabytes with --buffer"
#define GROUP_REMEDY "run it as root, with sudo"

static const char no_match[] = "*semantic error: no match*";

/* Where SystemTap does not know this kernel. */
#define OTHER_WAYS                                                                                 \
	"use --collector=perf, or install the SystemTap release of this distribution's kernel, "   \
	"or build elsewhere with --build-module={kernel} and use --module"

/* Most specific first. A lower rank, its index, means a more specific failure: of several lines,
   the one with the lowest rank is reported. */
static const StapFailure stap_failures[] = {
	{ "*insert module in FIPS mode*",
	  "staprun loads no module while the kernel is in FIPS mode",
	  "record on a host without fips=1 and report the recording with -i FILE" },
	{ "*Key was rejected by service*", "the kernel rejected the module's key (Secure Boot)",
	  SIGN_REMEDY },
	{ "*Required key not available*", "the kernel loads signed modules only (Secure Boot)",
	  SIGN_REMEDY },
	{ "*Package not installed*", "the kernel cannot check the module's signature",
	  SIGN_REMEDY },
	{ "*requires module signing*", "the kernel loads signed modules only (Secure Boot)",
	  SIGN_REMEDY },
	{ "*Lockdown*", "the kernel is locked down", SIGN_REMEDY },
	{ "*Couldn't insert module*Operation not permitted*",
	  "the kernel lets nobody load a module: lockdown, kernel.modules_disabled=1, or a "
	  "container",
	  "see /sys/kernel/security/lockdown; under lockdown " SIGN_REMEDY },
	{ "*Couldn't insert module*Function not implemented*", "this kernel cannot load modules",
	  "record on another host and report the recording with -i FILE" },
	{ "*Couldn't insert module*Invalid module format*",
	  "the module was built for another kernel than {kernel}", KERNEL_REMEDY },
	{ "*Couldn't insert module*Exec format error*",
	  "the module was built for another kernel than {kernel}", KERNEL_REMEDY },
	{ "*Couldn't insert module*wrong symbol version*",
	  "the module was built for another kernel than {kernel}", KERNEL_REMEDY },
	{ "*Couldn't insert module*Unknown symbol in module*",
	  "the module was built for another kernel than {kernel}", KERNEL_REMEDY },
	{ "*Couldn't insert module*File exists*", "the probe module is already loaded",
	  "end the other run, or remove what a killed one left: staprun -d NAME, "
	  "with the NAME that lsmod shows as kmt_..." },
	{ "*Couldn't insert module*Invalid parameters*",
	  "the probe module does not know a parameter it was given",
	  "build the module again with this version of the program" },
	{ "*Couldn't insert module*Cannot allocate memory*",
	  "not enough memory for the probe module's buffers", BUFFER_REMEDY },
	{ "*Not enough free+buffered memory*", "not enough memory for the probe module's buffers",
	  BUFFER_REMEDY },
	{ "*ERROR: *allocation failed*", "not enough memory for the probe module's buffers",
	  BUFFER_REMEDY },
	{ "*module version mismatch (*", "the module is not of the running kernel's build: {text}",
	  KERNEL_REMEDY },
	{ "*module release mismatch (*", "the module is not of the running kernel: {text}",
	  KERNEL_REMEDY },
	{ "*ERROR: probe *registration error*", "the kernel refused a probe: {text}",
	  "leave its --events out, or use another kernel" },
	{ "*probe overhead*exceeded threshold*", "SystemTap stopped the probes: {text}",
	  "leave overload options out of -o, or record less with --stacks=none" },
	{ "*ERROR: Skipped too many probes*", "SystemTap stopped the probes: too many were skipped",
	  "leave -DMAXSKIPPED out of -o" },
	{ "*ERROR: MAXACTION exceeded*", "SystemTap stopped the probes: {text}",
	  "leave scripts and limits out of -o" },
	{ "*ERROR: MAXNESTING exceeded*", "SystemTap stopped the probes: {text}",
	  "leave scripts and limits out of -o" },
	{ "*ERROR: Array overflow*", "SystemTap stopped the probes: {text}",
	  "leave scripts and limits out of -o" },
	{ "*ERROR: aggregation overflow*", "SystemTap stopped the probes: {text}",
	  "leave scripts and limits out of -o" },
	{ "*ERROR: read fault*", "the probes could not read kernel memory: {text}",
	  "use another kernel or SystemTap release" },
	{ "*trying to run systemtap as a normal user*",
	  "SystemTap is for root and the groups stapdev and stapusr", GROUP_REMEDY },
	{ "*trying to load the module*as a normal user*",
	  "SystemTap is for root and the groups stapdev and stapusr", GROUP_REMEDY },
	{ "*should either be root, or be part of*",
	  "SystemTap is for root and the groups stapdev and stapusr", GROUP_REMEDY },
	{ "*\"stapusr\" and \"stapsys\" groups can only use*",
	  "members of stapusr alone load only modules that root installed", GROUP_REMEDY },
	{ "*privilege credentials*are insufficient*",
	  "the groups of this user do not suffice to load the module", GROUP_REMEDY },
	{ "*effective user ID of staprun must be*", "staprun is not set-user-id root",
	  GROUP_REMEDY },
	{ "*staprun*Permission denied*", "this user may not run staprun", GROUP_REMEDY },
	{ "*No space left on device*", "the disk is full",
	  "free some space where the modules are compiled, under /var/cache/kmalloc-top" },
	{ "*Checking \"*/build/*\" failed with error*",
	  "the headers of kernel {kernel} are not installed", "{headers}" },
	{ "*missing kernel-devel package*", "the headers of kernel {kernel} are not installed",
	  "{headers}" },
	{ "*: gcc*: not found*", "the compiler of this kernel is missing", "{compiler}" },
	{ "*: gcc*: No such file or directory*", "the compiler of this kernel is missing",
	  "{compiler}" },
	{ "*: gcc*: Permission denied*", "the compiler of this kernel is missing", "{compiler}" },
	{ "env: *make*", "make is missing", "{compiler}" },
	{ "*semantic error: no match (similar functions*",
	  "SystemTap finds no such function: {text}",
	  "check its spelling; a function without a symbol needs debuginfo" },
	{ "*semantic error: unresolved type*identifier '$*",
	  "SystemTap does not know such a variable: {text}",
	  "use arg1, arg2, ... or retval, or install debuginfo" },
	{ "*semantic error: probe point mismatch*", "SystemTap has no such probe point: {text}",
	  "'man stapprobes' explains them" },
	{ no_match, "{stap} finds no tracepoints in kernel {kernel}: too old for it, or too new",
	  OTHER_WAYS },
	{ "*debuginfo under*", "{stap} finds no tracepoints in kernel {kernel}",
	  "install the SystemTap release of this distribution's kernel" },
	{ "*semantic error:*", "SystemTap does not accept the probes: {text}",
	  "check their spelling; SystemTap must be 4.0 or later" },
	{ "*parse error:*", "SystemTap does not accept the probes: {text}",
	  "check their spelling; SystemTap must be 4.0 or later" },
	{ "*unrecognized option*", "stap does not know an option: {text}", "check -o" },
	{ "*invalid option --*", "stap does not know an option: {text}", "check -o" },
	{ "*option * requires an argument*", "an option of stap lacks its value: {text}",
	  "check -o" },
	{ "*Pass 4: compilation failed*",
	  "{stap} does not compile for kernel {kernel}: too old for it, or too new",
	  OTHER_WAYS "; -v shows the compiler's messages" },
	{ "*Pass ?: * failed*", "SystemTap failed", "-v shows its messages" },
	{ "*ERROR: *", "SystemTap failed: {text}", "-v shows all its messages" },
};

enum { RANK_NONE = -1, RANK_UNKNOWN = G_N_ELEMENTS(stap_failures) - 1 };

/* A line may be long; a message must be short. */
enum { QUOTED_BYTES_MAX = 240 };

/* Returns the rank of the failure that a line of stderr reports, or RANK_NONE. */
static int failure_find(const char *line)
{
	for (guint i = 0; i < G_N_ELEMENTS(stap_failures); i++) {
		if (g_pattern_match_simple(stap_failures[i].pattern, line))
			return (int)i;
	}
	return RANK_NONE;
}

/* Returns the relevant part of a line: without "staprun:function:215: ERROR: ". */
static char *quotable(const char *line)
{
	const char *error = strstr(line, "ERROR: ");
	const char *text = error ? error + strlen("ERROR: ") : line;
	const char *end = NULL;

	if (strlen(text) <= QUOTED_BYTES_MAX)
		return g_strdup(text);
	end = g_utf8_find_prev_char(text, text + QUOTED_BYTES_MAX);
	return g_strndup(text, (gsize)(end - text));
}

static char *replace(const char *text, const char *name, const char *value)
{
	g_auto(GStrv) parts = g_strsplit(text, name, -1);

	return g_strjoinv(value, parts);
}

/* "SystemTap 5.6" */
static char *stap_name(const char *version)
{
	size_t length = version ? strspn(version, "0123456789.") : 0;

	return length ? g_strdup_printf("SystemTap %.*s", (int)length, version)
		      : g_strdup("this SystemTap");
}

/* Returns "reason; remedy" for that rank, in one line. */
static char *describe(int rank, const char *line, const char *kernel_release,
		      const char *stap_version)
{
	static const struct {
		const char *name;
		PackageKind kind;
	} packages[] = {
		{ "{headers}", PACKAGE_KERNEL_HEADERS },
		{ "{compiler}", PACKAGE_COMPILER },
	};
	g_autofree char *text = quotable(line);
	g_autofree char *stap = stap_name(stap_version);
	char *message =
		g_strdup_printf("%s; %s", stap_failures[rank].reason, stap_failures[rank].remedy);
	char *next;

	g_assert((size_t)rank < G_N_ELEMENTS(stap_failures));
	for (guint i = 0; i < G_N_ELEMENTS(packages); i++) {
		g_autofree char *command =
			distribution_install_command(packages[i].kind, kernel_release);

		next = replace(message, packages[i].name, command);
		g_free(message);
		message = next;
	}
	next = replace(message, "{kernel}", kernel_release);
	g_free(message);
	message = replace(next, "{stap}", stap);
	g_free(next);
	/* Last, so that placeholders in the quoted text are not replaced. */
	next = replace(message, "{text}", text);
	g_free(message);
	return next;
}

char *stap_messages_explain(const char *line, const char *kernel_release, const char *stap_version)
{
	return describe(failure_find(line), line, kernel_release, stap_version);
}

/* Lines. */

/* The meaning of a number in a message. */
typedef enum {
	COUNT_NOTHING,
	COUNT_ERRORS,
	COUNT_SKIPPED,
	COUNT_SKIPPED_BY_CAUSE, /* parts of COUNT_SKIPPED, printed before or instead of it */
	COUNT_TRANSPORT_FAILURES,
	COUNT_LOST_MESSAGES,
	COUNT_LOST_BYTES,
	COUNT_RESYNCS, /* at least one lost message each; releases before 5.0 print no number */
	COUNT_KINDS,
} CountKind;

enum { GROUPS_MAX = 3 };

typedef struct {
	const char *pattern;          /* POSIX extended regular expression */
	CountKind counts[GROUPS_MAX]; /* of the number in each group */
} LossMessage;

/* All wordings since 4.0. */
static const LossMessage loss_messages[] = {
	{ "Number of errors: ([0-9]+), skipped probes: ([0-9]+)", { COUNT_ERRORS, COUNT_SKIPPED } },
	{ "Skipped due to .*: ([0-9]+)$", { COUNT_SKIPPED_BY_CAUSE } },
	{ "There were ([0-9]+) transport failures", { COUNT_TRANSPORT_FAILURES } },
	{ "There were ([0-9]+) lost messages(,| and) ([0-9]+) lost bytes",
	  { COUNT_LOST_MESSAGES, COUNT_NOTHING, COUNT_LOST_BYTES } },
	{ "bufhdr (read error|corrupt), attempting resync", { COUNT_RESYNCS } },
};

/* Printed on every run or after every failure, without use. */
static const char *const noise[] = {
	"WARNING: Kernel function symbol table missing*",
	"WARNING: */staprun exited with status: *",
	"WARNING: kbuild exited with status: *",
	"Tip: /usr/share/doc/*",
	"Pass ?: * failed.*",
	"",
};

/* A longer line is cut: the relevant part of every message is at its beginning. */
enum { LINE_BYTES_MAX = 4096 };

struct StapMessages {
	void (*pass_on)(const char *line, void *user_data);
	void *user_data;
	GString *line; /* without the part beyond LINE_BYTES_MAX */
	regex_t losses[G_N_ELEMENTS(loss_messages)];
	uint64_t counts[COUNT_KINDS];
	int failure_rank;
	char *failure;
	char *kernel_release;
	char *stap_version;
};

StapMessages *stap_messages_new(void (*pass_on)(const char *line, void *user_data), void *user_data)
{
	StapMessages *messages = g_new0(StapMessages, 1);
	struct utsname names;

	messages->pass_on = pass_on;
	messages->user_data = user_data;
	messages->line = g_string_new(NULL);
	messages->failure_rank = RANK_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++)
		if (regcomp(&messages->losses[i], loss_messages[i].pattern, REG_EXTENDED))
			g_error("failed to allocate a regular expression");
	messages->kernel_release = g_strdup(uname(&names) == 0 ? names.release : "unknown");
	return messages;
}

void stap_messages_free(StapMessages *messages)
{
	if (!messages)
		return;
	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++)
		regfree(&messages->losses[i]);
	g_string_free(messages->line, TRUE);
	g_free(messages->failure);
	g_free(messages->kernel_release);
	g_free(messages->stap_version);
	g_free(messages);
}

void stap_messages_set_pair(StapMessages *messages, const char *kernel_release,
			    const char *stap_version)
{
	g_free(messages->kernel_release);
	g_free(messages->stap_version);
	messages->kernel_release = g_strdup(kernel_release);
	messages->stap_version = g_strdup(stap_version);
}

/* Removes sequences that set a colour: ESC [ numbers letter. */
static void remove_colours(char *line)
{
	char *kept = line;

	while (*line) {
		const char *numbers = line[0] == '\x1b' && line[1] == '[' ? line + 2 : NULL;
		gsize length = numbers ? strspn(numbers, "0123456789;") : 0;

		if (numbers && g_ascii_isalpha(numbers[length]))
			line += 2 + length + 1;
		else
			*kept++ = *line++;
	}
	*kept = '\0';
}

static void enter_number(StapMessages *messages, CountKind kind, const char *digits)
{
	uint64_t number = g_ascii_strtoull(digits, NULL, 10);

	g_assert(kind < G_N_ELEMENTS(messages->counts));
	if (kind == COUNT_RESYNCS)
		number = 1;
	/* The summaries come once; a repetition would report the same losses again. */
	if (kind == COUNT_SKIPPED_BY_CAUSE || kind == COUNT_RESYNCS)
		number += messages->counts[kind];
	messages->counts[kind] = MAX(messages->counts[kind], number);
}

static bool read_loss(StapMessages *messages, const char *line)
{
	regmatch_t groups[GROUPS_MAX + 1]; /* the first is the whole match */

	for (guint i = 0; i < G_N_ELEMENTS(loss_messages); i++) {
		int result = regexec(&messages->losses[i], line, GROUPS_MAX + 1, groups, 0);

		if (result == REG_ESPACE)
			g_error("failed to allocate the match of a regular expression");
		if (result)
			continue;
		for (guint n = 0; n < GROUPS_MAX; n++) {
			CountKind kind = loss_messages[i].counts[n];

			if (kind != COUNT_NOTHING)
				enter_number(messages, kind, line + groups[n + 1].rm_so);
		}
		return true;
	}
	return false;
}

/* Returns whether the line is a known failure. */
static bool read_failure(StapMessages *messages, const char *line)
{
	int rank = failure_find(line);

	if (rank == RANK_NONE)
		return false;
	if (messages->failure_rank == RANK_NONE || rank < messages->failure_rank) {
		g_free(messages->failure);
		messages->failure =
			describe(rank, line, messages->kernel_release, messages->stap_version);
		messages->failure_rank = rank;
	}
	return rank != RANK_UNKNOWN;
}

/* Takes or passes on the line, in a form that is safe for a terminal. */
static void finish_line(StapMessages *messages)
{
	g_autofree char *plain = g_strdup(messages->line->str);
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_truncate(messages->line, 0);
	remove_colours(plain);
	g_strdelimit(plain, "\t", ' ');
	escape_append(line, g_strchomp(plain));
	if (read_loss(messages, line->str) || read_failure(messages, line->str))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(noise); i++)
		if (g_pattern_match_simple(noise[i], line->str))
			return;
	messages->pass_on(line->str, messages->user_data);
}

void stap_messages_feed(StapMessages *messages, const char *text, gsize length)
{
	while (length > 0) {
		const char *newline = memchr(text, '\n', length);
		gsize bytes = newline ? (gsize)(newline - text) : length;
		gsize room = LINE_BYTES_MAX - messages->line->len;

		g_string_append_len(messages->line, text, (gssize)MIN(bytes, room));
		if (!newline)
			return;
		finish_line(messages);
		text += bytes + 1;
		length -= bytes + 1;
	}
}

void stap_messages_finish(StapMessages *messages)
{
	if (messages->line->len > 0)
		finish_line(messages);
}

StapMessageTotals stap_messages_totals(const StapMessages *messages)
{
	const uint64_t *counts = messages->counts;

	return (StapMessageTotals){
		.skipped = MAX(counts[COUNT_SKIPPED], counts[COUNT_SKIPPED_BY_CAUSE]),
		.errors = counts[COUNT_ERRORS],
		.transport_failures = counts[COUNT_TRANSPORT_FAILURES],
		.lost_messages = MAX(counts[COUNT_LOST_MESSAGES], counts[COUNT_RESYNCS]),
		.lost_bytes = counts[COUNT_LOST_BYTES],
		.failure = messages->failure,
	};
}

bool stap_messages_may_be_poisoned_cache(const StapMessages *messages)
{
	int rank = messages->failure_rank;

	/* An interrupted stap leaves empty cache entries. */
	return rank != RANK_NONE && stap_failures[rank].pattern == no_match;
}
