/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "process/child.h"
#include "code/unwind/unwind_wire.h"

/* Returns the kind of process that unwinds: it takes records from the ring (UnwindShared, the data
   of child_start()) and answers over the socket, until the program's end of it closes. A record
   that takes seconds ends it. What it reads takes at most this much memory, about. */
ChildType unwind_worker_type(uint64_t memory_bytes_max);
