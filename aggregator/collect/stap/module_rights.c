/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks for reasons why no module can be loaded, before a minute of compiling. No state; each
 * reason has its remedy.
 */
#include "collect/stap/module_rights.h"

#include "collect/facts/capabilities.h"

#include <gio/gio.h>
#include <linux/capability.h>

static bool module_rights_fail(GError **error, GIOErrorEnum code, const char *message)
{
	g_set_error_literal(error, G_IO_ERROR, (gint)code, message);
	return false;
}

bool module_rights_of_kernel(const char *root, GError **error)
{
	g_autofree char *modules = g_strconcat(root, "/proc/modules", NULL);
	g_autofree char *disabled = g_strconcat(root, "/proc/sys/kernel/modules_disabled", NULL);
	g_autofree char *text = NULL;

	if (!g_file_test(modules, G_FILE_TEST_EXISTS))
		return module_rights_fail(
			error, G_IO_ERROR_NOT_SUPPORTED,
			"this kernel cannot load modules, which SystemTap needs; report a "
			"recording of another host with -i FILE");
	if (g_file_get_contents(disabled, &text, NULL, NULL) && *text == '1')
		return module_rights_fail(
			error, G_IO_ERROR_PERMISSION_DENIED,
			"the kernel loads no more modules until it is booted again "
			"(kernel.modules_disabled=1): boot without that setting");
	return true;
}

/* Also true if /proc does not show it. */
static bool user_namespace_is_first(const char *root)
{
	/* PROC_USER_INIT_INO: include/linux/proc_ns.h, since 3.8 */
	static const char first[] = "user:[4026531837]";
	g_autofree char *path = g_strconcat(root, "/proc/self/ns/user", NULL);
	g_autofree char *ours = g_file_read_link(path, NULL);

	return !ours || g_str_equal(ours, first);
}

bool module_rights_of_user(const char *root, uid_t user, GError **error)
{
	if (user != 0)
		return module_rights_fail(
			error, G_IO_ERROR_PERMISSION_DENIED,
			"only root can load the probes, membership in stapdev and stapusr does "
			"not suffice: run it with sudo");
	if (!(capabilities_effective(root) >> CAP_SYS_MODULE & 1))
		return module_rights_fail(
			error, G_IO_ERROR_PERMISSION_DENIED,
			"this root may not load modules (no CAP_SYS_MODULE), as in a "
			"container: run it on the host");
	if (!user_namespace_is_first(root))
		return module_rights_fail(
			error, G_IO_ERROR_PERMISSION_DENIED,
			"this root is that of a user namespace, which may not load modules: "
			"run it on the host");
	return true;
}
