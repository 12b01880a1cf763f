/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of --check about SystemTap, and a table of the obstacles for which another collector is
 * chosen. Changes nothing.
 */
#include "collect/run/check.h"

#include "collect/slabs/cache_layout.h"
#include "collect/facts/host_facts.h"
#include "collect/facts/host_snapshot.h"
#include "collect/stap/kernel_headers.h"
#include "collect/stap/module_file.h"
#include "collect/stap/module_check.h"
#include "collect/slabs/slab_probes.h"
#include "collect/stap/stap_child.h"
#include "collect/stap/stap_build.h"
#include "collect/stap/stap_messages.h"
#include "collect/stap/stap_start.h"
#include "collect/stap/stap_walk_check.h"

#include <string.h>
#include <unistd.h>

/* stap's own cache grew by 46 MB after the first module for a kernel, and by 103 MB if the runtime
   is copied, too. */
static const uint64_t compile_bytes = 128 << 20;

/* Measured under icount: doc/PERFORMANCE.md. */
#define INSTRUCTIONS_OF_A_FREE "840"

/* Appends the text that the run would print after this message of SystemTap. */
static CheckVerdict stap_check_refused(const CheckHost *host, GString *text, const char *message)
{
	g_autofree char *said = stap_messages_explain(message, host->release,
						      host->stap ? host->stap->version : NULL);

	g_string_append(text, said);
	return CHECK_FAIL;
}

static CheckVerdict look_at_rights(const CheckHost *host, GString *text)
{
	GError *error = NULL;

	if (!module_rights_of_user(host->root, host->user, &error))
		return check_failed(text, error);
	g_string_append(text, "root, may load modules");
	return CHECK_OK;
}

/* Whether the kernel is newer than the last one that this SystemTap was tested with: "2.6.32 ...
   6.1.0-rc3". */
static bool is_beyond_tested(const CheckHost *host)
{
	const char *dots =
		host->stap->kernels_tested ? strstr(host->stap->kernels_tested, "... ") : NULL;
	guint64 tested[2], running[2];
	char *end;

	if (!dots)
		return false;
	tested[0] = g_ascii_strtoull(dots + strlen("... "), &end, 10);
	tested[1] = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
	running[0] = g_ascii_strtoull(host->release, &end, 10);
	running[1] = *end == '.' ? g_ascii_strtoull(end + 1, NULL, 10) : 0;
	return running[0] > tested[0] || (running[0] == tested[0] && running[1] > tested[1]);
}

static CheckVerdict look_at_stap(const CheckHost *host, GString *text)
{
	const StapTool *stap = host->stap;

	if (!stap) {
		g_string_append(text, host->stap_problem);
		return CHECK_FAIL;
	}
	g_string_append(text, stap->version);
	if (stap->major > 0 && !stap_tool_at_least(stap, 4, 0)) {
		g_string_append(text, " is too old: install SystemTap 4.0 or later");
		return CHECK_FAIL;
	}
	if (!stap->kernels_tested || host->request->stap.module_path)
		return CHECK_OK;
	g_string_append_printf(text, ", tested by its authors on Linux %s", stap->kernels_tested);
	if (!is_beyond_tested(host))
		return CHECK_OK;
	g_string_append(text, ": this kernel is newer, the probes may not compile");
	return CHECK_NOTE;
}

static CheckVerdict look_at_modules(const CheckHost *host, GString *text)
{
	GError *error = NULL;

	if (!module_rights_of_kernel(host->root, &error))
		return check_failed(text, error);
	g_string_append(text, "the kernel loads them");
	return CHECK_OK;
}

static bool is_below(const CheckHost *host, const char *path)
{
	g_autofree char *whole_path = g_strconcat(host->root, path, NULL);

	return g_file_test(whole_path, G_FILE_TEST_EXISTS);
}

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

