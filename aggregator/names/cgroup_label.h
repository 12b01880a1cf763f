/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Appends what people call the cgroup of a path, escaped: the container that it is in, by engine
 * and the first 12 digits of its id ("docker:1a2b3c4d5e6f"), else the systemd unit
 * ("sshd.service"), else the path. With whole the path, whatever it is.
 */
void cgroup_label_append(GString *out, const char *path, bool whole);
