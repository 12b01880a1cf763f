/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handlers of option values: each checks a text and stores one value in the Options, or sets a
 * usage error of one line.
 */
#include "options/option_values.h"

#include "base/clock.h"
#include "base/nearest.h"
#include "base/unconst.h"
#include "collect/run/collector_types.h"
#include "collect/run/command.h"
#include "record/probe_kinds.h"
#include "collect/stap/stap_options.h"
#include "number.h"
#include "options/tool_description.h"
#include "report/slab_readings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	PIDS_MAX = 64, /* must fit into one module parameter */
	MEMORY_MEGABYTES_MIN = 16,
	MEGABYTES_MAX = 1 << 20,
	PIECES_MAX = 100000,
	PIECE_SECONDS_MAX = 7 * 24 * 3600,
};
#define INTERVAL_SECONDS_MIN 0.1
#define INTERVAL_SECONDS_MAX 86400

bool option_fail(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(error, g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
						    format, arguments));
	va_end(arguments);
	return false;
}

bool option_parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value,
			GError **error)
{
	const char *rest;

	if (!number_parse(text, value, &rest) || *rest)
		return option_fail(error, "'%s' is not a whole number", text);
	if (*value < min || *value > max)
		return option_fail(error,
				   "'%s' is out of range: %" G_GUINT64_FORMAT
				   " to %" G_GUINT64_FORMAT " is possible",
				   text, min, max);
	return true;
}

bool option_parse_whole32(const char *text, uint64_t min, uint64_t max, uint32_t *value,
			  GError **error)
{
	uint64_t number;

	if (!option_parse_whole(text, min, max, &number, error))
		return false;
	*value = (uint32_t)number;
	return true;
}

bool option_add_filter(Options *options, const char *option, const char *value, GError **error)
{
	Filter *filter = filter_new(filter_type_lookup(option), value, error);

	if (filter)
		g_ptr_array_add(options->view.filters, filter);
	return filter != NULL;
}

/* The banner shows what -e excludes, so its text is stored in addition to the filter. */
bool option_exclude(Options *options, const char *value, GError **error)
{
	g_autofree char *earlier = g_steal_pointer(&options->choice.stacks_excluded);

	options->choice.stacks_excluded =
		earlier ? g_strjoin(",", earlier, value, NULL) : g_strdup(value);
	return option_add_filter(options, "exclude", value, error);
}

/* Sets the error about a name that is none of the list. */
static bool fail_unknown(GError **error, const char *what, const char *name, const char *list)
{
	g_autofree char *similar = nearest_did_you_mean(name, list);

	return option_fail(error, "unknown %s '%s'; %svalid: %s", what, name, similar, list);
}

const Metric *option_metric(const char *name, MetricUse use, const char *what, GError **error)
{
	const Metric *metric = metric_lookup(name, use);
	g_autofree char *names = metric ? NULL : metric_names(use);

	if (!metric)
		fail_unknown(error, what, name, names);
	return metric;
}

/* Sets the error about a key that is for neither a CACHE nor all caches. */
static bool fail_unknown_order(const char *name, MetricUse use, GError **error)
{
	g_autofree char *keys = metric_names(use);
	g_autofree char *orders = slab_order_names(", ");
	g_autofree char *all = g_strconcat(keys, ", ", orders, NULL);
	g_autofree char *similar = nearest_did_you_mean(name, all);

	return option_fail(error, "unknown key '%s'; %svalid: %s; without a CACHE: %s", name,
			   similar, keys, orders);
}

/* All caches of the host have keys of their own. */
bool option_sort(Options *options, const char *value, GError **error)
{
	MetricUse use = tool_ranks(options->tool);
	const bool has_orders = options->tool->read_overview;

	options->sort_given = true;
	options->output.slab_order = NULL;
	for (const SlabOrder *order = slab_orders; order->name; order++)
		if (has_orders && g_str_equal(order->name, value))
			options->output.slab_order = order;
	if (options->output.slab_order)
		return true;
	options->view.sort = option_metric(value, use, "key", has_orders ? NULL : error);
	return options->view.sort || (has_orders && fail_unknown_order(value, use, error));
}

bool option_per(Options *options, const char *value, GError **error)
{
	for (DiffPer per = DIFF_PER_AUTO + 1; per < DIFF_PERS; per++)
		if (g_str_equal(value, diff_units[per].name)) {
			options->output.per = per;
			return true;
		}
	return option_fail(error, "'%s' is not valid: use second, event or run", value);
}

char *option_format_names(const Tool *tool)
{
	GString *names = g_string_new(NULL);

	for (const Renderer *renderer = renderers; renderer->name; renderer++)
		if (tool_renders(tool, renderer))
			g_string_append_printf(names, "%s%s", names->len ? ", " : "",
					       renderer->name);
	return g_string_free(names, FALSE);
}

