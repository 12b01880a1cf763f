/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table of SystemTap's bugs with some kernels: a test by content, edits of a copy of the
 * runtime, or words for stap. stap_build.c applies what is needed, and puts it into the module's
 * key. Also puts the script together.
 */
#include "collect/stap/stap_build.h"

#include "base/sorted.h"

#include "base/unconst.h"
#include "probes/preset_list.h"
#include "record/probe_kinds.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <xxhash.h>

/*
 * Puts the script together from files beside the program or installed: base, one file for each kind
 * of event, points; and reads the tapset, because the module's key contains its text.
 */

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
	g_ptr_array_sort(names, sorted_compare_texts);
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

StapScript *stap_script_read(const char *folder, unsigned events, const StapPoints *points,
			     GError **error)
{
	g_autoptr(StapScript) script = g_new0(StapScript, 1);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *own_folder = folder ? NULL : data_folder("stap");

	if (!folder)
		folder = own_folder;
	if (!append_file(text, folder, base_script, error))
		return NULL;
	for (const ProbeKind *kind = probe_kinds; kind->name; kind++)
		if (events & kind->bit && !append_file(text, folder, kind->script, error))
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

/* A replacement in a copy of the runtime; the text must be there. */
typedef struct {
	const char *file;
	const char *from;
	const char *to;
} RuntimeEdit;

struct StapWorkaround {
	const char *name;
	bool (*is_needed)(const StapSite *site);
	const RuntimeEdit *edits; /* ended by an empty one; NULL: none */
	const char *const *words; /* for stap, NULL-terminated; NULL: none */
};

static bool runtime_contains(const StapSite *site, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename(site->runtime, file, NULL);
	g_autofree char *content = NULL;

	return g_file_get_contents(path, &content, NULL, NULL) && strstr(content, text);
}

static bool program_contains(const char *path, const char *text)
{
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);

	return file && memmem(g_mapped_file_get_contents(file), g_mapped_file_get_length(file),
			      text, strlen(text));
}

/* SystemTap up to 5.1: passes a function to task_work_cancel(). Since kernel 6.11 and its
   backports, task_work_cancel_func() takes the function. */
static bool needs_task_work_cancel(const StapSite *site)
{
	return kernel_headers_contain(site->headers, "task_work.h", "task_work_cancel_func(") &&
	       runtime_contains(site, "stp_task_work.c", "typeof(&task_work_cancel)");
}

static const RuntimeEdit task_work_cancel_edits[] = {
	{ "stp_task_work.c", "typeof(&task_work_cancel)", "typeof(&task_work_cancel_func)" },
	{ "stp_task_work.c", "kallsyms_lookup_name(\"task_work_cancel\")",
	  "kallsyms_lookup_name(\"task_work_cancel_func\")" },
	{ NULL, NULL, NULL },
};

#define COUNT_ARGS_TO_12 "COUNT_ARGS(X...) __COUNT_ARGS(, ##X, 12,"

/* Up to 5.1: stap's tracepoint queries define COUNT_ARGS up to 12. If the kernel's macro goes
   further, the redefinition is an error, and no tracepoint is found. */
static bool needs_count_args(const StapSite *site)
{
	static const char *const headers[] = { "args.h", "kernel.h", NULL };

	if (!program_contains(site->stap, "#define " COUNT_ARGS_TO_12) ||
	    program_contains(site->stap, "#ifndef COUNT_ARGS"))
		return false;
	for (const char *const *name = headers; *name; name++) {
		if (kernel_headers_contain(site->headers, *name, "#define COUNT_ARGS(") &&
		    !kernel_headers_contain(site->headers, *name, COUNT_ARGS_TO_12))
			return true;
	}
	return false;
}

static const char *const no_warnings[] = { "-B", "KCFLAGS=-w", NULL };

/* 5.6: its test for the older struct ns_common fails before kernel 5.11, whose header does not
   compile on its own. */
static bool needs_ns_type(const StapSite *site)
{
	return runtime_contains(site, "linux/stap_fs.h", "if (ns->ns_type != CLONE_NEWNS)") &&
	       kernel_headers_contain(site->headers, "ns_common.h", "proc_ns_operations *ops") &&
	       !kernel_headers_contain(site->headers, "ns_common.h", "ns_type") &&
	       !kernel_headers_contain(site->headers, "ns_common.h", "refcount");
}

static const RuntimeEdit ns_type_edits[] = {
	{ "linux/stap_fs.h", "if (ns->ns_type != CLONE_NEWNS)",
	  "if (ns->ops->type != CLONE_NEWNS)" },
	{ NULL, NULL, NULL },
};

/* Up to 5.1: every module looks up uprobe_unregister() when it is loaded, and is refused without
   it: since kernel 6.12. Our probes do not call it. */
static bool needs_uprobe_unregister(const StapSite *site)
{
	return kernel_headers_contain(site->headers, "uprobes.h", "uprobe_unregister_nosync(") &&
	       runtime_contains(site, "transport/transport.c",
				"kallsyms_lookup_name (\"unregister_uprobe\")") &&
	       !runtime_contains(site, "transport/transport.c", "uprobe_unregister_nosync");
}

static const RuntimeEdit uprobe_unregister_edits[] = {
	{ "transport/transport.c", "kallsyms_lookup_name (\"unregister_uprobe\")",
	  "kallsyms_lookup_name (\"uprobe_unregister_nosync\")" },
	{ NULL, NULL, NULL },
};

/* Up to 4.9: stap disables objtool (RHBZ 1321628), and in a module without unwind tables, each
   stack ends at the module's own frames. Until kernel 5.17, a separate option controls this; -B
   adds to the end of make's command line, and wins. */
