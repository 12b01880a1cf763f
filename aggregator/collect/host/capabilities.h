/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* Returns the effective capabilities of this process, a bit each by its number; all of them where
   /proc does not show them. /proc lies below root ("": this host's). */
uint64_t capabilities_effective(const char *root);
