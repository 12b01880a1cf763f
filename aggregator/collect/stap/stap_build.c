/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a request to a module file: the script, a key of everything that makes two modules differ,
 * the cache, and a run of stap (stap_compile.c) if it has none. Also builds modules for other
 * hosts, and signs. stap_collector.c and --build-module call it.
 */
#include "collect/stap/stap_build.h"

#include "base/unconst.h"
#include "collect/facts/stap_tool.h"
#include "record/probe_kinds.h"
#include "collect/stap/kernel_headers.h"
#include "collect/stap/module_cache.h"
#include "collect/stap/module_file.h"
#include "collect/stap/module_check.h"
#include "process/watchdog.h"
#include "base/private_file.h"
#include "base/words.h"

#include <gio/gio.h>
#include <gio/gunixoutputstream.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

static const char *const fixed_words[] = {
	/* By default, hits during a handler are dropped without being counted. */
	"-DINTERRUPTIBLE=0",
	/* A busy host must not end the run; skipped hits are counted. */
	"-DSTP_NO_OVERLOAD",
	"-DMAXSKIPPED=1000000000",
	/* Waking the reader less often costs less. */
	"-DSTP_RELAY_TIMER_INTERVAL=25",
	"--color=never",
};

/* A module to build. */
typedef struct {
	const StapTool *tool;
	const StapBuildRequest *request;
	KernelHeaders *headers;
	ModuleCache *cache;
	StapScript *script;
	char *runtime;
	char *home;             /* folder of stap's own cache */
	GPtrArray *workarounds; /* (element-type StapWorkaround), static */
} Build;

static void build_free(Build *build)
{
	kernel_headers_free(build->headers);
	module_cache_free(build->cache);
	stap_script_free(build->script);
	g_free(build->runtime);
	g_free(build->home);
	if (build->workarounds)
		g_ptr_array_unref(build->workarounds);
	g_free(build);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Build, build_free)

/* The runtime of "/usr/bin/stap" is in "/usr/share/systemtap/runtime". */
static char *runtime_folder(const char *stap)
{
	g_autofree char *folder = g_path_get_dirname(stap);
	g_autofree char *prefix = g_path_get_dirname(folder);

	return g_build_filename(prefix, "share", "systemtap", "runtime", NULL);
}

static StapSite build_site(const Build *build)
{
	return (StapSite){ .headers = build->headers,
			   .stap = build->tool->stap,
			   .runtime = build->runtime,
			   .version = build->tool->version };
}

static void print_workarounds(const Build *build)
{
	for (guint i = 0; build->request->verbose > 0 && i < build->workarounds->len; i++)
		fprintf(stderr, "%s: work-around for SystemTap %u.%u with %s: %s\n",
			g_get_prgname(), build->tool->major, build->tool->minor,
			build->headers->release,
			stap_workaround_name(g_ptr_array_index(build->workarounds, i)));
}

static Build *build_new(const StapTool *tool, const StapBuildRequest *request,
			ModuleCache *(*open_cache)(const char *folder, GError **error),
			GError **error)
{
	g_autoptr(Build) build = g_new0(Build, 1);
	StapSite site;

	build->tool = tool;
	build->request = request;
	build->headers =
		kernel_headers_find(request->modules_folder, request->kernel_release, error);
	if (!build->headers)
		return NULL;
	build->script =
		stap_script_read(request->script_folder, request->events, request->points, error);
	if (!build->script)
		return NULL;
	build->cache = open_cache(request->cache_folder, error);
	if (!build->cache)
		return NULL;
	build->runtime = runtime_folder(tool->stap);
	build->home = g_build_filename(module_cache_folder(build->cache), "stap", NULL);
	site = build_site(build);
	build->workarounds = stap_workarounds_find(&site);
	print_workarounds(build);
	return g_steal_pointer(&build);
}

/* Includes the length, which keeps the parts of a key distinct. */
static void key_add(GString *key, const char *bytes, gsize length)
{
	g_string_append_printf(key, "%" G_GSIZE_FORMAT ":", length);
	g_string_append_len(key, bytes, (gssize)length);
}