static CheckVerdict look_at_secure_boot(const CheckHost *host, GString *text)
{
	g_autofree char *path = g_strconcat(
		host->root,
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", NULL);
	g_autofree char *bytes = NULL;
	/* The first four bytes are attributes. */
	const gsize state_at = 4;
	gsize length = 0;

	if (!is_below(host, "/sys/firmware/efi")) {
		g_string_append(text, "off: this host was not booted by UEFI");
		return CHECK_OK;
	}
	if (!g_file_get_contents(path, &bytes, &length, NULL) || length <= state_at) {
		g_string_append(text, "not known: efivars cannot be read");
		return CHECK_NOTE;
	}
	if (bytes[state_at] != 1) {
		g_string_append(text, "off");
		return CHECK_OK;
	}
	g_string_append(text, "on");
	if (is_below(host, LOCKDOWN_FILE))
		return CHECK_OK;
	g_string_append(text, ", and the kernel does not show whether it is locked down: it may "
			      "refuse unsigned modules");
	return CHECK_NOTE;
}

/* The kernel only loads signed modules. The result depends on the module; message is the text for
   an unsigned one. */
static CheckVerdict signature_needed(const CheckHost *host, GString *text, const char *message)
{
	const char *path = host->request->stap.module_path;
	g_autoptr(ModuleFile) module = path ? module_file_read(path, NULL) : NULL;

	if (!module || !module->is_signed)
		return stap_check_refused(host, text, message);
	g_string_append_printf(text,
			       "the kernel loads signed modules only; %s is signed, and its "
			       "key must be enrolled",
			       path);
	return CHECK_NOTE;
}

static CheckVerdict look_at_lockdown(const CheckHost *host, GString *text)
{
	g_autofree char *state = check_read(host, LOCKDOWN_FILE);

	/* "none [integrity] confidentiality" */
	if (state && !strstr(state, "[none]"))
		return signature_needed(host, text, "Lockdown: insmod: unsigned module loading");
	g_string_append(text, state ? "none" : "none reported by the kernel");
	return CHECK_OK;
}

static CheckVerdict look_at_fips(const CheckHost *host, GString *text)
{
	g_autofree char *state = check_read(host, "/proc/sys/crypto/fips_enabled");

	if (state && g_str_equal(state, "1"))
		return stap_check_refused(host, text, "Unable to insert module in FIPS mode");
	g_string_append(text, "off");
	return CHECK_OK;
}

static CheckVerdict look_at_signatures(const CheckHost *host, GString *text)
{
	g_autofree char *state = check_read(host, "/sys/module/module/parameters/sig_enforce");

	if (state && *state == 'Y')
		return signature_needed(host, text,
					"Couldn't insert module: Required key not available");
	g_string_append(text, "not required; the module taints the kernel (flags O, E)");
	return CHECK_OK;
}

static char *headers_folder(const CheckHost *host)
{
	return g_strconcat(host->root, "/lib/modules", NULL);
}

static KernelHeaders *find_headers(const CheckHost *host, GError **error)
{
	g_autofree char *folder = headers_folder(host);

	return kernel_headers_find_for(folder, host->release, host->release, host->version, error);
}

static CheckVerdict look_at_headers(const CheckHost *host, GString *text)
{
	g_autoptr(KernelHeaders) headers = NULL;
	GError *error = NULL;

	if (host->request->stap.module_path)
		return CHECK_OK;
	headers = find_headers(host, &error);
	if (!headers)
		return check_failed(text, error);
	g_string_append(text, headers->build);
	return CHECK_OK;
}

static bool has_program(const CheckHost *host, const char *name)
{
	static const char *const folders[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autofree char *path = g_strconcat(host->root, folders[i], "/", name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE))
			return true;
	}
	return false;
}

/* Returns the program that compiled the kernel, because the kernel's makefiles use it again: the
   first word of CONFIG_CC_VERSION_TEXT="x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0", without
   the target; "gcc" if the configuration has none. */
static char *compiler_name(const KernelHeaders *headers)
{
	static const char *const names[] = { "clang", "gcc" };
	g_autofree char *path = g_build_filename(headers->build, ".config", NULL);
	g_autofree char *program = line_value_of_file(path, "CONFIG_CC_VERSION_TEXT=\"", " ");

	for (guint i = 0; program && i < G_N_ELEMENTS(names); i++) {
		const char *name = g_strrstr(program, names[i]);

		if (name && !strchr(name, '/'))
			return g_strdup(name);
	}
	return g_strdup("gcc");
}

static CheckVerdict look_at_compiler(const CheckHost *host, const KernelHeaders *headers,
				     GString *text)
{
	g_autofree char *compiler = compiler_name(headers);

	if (!has_program(host, "make"))
		return stap_check_refused(host, text, "env: make: No such file or directory");
	if (!has_program(host, compiler) && !has_program(host, "gcc"))
		return stap_check_refused(host, text, "sh: gcc: not found");
	return CHECK_OK;
}

/* If the cache does not exist yet, uses the disk of its nearest existing parent folder. */
static bool space_of_cache(const CheckHost *host, const char *cache_folder, DiskSpace *space)
{
	g_autofree char *folder = g_strdup(cache_folder);

	while (!g_file_test(folder, G_FILE_TEST_EXISTS)) {
		char *parent = g_path_get_dirname(folder);

		g_free(folder);
		folder = parent;
	}
	return host->disk_space(folder, space);
}

