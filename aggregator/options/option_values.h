/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The handlers of option values. Each stores one value in the options, or returns false with error
 * set: a usage error of one line. The caller puts the option's name before it.
 */

/* Number of frames of a stack without --max-stack. */
enum { STACK_DEPTH_DEFAULT = 64 };

/* The smallest piece of a recording: most of it is events, because symbols take 1 to 3 MiB. */
enum { OPTION_PIECE_BYTES_MIN = 8 << 20 };

/* The longest duration that an option accepts. */
#define DURATION_SECONDS_MAX 1e9

/* Sets a usage error. Returns false. */
bool option_fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the metric of that name or alias, NULL with error set: there is none of that use. The
   error calls it what, "key" or "column". */
const Metric *option_metric(const char *name, MetricUse use, const char *what, GError **error);

/* Adds the filter with that name. */
bool option_add_filter(Options *options, const char *option, const char *value, GError **error);

/* Parse a whole number from min to max; the second one stores 32 bits, so max fits into them. */
bool option_parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *value,
			GError **error);
bool option_parse_whole32(const char *text, uint64_t min, uint64_t max, uint32_t *value,
			  GError **error);

/* Parses a time: seconds, "30", "0.5" or ".5", or a number with s, m or h, "10m". Returns false if
   it is invalid. */
bool option_parse_seconds(const char *value, double *seconds);

/* Parses the number of seconds between two tables or reports. */
bool option_parse_interval(const char *value, double *seconds, GError **error);

/* Returns which kinds of events --events of the tool takes: bits of ProbeKindBit. */
unsigned option_events_offered(const Tool *tool);

/* Returns the help text of --events: the kinds of events that the tool observes by default, and the
   others. The caller frees it. */
char *option_events_help(const Tool *tool);

/* Returns the names of the formats of the tool, separated by ", ". The caller frees them. */
char *option_format_names(const Tool *tool);

/* Each takes the value of the option of that name, for the table of options. Returns false with a
   usage error set. */
bool option_exclude(Options *options, const char *value, GError **error);
bool option_sort(Options *options, const char *value, GError **error);
bool option_per(Options *options, const char *value, GError **error);
bool option_format(Options *options, const char *value, GError **error);
bool option_input(Options *options, const char *value, GError **error);
bool option_page_size(Options *options, const char *value, GError **error);
bool option_import(Options *options, const char *value, GError **error);
bool option_json(Options *options, const char *value, GError **error);
bool option_by(Options *options, const char *value, GError **error);
bool option_callsite_skip(Options *options, const char *value, GError **error);
bool option_command(Options *options, const char *value, GError **error);
bool option_debuginfo(Options *options, const char *value, GError **error);
bool option_debuginfod(Options *options, const char *value, GError **error);
bool option_source_path(Options *options, const char *value, GError **error);
bool option_pid(Options *options, const char *value, GError **error);
bool option_min_age(Options *options, const char *value, GError **error);
bool option_watch(Options *options, const char *value, GError **error);
bool option_every(Options *options, const char *value, GError **error);
bool option_duration(Options *options, const char *value, GError **error);
bool option_from(Options *options, const char *value, GError **error);
bool option_to(Options *options, const char *value, GError **error);
bool option_events(Options *options, const char *value, GError **error);
bool option_stacks(Options *options, const char *value, GError **error);
bool option_stack_walk(Options *options, const char *value, GError **error);
bool option_max_stack(Options *options, const char *value, GError **error);
bool option_collector(Options *options, const char *value, GError **error);
bool option_cache(Options *options, const char *value, GError **error);
bool option_exclude_cache(Options *options, const char *value, GError **error);
bool option_rate_events(Options *options, const char *value, GError **error);
bool option_rate_columns(Options *options, const char *value, GError **error);
bool option_rate_count(Options *options, const char *value, GError **error);
bool option_rate_interval(Options *options, const char *value, GError **error);
bool option_rate_rows(Options *options, const char *value, GError **error);
bool option_rate_sort(Options *options, const char *value, GError **error);
/* Shows the sort column of a table, too. Call it when all options are known. */
void option_rate_finish(Options *options);
bool option_rate_speed(Options *options, const char *value, GError **error);
bool option_rate_stacks(Options *options, const char *value, GError **error);
bool option_stap_options(Options *options, const char *value, GError **error);
bool option_buffer(Options *options, const char *value, GError **error);
bool option_max_memory(Options *options, const char *value, GError **error);
bool option_max_loss(Options *options, const char *value, GError **error);
bool option_cache_names(Options *options, const char *value, GError **error);
bool option_record_max(Options *options, const char *value, GError **error);
bool option_record_rotate(Options *options, const char *value, GError **error);
bool option_build_module(Options *options, const char *value, GError **error);
bool option_help(Options *options, const char *value, GError **error);
bool option_verbose(Options *options, const char *value, GError **error);
