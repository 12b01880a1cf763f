/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the script together from files beside the program or installed: base, one file for each kind
 * of event, points; and reads the tapset, because the module's key contains its text.
 */
#include "collect/stap/stap_script.h"

#include "probes/data_folder.h"
#include "record/probe_kinds.h"

#include <string.h>

/* The common start of every script: the emitter's start, its timer, the followed tasks. */
static const char base_script[] = "base.stp";

static bool append_file(GString *text, const char *folder, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *content = NULL;

	if (!g_file_get_contents(path, &content, NULL, error))
		return false;
	g_string_append(text, content);
	return true;
}

static int by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the names of the tapset's files, sorted, because a folder has no fixed order. */
static GPtrArray *list_tapset(const char *folder, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, error);
	GPtrArray *names;
	const char *name;

	if (!dir)
		return NULL;
	names = g_ptr_array_new_with_free_func(g_free);
	while ((name = g_dir_read_name(dir))) {
		if (g_str_has_suffix(name, ".stp"))
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, by_name);
	return names;
}

static bool read_tapset(StapScript *script, GError **error)
{
	g_autoptr(GPtrArray) names = list_tapset(script->tapset_folder, error);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; names && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		g_string_append_printf(text, "# %s\n", name);
		if (!append_file(text, script->tapset_folder, name, error))
			return false;
	}
	script->tapset_text = g_strdup(text->str);
	return names != NULL;
}

static bool append_events(GString *text, const char *folder, unsigned events, GError **error)
{
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (events & kind->bit && !append_file(text, folder, kind->script, error))
			return false;
	return true;
}

StapScript *stap_script_read(const char *folder, unsigned events, const StapPoints *points,
			     GError **error)
{
	g_autoptr(StapScript) script = g_new0(StapScript, 1);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *own_folder = folder ? NULL : data_folder("stap");

	if (!folder)
		folder = own_folder;
	if (!append_file(text, folder, base_script, error) ||
	    !append_events(text, folder, events, error))
		return NULL;
	/* The emitter is used first: SystemTap compiles what comes first first. */
	if (points)
		g_string_append(text, points->script);
	script->text = g_strdup(text->str);
	script->tapset_folder = g_build_filename(folder, "tapset", NULL);
	if (!read_tapset(script, error))
		return NULL;
	return g_steal_pointer(&script);
}

void stap_script_free(StapScript *script)
{
	if (!script)
		return;
	g_free(script->text);
	g_free(script->tapset_folder);
	g_free(script->tapset_text);
	g_free(script);
}
