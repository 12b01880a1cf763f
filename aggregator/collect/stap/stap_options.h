/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * The user's -o "OPTS": split into words as a shell would, never given to one. Options that
 * matter when compiling go to stap and into the module's key; the size of the buffers is kept as a
 * number; those that would break the stream are refused.
 */
typedef struct {
	GPtrArray *compile;        /* (element-type utf8), owned: words for stap */
	unsigned buffer_megabytes; /* of -s, for each buffer; 0: not given */
	bool reads_files; /* -I, -R, -d: a kept module would not notice that a file changed */
} StapOptions;

/* Returns the split options, or NULL with error set (a usage error that names our own option).
   text NULL: none. */
StapOptions *stap_options_parse(const char *text, GError **error);
void stap_options_free(StapOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapOptions, stap_options_free)
