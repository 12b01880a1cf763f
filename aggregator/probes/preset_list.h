/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "probes/preset.h"

#include <glib.h>

/*
 * Finds presets: NAME.preset in the folder of the program, and in one of the host's administrator,
 * which replaces those of the same name. If the program runs as root, it reads the administrator's
 * presets only if nobody else could have written them.
 */

/* Returns the path of a folder of the program's data, such as "presets", owned by the caller: the
   one beside the program if there is one, as in a build tree, else the installed one. Whoever could
   write into the former could replace the program, too. */
char *data_folder(const char *name);

/* Where to look; NULL: the installed presets, and /etc/kmalloc-top/presets. */
typedef struct {
	const char *program_folder;
	const char *host_folder;
} PresetFolders;

/* Reads all presets, sorted by name. Returns an array of Preset that owns them. Adds a line for
   each file that is none, and for a folder that cannot be listed, to problems, an array of texts;
   may be NULL. */
GPtrArray *preset_list(const PresetFolders *folders, GPtrArray *problems);

/* Reads the preset of this name or, if it contains a '/', of this path. A file named by its path
   may be any user's. Returns NULL with error set; an unknown name with similar ones. */
Preset *preset_find(const PresetFolders *folders, const char *name, GError **error);
