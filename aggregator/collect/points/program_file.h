/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"

#include <glib.h>

/*
 * Returns the path of the program or library that a probe names, or NULL with error set. The caller
 * frees it.
 *
 *   a path   itself, from the current folder
 *   libc     the C library that host->pid, or without it this program, has mapped; also if it was
 *            deleted, or is in another mount namespace
 *   a name   the program in PATH, else a file of this name that host->pid has mapped
 */
char *program_file_find(const PointHost *host, const ProbeSpec *spec, GError **error);
