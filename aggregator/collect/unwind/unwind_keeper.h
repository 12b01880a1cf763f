/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/unwind/unwind_wire.h"

#include <sys/types.h>

/*
 * The keeper is the parent of the process that unwinds. It was forked when the program had nothing
 * open yet, so each new process that it forks has nothing either. It starts one again if it is
 * lost, up to UNWIND_WORKERS_MAX times, and ends when the program does.
 *
 * Returns its pid, or -1 with errno set. The keeper has both in common with the program.
 */
pid_t unwind_keeper_start(UnwindShared *shared, int socket);
