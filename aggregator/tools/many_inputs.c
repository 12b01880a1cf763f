/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several recordings: paths and folders, read one after the other into sessions that are freed
 * again, merged by names; what cannot be used is noted and left out. tool.c makes one report of the
 * result.
 */
#include "tools/many_inputs.h"

#include "record/format.h"
#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/sorted.h"
#include "import/import_types.h"
#include "import/input.h"
#include "report/model.h"
#include "session/losses.h"
#include "session/symbols_choose.h"
#include "tools/tool_input.h"
#include "tools/report_input.h"
#include "tools/source_lines.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static const char suffix[] = ".kmr";
static const char part_suffix[] = ".kmr.part";

enum { NAMED_MAX = 10 }; /* incomplete recordings */

static bool is_folder(const char *path)
{
	return g_file_test(path, G_FILE_TEST_IS_DIR);
}

bool many_inputs_are_given(const InputOptions *input)
{
	return input->paths->len > 1 || (input->path && is_folder(input->path));
}

G_GNUC_PRINTF(1, 2)
static void many_inputs_note(const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autoptr(GString) escaped = g_string_new(NULL);
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	escape_append(escaped, text);
	fprintf(stderr, "%s: %s\n", g_get_prgname(), escaped->str);
}

/* Folders. */

/* A pipe of that name would be waited for. */
static bool is_recording(const char *path)
{
	return g_str_has_suffix(path, suffix) && g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* Adds the recordings of a folder in the order of their names. */
static bool add_folder(GPtrArray *paths, const Options *options, const char *folder, GError **error)
{
	g_autoptr(GDir) files = g_dir_open(folder, 0, error);
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	g_autofree char *foreign = NULL;
	guint others = 0;
	const char *name;

	if (!files)
		return false;
	while ((name = g_dir_read_name(files))) {
		char *path = g_build_filename(folder, name, NULL);

		if (is_recording(path)) {
			g_ptr_array_add(found, path);
			continue;
		}
		/* A run that was killed has its last events there. */
		if (g_str_has_suffix(name, part_suffix) && !options->output.quiet)
			many_inputs_note("%s: left out, a run writes it or was killed: use -i %s "
					 "to read it, too",
					 path, path);
		else
			others++;
		g_free(path);
	}
	if (found->len && others && !options->output.quiet)
		many_inputs_note("%s: %u other %s than *%s left out", folder, others,
				 others == 1 ? "file" : "files", suffix);
	g_ptr_array_sort(found, sorted_compare_texts);
	for (guint i = 0; i < found->len; i++)
		g_ptr_array_add(paths, found->pdata[i]);
	if (found->len)
		return true;
	foreign = foreign_folder_find(folder);
	if (foreign)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, foreign);
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
			    "%s: no recordings (*%s) in it", folder, suffix);
	return false;
}

static GPtrArray *paths_of(const Options *options, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < options->input.paths->len; i++) {
		const char *input = options->input.paths->pdata[i];

		if (!is_folder(input))
			g_ptr_array_add(paths, g_strdup(input));
		else if (!add_folder(paths, options, input, error))
			return NULL;
	}
	return g_steal_pointer(&paths);
}

/* What a recording has. */

static bool is_of_this_kind(ManyInputs *many, const Session *session, const char *path,
			    GError **error)
{
	const char *title = run_info_text(session->info, KMT_FIELD_POINTS_TITLE);
	const char *value = run_info_text(session->info, KMT_FIELD_VALUE_NAME);
	g_autofree char *kind = NULL;

	if (run_info_text(session->info, KMT_FIELD_POINTS_NOUN))
		kind = g_strdup_printf("'%s'%s%s", title ? title : "probe points",
				       value ? " with " : "", value ? value : "");
	else
		kind = g_strdup(session_is_held(session) ? "held objects" : "allocations");
	if (!many->kind)
		many->kind = g_strdup(kind);
	if (g_str_equal(many->kind, kind))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "%s: it has %s, but the others %s: one report shows one of them", path, kind,
		    many->kind);
	return false;
}

