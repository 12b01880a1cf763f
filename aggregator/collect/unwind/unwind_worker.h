/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/unwind/unwind_wire.h"

#include <glib.h>

/* The process that unwinds, after its fork: takes records from the ring and answers over the
   socket, until the program's end of it closes. The number is 0 for the first such
   process. A record that takes seconds ends it. */
void G_GNUC_NORETURN unwind_worker_run(UnwindShared *shared, int socket, uint64_t number);
