/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A const table: which command installs a package on which distribution, by os-release. Messages
 * with a remedy use it.
 */
#include "collect/facts/distribution.h"

#include <glib.h>
#include <string.h>

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

/* Returns the value of KEY=VALUE, unquoted, or NULL. */
static char *os_release_value(const char *os_release, const char *key)
{
	g_auto(GStrv) lines = g_strsplit(os_release, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, key) && (*line)[strlen(key)] == '=')
			return g_shell_unquote(*line + strlen(key) + 1, NULL);
	}
	return NULL;
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
	g_autofree char *id = os_release_value(os_release, "ID");
	g_autofree char *like = os_release_value(os_release, "ID_LIKE");
	g_autofree char *version = os_release_value(os_release, "VERSION_ID");
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
