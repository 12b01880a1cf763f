/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Appends the usual name of the cgroup with this path, escaped: its container, as engine and first
 * 12 digits of the id ("docker:1a2b3c4d5e6f"), else the systemd unit ("sshd.service"), else the
 * path. whole: always the path.
 */
void cgroup_label_append(GString *out, const char *path, bool whole);
