/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The SystemTap of this host. */
typedef struct {
	char *stap;            /* absolute path, NULL: only the runtime is installed */
	char *staprun;         /* absolute path; NULL: no module can be loaded here, only built */
	unsigned major, minor; /* 0, 0: not known */
	char *version;         /* "5.6/0.196, Debian version 5.6-1", or only "5.6"; "unknown" */
	char *kernels_tested;  /* "3.10 ... 7.3.0-rc3", as stap says; NULL: not said */
} StapTool;

/*
 * Returns the SystemTap of this host, or NULL with error set, naming the package to install.
 * need_compiler: stap itself is needed, not only staprun. Never searches the caller's PATH, and
 * never uses a program that somebody else than root can write, when running as root.
 */
StapTool *stap_tool_find(bool need_compiler, GError **error);

/* The same for a run: staprun is needed, and stap where the run compiles. */
StapTool *stap_tool_find_for_run(bool compiles, GError **error);
void stap_tool_free(StapTool *tool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StapTool, stap_tool_free)

/* Whether its release is at least major.minor. */
bool stap_tool_at_least(const StapTool *tool, unsigned major, unsigned minor);

/* The same, with the programs of other folders (ended by NULL). */
StapTool *stap_tool_find_in(const char *const *folders, bool need_compiler, GError **error);

/* Takes the version out of what stap -V prints. Returns false when there is none. */
bool stap_tool_parse_version(StapTool *tool, const char *text);

/* Takes the version out of the bytes of a program of SystemTap's runtime, which holds it as a text
   of its own; leaves 0, 0 when that is not certain. */
void stap_tool_search_version(StapTool *tool, const char *bytes, gsize length);
