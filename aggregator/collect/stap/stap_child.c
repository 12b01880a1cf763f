/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs staprun: its argument vector, with the parameters of the emitter (caches, pids, offsets,
 * sizes; no addresses, because everybody can read arguments); its process, in a group of its own,
 * with pipes and a fixed environment; and the modules that it loads and unloads. stap_run.c owns
 * the child; stap_start.c unloads leftovers with the same function.
 */
#include "config.h"

#include "collect/stap/stap_child.h"

#include "base/clock.h"
#include "base/unconst.h"
#include "base/words.h"
#include "collect/slabs/cache_layout.h"
#include "process/fork.h"
#include "process/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Arguments. */

bool stap_arguments_plan_buffers(BufferPlan *plan, const StapBuffers *buffers, GError **error)
{
	const BufferRequest request = {
		.megabytes = buffers->megabytes,
		.megabytes_per_buffer = buffers->options ? buffers->options->buffer_megabytes : 0,
		.cpus = buffers->cpus,
		.per_cpu = stap_tool_at_least(buffers->tool, 4, 5),
		.available_bytes = buffers->available_bytes,
	};

	return buffer_plan_init(plan, &request, error);
}

static void add_pids(GPtrArray *words, const GArray *pids)
{
	GString *word = g_string_new("kmt_pids=");

	for (guint i = 0; i < pids->len; i++)
		g_string_append_printf(word, "%s%u", i ? "," : "", g_array_index(pids, guint32, i));
	g_ptr_array_add(words, g_string_free(word, FALSE));
}

/* The module gets the names separated by tabs, cut to the length at which it reads names. The
   quotes prevent the kernel from ending the parameter at a tab. If a name contains a quote, the
   module gets no names, and the reader filters instead. */
static void add_caches(GPtrArray *words, char *const *caches)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (char *const *name = caches; *name; name++) {
		if (strpbrk(*name, "\"\t\n"))
			return;
		g_string_append_printf(names, "%s%.*s", names->len ? "\t" : "",
				       KMT_CACHE_NAME_BYTES_MAX, *name);
	}
	words_add(words, "kmt_caches=\"%s\"", names->str);
}

static void add_layout(GPtrArray *words)
{
	CacheLayout layout;

	cache_layout_find(&layout);
	words_add(words, "kmt_layout=%ld,%ld,%ld,%ld", layout.slab_cache, layout.name,
		  layout.object_size, layout.size);
}

/* Relative to kfree(): everybody can read an argument vector, and kernel addresses are secret. */
static void add_inner(GPtrArray *words, const InnerKmallocs *inner)
{
	g_autoptr(GString) offsets = g_string_new("kmt_inner=");

	if (!inner || !inner->count)
		return;
	for (unsigned i = 0; i < inner->count; i++)
		g_string_append_printf(offsets, "%s%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT,
				       i ? "," : "",
				       (int64_t)(inner->ranges[i].start - inner->kfree),
				       (int64_t)(inner->ranges[i].end - inner->kfree));
	words_add(words, "%s", offsets->str);
}

/* Without the parameter, the kernel walks. */
static void add_walk(GPtrArray *words, const CollectRequest *request)
{
	if (request->what.stack_depth && request->stap.walk != STACK_WALK_KERNEL)
		words_add(words, "kmt_stack_walk=%d", (int)request->stap.walk);
}

static void add_parameters(GPtrArray *words, const StapArguments *arguments,
			   const CollectRequest *request)
{
	const unsigned events = request->what.preset ? 0 : request->what.events;
	/* Each end of a time span is needed. */
	const bool is_whole = arguments->points && arguments->points->has_pairs;

	words_add(words, "kmt_depth=%u", request->what.stack_depth);
	add_walk(words, request);
	words_add(words, "kmt_scope=%d", (int)request->whose.scope);
	words_add(words, "kmt_target=%d", (int)arguments->target);
	if (request->whose.pids && request->whose.pids->len)
		add_pids(words, request->whose.pids);
	words_add(words, "kmt_self=%d", (int)getpid());
	words_add(words, "kmt_events=%u", events);
	if (request->what.preset)
		words_add(words, "kmt_user_depth=%u", request->what.user_depth);
	if (events & probe_kinds_of_caches())
		add_layout(words);
	if (request->what.caches)
		add_caches(words, request->what.caches);
	if (events & PROBE_KMALLOC)
		add_inner(words, arguments->inner);
	words_add(words, "kmt_include_self=%d", request->whose.include_self);
	words_add(words, "kmt_with_interrupts=%d", request->whose.with_interrupts);
	words_add(words, "kmt_sampling=%u", is_whole ? 1 : request->what.sampling_period);
	words_add(words, "kmt_overhead=%u", is_whole ? 0 : request->bounds.overhead_percent_max);
	words_add(words, "kmt_held=%d", request->what.held);
	if (request->what.held && request->what.events & probe_kinds_of_caches())
		words_add(words, "kmt_functions=1");
	/* A pointer is needed to pair an allocation with its free. */
	words_add(words, "kmt_repeat_ns=%u", request->what.held ? 0 : request->what.repeat_ns);
}