static void key_add_text(GString *key, const char *text)
{
	key_add(key, text ? text : "", text ? strlen(text) : 0);
}

/* An unreadable file counts as empty: using it fails later, with its name. */
static void key_add_file(GString *key, const char *path)
{
	g_autofree char *bytes = NULL;
	gsize length = 0;

	if (path && g_file_get_contents(path, &bytes, &length, NULL))
		key_add(key, bytes, length);
	else
		key_add_text(key, path);
}

static void key_add_build(GString *key, const Build *build)
{
	const StapBuildRequest *request = build->request;
	struct utsname names;

	key_add_text(key, uname(&names) == 0 ? names.machine : "");
	key_add_text(key, build->headers->release);
	/* Headers without a build version are assumed to match the running kernel. */
	key_add_text(key, build->headers->version ? build->headers->version : names.version);
	key_add_text(key, build->tool->version);
	key_add_text(key, build->script->text);
	key_add_text(key, build->script->tapset_text);
	g_string_append_printf(key, "%u:", request->cpus_max);
	for (guint i = 0; i < G_N_ELEMENTS(fixed_words); i++)
		key_add_text(key, fixed_words[i]);
	for (guint i = 0; i < build->workarounds->len; i++)
		key_add_text(key, stap_workaround_name(g_ptr_array_index(build->workarounds, i)));
	for (guint i = 0; request->options && i < request->options->compile->len; i++)
		key_add_text(key, g_ptr_array_index(request->options->compile, i));
	/* SystemTap takes the addresses of probes from them. */
	for (guint i = 0; request->points && i < request->points->programs->len; i++)
		key_add_file(key, request->points->programs->pdata[i]);
	key_add_file(key, request->sign_key);
	key_add_file(key, request->sign_cert);
}

static char *build_name(const Build *build)
{
	g_autoptr(GString) key = g_string_new(NULL);
	XXH128_hash_t hash;

	key_add_build(key, build);
	hash = XXH3_128bits(key->str, key->len);
	return g_strdup_printf("kmt_%016" G_GINT64_MODIFIER "x",
			       (guint64)(hash.high64 ^ hash.low64));
}

static void stap_build_add(GPtrArray *argv, const char *word)
{
	g_ptr_array_add(argv, g_strdup(word));
}

/* Adds the fields that --module checks later. */
static void add_notes(const Build *build, GPtrArray *argv)
{
	/* stap refuses a note without a value. */
	g_autofree char *events = build->request->points
					  ? g_strdup("points")
					  : probe_kinds_names(build->request->events);

	stap_build_add(argv, "--modinfo");
	words_add(argv, MODULE_FILE_EVENTS "=%s", events);
	stap_build_add(argv, "--modinfo");
	words_add(argv, MODULE_FILE_STAP_RELEASE "=%u.%u", build->tool->major, build->tool->minor);
	if (!build->headers->version)
		return;
	stap_build_add(argv, "--modinfo");
	words_add(argv, MODULE_FILE_KERNEL_VERSION "=%s", build->headers->version);
}

/* Returns stap's arguments, except the script's name. */
static GPtrArray *build_argv(const Build *build, const char *name, const char *folder,
			     GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	const StapOptions *options = build->request->options;
	StapSite site = build_site(build);

	stap_build_add(argv, build->tool->stap);
	stap_build_add(argv, "-p4");
	stap_build_add(argv, "-m");
	stap_build_add(argv, name);
	stap_build_add(argv, "-r");
	stap_build_add(argv, build->headers->release);
	stap_build_add(argv, "-I");
	stap_build_add(argv, build->script->tapset_folder);
	for (guint i = 0; i < G_N_ELEMENTS(fixed_words); i++)
		stap_build_add(argv, fixed_words[i]);
	if (build->request->cpus_max > 0)
		words_add(argv, "-DKMT_CPUS=%u", build->request->cpus_max);
	if (build->request->points)
		stap_build_add(argv, "-DKMT_HITS");
	add_notes(build, argv);
	if (!stap_workarounds_apply(build->workarounds, &site, build->home, folder, argv, error))
		return NULL;
	for (guint i = 0; options && i < options->compile->len; i++)
		stap_build_add(argv, g_ptr_array_index(options->compile, i));
	return g_steal_pointer(&argv);
}

