/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * The user's -o "OPTS", split into words as a shell would, without running a shell. Compile options
 * go to stap and into the module's key. The size of the buffers is stored as a number. Options that
 * would break the stream are refused.
 */
typedef struct {
	GPtrArray *compile;        /* (element-type utf8), owned: words for stap */
	unsigned buffer_megabytes; /* from -s, for each buffer; 0: not given */
	bool reads_files;          /* -I, -R, -d: a cached module would not notice a changed file */
} StapOptions;

/* Returns the split options, or NULL with error set (a usage error that names our own option). text
   NULL: no options. */
StapOptions *stap_options_parse(const char *text, GError **error);
void stap_options_free(StapOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapOptions, stap_options_free)