char **stap_arguments_new(const StapArguments *arguments, const CollectRequest *request)
{
	GPtrArray *words = g_ptr_array_new();

	words_add(words, "%s", arguments->tool->staprun);
	if (arguments->rename)
		words_add(words, "-R");
	words_add(words, "-b%u", arguments->buffers->megabytes_per_buffer);
	words_add(words, "%s", arguments->module_path);
	add_parameters(words, arguments, request);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}

/* The process. */

enum {
	PIPE_BYTES = 1 << 20,
	PIPE_BYTES_MIN = 1 << 16,
	UNLOAD_PATIENCE_MS = 1500, /* for killed processes to release the module */
	UNLOAD_EVERY_MS = 50,
	UNLOAD_TRIES_MIN = 3, /* on a slow host, the first one may take all that time */
};

/* Without the caller's environment: staprun runs as root and starts helpers by name. */
static char *const environment[] = {
	(char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
	(char *)"LC_ALL=C",
	/* Without it, staprun permanently disables the kernel's optimisation of kprobes; we use
	   none. */
	(char *)"STAP_PR13193_OVERRIDE=1",
	NULL,
};

/* With a larger pipe, the kernel side can continue longer while we are busy. */
static void enlarge_pipe(int fd)
{
	int bytes = PIPE_BYTES;

	while (bytes > PIPE_BYTES_MIN && fcntl(fd, F_SETPIPE_SZ, bytes) < 0)
		bytes /= 2;
}

static pid_t fork_staprun(char **argv, int out, int err)
{
	static const char problem[] = "ERROR: it could not be executed\n";
	pid_t parent = getpid();
	pid_t pid = child_signals_fork();
	int nothing;

	if (pid)
		return pid;
	/* In the child: only calls that are safe after a fork. */
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	child_signals_default();
	child_signals_unblock();
	setpgid(0, 0);
	/* First, because the parent may be killed before it could register the group. */
	watchdog_add(&(WatchdogItem){ .kind = WATCHDOG_GROUP, .group = getpid() });
	child_signals_end_with(parent, SIGTERM);
	if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execve(argv[0], argv, environment);
	(void)!write(err, problem, sizeof(problem) - 1);
	_exit(127);
}

static bool stap_child_fail(GError **error, const char *what)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "staprun: %s: %s", what,
		    g_strerror(errno));
	return false;
}

static void close_pair(const int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

bool stap_child_start(StapChild *child, char **argv, GError **error)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC))
		return stap_child_fail(error, "pipe");
	if (pipe2(err, O_CLOEXEC)) {
		close_pair(out);
		return stap_child_fail(error, "pipe");
	}
	enlarge_pipe(out[0]);
	child->pid = fork_staprun(argv, out[1], err[1]);
	if (child->pid < 0) {
		close_pair(out);
		close_pair(err);
		return stap_child_fail(error, "fork");
	}
	/* In both processes, because either may run first. */
	setpgid(child->pid, child->pid);
	close(out[1]);
	close(err[1]);
	child->stdout_fd = out[0];
	child->stderr_fd = err[0];
	g_unix_set_fd_nonblocking(child->stdout_fd, TRUE, NULL);
	g_unix_set_fd_nonblocking(child->stderr_fd, TRUE, NULL);
	return true;
}

void stap_child_close(StapChild *child)
{
	close(child->stdout_fd);
	close(child->stderr_fd);
}

/* Modules. */

char *stap_module_name(const char *path)
{
	char *name = g_path_get_basename(path);
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = '\0';
	return name;
}

char *stap_module_renamed(const char *name, pid_t pid)
{
	g_autofree char *suffix = g_strdup_printf("_%d", (int)pid);
	size_t kept = strlen(name) - MIN(strlen(name), strlen(suffix));

	/* The new name must have the same length; a shorter name is kept. */
	if (strlen(suffix) > strlen(name))
		return g_strdup(name);
	return g_strdup_printf("%.*s%s", (int)kept, name, suffix);
}

char *stap_module_folder(const char *sys_folder, const char *name)
{
	return g_build_filename(sys_folder ? sys_folder : "/sys", "module", name, NULL);
}

bool stap_module_is_loaded(const char *sys_folder, const char *name)
{
	g_autofree char *path = stap_module_folder(sys_folder, name);

	return g_file_test(path, G_FILE_TEST_IS_DIR);
}

bool stap_module_unload(const char *staprun, const char *sys_folder, const char *name)
{
	char *argv[] = { unconst(staprun), (char *)"-d", unconst(name), NULL };
	const GSpawnFlags quiet = G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL;
	uint64_t end_ns = clock_monotonic_ns() + UNLOAD_PATIENCE_MS * 1000000ULL;

	for (int tries = 1;; tries++) {
		g_spawn_sync(NULL, argv, unconst(environment), quiet, NULL, NULL, NULL, NULL, NULL,
			     NULL);
		if (!stap_module_is_loaded(sys_folder, name))
			return true;
		if (tries >= UNLOAD_TRIES_MIN && clock_monotonic_ns() >= end_ns)
			return false;
		sleep_ms(UNLOAD_EVERY_MS);
	}
}