bool option_format(Options *options, const char *value, GError **error)
{
	const Tool *tool = options->tool;
	g_autofree char *names = option_format_names(tool);

	options->output.renderer = renderer_lookup(value);
	if (options->output.renderer && tool_renders(tool, options->output.renderer))
		return true;
	if (!options->output.renderer)
		return fail_unknown(error, "format", value, names);
	/* Formats of stacks cannot show rates, nor the other way round. */
	return option_fail(error, "'%s' shows %s: use %s, or a format of this program: %s", value,
			   tool->stream ? "stacks" : "rates",
			   tool->stream ? "kmalloc-top" : "slabratetop", names);
}

bool option_import(Options *options, const char *value, GError **error)
{
	g_autofree char *names = NULL;

	options->input.kernel.record = kernel_record_lookup(value);
	if (options->input.kernel.record)
		return true;
	names = kernel_record_names();
	return fail_unknown(error, "record", value, names);
}

bool option_input(Options *options, const char *value, GError **error)
{
	(void)error;
	g_free(options->input.path);
	options->input.path = g_strdup(value);
	g_ptr_array_add(options->input.paths, g_strdup(value));
	return true;
}

/* No kernel has smaller or larger ones. */
bool option_page_size(Options *options, const char *value, GError **error)
{
	enum { LEAST = 4096, MOST = 1 << 20 };
	uint64_t bytes;

	if (!number_parse_bytes(value, &bytes) || bytes < LEAST || bytes > MOST ||
	    (bytes & (bytes - 1)))
		return option_fail(error, "'%s' is not a page size: use 4K, 16K or 64K", value);
	options->input.page_bytes = bytes;
	return true;
}

bool option_json(Options *options, const char *value, GError **error)
{
	(void)value; /* the option takes no value */
	return option_format(options, "json", error);
}

bool option_by(Options *options, const char *value, GError **error)
{
	return dimensions_parse(value, options->tool->bit == TOOL_STACK_TOP, options->view.by,
				error);
}

bool option_callsite_skip(Options *options, const char *value, GError **error)
{
	g_clear_pointer(&options->choice.callsite_skip, callsite_skip_free);
	options->choice.callsite_skip = callsite_skip_new(value, error);
	options->view.callsite_skip = options->choice.callsite_skip;
	return options->choice.callsite_skip != NULL;
}

bool option_command(Options *options, const char *value, GError **error)
{
	g_strfreev(options->live.request.command.words);
	options->live.request.command.words = command_split(value, error);
	return options->live.request.command.words != NULL;
}

bool option_pid(Options *options, const char *value, GError **error)
{
	g_auto(GStrv) words = g_strsplit(value, ",", -1);

	for (char **word = words; *word; word++) {
		uint64_t number;
		guint32 pid;

		if (!option_parse_whole(*word, 1, 4 * 1024 * 1024 - 1, &number, error))
			return false;
		pid = (guint32)number;
		g_array_append_val(options->live.pids, pid);
	}
	if (options->live.pids->len > PIDS_MAX)
		return option_fail(error, "at most %d processes can be named", PIDS_MAX);
	return options->live.pids->len || option_fail(error, "'%s' names no process", value);
}

/* A decimal number without sign, exponent, base prefix or names such as "inf". */
static bool parse_decimal(const char *value, double *number)
{
	char *end;

	*number = g_ascii_strtod(value, &end);
	return *value && !value[strspn(value, "0123456789.")] && !*end;
}

bool option_parse_seconds(const char *value, double *seconds)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
	g_autofree char *number = g_strdup(value);
	gsize last = MAX(strlen(value), 1) - 1;
	double unit = 1;

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (last && value[last] == units[i].letter) {
			unit = units[i].seconds;
			number[last] = '\0';
		}
	if (!parse_decimal(number, seconds))
		return false;
	*seconds *= unit;
	return true;
}

static bool parse_time(const char *value, double *seconds, GError **error)
{
	if (option_parse_seconds(value, seconds) && *seconds > 0 &&
	    *seconds <= DURATION_SECONDS_MAX)
		return true;
	return option_fail(
		error, "'%s' is not a time above 0: use seconds, or s, m or h, as in 10m", value);
}

