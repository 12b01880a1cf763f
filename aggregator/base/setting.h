/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* Writes a text to a file of /proc that contains a setting. Returns false if the write is refused.
   Allocates nothing: the watchdog may call it. */
bool setting_write(const char *path, const char *text);
