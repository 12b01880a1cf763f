/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The fields in section .modinfo of a kernel module file. NULL: missing. */
typedef struct {
	char *name;           /* of the module; its file must have the same name */
	char *kernel_release; /* that the module was built for */
	char *kernel_version; /* of that kernel's build, added by stap_build */
	char *events;         /* observed events, "kmalloc,cache", added by stap_build */
	char *stap_release;   /* of the SystemTap that built it, "5.6", added by stap_build */
	bool is_signed;       /* with any key */
} ModuleFile;

/* The field names that stap_build adds. */
#define MODULE_FILE_EVENTS "kmt_events"
#define MODULE_FILE_KERNEL_VERSION "kmt_kernel"
#define MODULE_FILE_STAP_RELEASE "kmt_stap"

/* Returns the file's fields, or NULL with error set if it is not a kernel module. */
ModuleFile *module_file_read(const char *path, GError **error);
void module_file_free(ModuleFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleFile, module_file_free)

/* Returns the name that a module in this file must have: "b" for "/a/b.ko". NULL with error set. */
char *module_file_name(const char *path, GError **error);