/* Whether that run was read from another file. */
static bool was_read(ManyInputs *many, const Session *session, const char *path)
{
	char *identity = run_identity(session, path);
	const char *known = g_hash_table_lookup(many->seen, identity);

	if (known) {
		many_inputs_note("%s: the same run as %s, left out", path, known);
		g_free(identity);
		return true;
	}
	g_hash_table_insert(many->seen, identity, g_strdup(path));
	return false;
}

/* Reading. */

/* The caches that were asked for have other names on each host. */
static bool choose_caches(Options *options, const Session *session, GError **error)
{
	if (options->choice.caches) {
		cache_query_free(options->choice.caches);
		options->choice.caches = cache_query_new(options->choice.caches_asked, error);
		if (!options->choice.caches)
			return false;
	}
	return cache_choice_of_stream(options, session, CACHES_OF_ALL, error);
}

/* Returns why the result of a recording is not whole; NULL: it is, as far as one recording can
   tell. Which share was lost is known when all were read. */
static const char *flaw_of(const Session *session)
{
	const Losses losses = losses_of(session);

	if (losses_walks_different(session) || losses_names_different(session))
		return "what was compared in it differed";
	if (!losses_make_incomplete(session, 100))
		return NULL;
	if (losses.end_unknown)
		return "its end is missing";
	if (losses.damaged_bytes)
		return "a part of it is damaged";
	if (run_info_text(session->info, KMT_FIELD_BOUND))
		return "its run ended early";
	return losses_by_full_tables(&losses) || memory_budget_is_full(session->memory)
		       ? "the memory was full: use a larger --max-memory"
		       : "an unknown number of its events was lost";
}

static void note_flaw(ManyInputs *many, const Session *session, const char *path)
{
	const char *flaw = flaw_of(session);

	if (!flaw)
		return;
	many->incomplete = true;
	if (many->flawed++ < NAMED_MAX)
		many_inputs_note("%s: not complete: %s", path, flaw);
}

/* The first recording that is used may decide on the rank and the keys. */
static void begin_merge(ManyInputs *many, Options *options)
{
	const Renderer *renderer = options->output.renderer;

	if (many->merged)
		return;
	options->view_is_chosen = true;
	if (!options->view.by[0] && renderer->parts)
		many->parts = g_strconcat(renderer->traits & RENDER_RUNS ? "recording," : "",
					  renderer->parts, NULL);
	many->merged = merged_new(options->memory_bytes_max,
				  merged_parts_of(options->view.by, many->parts), many->names);
}

static void add_session(ManyInputs *many, Options *options, Session *session, const char *path)
{
	const ViewOptions wanted = options->view;
	const ReportSubject subject = { .session = session };
	g_autoptr(ReportInput) input = NULL;
	g_autoptr(Facts) facts = NULL;
	DurationTotals spans = { 0 };
	uint32_t run = run_identity_add(many->names, session, path);

	begin_merge(many, options);
	/* Frames are filtered, and rows ranked, when all runs are there. */
	options->view = (ViewOptions){
		.cells = wanted.cells,
		.top = UINT64_MAX,
		.callsite_skip = wanted.callsite_skip,
	};
	input = report_input_new(&subject, options, options->output.renderer);
	options->view = wanted;
	merged_add(many->merged, input->view, run, wanted.callsite_skip);
	facts = model_facts_of_run(session, input->view, !options->output.hide_host);
	if (session->durations && !input->view->left_out)
		spans = durations_totals(session->durations);
	many_runs_add(many->runs, facts, &spans);
	note_flaw(many, session, path);
}

static bool read_one(ManyInputs *many, Options *options, const char *path, GError **error)
{
	g_autoptr(Session) session = tool_session_new(options);
	g_autoptr(SourceLines) lines = source_lines_new(options, error);

	if (!lines)
		return false;
	g_free(options->input.path);
	options->input.path = g_strdup(path);
	options->input.is_found =
		!g_ptr_array_find_with_equal_func(options->input.paths, path, g_str_equal, NULL);
	symbols_prepare(session, options->input.symbols);
	if (!tool_read_input(options, session, error) || !tool_can_show(options, session, error) ||
	    !is_of_this_kind(many, session, path, error) || !choose_caches(options, session, error))
		return false;
	if (was_read(many, session, path))
		return true;
	tool_leave_out_unpaired(options);
	symbols_choose(session, options->input.symbols);
	source_lines_update(lines, session);
	add_session(many, options, session, path);
	return true;
}

