/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/run_memory.h"
#include "collect/run/collector.h"
#include "collect/stap/stap_options.h"
#include "collect/stap/stap_points.h"
#include "collect/facts/stap_tool.h"

/* Prepared by the SystemTap collector before it loads anything. Everything is borrowed. */
typedef struct {
	const StapTool *tool;
	const StapOptions *options; /* NULL: none */
	const BufferPlan *buffers;
	const char *module_path;
	const StapPoints *points; /* of the module; NULL: allocations */
	const char *sys_folder;   /* NULL: /sys */
	const char *proc_root;    /* folder of /proc and /sys/devices; NULL: this host */
} StapRunPlan;

/*
 * Loads the module, holds and releases the command, reads the stream into the session and ensures
 * that no module stays loaded. As CollectorType.collect.
 */
bool stap_run(const StapRunPlan *plan, const CollectRun *parts, GError **error);
