/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a module file fits this host, kernel and request, before it is loaded: one error each,
 * with what to do.
 */
#include "collect/stap/stap_build.h"

#include "record/probe_kinds.h"
#include "collect/stap/module_file.h"

#include <gio/gio.h>
#include <string.h>
#include <sys/utsname.h>

G_GNUC_PRINTF(2, 3)
static bool stap_module_check_fail(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (error)
		*error = g_error_new_valist(G_IO_ERROR, G_IO_ERROR_INVALID_DATA, format, arguments);
	va_end(arguments);
	return false;
}

/* The module cannot count events that it does not observe: an error is better than half a result.
 */
static bool check_events(const ModuleFile *file, const char *path, unsigned wanted, GError **error)
{
	g_autofree char *names = probe_kinds_names(wanted);
	unsigned observed;

	if (!file->events || !probe_kinds_parse(file->events, 0, &observed, NULL))
		return stap_module_check_fail(error, "%s is not a module made by --build-module",
					      path);
	if (wanted & ~observed)
		return stap_module_check_fail(
			error,
			"%s observes %s only, not %s: build it with --build-module --events=%s",
			path, file->events, names, names);
	return true;
}

bool stap_build_check_module_for(const StapTool *tool, const char *path, unsigned events,
				 const char *release, const char *version, GError **error)
{
	g_autoptr(ModuleFile) file = module_file_read(path, error);
	g_autofree char *name = file ? module_file_name(path, error) : NULL;
	g_autofree char *here = g_strdup_printf("%u.%u", tool->major, tool->minor);

	if (!name)
		return false;
	if (!file->stap_release || !file->kernel_release)
		return stap_module_check_fail(error, "%s is not a module made by --build-module",
					      path);
	if (file->name && strcmp(file->name, name) != 0)
		return stap_module_check_fail(
			error, "%s was built as %s.ko: give it that name again", path, file->name);
	if (strcmp(file->kernel_release, release) != 0)
		return stap_module_check_fail(
			error,
			"%s was built for kernel %s, but %s is running: build it with "
			"--build-module=%s",
			path, file->kernel_release, release, release);
	if (file->kernel_version && strcmp(file->kernel_version, version) != 0)
		return stap_module_check_fail(
			error,
			"%s was built for kernel %s '%s', but '%s' is running: build it with the "
			"headers of that build",
			path, release, file->kernel_version, version);
	if (tool->major > 0 && strcmp(file->stap_release, here) != 0)
		return stap_module_check_fail(
			error,
			"%s was built by SystemTap %s, but %s is installed here: both must be "
			"of one "
			"release",
			path, file->stap_release, here);
	return check_events(file, path, events, error);
}

bool stap_build_check_module(const StapTool *tool, const char *path, unsigned events,
			     GError **error)
{
	struct utsname names;

	if (uname(&names) < 0)
		return stap_module_check_fail(error, "the kernel's name is not known");
	return stap_build_check_module_for(tool, path, events, names.release, names.version, error);
}
