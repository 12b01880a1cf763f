/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/* Returns the effective capabilities of this process, one bit per capability number; all bits if
   /proc does not show them. /proc lies below root ("": this host's). */
uint64_t capabilities_effective(const char *root);