static CheckVerdict look_at_compile(const CheckHost *host, const KernelHeaders *headers,
				    GString *text)
{
	GError *error = NULL;
	g_autoptr(ModuleCache) cache = module_cache_look(host->cache_folder, &error);
	const char *folder;
	DiskSpace space;

	if (!cache)
		return check_failed(text, error);
	folder = module_cache_folder(cache);
	if (look_at_compiler(host, headers, text) == CHECK_FAIL)
		return CHECK_FAIL;
	if (!space_of_cache(host, folder, &space) || space.free_bytes >= compile_bytes) {
		g_string_append_printf(text,
				       "is compiled first, once for this kernel, which takes "
				       "a minute or two and about 100 MB in %s",
				       folder);
		return CHECK_NOTE;
	}
	g_string_append(text, "compiling it may take ");
	check_append_size(text, compile_bytes);
	g_string_append(text, ", but only ");
	check_append_size(text, space.free_bytes);
	g_string_append_printf(text,
			       " are free: make room for %s, or compile elsewhere with "
			       "--build-module=%s and use --module",
			       folder, host->release);
	return CHECK_FAIL;
}

static CheckVerdict look_at_module_to_build(const CheckHost *host, GString *text)
{
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(host->root);
	g_autoptr(StapOptions) options = stap_options_parse(host->request->stap.options, NULL);
	g_autoptr(KernelHeaders) headers = find_headers(host, NULL);
	g_autofree char *modules_folder = headers_folder(host);
	const StapBuildRequest build = {
		.events = stap_build_events(host->request),
		.options = options,
		.kernel_release = host->release,
		.cpus_max = host_snapshot_cpu_numbers(snapshot),
		.script_folder = host->script_folder,
		.cache_folder = host->cache_folder,
		.modules_folder = modules_folder,
	};
	GError *error = NULL;
	bool is_compiled;

	/* Another row reports that. */
	if (!headers)
		return CHECK_OK;
	if (!stap_build_look(host->stap, &build, &is_compiled, &error))
		return check_failed(text, error);
	if (!is_compiled)
		return look_at_compile(host, headers, text);
	g_string_append(text, "was compiled before");
	return CHECK_OK;
}

static CheckVerdict look_at_module(const CheckHost *host, GString *text)
{
	const char *path = host->request->stap.module_path;
	GError *error = NULL;

	if (!host->stap)
		return CHECK_OK;
	if (!path)
		return look_at_module_to_build(host, text);
	if (!module_check_for(host->stap, path, stap_build_events(host->request), host->release,
			      host->version, &error))
		return check_failed(text, error);
	g_string_append_printf(text, "%s fits this kernel and SystemTap", path);
	return CHECK_OK;
}

/* "kmt_1, kmt_2 and 3 more" */
static void append_names(GString *text, const GPtrArray *names)
{
	const guint shown = MIN(names->len, 3);

	for (guint i = 0; i < shown; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "",
				       (const char *)g_ptr_array_index(names, i));
	if (names->len > shown)
		g_string_append_printf(text, " and %u more", names->len - shown);
}

/* The number of buffers depends on SystemTap's release: no line without a release. */
static CheckVerdict look_at_buffers(const CheckHost *host, GString *text)
{
	g_autoptr(HostSnapshot) snapshot = host_snapshot_new(host->root);
	g_autoptr(StapOptions) options = stap_options_parse(host->request->stap.options, NULL);
	const StapBuffers asked = {
		.tool = host->stap,
		.options = options,
		.megabytes = host->request->bounds.buffer_megabytes,
		.cpus = host_snapshot_cpus_online(snapshot),
		.available_bytes = host_memory_available(host->root),
	};
	g_autofree char *planned = NULL;
	GError *error = NULL;
	BufferPlan plan;

	if (!host->stap)
		return CHECK_OK;
	if (!stap_arguments_plan_buffers(&plan, &asked, &error))
		return check_failed(text, error);
	planned = buffer_plan_text(&plan);
	g_string_append(text, planned);
	return CHECK_OK;
}

static void append_leftovers(GString *text, const StapLeftovers *left)
{
	if (left->modules->len) {
		g_string_append(text, "loaded, but nobody reads them: ");
		append_names(text, left->modules);
		g_string_append(text, ", which the next start removes");
	}
	if (left->work_folders->len) {
		g_string_append(text, text->len ? "; " : "");
		append_names(text, left->work_folders);
		g_string_append(text, ", which the next start removes");
	}
}

static CheckVerdict look_at_leftovers(const CheckHost *host, GString *text)
{
	g_autoptr(ModuleCache) cache = module_cache_look(host->cache_folder, NULL);
	g_autofree char *sys_folder = g_strconcat(host->root, "/sys", NULL);
	g_autoptr(StapLeftovers) left = stap_leftovers_find(sys_folder, cache);
	bool is_clean;

	append_leftovers(text, left);
	is_clean = !text->len;
	if (is_clean)
		g_string_append(text, "none");
	if (left->live_modules->len) {
		g_string_append(text, "; of live runs: ");
		append_names(text, left->live_modules);
	}
	return is_clean ? CHECK_OK : CHECK_NOTE;
}

