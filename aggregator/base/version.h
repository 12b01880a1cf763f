/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

/* Prints the version and what this build can do, a line each. */
void version_print(const char *program, FILE *out);
