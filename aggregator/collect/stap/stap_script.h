/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The file that the compile's folder holds for stap. */
#define STAP_SCRIPT_FILE "kmalloc-top.stp"

/* The script that observes some events, and the tapset it is compiled with. */
typedef struct {
	char *text; /* what every script needs, then one part per event */
	char *tapset_folder;
	char *tapset_text; /* all of the tapset's files: part of a module's key */
} StapScript;

/* Returns the script for these events (bits of ProbeKindBit), or NULL with error set. folder
   NULL: where the scripts are installed. */
StapScript *stap_script_read(const char *folder, unsigned events, GError **error);
void stap_script_free(StapScript *script);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapScript, stap_script_free)