/* A number of MB, or a size with its unit. */
static bool parse_megabytes(const char *value, uint64_t min, uint64_t *megabytes, GError **error)
{
	const char *rest;
	uint64_t number, bytes;

	if (!number_parse(value, &number, &rest) || !*rest)
		return option_parse_whole(value, min, MEGABYTES_MAX, megabytes, error);
	if (!number_parse_bytes(value, &bytes))
		return option_fail(error, "'%s' is not a size: use MB, or K, M or G, as in 1G",
				   value);
	*megabytes = (bytes + (1 << 20) - 1) >> 20;
	if (*megabytes < min || *megabytes > MEGABYTES_MAX)
		return option_fail(
			error, "'%s' is out of range: %" G_GUINT64_FORMAT "M to %dG is possible",
			value, min, MEGABYTES_MAX >> 10);
	return true;
}

bool option_buffer(Options *options, const char *value, GError **error)
{
	uint64_t megabytes;

	if (!parse_megabytes(value, 1, &megabytes, error))
		return false;
	options->live.request.bounds.buffer_megabytes = (uint32_t)megabytes;
	return true;
}

bool option_parse_interval(const char *value, double *seconds, GError **error)
{
	if (option_parse_seconds(value, seconds) && *seconds >= INTERVAL_SECONDS_MIN &&
	    *seconds <= INTERVAL_SECONDS_MAX)
		return true;
	return option_fail(error, "invalid interval '%s' (%g to %d seconds)", value,
			   INTERVAL_SECONDS_MIN, INTERVAL_SECONDS_MAX);
}

bool option_every(Options *options, const char *value, GError **error)
{
	double seconds;

	if (!option_parse_interval(value, &seconds, error))
		return false;
	options->live.request.reports.every_ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}

bool option_watch(Options *options, const char *value, GError **error)
{
	return option_parse_interval(value ? value : "1m", &options->watch_s, error);
}

bool option_duration(Options *options, const char *value, GError **error)
{
	double seconds;

	if (!parse_time(value, &seconds, error))
		return false;
	options->live.request.bounds.duration_seconds = seconds;
	return true;
}

bool option_min_age(Options *options, const char *value, GError **error)
{
	double seconds;

	if (!parse_time(value, &seconds, error))
		return false;
	options->choice.held.min_age_ns = (uint64_t)(seconds * 1e9);
	return true;
}

/* Parses a time within a recording. */
static bool parse_place(Options *options, const char *value, uint64_t *ns, GError **error)
{
	double seconds;

	if (!option_parse_seconds(value, &seconds) || !(seconds <= DURATION_SECONDS_MAX))
		return option_fail(
			error, "'%s' is not a time: use seconds, or s, m or h, as in 10m", value);
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	options->input.is_sliced = true;
	return true;
}

bool option_from(Options *options, const char *value, GError **error)
{
	return parse_place(options, value, &options->input.slice.from_ns, error);
}

bool option_to(Options *options, const char *value, GError **error)
{
	return parse_place(options, value, &options->input.slice.to_ns, error);
}

bool option_events(Options *options, const char *value, GError **error)
{
	options->live.events_replaced = *value != '+';
	if (!probe_kinds_parse(value, options->tool->events, &options->live.request.what.events,
			       error))
		return false;
	if (!(options->live.request.what.events & ~(unsigned)PROBE_FREE))
		return option_fail(error, "'%s' has no allocations to rank: add %s", value,
				   options->tool->caches_only ? "kmalloc or cache"
							      : "kmalloc, cache or page");
	return true;
}

/* Frees are collected for the columns of rates that need them. */
unsigned option_events_offered(const Tool *tool)
{
	unsigned offered = tool->caches_only ? probe_kinds_of_caches() : G_MAXUINT;

	return tool->stream ? offered & ~(unsigned)PROBE_FREE : offered;
}

char *option_events_help(const Tool *tool)
{
	return probe_kinds_help(tool->events, option_events_offered(tool));
}

bool option_stacks(Options *options, const char *value, GError **error)
{
	if (g_str_equal(value, "none"))
		options->live.request.what.stack_depth = 0;
	else if (!g_str_equal(value, "full"))
		return option_fail(error, "'%s' is not valid: use full or none", value);
	return true;
}

bool option_stack_walk(Options *options, const char *value, GError **error)
{
	int walk = choice_lookup(stack_walk_names, value);

	if (walk < 0)
		return option_fail(error, "'%s' is not valid: use auto, kernel or compare", value);
	options->live.request.stap.walk = (StackWalk)walk;
	return true;
}

bool option_max_stack(Options *options, const char *value, GError **error)
{
	uint64_t depth;

	if (!option_parse_whole(value, 1, KMT_STACK_DEPTH_MAX, &depth, error))
		return false;
	/* --stacks=none has precedence, in any order. */
	if (options->live.request.what.stack_depth)
		options->live.request.what.stack_depth = (uint32_t)depth;
	return true;
}

