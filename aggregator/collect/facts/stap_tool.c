/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds SystemTap's programs in fixed folders and learns their version: from stap -V, else from the
 * bytes of stapio. A const table says by os-release which command installs a missing package. The
 * engine of SystemTap and --check ask; the caller's PATH is never used.
 */
#include "collect/facts/stap_tool.h"

#include "base/trusted_file.h"
#include "collect/facts/host_facts.h"

#include <gio/gio.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The caller's PATH is never used. */
static const char *const tool_folders[] = { "/usr/bin", "/usr/sbin", "/usr/local/bin", NULL };

/* Relative to the prefix of staprun: "/usr/bin/staprun" has "/usr/lib/systemtap/stapio". */
static const char *const stapio_places[] = { "libexec/systemtap/stapio", "lib/systemtap/stapio",
					     "lib64/systemtap/stapio", NULL };

/* Returns the path of a program, or NULL. If a program was found but rejected, sets *unusable to
   it. */
static char *find_program(const char *const *folders, const char *name, char **unusable)
{
	for (; *folders; folders++) {
		g_autofree char *path = g_build_filename(*folders, name, NULL);

		if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
			continue;
		if (access(path, X_OK) == 0 && (geteuid() != 0 || trusted_path_is_root_only(path)))
			return g_steal_pointer(&path);
		if (!*unusable)
			*unusable = g_steal_pointer(&path);
	}
	return NULL;
}

enum { RELEASE_NUMBER_MAX = 999 };

/* Reads "5.6", and returns what follows it, or NULL. */
static const char *read_release(const char *text, unsigned *major, unsigned *minor)
{
	char *dot, *end;

	if (!g_ascii_isdigit(*text))
		return NULL;
	*major = (unsigned)MIN(g_ascii_strtoull(text, &dot, 10), UINT_MAX);
	if (*dot != '.' || !g_ascii_isdigit(dot[1]))
		return NULL;
	*minor = (unsigned)MIN(g_ascii_strtoull(dot + 1, &end, 10), UINT_MAX);
	return end;
}

bool stap_tool_parse_version(StapTool *tool, const char *text)
{
	const char *begin = strstr(text, "(version ");
	const char *version = begin ? begin + strlen("(version ") : "";
	gsize bytes = strcspn(version, ")\n");

	if (version[bytes] != ')' || !read_release(version, &tool->major, &tool->minor) ||
	    tool->major > RELEASE_NUMBER_MAX || tool->minor > RELEASE_NUMBER_MAX)
		return false;
	tool->version = g_strndup(version, bytes);
	tool->kernels_tested = line_value(text, "tested kernel versions: ", "");
	return true;
}

/* Asks stap for its version, which it prints to stderr. */
static bool ask_version(StapTool *tool, GError **error)
{
	char *argv[] = { tool->stap, (char *)"-V", NULL };
	/* Without a cache folder: asking for the version leaves nothing behind. */
	char *environment[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", (char *)"LC_ALL=C",
				(char *)"HOME=/", (char *)"SYSTEMTAP_DIR=/dev/null", NULL };
	g_autofree char *out = NULL;
	g_autofree char *text = NULL;

	if (!g_spawn_sync("/", argv, environment, G_SPAWN_DEFAULT, NULL, NULL, &out, &text, NULL,
			  error))
		return false;
	if (stap_tool_parse_version(tool, text) || stap_tool_parse_version(tool, out))
		return true;
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
		    "%s -V prints no version: install SystemTap again", tool->stap);
	return false;
}

/* staprun -V only prints to terminals. stapio contains its release as a separate string. Leaves 0.0
   if no string or several strings look like a release. */
void stap_tool_search_version(StapTool *tool, const char *bytes, gsize length)
{
	const char *end = bytes + length;

	for (const char *p = bytes; p < end; p++) {
		const char *text = p;
		const char *stop = memchr(p, '\0', (gsize)(end - p));
		unsigned major, minor;

		if (!stop)
			return;
		p = stop;
		if (stop - text > 7 || read_release(text, &major, &minor) != stop)
			continue;
		tool->major = tool->version ? 0 : major;
		tool->minor = tool->version ? 0 : minor;
		if (tool->version)
			return;
		tool->version = g_strdup(text);
	}
}

static void read_runtime_version(StapTool *tool)
{
	g_autofree char *folder = g_path_get_dirname(tool->staprun);
	g_autofree char *prefix = g_path_get_dirname(folder);

	for (const char *const *place = stapio_places; *place; place++) {
		g_autofree char *path = g_build_filename(prefix, *place, NULL);
		g_autofree char *bytes = NULL;
		gsize length;

		if (!g_file_get_contents(path, &bytes, &length, NULL))
			continue;
		stap_tool_search_version(tool, bytes, length);
		break;
	}
	if (tool->major == 0) {
		g_free(tool->version);
		tool->version = g_strdup("unknown");
	}
}

static void fail_missing(GError **error, const char *name, PackageKind package,
			 const char *unusable)
{
	g_autofree char *command = distribution_install_command(package, "");

	if (!unusable)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
			    "%s was not found in /usr/bin, /usr/sbin or /usr/local/bin: %s", name,
			    command);
	else if (geteuid() != 0)
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
			    "only root and the group stapusr may run %s: run it with sudo",
			    unusable);
	else
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
			    "%s can be written by others than root; install SystemTap's own: %s",
			    unusable, command);
}

