/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user of -u: ids, groups and environment, read before the fork; taken in the child by calls
 * that are safe there.
 */
#include "config.h"

#include "collect/run/identity.h"

#include "process/child_files.h"

#include <grp.h>
#include <linux/keyctl.h>
#include <pwd.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 65536 };

/* What of our environment another user's command needs: where programs are, what the terminal can
   do, language and time. */
static const char *const kept_variables[] = { "PATH", "TERM",     "COLORTERM", "NO_COLOR",
					      "LANG", "LANGUAGE", "TZ" };
static const char kept_prefix[] = "LC_";

void identity_clear(Identity *identity)
{
	g_clear_pointer(&identity->groups, g_array_unref);
	g_clear_pointer(&identity->environment, g_strfreev);
}

static void identity_read_groups(Identity *identity, const struct passwd *user)
{
	int count = 64;

	GArray *groups = identity->groups;

	do {
		count = MIN(count * 2, GROUPS_MAX);
		g_array_set_size(groups, (guint)count);
	} while (getgrouplist(user->pw_name, user->pw_gid, (gid_t *)(void *)groups->data, &count) <
			 0 &&
		 groups->len < GROUPS_MAX);
	g_array_set_size(groups, (guint)MIN(count, GROUPS_MAX));
}

static void identity_set(Identity *identity, const char *variable, const char *value)
{
	identity->environment = g_environ_setenv(identity->environment, variable, value, TRUE);
}

static bool is_kept(const char *variable)
{
	size_t length = strcspn(variable, "=");

	for (size_t i = 0; i < G_N_ELEMENTS(kept_variables); i++)
		if (strlen(kept_variables[i]) == length &&
		    !strncmp(variable, kept_variables[i], length))
			return true;
	return g_str_has_prefix(variable, kept_prefix);
}

static void set_environment(Identity *identity, const struct passwd *user)
{
	g_auto(GStrv) ours = g_get_environ();
	GPtrArray *kept = g_ptr_array_new();

	for (char **variable = ours; *variable; variable++)
		if (is_kept(*variable))
			g_ptr_array_add(kept, g_strdup(*variable));
	g_ptr_array_add(kept, NULL);
	identity->environment = (char **)g_ptr_array_free(kept, FALSE);
	identity_set(identity, "HOME", user->pw_dir);
	identity_set(identity, "SHELL", *user->pw_shell ? user->pw_shell : "/bin/sh");
	identity_set(identity, "USER", user->pw_name);
	identity_set(identity, "LOGNAME", user->pw_name);
}

bool identity_init(Identity *identity, const char *name, GError **error)
{
	const struct passwd *user;

	if (!name) {
		identity->environment = g_get_environ();
		return true;
	}
	user = getpwnam(name);
	if (!user || geteuid()) {
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    user ? "-u %s: only root can run a command as another user: use sudo"
				 : "-u %s: no such user",
			    name);
		return false;
	}
	identity->change = true;
	identity->uid = user->pw_uid;
	identity->gid = user->pw_gid;
	identity->groups = g_array_new(FALSE, TRUE, sizeof(gid_t));
	identity_read_groups(identity, user);
	set_environment(identity, user);
	return true;
}

bool identity_take(const Identity *identity)
{
	const GArray *groups = identity->groups;

	if (!identity->change)
		return true;
	child_files_close_at_exec();
	if (setgroups(groups->len, (const gid_t *)(const void *)groups->data) ||
	    setgid(identity->gid) || setuid(identity->uid))
		return false;
	/* Our session's keys would be the command's, too (session-keyring(7)). Kernels without keys
	   have none. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	return true;
}
