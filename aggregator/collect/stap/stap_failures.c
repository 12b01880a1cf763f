/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of SystemTap's error texts with reason and remedy, the most specific first.
 * stap_messages.c asks it for each line.
 */
#include "collect/stap/stap_failures.h"

#include "collect/facts/distribution.h"

#include <glib.h>
#include <string.h>

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

/* Most specific first. */
/* Where SystemTap does not know this kernel. */
#define OTHER_WAYS                                                                                 \
	"use --collector=perf, or install the SystemTap release of this distribution's kernel, "   \
	"or build elsewhere with --build-module={kernel} and use --module"

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

enum { UNKNOWN_RANK = G_N_ELEMENTS(stap_failures) - 1 };

/* A line may be long; a message must be short. */
enum { QUOTED_BYTES_MAX = 240 };

int stap_failure_find(const char *line)
{
	for (guint i = 0; i < G_N_ELEMENTS(stap_failures); i++) {
		if (g_pattern_match_simple(stap_failures[i].pattern, line))
			return (int)i;
	}
	return STAP_FAILURE_NONE;
}

bool stap_failure_is_unknown(int rank)
{
	return rank == UNKNOWN_RANK;
}

bool stap_failure_may_be_poisoned_cache(int rank)
{
	return rank >= 0 && stap_failures[rank].pattern == no_match;
}

/* Returns the relevant part of a line: without "staprun:function:215: ERROR: ". */
static char *stap_failures_quotable(const char *line)
{
	const char *error = strstr(line, "ERROR: ");
	const char *text = error ? error + strlen("ERROR: ") : line;
	const char *end = NULL;

	if (strlen(text) <= QUOTED_BYTES_MAX)
		return g_strdup(text);
	end = g_utf8_find_prev_char(text, text + QUOTED_BYTES_MAX);
	return g_strndup(text, (gsize)(end - text));
}

static char *stap_failures_replace(const char *text, const char *name, const char *value)
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

char *stap_failure_describe(int rank, const char *line, const char *kernel_release,
			    const char *stap_version)
{
	static const struct {
		const char *name;
		PackageKind kind;
	} packages[] = {
		{ "{headers}", PACKAGE_KERNEL_HEADERS },
		{ "{compiler}", PACKAGE_COMPILER },
	};
	g_autofree char *text = stap_failures_quotable(line);
	g_autofree char *stap = stap_name(stap_version);
	char *message =
		g_strdup_printf("%s; %s", stap_failures[rank].reason, stap_failures[rank].remedy);
	char *next;

	g_assert((size_t)rank < G_N_ELEMENTS(stap_failures));
	for (guint i = 0; i < G_N_ELEMENTS(packages); i++) {
		g_autofree char *command =
			distribution_install_command(packages[i].kind, kernel_release);

		next = stap_failures_replace(message, packages[i].name, command);
		g_free(message);
		message = next;
	}
	next = stap_failures_replace(message, "{kernel}", kernel_release);
	g_free(message);
	message = stap_failures_replace(next, "{stap}", stap);
	g_free(next);
	/* Last, so that placeholders in the quoted text are not replaced. */
	next = stap_failures_replace(message, "{text}", text);
	g_free(message);
	return next;
}