static void print_argv(const Build *build, const GPtrArray *argv)
{
	if (build->request->verbose < 1)
		return;
	fprintf(stderr, "%s: running", g_get_prgname());
	for (guint i = 0; i < argv->len && g_ptr_array_index(argv, i); i++) {
		g_autofree char *word = g_shell_quote(g_ptr_array_index(argv, i));

		fprintf(stderr, " %s", word);
	}
	fputs("\n", stderr);
}

static bool run_stap(const Build *build, const GPtrArray *words, const char *folder, bool is_retry,
		     bool *poisoned, GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	StapCompile compile = { .folder = folder,
				.home = build->home,
				.kernel_release = build->headers->release,
				.stap_version = build->tool->version,
				.functions = build->request->points
						     ? build->request->points->functions
						     : NULL,
				.verbose = build->request->verbose };

	for (guint i = 0; i < words->len; i++)
		stap_build_add(argv, g_ptr_array_index(words, i));
	if (is_retry)
		stap_build_add(argv, "--poison-cache");
	stap_build_add(argv, STAP_SCRIPT_FILE);
	g_ptr_array_add(argv, NULL);
	compile.argv = (char **)argv->pdata;
	print_argv(build, argv);
	return stap_compile_run(&compile, poisoned, error);
}

/* Uses the kernel's own tool, as its makefiles do. */
static bool stap_build_sign(const Build *build, const char *module, GError **error)
{
	const StapBuildRequest *request = build->request;
	g_autofree char *tool =
		g_build_filename(build->headers->build, "scripts", "sign-file", NULL);
	g_autofree char *said = NULL;
	char *argv[] = { tool,
			 build->headers->sign_hash,
			 unconst(request->sign_key),
			 unconst(request->sign_cert),
			 unconst(module),
			 NULL };
	char *environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", (char *)"LC_ALL=C",
				NULL };
	int status = 0;

	if (!request->sign_key && !request->sign_cert)
		return true;
	if (!request->sign_key || !request->sign_cert) {
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
				    "--sign-key and --sign-cert go together");
		return false;
	}
	if (!g_spawn_sync(NULL, argv, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
			  &said, &status, error))
		return false;
	if (status == 0)
		return true;
	g_strchomp(said);
	g_strdelimit(said, "\n", ' ');
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "signing with %s and %s failed: %.300s",
		    request->sign_key, request->sign_cert, said);
	return false;
}

/* Compiles in a private folder. Returns the path of the module there, or NULL with error set. */
static char *compile_in(const Build *build, const char *name, const char *folder, GError **error)
{
	g_autofree char *script = g_build_filename(folder, STAP_SCRIPT_FILE, NULL);
	g_autofree char *base = g_strconcat(name, ".ko", NULL);
	g_autofree char *module = g_build_filename(folder, base, NULL);
	g_autoptr(GPtrArray) argv = build_argv(build, name, folder, error);
	g_autoptr(GError) problem = NULL;
	bool poisoned;

	if (!argv || !g_file_set_contents(script, build->script->text, -1, error))
		return NULL;
	if (!run_stap(build, argv, folder, false, &poisoned, &problem)) {
		if (!poisoned) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return NULL;
		}
		if (!run_stap(build, argv, folder, true, &poisoned, error))
			return NULL;
	}
	return stap_build_sign(build, module, error) ? g_steal_pointer(&module) : NULL;
}

