/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The fields of a kernel module file's section .modinfo. NULL: not in it. */
typedef struct {
	char *name;           /* of the module; its file must be called so, too */
	char *kernel_release; /* that it was built for */
	char *kernel_version; /* of that kernel's build, noted by stap_build */
	char *events;         /* that it observes, "kmalloc,cache", noted by stap_build */
	char *stap_release;   /* that built it, "5.6", noted by stap_build */
	bool is_signed;       /* by whatever key */
} ModuleFile;

/* The names under which stap_build notes what no module says by itself. */
#define MODULE_FILE_EVENTS "kmt_events"
#define MODULE_FILE_KERNEL_VERSION "kmt_kernel"
#define MODULE_FILE_STAP_RELEASE "kmt_stap"

/* Returns what the file says, or NULL with error set when it is no kernel module. */
ModuleFile *module_file_read(const char *path, GError **error);
void module_file_free(ModuleFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleFile, module_file_free)

/* Returns the name that a module in this file must have, or NULL with error set: "/a/b.ko" is b. */
char *module_file_name(const char *path, GError **error);
