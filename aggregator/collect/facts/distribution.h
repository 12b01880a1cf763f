/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Package names of this host's distribution, for error messages. */
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