/* Compiles and hands the module to `keep`, whose result it returns. */
static char *compile(const Build *build, const char *name,
		     char *(*keep)(const Build *build, const char *name, const char *module,
				   const void *data, GError **error),
		     const void *data, GError **error)
{
	g_autofree char *folder = module_cache_make_folder(build->cache, error);
	g_autofree char *module = NULL;
	char *result = NULL;

	if (!folder)
		return NULL;
	module = compile_in(build, name, folder, error);
	if (module)
		result = keep(build, name, module, data, error);
	module_cache_remove_folder(folder);
	return result;
}

static char *keep_in_cache(const Build *build, const char *name, const char *module,
			   const void *data, GError **error)
{
	(void)data;
	return module_cache_store(build->cache, name, module, error);
}

static char *keep_in_file(const Build *build, const char *name, const char *module,
			  const void *data, GError **error)
{
	g_autoptr(PrivateFile) file = NULL;
	g_autoptr(GOutputStream) stream = NULL;
	g_autofree char *bytes = NULL;
	const char *output = data;
	gsize length;

	(void)build;
	(void)name;
	if (!g_file_get_contents(module, &bytes, &length, error))
		return NULL;
	file = private_file_create(output, true, error);
	if (!file)
		return NULL;
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_FILE, .path = private_file_part(file) });
	stream = g_unix_output_stream_new(private_file_descriptor(file), FALSE);
	if (g_output_stream_write_all(stream, bytes, length, NULL, NULL, error) &&
	    private_file_commit(file, error))
		return g_strdup(output);
	private_file_discard(file);
	return NULL;
}

unsigned stap_build_events(const CollectRequest *request)
{
	if (request->what.preset)
		return 0;
	return request->what.events | (request->what.held ? PROBE_FREE : 0);
}

static bool can_load_modules(const StapTool *tool, GError **error)
{
	g_autofree char *command = NULL;

	if (!module_rights_of_kernel("", error) || !module_rights_of_user("", geteuid(), error))
		return false;
	if (!tool->staprun) {
		command = distribution_install_command(PACKAGE_SYSTEMTAP_RUNTIME, "");
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "staprun was not found: %s",
			    command);
		return false;
	}
	return true;
}

static bool has_compiler(const StapTool *tool, GError **error)
{
	if (tool->stap)
		return true;
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "stap is not installed here");
	return false;
}

/* If files may have changed unnoticed, the module is always compiled. */
static bool may_be_kept(const StapBuildRequest *request)
{
	return !request->options || !request->options->reads_files;
}

bool stap_build_look(const StapTool *tool, const StapBuildRequest *request, bool *is_compiled,
		     GError **error)
{
	g_autoptr(Build) build = NULL;
	g_autofree char *name = NULL;

	if (!has_compiler(tool, error))
		return false;
	build = build_new(tool, request, module_cache_look, error);
	if (!build)
		return false;
	name = build_name(build);
	*is_compiled = may_be_kept(request) && module_cache_has(build->cache, name);
	return true;
}

char *stap_build_module(const StapTool *tool, const StapBuildRequest *request, GError **error)
{
	g_autoptr(Build) build = NULL;
	g_autofree char *name = NULL;
	char *path = NULL;

	if (!has_compiler(tool, error) ||
	    (!request->kernel_release && !can_load_modules(tool, error)))
		return NULL;
	build = build_new(tool, request, module_cache_open, error);
	if (!build)
		return NULL;
	name = build_name(build);
	if (may_be_kept(request))
		path = module_cache_lookup(build->cache, name);
	if (request->verbose > 0)
		fprintf(stderr, "%s: module %s %s\n", g_get_prgname(), name,
			path ? "was compiled before" : "has to be compiled");
	return path ? path : compile(build, name, keep_in_cache, NULL, error);
}

bool stap_build_module_file(const StapTool *tool, const StapBuildRequest *request,
			    const char *output, GError **error)
{
	g_autofree char *name = module_file_name(output, error);
	g_autoptr(Build) build = NULL;
	g_autofree char *path = NULL;

	if (!name || !has_compiler(tool, error))
		return false;
	build = build_new(tool, request, module_cache_open, error);
	if (!build)
		return false;
	path = compile(build, name, keep_in_file, output, error);
	return path != NULL;
}
