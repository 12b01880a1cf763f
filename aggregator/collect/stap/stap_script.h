/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/stap/stap_points.h"

#include <glib.h>

/* The script's file name in the compile folder. */
#define STAP_SCRIPT_FILE "kmalloc-top.stp"

/* The script that observes some events, and the tapset to compile it with. */
typedef struct {
	char *text; /* the common part, then one part per event */
	char *tapset_folder;
	char *tapset_text; /* all files of the tapset: part of a module's key */
} StapScript;

/* Returns the script for these events (bits of ProbeKindBit) and points (NULL: none), or NULL with
   error set. folder NULL: the folder of the installed scripts. */
StapScript *stap_script_read(const char *folder, unsigned events, const StapPoints *points,
			     GError **error);
void stap_script_free(StapScript *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapScript, stap_script_free)
