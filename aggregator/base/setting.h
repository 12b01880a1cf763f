/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* Writes a text to a file of /proc that holds a setting. Returns false where that is refused.
   Allocates nothing: the watchdog may call it. */
bool setting_write(const char *path, const char *text);