static void add_unread(ManyInputs *many)
{
	many_runs_add_unread(many->runs);
	many->incomplete = true;
}

static void read_or_note(ManyInputs *many, Options *options, const char *path)
{
	const ViewOptions wanted = options->view;
	g_autoptr(GError) problem = NULL;

	if (read_one(many, options, path, &problem))
		return;
	options->view = wanted;
	many_inputs_note("%s: left out", problem->message);
	add_unread(many);
}

/* Reads one after the other: one that cannot be used is left out. */
static void read_all(ManyInputs *many, Options *options, const GPtrArray *paths)
{
	g_auto(InputInterrupts) caught = input_interrupts_catch();
	const guint cells = options->choice.cells->len;
	guint done = 0;

	for (; done < paths->len && !input_is_interrupted(); done++) {
		g_array_set_size(options->choice.cells, cells);
		read_or_note(many, options, paths->pdata[done]);
	}
	g_array_set_size(options->choice.cells, cells);
	if (many->flawed > NAMED_MAX)
		many_inputs_note("%u more recordings are not complete", many->flawed - NAMED_MAX);
	if (done == paths->len)
		return;
	many_inputs_note("interrupted: %u of %u recordings are left out", paths->len - done,
			 paths->len);
	for (; done < paths->len; done++)
		add_unread(many);
}

/* The cells of each run were chosen when it was read. */
static void make_view(ManyInputs *many, const Options *options)
{
	const ViewSource source = merged_source(many->merged);

	many->options = options->view;
	many->options.cells = NULL;
	many->view = view_new(&source, &many->options);
	view_add_left_out(many->view, merged_left_out(many->merged));
	many->source = report_source_of_options(options, options->output.renderer);
	many->source.runs = many->runs;
	many->source.stacks_merged = merged_stacks(many->merged);
	many->source.overflow = merged_overflow(many->merged);
	many->source.view = many->view;
	many->source.options = &many->options;
	many->source.parts = many->parts;
}

ManyInputs *many_inputs_read(Options *options, GError **error)
{
	g_autoptr(GPtrArray) paths = paths_of(options, error);
	g_autoptr(ManyInputs) many = NULL;

	if (!paths)
		return NULL;
	options->memory_bytes_max /= 2;
	many = g_new0(ManyInputs, 1);
	many->names = run_names_new(options->output.hide_host);
	run_names_add_unknown(many->names);
	many->runs = many_runs_new(many->names);
	many->seen = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, g_free);
	read_all(many, options, paths);
	if (!many_runs_counts(many->runs).recordings) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "none of the %u recordings could be used", paths->len);
		return NULL;
	}
	make_view(many, options);
	return g_steal_pointer(&many);
}

void many_inputs_free(ManyInputs *many)
{
	if (!many)
		return;
	view_free(many->view);
	merged_free(many->merged);
	many_runs_free(many->runs);
	run_names_free(many->names);
	g_hash_table_unref(many->seen);
	g_free(many->kind);
	g_free(many->parts);
	g_free(many);
}

bool many_inputs_are_complete(const ManyInputs *many, const Options *options)
{
	g_autoptr(Facts) facts = many_runs_facts(many->runs);
	const ProfileTotals overflow = merged_overflow(many->merged);
	bool is_full = overflow.over_bound || overflow.of_other_tasks ||
		       memory_budget_is_full(merged_memory(many->merged));
	double lost = (double)fact_range(facts, FACT_LOST_UNCOUNTED).high;
	double received = (double)fact_number(facts, FACT_EVENTS_COUNTED) +
			  (double)fact_number(facts, FACT_EVENTS_PASSED_OVER);
	double percent_lost = lost > 0 ? 100 * lost / (received + lost) : 0;

	if (percent_lost > 1)
		many_inputs_note("over 1 %% of the events of all recordings were lost");
	if (is_full)
		many_inputs_note("the memory was full when recordings were merged: use a larger "
				 "--max-memory, "
				 "or fewer keys");
	return !many->incomplete && !is_full && percent_lost <= options->loss_percent_max;
}