bool option_collector(Options *options, const char *value, GError **error)
{
	g_autofree char *names = NULL;

	options->live.collector = collector_type_lookup(value);
	if (options->live.collector || g_str_equal(value, "auto"))
		return true;
	names = collector_type_names();
	return fail_unknown(error, "collector", value, names);
}

bool option_cache_names(Options *options, const char *value, GError **error)
{
	int naming = choice_lookup(cache_naming_names, value);

	if (naming < 0)
		return fail_unknown(error, "--cache-names", value, "auto, probes, compare");
	options->live.request.what.cache_names = (CacheNaming)naming;
	return true;
}

bool option_stap_options(Options *options, const char *value, GError **error)
{
	g_autoptr(StapOptions) checked = stap_options_parse(value, error);

	g_free(unconst(options->live.request.stap.options));
	options->live.request.stap.options = g_strdup(value);
	return checked != NULL;
}

bool option_max_memory(Options *options, const char *value, GError **error)
{
	uint64_t megabytes;

	if (!parse_megabytes(value, MEMORY_MEGABYTES_MIN, &megabytes, error))
		return false;
	options->memory_bytes_max = megabytes << 20;
	return true;
}

bool option_max_loss(Options *options, const char *value, GError **error)
{
	double percent;

	if (!parse_decimal(value, &percent) || percent > 100)
		return option_fail(error, "'%s' is not a percentage from 0 to 100", value);
	options->loss_percent_max = percent;
	return true;
}

bool option_record_max(Options *options, const char *value, GError **error)
{
	uint64_t bytes;

	if (!number_parse_bytes(value, &bytes) || !bytes)
		return option_fail(error,
				   "'%s' is not a size above 0: use a whole number, optionally "
				   "followed by K, M or G",
				   value);
	options->live.request.record.bytes_max = bytes;
	options->live.record_max_given = true;
	return true;
}

/* Reads "100M" or "10m". */
static bool parse_piece(const char *text, CollectRequest *request)
{
	double seconds;

	if (option_parse_seconds(text, &seconds)) {
		request->record.piece_ns = (uint64_t)(MIN(seconds, PIECE_SECONDS_MAX) * 1e9);
		return seconds >= 1 && seconds <= PIECE_SECONDS_MAX;
	}
	request->record.piece_ns = 0;
	return number_parse_bytes(text, &request->record.bytes_max) &&
	       request->record.bytes_max >= OPTION_PIECE_BYTES_MIN;
}

bool option_record_rotate(Options *options, const char *value, GError **error)
{
	const char *comma = strchr(value, ',');
	g_autofree char *piece = comma ? g_strndup(value, (gsize)(comma - value)) : NULL;

	if (!piece || !parse_piece(piece, &options->live.request) ||
	    !option_parse_whole32(comma + 1, 2, PIECES_MAX, &options->live.request.record.pieces,
				  NULL))
		return option_fail(
			error,
			"'%s' is not a length and a number of pieces: use a size of 8M or "
			"more (with K, M or G) or a time (with s, m or h), a comma, and 2 "
			"to %d, as in 100M,10 or 10m,6",
			value, PIECES_MAX);
	return true;
}

bool option_debuginfo(Options *options, const char *value, GError **error)
{
	if (access(value, R_OK))
		return option_fail(error, "%s: %s", value, g_strerror(errno));
	g_ptr_array_add(options->lines.debuginfo, g_strdup(value));
	return true;
}

bool option_source_path(Options *options, const char *value, GError **error)
{
	if (!g_file_test(value, G_FILE_TEST_IS_DIR))
		return option_fail(error, "%s: there is no such folder", value);
	g_ptr_array_add(options->lines.source_paths, g_strdup(value));
	return true;
}

bool option_debuginfod(Options *options, const char *value, GError **error)
{
	if (value && !g_str_has_prefix(value, "http://") && !g_str_has_prefix(value, "https://") &&
	    !g_str_has_prefix(value, "file://"))
		return option_fail(error,
				   "'%s' is not a server's URL, which begins with https://, "
				   "http:// or file://",
				   value);
	g_free(options->lines.debuginfod);
	options->lines.debuginfod = g_strdup(value ? value : "");
	return true;
}

bool option_build_module(Options *options, const char *value, GError **error)
{
	(void)error;
	options->build_module = true;
	g_free(options->live.kernel_release);
	options->live.kernel_release = g_strdup(value);
	return true;
}

bool option_help(Options *options, const char *value, GError **error)
{
	(void)error;
	options->help = true;
	options->help_all = !g_strcmp0(value, "all");
	return true;
}

bool option_verbose(Options *options, const char *value, GError **error)
{
	(void)value;
	(void)error;
	options->live.request.terminal.verbose++;
	return true;
}
