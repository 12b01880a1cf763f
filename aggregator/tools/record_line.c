/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --record prints if no report was asked for: one line, and why the run ended early, if it
 * did. tool.c calls it when the recording is complete.
 */
#include "tools/record_line.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "options/tool_description.h"
#include "render/text/render_text.h"
#include "report/facts.h"
#include "session/losses.h"
#include "session/piece_names.h"

#include <sys/stat.h>

bool record_is_result(const Options *options)
{
	/* What says how a report is to be. */
	static const char *const asked[] = {
		"output",  "format", "top",           "min-count", "min-bytes",
		"sort",    "by",     "diff",          "details",   "human",
		"every",   "lines",  "source",        "exclude",   "exclude-regex",
		"include", "print",  "include-regex", NULL,
	};
	const char *path = options->live.request.record.path;

	return path && !g_str_equal(path, "-") && !options_are_given(options, asked);
}

static uint64_t bytes_of(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

/* Appends "x.kmr (1.2 MiB)", or "6 pieces of x.kmr (12.3 MiB)". Returns a file to read, which the
   caller frees. */
static char *append_files(GString *out, const RecorderPlan *plan)
{
	g_autoptr(PieceNames) names = plan->pieces ? piece_names_new(plan->path, NULL) : NULL;
	g_autoptr(GPtrArray) pieces = names ? piece_names_outdated(names, 0) : NULL;
	uint64_t bytes = 0;

	for (guint i = 0; pieces && i < pieces->len; i++)
		bytes += bytes_of(pieces->pdata[i]);
	if (pieces && pieces->len)
		g_string_append_printf(out, "%u piece%s of ", pieces->len,
				       pieces->len == 1 ? "" : "s");
	else
		bytes = bytes_of(plan->path);
	escape_append(out, plan->path);
	g_string_append(out, " (");
	append_amount(out, bytes, true);
	g_string_append_c(out, ')');
	return g_strdup(pieces && pieces->len ? pieces->pdata[pieces->len - 1] : plan->path);
}

/* Appends "kmalloc-top --held -i x.kmr", "slabstack filp -i x.kmr". */
static void append_command(GString *out, const Options *options, const char *file)
{
	g_string_append(out, options->tool->name);
	if (options->live.request.what.held)
		g_string_append(out, " --held");
	if (options->choice.caches_asked) {
		g_string_append_c(out, ' ');
		escape_append_word(out, options->choice.caches_asked);
	}
	g_string_append(out, " -i ");
	escape_append_word(out, file);
}

void record_line_print(const Session *session, const Options *options, FILE *out)
{
	g_autoptr(Facts) facts = facts_new(session, false);
	g_autoptr(GString) text = g_string_new("Recorded: "), lost = g_string_new(NULL);
	g_autofree char *file = NULL;

	append_number_of(text, losses_received(session), "event");
	g_string_append(text, " in ");
	append_seconds(text, fact_number(facts, FACT_DURATION));
	g_string_append(text, " to ");
	file = append_files(text, &options->live.request.record);
	append_lost_line(lost, facts);
	g_string_truncate(lost, lost->len - 1);
	lost->str[0] = 'l';
	g_string_append_printf(text, "; %s; read it: ", lost->str);
	append_command(text, options, file);
	g_string_append_c(text, '\n');
	append_fact_line(text, facts, FACT_ENDED_EARLY, true);
	fwrite(text->str, 1, text->len, out);
}