/* Only if the request names processes. */
static CheckVerdict look_at_processes(const CheckHost *host, GString *text)
{
	GError *error = NULL;

	if (host->request->whose.scope == COLLECT_SCOPE_HOST)
		return CHECK_OK;
	if (!pid_namespace_check(host->root, true, &error))
		return check_failed(text, error);
	g_string_append(text, "their pids are the kernel's own");
	return CHECK_OK;
}

/* The module tests all offsets, whatever their source, before any probe is armed. */
static CheckVerdict look_at_cache_names(const CheckHost *host, GString *text)
{
	const char *source;
	CacheLayout layout;

	if (!(host->request->what.events & probe_kinds_of_caches())) {
		g_string_append(text, "none: no allocations from slab caches are observed");
		return CHECK_OK;
	}
	source = cache_layout_find_below(&layout, host->root, host->release);
	if (source) {
		g_string_append_printf(
			text,
			"read from the kernel: offsets from %s, checked when the module is loaded",
			source);
		return CHECK_OK;
	}
	g_string_append(text, "read from the kernel if their offsets are found: there is no BTF "
			      "and no debuginfo that this build can read, so the module searches "
			      "for them when it is loaded, and checks them");
	return CHECK_NOTE;
}

/* Prints a line only if frees are paired. */
static CheckVerdict look_at_held(const CheckHost *host, GString *text)
{
	const CollectRequest *request = host->request;
	g_autofree char *functions = object_probes_there(host->root);

	if (!request->what.held)
		return CHECK_OK;
	check_append_held(text, INSTRUCTIONS_OF_A_FREE);
	if (functions && request->what.events & probe_kinds_of_caches())
		g_string_append_printf(text, "; also calls of %s, by the module's own kprobes",
				       functions);
	return CHECK_OK;
}

const CheckRow stap_checks[] = {
	{ "Rights", look_at_rights },
	{ "SystemTap", look_at_stap },
	{ "Modules", look_at_modules },
	{ "Secure Boot", look_at_secure_boot },
	{ "Lockdown", look_at_lockdown },
	{ "FIPS", look_at_fips },
	{ "Signatures", look_at_signatures },
	{ "Headers", look_at_headers },
	{ "Probe module", look_at_module },
	{ "Buffers", look_at_buffers },
	{ "Stack walks", stap_look_at_walks },
	{ "Leftovers", look_at_leftovers },
	{ "Processes", look_at_processes },
	/* Content of the report. */
	{ "Cache names", look_at_cache_names },
	{ "Held", look_at_held },
	{ NULL, NULL },
};

/* Short texts for why SystemTap cannot start at once, each for a verdict of a line above. The
   lines' own texts are for users who want SystemTap. */
static const struct {
	CheckVerdict (*look)(const CheckHost *host, GString *text);
	CheckVerdict verdict; /* this verdict or a worse one */
	const char *words;
} obstacles[] = {
	{ look_at_modules, CHECK_FAIL, "the kernel loads no modules" },
	{ look_at_rights, CHECK_FAIL, "no right to load modules" },
	{ look_at_stap, CHECK_FAIL, "not installed, or too old; see --check --collector=stap" },
	{ look_at_processes, CHECK_FAIL, "it cannot select pids of a container" },
	{ look_at_lockdown, CHECK_FAIL,
	  "Secure Boot or lockdown on, the module must be signed; see --build-module" },
	{ look_at_secure_boot, CHECK_NOTE,
	  "Secure Boot on, the module may have to be signed; see --build-module" },
	{ look_at_fips, CHECK_FAIL, "FIPS mode, the module must be signed; see --build-module" },
	{ look_at_signatures, CHECK_FAIL,
	  "the kernel takes signed modules only; see --build-module" },
	{ look_at_stap, CHECK_NOTE,
	  "this kernel is newer than those it was tested with; --collector=stap" },
	{ look_at_headers, CHECK_FAIL, "no headers of this kernel; see --check --collector=stap" },
	{ look_at_module, CHECK_FAIL,
	  "the module cannot be compiled; see --check --collector=stap" },
	{ look_at_module, CHECK_NOTE,
	  "first use on this kernel compiles for about a minute; --collector=stap" },
};

bool stap_is_ready(const CheckHost *host, GString *lacks)
{
	if (collect_request_needs_stap(host->request))
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(obstacles); i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		if (obstacles[i].look(host, text) < obstacles[i].verdict)
			continue;
		g_string_append(lacks, obstacles[i].words);
		return false;
	}
	return true;
}
