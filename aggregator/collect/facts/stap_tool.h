/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The SystemTap of this host. */
typedef struct {
	char *stap;            /* absolute path; NULL: only the runtime is installed */
	char *staprun;         /* absolute path; NULL: modules can only be built here, not loaded */
	unsigned major, minor; /* 0, 0: unknown */
	char *version;         /* "5.6/0.196, Debian version 5.6-1", or only "5.6"; "unknown" */
	char *kernels_tested;  /* "3.10 ... 7.3.0-rc3", as printed by stap; NULL: not printed */
} StapTool;

/*
 * Returns the SystemTap of this host, or NULL with error set, naming the package to install.
 * need_compiler: stap is needed, not only staprun. Never searches the caller's PATH. As root, never
 * uses a program that other users can write.
 */
StapTool *stap_tool_find(bool need_compiler, GError **error);

/* The same for a run: needs staprun, and stap if the run compiles. */
StapTool *stap_tool_find_for_run(bool compiles, GError **error);
void stap_tool_free(StapTool *tool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapTool, stap_tool_free)

/* Whether its release is major.minor or later. */
bool stap_tool_at_least(const StapTool *tool, unsigned major, unsigned minor);

/* The same, with the programs in other folders (NULL-terminated). */
StapTool *stap_tool_find_in(const char *const *folders, bool need_compiler, GError **error);

/* Reads the version from the output of stap -V. Returns false if there is none. */
bool stap_tool_parse_version(StapTool *tool, const char *text);

/* Reads the version from the bytes of a program of SystemTap's runtime, which contains it as a
   separate string. Leaves 0, 0 if that is ambiguous. */
void stap_tool_search_version(StapTool *tool, const char *bytes, gsize length);

/* What SystemTap needs, as packages of this host's distribution: for error messages. */
typedef enum {
	PACKAGE_KERNEL_HEADERS,
	PACKAGE_SYSTEMTAP,
	PACKAGE_SYSTEMTAP_RUNTIME,
	PACKAGE_COMPILER,
	PACKAGE_KINDS,
} PackageKind;

/* Returns the command that installs it on this host: "apt install linux-headers-6.1.0-56-amd64". */
char *distribution_install_command(PackageKind kind, const char *kernel_release);

/* The same, for the distribution described by the text of an os-release file. */
char *distribution_install_command_for(const char *os_release, PackageKind kind,
				       const char *kernel_release);
