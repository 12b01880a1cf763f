/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/collector.h"
#include "collect/stap_options.h"
#include "collect/stap_tool.h"

#include <glib.h>
#include <sys/types.h>

/* What staprun is started with, beside the request. Everything is borrowed. */
typedef struct {
	const StapTool *tool;
	const StapOptions *options;
	const char *module_path;
	bool rename;   /* -R: the module's name is taken */
	pid_t target;  /* the command, or 0 */
	unsigned cpus; /* online */
} StapArguments;

/* Returns the argument vector: staprun, its options, the module, the module's parameters. */
char **stap_arguments_new(const StapArguments *arguments, const CollectRequest *request);

/* Returns the transport memory of all CPUs together; 0: SystemTap's default. */
uint64_t stap_arguments_buffer_bytes(const StapArguments *arguments, const CollectRequest *request);
