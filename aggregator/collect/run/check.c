/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of --check, as const tables of functions: first those of every run, then those of the
 * collector, then what the options ask for. Prints as it goes. Also chooses the collector of a run,
 * by the same facts.
 */
#include "collect/run/check.h"

#include "collect/run/collect_live.h"
#include "collect/run/collector_types.h"
#include "collect/run/command.h"
#include "record/probe_kinds.h"
#include "collect/facts/host_snapshot.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/tracefs.h"
#include "base/escape.h"
#include "base/private_file.h"
#include "base/saturate.h"
#include "session/piece_names.h"
#include "session/symbols_choose.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* A line may quote a command or a file's name. */
enum { TEXT_BYTES_MAX = 600, TOPIC_COLUMNS = 12 };

CheckVerdict check_failed(GString *text, GError *error)
{
	g_string_append(text, error->message);
	g_error_free(error);
	return CHECK_FAIL;
}

void check_append_size(GString *text, uint64_t bytes)
{
	uint64_t megabytes = bytes >> 20;

	if (megabytes >= 10 << 10 || (megabytes && !(megabytes % 1024)))
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " GB", megabytes >> 10);
	else
		g_string_append_printf(text, "%" G_GUINT64_FORMAT " MB", megabytes);
}

void check_append_held(GString *text, const char *instructions)
{
	g_string_append_printf(text,
			       "frees of the whole host are recorded, whatever the filters: about "
			       "%s instructions each",
			       instructions);
}

