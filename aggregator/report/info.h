/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "session.h"

#include <stdio.h>

/* Prints what a stream is, a line each: host, time, collector, scope, and whether it is whole. */
void info_print(const Session *session, bool show_host, FILE *out);
