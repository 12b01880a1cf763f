/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/info.h"

#include "escape.h"
#include "report/lost.h"
#include "number_text.h"
#include "report/recorded_caches.h"

static void append_label(GString *out, const char *label)
{
	g_string_append_printf(out, "%-14s", label);
}

static void append_kernel(const Session *session, GString *out)
{
	static const enum KmtFieldId parts[] = { KMT_FIELD_RELEASE, KMT_FIELD_ARCH,
						 KMT_FIELD_VERSION };
	gsize start;

	append_label(out, "Kernel:");
	start = out->len;
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		const char *text = run_info_text(session->info, parts[i]);

		if (!text)
			continue;
		g_string_append(out, out->len > start ? ", " : "");
		escape_append(out, text);
	}
	g_string_append(out, out->len > start ? "\n" : "not known\n");
}

/* From the moment the probes were live; *end_ns is what is known of the end. */
static uint64_t run_span(const Session *session, uint64_t *end_ns)
{
	const RunInfo *info = session->info;
	uint64_t until = loss_ledger_complete_until(session->loss);
	uint64_t start_ns = run_info_number(info, KMT_FIELD_RUN_START_NS, 0);

	*end_ns = MAX(run_info_number(info, KMT_FIELD_RUN_END_NS, until), start_ns);
	return start_ns;
}

static void append_run(const Session *session, GString *out)
{
	uint64_t end_ns, start_ns = run_span(session, &end_ns);
	uint64_t realtime_ns = run_info_realtime_ns(session->info, start_ns);

	append_label(out, "Start:");
	if (start_ns && realtime_ns)
		append_time(out, realtime_ns);
	else
		g_string_append(out, "not known");
	g_string_append_c(out, '\n');
	append_label(out, "Duration:");
	if (start_ns)
		append_seconds(out, end_ns - start_ns);
	else
		g_string_append(out, "not known");
	g_string_append_c(out, '\n');
}

static void append_text(const Session *session, GString *out, const char *label, enum KmtFieldId id)
{
	const char *text = run_info_text(session->info, id);

	append_label(out, label);
	escape_append(out, text && *text ? text : "not known");
	g_string_append_c(out, '\n');
}

static void append_number(GString *out, const char *label, uint64_t number)
{
	append_label(out, label);
	append_count(out, number);
	g_string_append_c(out, '\n');
}

static void append_unknown(GString *out, const char *label)
{
	append_label(out, label);
	g_string_append(out, "not known\n");
}

static void append_cpus(const Session *session, GString *out)
{
	uint64_t cpus = run_info_number(session->info, KMT_FIELD_CPUS_ONLINE,
					loss_ledger_totals(session->loss).cpus);

	if (cpus)
		append_number(out, "CPUs:", cpus);
	else
		append_unknown(out, "CPUs:");
}

static const char *what_is_missing(const Session *session)
{
	Losses losses = losses_of(session);

	if (losses_by_full_tables(&losses))
		return "no, a table was full\n";
	if (losses.bpf_blind)
		return "no, BPF programs held back events\n";
	if (losses.untraced_ns && !losses_all(&losses).high)
		return "no, a CPU was not traced for a time\n";
	if (!losses_are_none(&losses))
		return "no, events were lost\n";
	return losses.source_is_silent ? "not known\n" : "yes\n";
}

static void append_completeness(const Session *session, GString *out)
{
	const char *bound = run_info_text(session->info, KMT_FIELD_BOUND);

	append_label(out, "Complete:");
	if (session->cut_short)
		g_string_append(out, "no, it was cut short or is damaged\n");
	else if (bound) {
		g_string_append(out, "no, ended early: ");
		escape_append(out, bound);
		g_string_append_c(out, '\n');
	} else {
		g_string_append(out, what_is_missing(session));
	}
}

static const struct {
	const char *label;
	enum KmtFieldId id;
	bool rare; /* of most recordings there is nothing to say */
} texts[] = {
	{ "Boot:", KMT_FIELD_BOOT_ID, false },
	{ "Collector:", KMT_FIELD_COLLECTOR, false },
	{ "Program:", KMT_FIELD_PROGRAM, false },
	{ "Command line:", KMT_FIELD_COMMAND_LINE, false },
	{ "Scope:", KMT_FIELD_SCOPE, false },
	{ "Observed:", KMT_FIELD_EVENTS, false },
	{ "Covered:", KMT_FIELD_COVERED, false },
	{ "Not recorded:", KMT_FIELD_NOT_RECORDED, true },
	{ "Clock:", KMT_FIELD_CLOCK, true },
};

static void append_texts(const Session *session, GString *out)
{
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		if (!texts[i].rare || run_info_text(session->info, texts[i].id))
			append_text(session, out, texts[i].label, texts[i].id);
}

static void append_caches(const Session *session, GString *out)
{
	g_auto(GStrv) recorded = recorded_caches(session);
	g_autofree char *names = recorded ? g_strjoinv(", ", recorded) : NULL;

	if (!names)
		return;
	append_label(out, "Caches:");
	escape_append(out, names);
	g_string_append(out, "; of others not all allocations\n");
}

static void append_untraced_line(const Session *session, GString *out)
{
	if (!losses_of(session).untraced_ns)
		return;
	append_label(out, "Unknown:");
	append_untraced(out, session);
	g_string_append_c(out, '\n');
}

static void append_lost_events(const Session *session, GString *out)
{
	Losses losses = losses_of(session);

	if (losses.source_is_silent && losses_are_none(&losses)) {
		append_unknown(out, "Lost:");
		return;
	}
	append_label(out, "Lost:");
	append_range(out, losses_all(&losses));
	g_string_append_c(out, '\n');
}

void info_print(const Session *session, bool show_host, FILE *out)
{
	GString *text = g_string_new(NULL);

	if (show_host)
		append_text(session, text, "Host:", KMT_FIELD_HOST);
	append_kernel(session, text);
	append_cpus(session, text);
	append_run(session, text);
	append_texts(session, text);
	append_caches(session, text);
	append_number(text, "Events:", profile_totals(session->profile).events);
	append_number(text, "Stacks:", stack_table_count(profile_stacks(session->profile)));
	append_lost_events(session, text);
	append_untraced_line(session, text);
	append_completeness(session, text);
	fputs(text->str, out);
	g_string_free(text, TRUE);
}