static bool needs_objtool(const StapSite *site)
{
	return kernel_headers_have_option(site->headers, "CONFIG_STACK_VALIDATION");
}

static const char *const with_objtool[] = { "-B", "CONFIG_STACK_VALIDATION=y", NULL };

static const StapWorkaround workarounds[] = {
	{ "task_work_cancel_func in a copy of the runtime", needs_task_work_cancel,
	  task_work_cancel_edits, NULL },
	{ "CONFIG_STACK_VALIDATION as the kernel has it", needs_objtool, NULL, with_objtool },
	{ "COUNT_ARGS redefined", needs_count_args, NULL, no_warnings },
	{ "uprobe_unregister_nosync in a copy of the runtime", needs_uprobe_unregister,
	  uprobe_unregister_edits, NULL },
	{ "ns_common without ns_type in a copy of the runtime", needs_ns_type, ns_type_edits,
	  NULL },
};

GPtrArray *stap_workarounds_find(const StapSite *site)
{
	GPtrArray *found = g_ptr_array_new();

	for (guint i = 0; i < G_N_ELEMENTS(workarounds); i++) {
		if (workarounds[i].is_needed(site))
			g_ptr_array_add(found, unconst(&workarounds[i]));
	}
	return found;
}

const char *stap_workaround_name(const StapWorkaround *workaround)
{
	return workaround->name;
}

static bool copy_file(const char *from, const char *to, GError **error)
{
	g_autofree char *content = NULL;
	gsize length;

	return g_file_get_contents(from, &content, &length, error) &&
	       g_file_set_contents(to, content, (gssize)length, error);
}

/* Copies files and folders; follows links, as the compiler would. */
static bool copy_tree(const char *from, const char *to, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(from, 0, error);
	const char *name;

	if (!dir)
		return false;
	if (g_mkdir_with_parents(to, 0700) < 0) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s cannot be made: %s", to,
			    g_strerror(errno));
		return false;
	}
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *source = g_build_filename(from, name, NULL);
		g_autofree char *target = g_build_filename(to, name, NULL);
		bool is_folder = g_file_test(source, G_FILE_TEST_IS_DIR);

		if (!(is_folder ? copy_tree : copy_file)(source, target, error))
			return false;
	}
	return true;
}

static bool apply_edit(const RuntimeEdit *edit, const char *runtime, GError **error)
{
	g_autofree char *path = g_build_filename(runtime, edit->file, NULL);
	g_autofree char *content = NULL;
	g_autofree char *edited = NULL;
	g_auto(GStrv) parts = NULL;

	if (!g_file_get_contents(path, &content, NULL, error))
		return false;
	parts = g_strsplit(content, edit->from, -1);
	if (g_strv_length(parts) < 2) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "SystemTap's %s is not as expected, '%s' is missing: install a newer "
			    "SystemTap",
			    edit->file, edit->from);
		return false;
	}
	edited = g_strjoinv(edit->to, parts);
	return g_file_set_contents(path, edited, -1, error);
}

/* Returns the path of a copy with these edits; the same in every run. */
static char *copy_path(const GPtrArray *found, const StapSite *site, const char *home)
{
	g_autoptr(GString) key = g_string_new(site->version);
	g_autofree char *base = NULL;

	for (guint i = 0; i < found->len; i++) {
		const StapWorkaround *workaround = g_ptr_array_index(found, i);

		if (workaround->edits)
			g_string_append_printf(key, "\n%s\n%s", site->runtime, workaround->name);
	}
	base = g_strdup_printf("runtime-%016" G_GINT64_MODIFIER "x",
			       (guint64)XXH3_64bits(key->str, key->len));
	return g_build_filename(home, base, NULL);
}

/* Makes the copy in the work folder, and moves it into place when it is complete. */
static bool make_copy(const GPtrArray *found, const StapSite *site, const char *work_folder,
		      const char *path, GError **error)
{
	g_autofree char *fresh = g_build_filename(work_folder, "runtime", NULL);
	g_autofree char *home = g_path_get_dirname(path);

	if (!copy_tree(site->runtime, fresh, error))
		return false;
	for (guint i = 0; i < found->len; i++) {
		const StapWorkaround *workaround = found->pdata[i];
		const RuntimeEdit *edit = workaround->edits;

		for (; edit && edit->file; edit++)
			if (!apply_edit(edit, fresh, error))
				return false;
	}
	/* Another run may have created it first. */
	if (g_mkdir_with_parents(home, 0700) == 0 &&
	    (g_rename(fresh, path) == 0 || g_file_test(path, G_FILE_TEST_IS_DIR)))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s cannot be made: %s", path,
		    g_strerror(errno));
	return false;
}

bool stap_workarounds_apply(const GPtrArray *found, const StapSite *site, const char *home,
			    const char *work_folder, GPtrArray *argv, GError **error)
{
	g_autofree char *path = copy_path(found, site, home);
	bool has_edits = false;

	for (guint i = 0; i < found->len; i++) {
		const StapWorkaround *workaround = g_ptr_array_index(found, i);

		for (const char *const *word = workaround->words; word && *word; word++)
			g_ptr_array_add(argv, g_strdup(*word));
		has_edits = has_edits || workaround->edits;
	}
	if (!has_edits)
		return true;
	if (!g_file_test(path, G_FILE_TEST_IS_DIR) &&
	    !make_copy(found, site, work_folder, path, error))
		return false;
	g_ptr_array_add(argv, g_strdup("-R"));
	g_ptr_array_add(argv, g_strdup(path));
	return true;
}