char *check_read(const CheckHost *host, const char *path)
{
	g_autofree char *whole_path = g_strconcat(host->root, path, NULL);
	char *text = NULL;

	return g_file_get_contents(whole_path, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

static CheckVerdict look_at_kernel(const CheckHost *host, GString *text)
{
	g_autofree char *realtime = check_read(host, "/sys/kernel/realtime");

	g_string_append_printf(text, "%s (%s), ", host->release, host->machine);
	if (!(realtime && g_str_equal(realtime, "1")) && !strstr(host->version, "PREEMPT_RT") &&
	    !strstr(host->version, "PREEMPT RT")) {
		g_string_append(text, "not real-time");
		return CHECK_OK;
	}
	g_string_append(text, "real-time: probes run with interrupts off, which increases "
			      "its latencies");
	return CHECK_NOTE;
}

/* Appends why no better collector was chosen, unless the user chose one. */
static const CollectorType *collector_of(const CheckHost *host, GString *why)
{
	return host->collector ? host->collector : collector_choose(host, why);
}

static CheckVerdict look_at_collector(const CheckHost *host, GString *text)
{
	g_autoptr(GString) why = g_string_new(NULL);
	const CollectorType *collector = collector_of(host, why);

	g_string_append_printf(text, "%s: %s", collector->name, collector->about);
	if (why->len)
		g_string_append_printf(text, " (%s)", why->str);
	return CHECK_OK;
}

/* "kmalloc, cache": the observed events, then the other available ones. */
static void append_events(GString *text, unsigned events, const char *folder)
{
	g_autoptr(GString) others = g_string_new(NULL);

	for (const ProbeKind *kind = probe_kinds; kind->name; kind++) {
		if (events & kind->bit)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "",
					       kind->covers ? kind->covers : kind->name);
		else if (kmem_points_are_there(folder, kind->bit, NULL))
			g_string_append_printf(others, "%s%s", others->len ? ", " : "", kind->name);
	}
	if (others->len)
		g_string_append_printf(text, "; with --events also %s", others->str);
}

static CheckVerdict look_at_events(const CheckHost *host, GString *text)
{
	g_autofree char *folder = tracefs_find_kmem(host->root);
	unsigned events = host->request->what.events;
	g_autofree char *names = probe_kinds_names(events);
	GError *error = NULL;

	if (host->request->what.preset)
		return CHECK_OK;
	if (!folder) {
		g_string_append_printf(text,
				       "%s; whether this kernel has them is not known: no "
				       "tracefs is mounted that this user can read",
				       names);
		return CHECK_NOTE;
	}
	if (!kmem_points_are_there(folder, events, &error))
		return check_failed(text, error);
	append_events(text, events, folder);
	return CHECK_OK;
}

static CheckVerdict look_at_addresses(const CheckHost *host, GString *text)
{
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(host->root);
	const char *hidden = host_snapshot_look_hidden(snapshot);

	g_string_append(text, hidden ? hidden : "visible: stacks have names");
	return hidden ? CHECK_NOTE : CHECK_OK;
}

static CheckVerdict look_at_command(const CheckHost *host, GString *text)
{
	const CollectRequest *request = host->request;
	g_autofree char *quoted = NULL;
	GError *error = NULL;

	if (!request->command.words)
		return CHECK_OK;
	if (!command_check(request->command.words, request->command.user, &error))
		return check_failed(text, error);
	quoted = command_quote(request->command.words);
	g_string_append(text, quoted);
	return CHECK_OK;
}

static CheckVerdict look_at_report_file(const CheckHost *host, GString *text)
{
	GError *error = NULL;

	if (!host->files.report)
		return CHECK_OK;
	if (!private_file_check(host->files.report, true, &error))
		return check_failed(text, error);
	g_string_append(text, host->files.report);
	return CHECK_OK;
}

static CheckVerdict look_at_text_file(const CheckHost *host, GString *text)
{
	GError *error = NULL;

	if (!host->files.counters)
		return CHECK_OK;
	if (!private_file_check_public(host->files.counters, &error))
		return check_failed(text, error);
	g_string_append(text, host->files.counters);
	return CHECK_OK;
}

static CheckVerdict look_at_symbols(const CheckHost *host, GString *text)
{
	g_autoptr(GBytes) symbols = NULL;
	GError *error = NULL;

	if (!host->files.symbols)
		return CHECK_OK;
	symbols = symbols_read(host->files.symbols, &error);
	if (!symbols)
		return check_failed(text, error);
	g_string_append(text, host->files.symbols);
	return CHECK_OK;
}

static CheckVerdict compare_space(const CheckHost *host, const DiskSpace *space, GString *text)
{
	const CollectRequest *request = host->request;
	uint64_t room = space->free_bytes - MIN(space->free_bytes, space->kept_bytes);
	uint64_t bytes_max =
		saturate_product(request->record.bytes_max, MAX(request->record.pieces, 1));
	bool is_enough = room >= bytes_max;

	g_string_append(text, is_enough ? "" : "only ");
	check_append_size(text, space->free_bytes);
	g_string_append(text, is_enough ? " free, of which it takes at most "
					: " free, less than it may take: ");
	check_append_size(text, bytes_max);
	g_string_append(text, request->record.pieces && !request->record.piece_ns
				      ? " (--record-rotate)"
				      : " (--record-max)");
	if (room > 0 || !request->record.path)
		return is_enough ? CHECK_OK : CHECK_NOTE;
	g_string_append(text, "; it would end at once, because it leaves ");
	check_append_size(text, space->kept_bytes);
	g_string_append(text, " to others: name a file on another disk");
	return CHECK_FAIL;
}

/* Whether the recording, or its first piece, can be created. */
static bool is_writable(const CollectRequest *request, GError **error)
{
	g_autoptr(PieceNames) names = NULL;
	g_autofree char *piece = NULL;

	if (!request->record.pieces)
		return private_file_check(request->record.path, false, error);
	names = piece_names_new(request->record.path, error);
	piece = names ? piece_names_next(names, error) : NULL;
	return piece && private_file_check(piece, false, error);
}

static CheckVerdict look_at_recording(const CheckHost *host, GString *text)
{
	bool streams = collect_request_streams(host->request);
	const char *path = streams ? NULL : host->request->record.path;
	g_autofree char *folder = path ? g_path_get_dirname(path) : g_strdup(".");
	GError *error = NULL;
	DiskSpace space;

	if (streams) {
		g_string_append(text, "none: standard output gets the stream");
		return CHECK_OK;
	}
	if (path && !is_writable(host->request, &error))
		return check_failed(text, error);
	g_string_append_printf(text, "%s: ", path ? path : "with --record in this folder");
	if (host->disk_space(folder, &space))
		return compare_space(host, &space, text);
	g_string_append(text, "the free space of the disk is not known");
	return CHECK_NOTE;
}

static const CheckRow first_rows[] = {
	{ "Kernel", look_at_kernel },
	{ "Collector", look_at_collector },
	{ NULL, NULL },
};

/* Printed after the collector's rows. */
static const CheckRow last_rows[] = {
	{ "Events", look_at_events },
	{ "Addresses", look_at_addresses },
	{ "Recording", look_at_recording },
	/* These print a line only if the options request them. */
	{ "Command", look_at_command },
	{ "Report file", look_at_report_file },
	{ "Text file", look_at_text_file },
	{ "Symbols", look_at_symbols },
	{ NULL, NULL },
};

static void print_line(CheckVerdict verdict, const char *topic, const GString *text, FILE *out)
{
	static const char *const verdicts[] = { "ok", "note", "FAIL" };
	g_autoptr(GString) line = g_string_new(NULL);
	bool is_cut = text->len > TEXT_BYTES_MAX;

	escape_append_len(line, text->str, is_cut ? TEXT_BYTES_MAX : text->len);
	fprintf(out, "%-4s  %s:%*s %s%s\n", verdicts[verdict], topic,
		MAX(TOPIC_COLUMNS - (int)strlen(topic), 0), "", line->str, is_cut ? "..." : "");
}

/* Returns the number of failed rows. */
static unsigned print_rows(const CheckRow *rows, const CheckHost *host, FILE *out)
{
	unsigned failed = 0;

	for (const CheckRow *row = rows; row && row->topic; row++) {
		g_autoptr(GString) text = g_string_new(NULL);
		CheckVerdict verdict = row->look(host, text);

		if (text->len)
			print_line(verdict, row->topic, text, out);
		failed += verdict == CHECK_FAIL;
	}
	return failed;
}

bool check_print(const CheckHost *host, FILE *out)
{
	unsigned failed = print_rows(first_rows, host, out);
	g_autoptr(GString) why = g_string_new(NULL);

	failed += print_rows(collector_of(host, why)->checks, host, out);
	failed += print_rows(last_rows, host, out);
	if (!failed)
		fputs("A run would start.\n", out);
	else
		fprintf(out, "A run would not start: %u of the above %s in its way.\n", failed,
			failed == 1 ? "is" : "are");
	return !failed;
}

/* This host, and the data that the check borrows from it. */
typedef struct {
	CheckHost host;
	StapTool *stap;
	GError *problem;
	struct utsname names;
} ThisHost;

static void this_host_init(ThisHost *this, const CollectRequest *request)
{
	uname(&this->names);
	this->problem = NULL;
	this->stap = stap_tool_find_for_run(!request->stap.module_path, &this->problem);
	this->host = (CheckHost){
		.root = "",
		.user = geteuid(),
		.release = this->names.release,
		.version = this->names.version,
		.machine = this->names.machine,
		.request = request,
		.stap = this->stap,
		.stap_problem = this->problem ? this->problem->message : NULL,
		.disk_space = disk_space_of_folder,
	};
}

static void this_host_clear(ThisHost *this)
{
	g_clear_pointer(&this->stap, stap_tool_free);
	g_clear_error(&this->problem);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ThisHost, this_host_clear)

bool check_this_host(const CollectorType *collector, const CollectRequest *request,
		     CheckFiles files, FILE *out)
{
	g_auto(ThisHost) this;

	this_host_init(&this, request);
	this.host.collector = collector;
	this.host.files = files;
	return check_print(&this.host, out);
}

const CollectorType *check_choose_collector(const CollectRequest *request, char **why)
{
	g_auto(ThisHost) this;
	GString *reasons = g_string_new(NULL);
	const CollectorType *collector;

	this_host_init(&this, request);
	collector = collector_choose(&this.host, reasons);
	*why = g_string_free(reasons, !reasons->len);
	return collector;
}
