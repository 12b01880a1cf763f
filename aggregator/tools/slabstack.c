/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command slabstack: its words and rules, the overview of caches without CACHE (two readings of
 * the host), and main().
 */
#include "base/clock.h"
#include "record/format.h"
#include "collect/facts/memory_facts.h"
#include "collect/tasks/cgroup_paths.h"
#include "options/option_values.h"
#include "record/batch_writer.h"
#include "tools/tool.h"
#include "tools/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SECONDS_DEFAULT 1.0

enum { CGROUPS_MAX_NS = 500000000 }; /* the walk through all cgroups takes at most so long */

static bool is_readable(GError **error)
{
	int file = open("/proc/slabinfo", O_RDONLY | O_CLOEXEC);
	int code = errno;

	if (file >= 0) {
		close(file);
		return true;
	}
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(code), "/proc/slabinfo: %s: %s",
		    g_strerror(code),
		    code == EACCES ? "only root can read it: run it with sudo"
				   : "this kernel lists no caches; name one: slabstack CACHE");
	return false;
}

static void read_host(Session *session)
{
	struct utsname names;

	uname(&names);
	const InfoField fields[] = {
		{ KMT_FIELD_MONOTONIC_NS, clock_monotonic_ns(), NULL },
		{ KMT_FIELD_REALTIME_NS, clock_ns(CLOCK_REALTIME), NULL },
		{ KMT_FIELD_RUN_START_NS, clock_monotonic_ns(), NULL },
		{ KMT_FIELD_RELEASE, 0, names.release },
		{ KMT_FIELD_HOST, 0, names.nodename },
		{ KMT_FIELD_ARCH, 0, names.machine },
		{ KMT_FIELD_PAGE_BYTES, (uint64_t)sysconf(_SC_PAGESIZE), NULL },
		{ KMT_FIELD_CPUS_ONLINE, (uint64_t)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), NULL },
	};
	g_autoptr(GByteArray) facts = g_byte_array_new();

	batch_write_info(facts, fields, G_N_ELEMENTS(fields));
	slab_facts_append_reclaimable(facts, "");
	session_feed(session, facts->data, facts->len);
}

static void read_once(Session *session, enum KmtReading reading, const MemoryLayout *layout)
{
	g_autoptr(GByteArray) facts = g_byte_array_new();

	memory_facts_append_balance(facts, "", reading, layout);
	slab_facts_append(facts, "", reading);
	cgroup_memory_append_reading(facts, "", reading, CGROUPS_MAX_NS);
	session_feed(session, facts->data, facts->len);
}

static void write_end(Session *session)
{
	const InfoField end = { KMT_FIELD_RUN_END_NS, clock_monotonic_ns(), NULL };
	g_autoptr(GByteArray) facts = g_byte_array_new();

	batch_write_info(facts, &end, 1);
	session_feed(session, facts->data, facts->len);
}

/* Reads this host's slab caches, their objects in use, and the use of memory: twice, one second
   apart or as long as -d says; Ctrl-C ends the wait. Returns false with error set if the kernel
   does not show them. */
static bool read_overview(const Options *options, Session *session, GError **error)
{
	double asked = options->live.request.bounds.duration_seconds;
	double seconds = asked > 0 ? asked : SECONDS_DEFAULT;
	MemoryLayout layout;
	sigset_t signals;

	if (!is_readable(error))
		return false;
	if (!options->output.quiet && seconds > SECONDS_DEFAULT)
		g_printerr("%s: reads /proc/slabinfo twice, %g s apart; Ctrl-C ends it earlier\n",
			   g_get_prgname(), seconds);
	signals = watch_block_signals();
	read_host(session);
	layout = memory_layout_read("");
	read_once(session, KMT_READING_START, &layout);
	watch_wait(seconds, &signals);
	read_once(session, KMT_READING_END, &layout);
	write_end(session);
	session_finish(session);
	return true;
}

static bool watch_caches(const Options *options, GError **error)
{
	return is_readable(error) && watch_run(options, error);
}

static bool take_caches(Options *options, const char *word, GError **error)
{
	if (options->choice.caches)
		return option_fail(error, "separate several caches with commas: '%s,%s'",
				   options->choice.caches_asked, word);
	options->choice.caches_asked = g_strdup(word);
	options->choice.caches = cache_query_new(word, error);
	return options->choice.caches != NULL;
}

/* Options that the table of caches supports. */
static const char *const overview_options[] = {
	"all",    "sort",    "top",   "human", "duration", "output",
	"format", "no-host", "quiet", "watch", "record",   NULL,
};

static const OptionRule rules[] = {
	{ "all CACHE|input|import|check", NULL,
	  "--all lists the caches of this host: it goes with no CACHE and no -i" },
	{ "!CACHE !input !import COMMAND|pid|module|held|cgroup|process|by", NULL,
	  "this option needs a CACHE: name one, or use '*' for all" },
	{ "record !CACHE !input !import !watch", NULL,
	  "this option needs a CACHE: name one, or use '*' for all" },
	{ "watch CACHE|input|import|check|build-module", NULL,
	  "--watch reads all caches of this host: it goes with no CACHE, -i, --import and "
	  "--check" },
	{ "watch all|sort|top|human|output|format", NULL,
	  "--watch prints no report: 'slabstack -i FILE' shows its recording" },
	{ "watch record=-", NULL, "--watch continues its recording: name a file" },
	{ "build-module CACHE", NULL,
	  "--build-module compiles for all caches: use it without CACHE" },
	{ NULL, NULL, NULL },
};

static const ToolExample examples[] = {
	{ "Which slab caches grow", "slabstack" },
	{ "Who allocates from one of them, and from where, until Ctrl-C", "slabstack dentry" },
	{ "Which processes allocate from a family of caches, in ten seconds",
	  "slabstack 'kmalloc-*' -d 10 --by=process,cache" },
	{ NULL, NULL },
};

static const Tool slabstack = {
	.name = "slabstack",
	.usage = "[CACHE[,CACHE...]] [OPTION...] [-c CMD | -- CMD ARG...]",
	.purpose = "Shows who allocates from a slab cache, and from where.\n"
		   "Without CACHE: which caches grow.",
	.examples = examples,
	.bit = TOOL_SLABSTACK,
	.events = PROBE_KMALLOC | PROBE_CACHE,
	.caches_only = true,
	.by = SLABSTACK_BLOCKS,
	.take_word = take_caches,
	.rules = rules,
	.shows_memory = true,
	.report = REPORT_SLABSTACK,
	.overview_options = overview_options,
	.read_overview = read_overview,
	.watch = watch_caches,
};

int main(int argc, char **argv)
{
	return tool_main(&slabstack, argc, argv);
}
