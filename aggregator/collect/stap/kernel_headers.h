/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The installed headers of a kernel, which stap compiles against. */
typedef struct {
	char *release;   /* as in uname -r */
	char *version;   /* of the build, as in uname -v; NULL: not in the headers */
	char *build;     /* folder with .config and the generated headers */
	char *source;    /* folder with the headers that all flavours share; may be the same */
	char *sign_hash; /* algorithm of module signatures: "sha256" */
} KernelHeaders;

/*
 * Returns the headers of that release (NULL: of the running kernel), or NULL with error set if they
 * are not installed or belong to another build than the running kernel. The error names the package
 * to install. modules_folder NULL: /lib/modules.
 */
KernelHeaders *kernel_headers_find(const char *modules_folder, const char *release, GError **error);

/* The same on a host whose running kernel has these names. */
KernelHeaders *kernel_headers_find_for(const char *modules_folder, const char *release,
				       const char *running_release, const char *running_version,
				       GError **error);
void kernel_headers_free(KernelHeaders *headers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(KernelHeaders, kernel_headers_free)

/* Whether the header linux/NAME contains the text. */
bool kernel_headers_contain(const KernelHeaders *headers, const char *name, const char *text);

/* Whether the text of a kernel's configuration has that option set to y. */
bool kernel_config_has_option(const char *config, const char *option);

/* Whether the kernel's configuration has that option set to y: "CONFIG_STACK_VALIDATION". */
bool kernel_headers_have_option(const KernelHeaders *headers, const char *option);