StapTool *stap_tool_find_in(const char *const *folders, bool need_compiler, GError **error)
{
	g_autoptr(StapTool) tool = g_new0(StapTool, 1);
	g_autofree char *unusable_stap = NULL;
	g_autofree char *unusable_staprun = NULL;

	tool->stap = find_program(folders, "stap", &unusable_stap);
	tool->staprun = find_program(folders, "staprun", &unusable_staprun);
	if (need_compiler && !tool->stap) {
		fail_missing(error, "stap", PACKAGE_SYSTEMTAP, unusable_stap);
		return NULL;
	}
	if (!need_compiler && !tool->staprun) {
		fail_missing(error, "staprun", PACKAGE_SYSTEMTAP_RUNTIME, unusable_staprun);
		return NULL;
	}
	if (!tool->stap)
		read_runtime_version(tool);
	else if (!ask_version(tool, error))
		return NULL;
	return g_steal_pointer(&tool);
}

StapTool *stap_tool_find(bool need_compiler, GError **error)
{
	return stap_tool_find_in(tool_folders, need_compiler, error);
}

/* A host may be able to build but not to load, or the reverse. */
StapTool *stap_tool_find_for_run(bool compiles, GError **error)
{
	g_autoptr(StapTool) tool = stap_tool_find(false, error);

	if (!tool || !compiles || tool->stap)
		return g_steal_pointer(&tool);
	return stap_tool_find(true, error);
}

void stap_tool_free(StapTool *tool)
{
	if (!tool)
		return;
	g_free(tool->stap);
	g_free(tool->staprun);
	g_free(tool->version);
	g_free(tool->kernels_tested);
	g_free(tool);
}

bool stap_tool_at_least(const StapTool *tool, unsigned major, unsigned minor)
{
	return tool->major > major || (tool->major == major && tool->minor >= minor);
}

/* "%s" stands for the kernel release. */
typedef struct {
	const char *id;         /* as in ID or ID_LIKE of os-release; NULL: any other */
	guint64 before_release; /* only for releases before this one; 0: any */
	const char *commands[PACKAGE_KINDS];
} Distribution;

#define DEB_COMMANDS                                                                               \
	{                                                                                          \
		"apt install linux-headers-%s", "apt install systemtap",                           \
			"apt install systemtap-runtime", "apt install gcc make"                    \
	}
#define RPM_COMMANDS(manager)                                                                      \
	{                                                                                          \
		manager " install kernel-devel-%s", manager " install systemtap",                  \
			manager " install systemtap-runtime", manager " install gcc make"          \
	}

static const Distribution distributions[] = {
	{ "debian", 0, DEB_COMMANDS },
	{ "ubuntu", 0, DEB_COMMANDS },
	/* Relatives of RHEL 7 may name only Fedora, whose own releases have larger numbers. */
	{ "rhel", 8, RPM_COMMANDS("yum") },
	{ "rhel", 0, RPM_COMMANDS("dnf") },
	{ "fedora", 8, RPM_COMMANDS("yum") },
	{ "fedora", 0, RPM_COMMANDS("dnf") },
	{ "suse",
	  0,
	  { "zypper install kernel-default-devel (of kernel %s)", "zypper install systemtap",
	    "zypper install systemtap-runtime", "zypper install gcc make" } },
	{ NULL,
	  0,
	  { "install the headers of kernel %s", "install SystemTap", "install SystemTap's runtime",
	    "install gcc and make" } },
};

/* Returns the value behind "KEY=", unquoted, or NULL. */
static char *os_release_value(const char *os_release, const char *key)
{
	g_autofree char *value = line_value(os_release, key, "");

	return value ? g_shell_unquote(value, NULL) : NULL;
}

/* Without a release (Debian testing), it counts as a new one. */
static const Distribution *distribution_find(const char *ids, guint64 release)
{
	g_auto(GStrv) words = g_strsplit(ids ? ids : "", " ", -1);

	for (const Distribution *d = distributions; d->id; d++) {
		if (g_strv_contains((const char *const *)words, d->id) &&
		    (!d->before_release || release < d->before_release))
			return d;
	}
	return NULL;
}

char *distribution_install_command_for(const char *os_release, PackageKind kind,
				       const char *kernel_release)
{
	g_autofree char *id = os_release_value(os_release, "ID=");
	g_autofree char *like = os_release_value(os_release, "ID_LIKE=");
	g_autofree char *version = os_release_value(os_release, "VERSION_ID=");
	guint64 release = version ? g_ascii_strtoull(version, NULL, 10) : G_MAXUINT64;
	const Distribution *distribution = distribution_find(id, release);
	g_auto(GStrv) parts = NULL;

	if (!distribution)
		distribution = distribution_find(like, release);
	if (!distribution)
		distribution = &distributions[G_N_ELEMENTS(distributions) - 1];
	parts = g_strsplit(distribution->commands[kind], "%s", 2);
	return g_strjoinv(kernel_release, parts);
}

char *distribution_install_command(PackageKind kind, const char *kernel_release)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/etc/os-release", &text, NULL, NULL))
		text = g_strdup("");
	return distribution_install_command_for(text, kind, kernel_release);
}
