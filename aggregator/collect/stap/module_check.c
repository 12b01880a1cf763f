/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks for reasons why a module cannot be loaded: the rights of kernel, user and process, before a
 * minute of compiling; and whether a module file fits this host, kernel and request, before it is
 * loaded. No state; each reason has its remedy.
 */
#include "collect/stap/module_check.h"

#include "collect/facts/host_facts.h"
#include "collect/stap/module_file.h"
#include "collect/stap/stap_build.h"
#include "record/probe_kinds.h"

#include <gio/gio.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/utsname.h>

G_GNUC_PRINTF(3, 4)
static bool fail(GError **error, GIOErrorEnum code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		*error = g_error_new_valist(G_IO_ERROR, (gint)code, format, arguments);
	va_end(arguments);
	return false;
}

bool module_rights_of_kernel(const char *root, GError **error)
{
	g_autofree char *modules = g_strconcat(root, "/proc/modules", NULL);
	g_autofree char *disabled = g_strconcat(root, "/proc/sys/kernel/modules_disabled", NULL);
	g_autofree char *text = NULL;

	if (!g_file_test(modules, G_FILE_TEST_EXISTS))
		return fail(error, G_IO_ERROR_NOT_SUPPORTED,
			    "this kernel cannot load modules, which SystemTap needs; report a "
			    "recording of another host with -i FILE");
	if (g_file_get_contents(disabled, &text, NULL, NULL) && *text == '1')
		return fail(error, G_IO_ERROR_PERMISSION_DENIED,
			    "the kernel loads no more modules until it is booted again "
			    "(kernel.modules_disabled=1): boot without that setting");
	return true;
}

bool module_rights_of_user(const char *root, uid_t user, GError **error)
{
	if (user != 0)
		return fail(error, G_IO_ERROR_PERMISSION_DENIED,
			    "only root can load the probes, membership in stapdev and stapusr does "
			    "not suffice: run it with sudo");
	if (!(capabilities_effective(root) >> CAP_SYS_MODULE & 1))
		return fail(error, G_IO_ERROR_PERMISSION_DENIED,
			    "this root may not load modules (no CAP_SYS_MODULE), as in a "
			    "container: run it on the host");
	if (!user_namespace_is_first(root))
		return fail(error, G_IO_ERROR_PERMISSION_DENIED,
			    "this root is that of a user namespace, which may not load modules: "
			    "run it on the host");
	return true;
}

/* The module cannot count events that it does not observe: an error is better than half a result.
 */
static bool check_events(const ModuleFile *file, const char *path, unsigned wanted, GError **error)
{
	g_autofree char *names = probe_kinds_names(wanted);
	unsigned observed;

	if (!file->events || !probe_kinds_parse(file->events, 0, &observed, NULL))
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s is not a module made by --build-module", path);
	if (wanted & ~observed)
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s observes %s only, not %s: build it with --build-module --events=%s",
			    path, file->events, names, names);
	return true;
}

bool module_check_for(const StapTool *tool, const char *path, unsigned events, const char *release,
		      const char *version, GError **error)
{
	g_autoptr(ModuleFile) file = module_file_read(path, error);
	g_autofree char *name = file ? module_file_name(path, error) : NULL;
	g_autofree char *here = g_strdup_printf("%u.%u", tool->major, tool->minor);

	if (!name)
		return false;
	if (!file->stap_release || !file->kernel_release)
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s is not a module made by --build-module", path);
	if (file->name && strcmp(file->name, name) != 0)
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s was built as %s.ko: give it that name again", path, file->name);
	if (strcmp(file->kernel_release, release) != 0)
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s was built for kernel %s, but %s is running: build it with "
			    "--build-module=%s",
			    path, file->kernel_release, release, release);
	if (file->kernel_version && strcmp(file->kernel_version, version) != 0)
		return fail(
			error, G_IO_ERROR_INVALID_DATA,
			"%s was built for kernel %s '%s', but '%s' is running: build it with the "
			"headers of that build",
			path, release, file->kernel_version, version);
	if (tool->major > 0 && strcmp(file->stap_release, here) != 0)
		return fail(error, G_IO_ERROR_INVALID_DATA,
			    "%s was built by SystemTap %s, but %s is installed here: both must be "
			    "of one release",
			    path, file->stap_release, here);
	return check_events(file, path, events, error);
}

bool module_check(const StapTool *tool, const char *path, unsigned events, GError **error)
{
	struct utsname names;

	if (uname(&names) < 0)
		return fail(error, G_IO_ERROR_INVALID_DATA, "the kernel's name is not known");
	return module_check_for(tool, path, events, names.release, names.version, error);
}
